#!/bin/bash
# The figure of README.md from the tables of doc/performance.md, which `make bench` measures:
#   bash bench/lookups_figure.sh >doc/lookups.svg

page=${1:-$(dirname "$0")/../doc/performance.md}

# In the first table the columns are name, ms of bitblock, multiple, ms of gist; in that of
# bit strings name, ms.
awk -F' *[|] *' '
	function bar(label, ms, colour)
	{
		if (ms + 0 <= 0) {
			print "no figure for: " label >"/dev/stderr"
			failed = 1
			exit 1
		}
		# 110 pixels for a factor of 10, from 0.001 ms on
		width = 110 * log(ms / 0.001) / log(10)
		printf "<text x=\"230\" y=\"%d\" text-anchor=\"end\">%s</text>", y + 15, label
		printf "<rect x=\"240\" y=\"%d\" width=\"%.1f\" height=\"20\" fill=\"%s\"/>", y, width, colour
		printf "<text x=\"%.1f\" y=\"%d\">%s ms</text>\n", 246 + width, y + 15, ms
		y += 28
	}
	/^## / { section = $0 }
	/^`ROWS=/ { section = "" }
	section == "## Lookups" && /^\|/ && !($2 in bitblock) { bitblock[$2] = $3; gist[$2] = $5 }
	section == "## Bit strings" && /^\|/ && !($2 in bits) { bits[$2] = $3 }
	END {
		if (failed)
			exit 1
		y = 40
		print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 278\" font-family=\"sans-serif\" font-size=\"13\">"
		print "<rect width=\"860\" height=\"278\" fill=\"white\"/>"
		print "<text x=\"240\" y=\"24\">one lookup among a million fingerprints, logarithmic scale</text>"
		bar("primary key lookup", bitblock["primary key lookup"], "#999999")
		bar("bitblock, within 3", bitblock["within 3"], "#1f77b4")
		bar("bitblock, within 5", bitblock["within 5"], "#1f77b4")
		bar("bitblock, within 8", bitblock["within 8"], "#1f77b4")
		bar("GiST, within 5", gist["within 5"], "#ff7f0e")
		bar("sequential scan, within 3", bitblock["sequential scan, within 3"], "#d62728")
		bar("256 bits: bitblock, within 20", bits["**256 bits, within 20 (`%`)**"], "#1f77b4")
		bar("256 bits: bit_count of all rows", bits["256 bits, `bit_count(fp # q) <= 31`, sequential scan"], "#d62728")
		print "</svg>"
	}' "$page"
