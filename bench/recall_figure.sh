#!/bin/bash
# Draw the recall of edited texts from the table of doc/measurements.md:
#   bash bench/recall_figure.sh >doc/recall.svg

. "$(dirname "$0")/figure_style.sh"
page=${1:-$(dirname "$0")/../doc/measurements.md}

# The columns are corpus, bits / distance, all, recall by share of words changed (4), under 20 words, form, false matches.
awk -F' *[|] *' -v style="$figure_style" '
	# the n-th line of the legend, and the n-th bar of each group
	function fingerprint(name, class, n,    bits, share, group, x, height)
	{
		if (!(name in false_matches)) {
			print "no figures for: " name >"/dev/stderr"
			failed = 1
			exit 1
		}
		split(name, bits, " / ")
		share = false_matches[name] == "none" ? "none" : false_matches[name] " of all pairs"
		printf "<rect x=\"470\" y=\"%d\" width=\"12\" height=\"12\" class=\"%s\"/>", 14 + 22 * n, class
		printf "<text x=\"490\" y=\"%d\">%s bits within %s, false matches: %s</text>\n", 25 + 22 * n, bits[1], bits[2], share
		for (group = 1; group <= 5; group++) {
			x = 46 + 162 * (group - 1) + 48 * n
			height = 200 * recall[name, group]
			printf "<rect x=\"%d\" y=\"%.1f\" width=\"44\" height=\"%.1f\" class=\"%s\"/>", x, 290 - height, height, class
			printf "<text x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", x + 22, 285 - height, recall[name, group]
		}
	}
	/^\| corpus \| bits \/ distance / { for (i = 5; i <= 9; i++) title[i - 4] = $i }
	/^\| debian \| .* \/ / {
		gsub(/\*/, "", $3)
		for (i = 5; i <= 9; i++)
			recall[$3, i - 4] = $i
		false_matches[$3] = $11
	}
	END {
		if (failed)
			exit 1
		print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 326\" font-family=\"sans-serif\" font-size=\"13\">"
		print style
		print "<rect width=\"860\" height=\"326\" class=\"background\"/>"
		print "<text x=\"40\" y=\"24\">recall: share of edited texts found, by share of words changed</text>"
		fingerprint("256 / 20", "a", 0)
		fingerprint("256 / 48", "b", 1)
		fingerprint("64 / 5", "c", 2)
		print "<path d=\"M30 290.5 H840\" class=\"line\"/>"
		for (group = 1; group <= 5; group++)
			printf "<text x=\"%d\" y=\"312\" text-anchor=\"middle\">%s</text>\n", 116 + 162 * (group - 1), title[group]
		print "</svg>"
	}' "$page"
