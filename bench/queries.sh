# Section queries of bench.sh, which sources this file: the slow and fast forms of doc/slow-queries.md

# form_ms FILE: milliseconds of all commands of the file, executed for the second time
# in a session and rolled back
form_ms()
{
	local answer form

	form=$(cat "$1")
	answer=$($pin "$bindir/psql" -X -q -At -v ON_ERROR_STOP=1 2>&1 \
		<<<"BEGIN;
			$form
			ROLLBACK;
			DEALLOCATE ALL;
			BEGIN;
			\\timing on
			$form
			\\timing off
			ROLLBACK") || die "failed: $1: ${answer:0:1000}"
	sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' <<<"$answer" | awk '{ ms += $1 } END { print ms }'
}

# The forms of doc/slow-queries.md in turn, on the tables of its example
section_queries()
{
	local n entries round form
	local -A ms=()

	query "DROP TABLE IF EXISTS docs"
	mkdir -p "$work/queries"
	awk -v to="$work/queries" '
		/^## / { form = ""; title = substr($0, 4) }
		/^-- slow/ { form = ++n ".slow"; print title >(to "/" n ".title") }
		/^-- fast/ { form = n ".fast" }
		/^```/ { inside = $0 == "```sql"; next }
		inside && form != "" { print >(to "/" form) }' "$root/doc/slow-queries.md"
	sed "s/\<1000000\>/$rows/" "$root/examples/slow_queries.sql" | $pin "$bindir/psql" -X -q -v ON_ERROR_STOP=1 ||
		die "examples/slow_queries.sql failed"
	entries=$(cd "$work/queries" && echo *.title | tr ' ' '\n' | sort -n | sed 's/\..*//')
	for ((round = 0; round < builds; round++)); do
		for n in $entries; do
			for form in slow fast; do
				ms[$n.$form]+=" $(form_ms "$work/queries/$n.$form")"
			done
		done
	done
	echo
	echo "### Queries of doc/slow-queries.md, $rows rows: ms, median of $builds"
	echo
	header "query" "slow, ms" "fast, ms"
	for n in $entries; do
		row "$(cat "$work/queries/$n.title")" "$(figure "$(median ${ms[$n.slow]})" 2)" \
			"$(figure "$(median ${ms[$n.fast]})" 2)"
	done
	query "DROP TABLE docs, archive, staging, wanted"
}
