# Sections index, build and skew of bench.sh, which sources this file: builds, sizes and lookups of 64 bits

# measure_builds TABLE: sets build[METHOD] and size[METHOD]
measure_builds()
{
	local method i

	for ((i = 0; i < builds; i++)); do
		for method in btree $methods; do
			query "DROP INDEX IF EXISTS measured; CHECKPOINT"
			build_times[$method]+=" $(timed "CREATE INDEX measured ON $1 USING $method (fp)")"
			size[$method]=$(size_of measured)
		done
	done
	query "DROP INDEX measured"
	for method in btree $methods; do
		build[$method]=$(median ${build_times[$method]})
	done
}

section_index()
{
	local table method k kind

	write_id_queries
	for table in $data; do
		local -A build=() build_times=() size=() cell=()
		local pk=() queries=()

		create_table "$table"
		write_fp_queries "$table"
		echo
		echo "### $rows $table fingerprints"
		echo
		measure_builds "$table"
		header "index" "build, s" "x btree" "size, MB" "x btree"
		for method in btree $methods; do
			row "\`$method\`" "$(figure "${build[$method]} / 1000")" \
				"$(figure "${build[$method]} / ${build[btree]}" 2)" \
				"$(calc "${size[$method]} / 1e6" %.0f)" \
				"$(figure "${size[$method]} / ${size[btree]}" 2)"
		done
		echo

		# the queries: name, kind of query points, statement
		for k in 0 1 2 3 4 5 6 8 10; do
			for kind in stored random; do
				queries+=("within $k of a $kind fingerprint|$kind|$(within "$table" $k)")
			done
		done
		queries+=("within 16, count|random|SELECT count(*) FROM $table WHERE fp <-> \$1 <= 16")
		for kind in stored random centre; do
			[ ! -e "$work/$kind" ] ||
				queries+=("nearest 10 of a $kind fingerprint|$kind|$(nearest "$table")")
		done
		lookup "$(within "$table" 3)" random
		scan=$us
		lookup "$(nearest "$table")" random
		scan_nearest=$us
		for method in $methods; do
			query "CREATE INDEX measured ON $table USING $method (fp)"
			query "VACUUM ANALYZE $table"
			prewarm measured
			for q in "${queries[@]}"; do
				IFS='|' read -r name kind statement <<<"$q"
				drive -s "$(calc "$seconds / 3")" "SELECT id, fp FROM $table WHERE id = \$1" \
					"$work/ids" "$plan_mode"
				pk+=("$us")
				lookup "$statement" "$kind"
				cell[$method,$name]="$us|$n_rows|$mark|$us / ${pk[-1]}"
			done
			query "DROP INDEX measured"
		done
		pk_us=$(median "${pk[@]}")
		local columns=()
		for method in $methods; do
			columns+=("\`$method\`, ms" "x PK")
		done
		header "median of a query" "rows" "${columns[@]}"
		columns=("${columns[@]/*/}")
		row "primary key lookup" 1.0 "$(figure "$pk_us / 1000")" 1 "${columns[@]:2}"
		row "sequential scan, within 3" "" "$(figure "$scan / 1000")" "$(figure "$scan / $pk_us" 2)" "${columns[@]:2}"
		row "sequential scan, nearest 10" "" "$(figure "$scan_nearest / 1000")" "$(figure "$scan_nearest / $pk_us" 2)" \
			"${columns[@]:2}"
		for q in "${queries[@]}"; do
			IFS='|' read -r name kind statement <<<"$q"
			columns=()
			for method in $methods; do
				IFS='|' read -r us n_rows mark ratio <<<"${cell[$method,$name]}"
				columns+=("$(figure "$us / 1000")$mark" "$(figure "$ratio" 2)")
			done
			row "$name" "$(calc "$n_rows" %.1f)" "${columns[@]}"
		done
	done
}

# The index of a table, built by several processes
section_build()
{
	start_workers "Builds"
	workers_row "index on \`simhash\`" "CREATE INDEX measured ON large USING bitblock (fp)" "DROP INDEX measured"
	workers_row "index on a column and \`simhash\`" "CREATE INDEX measured ON large USING bitblock ((id % 1000), fp)" "DROP INDEX measured"
	workers_row "index on \`bit(256)\`" "CREATE INDEX measured ON wide USING bitblock (fp)" "DROP INDEX measured"
	end_workers
}

section_skew()
{
	local table method

	echo
	echo "### Skewed fingerprints, $rows rows: build, size, within 3 of a stored fingerprint"
	echo
	write_id_queries
	header "data" "index" "build, s" "size, MB" "rows" "ms" "x PK"
	for table in constant_tail few_values; do
		local -A build=() build_times=() size=()

		create_table "$table"
		write_fp_queries "$table"
		measure_builds "$table"
		lookup "SELECT id, fp FROM $table WHERE id = \$1" ids
		pk_us=$us
		for method in $methods; do
			query "CREATE INDEX measured ON $table USING $method (fp)"
			query "VACUUM ANALYZE $table"
			prewarm measured
			lookup "$(within "$table" 3)" stored
			row "$table" "\`$method\`" "$(figure "${build[$method]} / 1000")" \
				"$(calc "${size[$method]} / 1e6" %.0f)" "$(calc "$n_rows" %.0f)" \
				"$(figure "$us / 1000")$mark" "$(figure "$us / $pk_us" 2)"
			query "DROP INDEX measured"
		done
		# the cost of fetching these rows by equality with a btree
		query "CREATE INDEX measured ON $table (fp)"
		query "VACUUM ANALYZE $table"
		lookup "SELECT id FROM $table WHERE fp = \$1" stored
		row "$table" "btree, equality" "$(figure "${build[btree]} / 1000")" \
			"$(calc "${size[btree]} / 1e6" %.0f)" "$(calc "$n_rows" %.0f)" \
			"$(figure "$us / 1000")$mark" "$(figure "$us / $pk_us" 2)"
		query "DROP TABLE $table"
	done
}
