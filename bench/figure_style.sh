# The colours of the figures, in light and dark schemes; to be sourced by bash. Classes: a and b (bars of this
# extension), c (another index), d (a sequential scan), n (neutral).

figure_style='<style>
text { fill: #1f2328 } .background { fill: #ffffff } .line { stroke: #d1d9e0 }
.a { fill: #1f77b4 } .b { fill: #7fb8e6 } .c { fill: #ff7f0e } .d { fill: #d62728 } .n { fill: #999999 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .background { fill: #0d1117 } .line { stroke: #3d444d }
.a { fill: #3b8fd4 } .b { fill: #a5d0f2 } .c { fill: #ff9e4a } .d { fill: #f0625f } .n { fill: #8b949e }
}
</style>'
