#!/bin/bash
# Draw the times of lookups from the tables of doc/measurements.md:
#   bash bench/lookups_figure.sh >doc/lookups.svg

. "$(dirname "$0")/figure_style.sh"
page=${1:-$(dirname "$0")/../doc/measurements.md}

# The columns are name, rows, ms of bitblock, multiple, ms of gist in the table of 64 bits, and name, rows, ms in that of bit
# strings.
awk -F' *[|] *' -v style="$figure_style" '
	function bar(label, ms, class)
	{
		sub(/ .*/, "", ms)		# the mark of a sequential scan
		if (ms + 0 <= 0) {
			print "no figure for: " label >"/dev/stderr"
			failed = 1
			exit 1
		}
		# 110 pixels for a factor of 10, from 0.001 ms on
		width = 110 * log(ms / 0.001) / log(10)
		printf "<text x=\"230\" y=\"%d\" text-anchor=\"end\">%s</text>", y + 15, label
		printf "<rect x=\"240\" y=\"%d\" width=\"%.1f\" height=\"20\" class=\"%s\"/>", y, width, class
		printf "<text x=\"%.1f\" y=\"%d\">%s ms</text>\n", 246 + width, y + 15, ms
		y += 28
	}
	!/^\|/ || /^## / { table = "" }
	/^\| 64 bits \| rows / { table = "64 bits" }
	/^\| bit strings \| rows / { table = "bit strings" }
	table == "64 bits" { bitblock[$2] = $4; gist[$2] = $6 }
	table == "bit strings" { bits[$2] = $4 }
	END {
		if (failed)
			exit 1
		y = 40
		print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 278\" font-family=\"sans-serif\" font-size=\"13\">"
		print style
		print "<rect width=\"860\" height=\"278\" class=\"background\"/>"
		print "<text x=\"240\" y=\"24\">one lookup among a million fingerprints, logarithmic scale</text>"
		for (k = 3; k <= 8; k += k == 3 ? 2 : 3)
			bar("bitblock, within " k, bitblock["within " k " of a random fingerprint"], "a")
		bar("GiST, within 5", gist["within 5 of a random fingerprint"], "c")
		bar("sequential scan, within 3", bitblock["sequential scan, within 3"], "d")
		bar("256 bits: bitblock, within 20", bits["256 bits, within 20"], "a")
		bar("256 bits: bitblock, within 48", bits["256 bits, within 48"], "a")
		bar("256 bits: bit_count of all rows", bits["256 bits, bit_count(fp # q) <= 31, sequential scan"], "d")
		print "</svg>"
	}' "$page"
