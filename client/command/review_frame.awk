# The frame of the review page, for review.c: what examples/review.sql has between $html$ and
# $html$, and the kinds of pairs in its first list of values.

function emit(text, end)
{
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	printf "\t\"%s%s\"\n", text, end
}

/^  \([1-9], '/ {
	split($0, field, "'")
	kinds = kinds sprintf("\t{\"%s\", \"%s\", \"%s\"},\n", field[2], field[4], field[6])
}

BEGIN {
	print "/* Made from examples/review.sql by review_frame.awk. */\nstatic const char *const frame[] = {"
}

{
	n = split($0, part, /\$html\$/)
	for (i = 1; i <= n; i++)
	{
		if (inside)
			emit(part[i], i == n ? "\\n" : "")
		if (i < n)
		{
			if (inside)
				print "\t,"
			inside = !inside
		}
	}
}

END {
	print "};\n\nstatic const ReviewKind kinds[] = {\n" kinds "};"
}
