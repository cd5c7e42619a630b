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
		header "index" "build" "x btree" "size" "x btree"
		for method in btree $methods; do
			row "$method" "$(calc "${build[$method]} / 1000") s" \
				"$(calc "${build[$method]} / ${build[btree]}")" \
				"$(calc "${size[$method]} / 1e6" %.0f) MB" \
				"$(calc "${size[$method]} / ${size[btree]}")"
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
				cell[$method,$name]="$us|$n_rows|$mark|$(calc "$us / ${pk[-1]}")"
			done
			query "DROP INDEX measured"
		done
		pk_us=$(median "${pk[@]}")
		echo "Primary key lookup, measured before each query: median" \
			"$(calc "$pk_us / 1000" %.4f) ms, from" \
			"$(calc "$(printf '%s\n' "${pk[@]}" | sort -n | head -n 1) / 1000" %.4f) to" \
			"$(calc "$(printf '%s\n' "${pk[@]}" | sort -n | tail -n 1) / 1000" %.4f) ms."
		echo "Sequential scan: within 3 $(calc "$scan / 1000" %.1f) ms," \
			"nearest 10 $(calc "$scan_nearest / 1000" %.1f) ms."
		echo
		local columns=()
		for method in $methods; do
			columns+=("$method, ms" "x PK")
		done
		header "median of a query" "rows" "${columns[@]}"
		for q in "${queries[@]}"; do
			IFS='|' read -r name kind statement <<<"$q"
			columns=()
			for method in $methods; do
				IFS='|' read -r us n_rows mark ratio <<<"${cell[$method,$name]}"
				columns+=("$(calc "$us / 1000" %.4f)$mark" "$ratio")
			done
			row "$name" "$(calc "$n_rows" %.1f)" "${columns[@]}"
		done
	done
}

# build_by_workers TABLE COLUMNS: a row for each number of workers
build_by_workers()
{
	local workers i times seconds alone=

	for workers in ${WORKERS:-0 1 2 4}; do
		[ "$workers" -le "$(nproc)" ] || continue
		query "ALTER TABLE $1 SET (parallel_workers = $workers)"
		times=
		for ((i = 0; i < builds; i++)); do
			times+=" $(timed "SET max_parallel_maintenance_workers = $workers;
				CREATE INDEX measured ON $1 USING bitblock ($2);")"
			query "DROP INDEX measured"
		done
		# shellcheck disable=SC2086
		seconds=$(calc "$(median $times) / 1000")
		alone=${alone:-$seconds}
		row "$1 ($2)" "$workers" "$seconds" "$(calc "$alone / $seconds")"
	done
	query "ALTER TABLE $1 RESET (parallel_workers)"
}

section_build()
{
	create_table uniform
	create_table wide
	taskset -cp "$(taskset -cp $$ | sed 's/.*: //')" "$server_pid" >/dev/null
	echo
	echo "### Builds by several processes, $rows rows, $(nproc) cores, median of $builds"
	echo
	header "index" "workers" "build, s" "times as fast"
	build_by_workers uniform fp
	build_by_workers uniform "(id % 1000), fp"
	build_by_workers wide fp
	taskset -cp "$cpu" "$server_pid" >/dev/null
}

section_skew()
{
	local table method

	echo
	echo "### Skewed fingerprints, $rows rows: build, size, within 3 of a stored fingerprint"
	echo
	write_id_queries
	header "data" "index" "build" "size" "rows" "ms" "x PK"
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
			row "$table" "$method" "$(calc "${build[$method]} / 1000") s" \
				"$(calc "${size[$method]} / 1e6" %.0f) MB" "$(calc "$n_rows" %.0f)" \
				"$(calc "$us / 1000" %.4f)$mark" "$(calc "$us / $pk_us")"
			query "DROP INDEX measured"
		done
		# the cost of fetching these rows by equality with a btree
		query "CREATE INDEX measured ON $table (fp)"
		query "VACUUM ANALYZE $table"
		lookup "SELECT id FROM $table WHERE fp = \$1" stored
		row "$table" "btree, equality" "$(calc "${build[btree]} / 1000") s" \
			"$(calc "${size[btree]} / 1e6" %.0f) MB" "$(calc "$n_rows" %.0f)" \
			"$(calc "$us / 1000" %.4f)$mark" "$(calc "$us / $pk_us")"
		query "DROP TABLE $table"
	done
}
