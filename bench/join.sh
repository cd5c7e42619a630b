# Section join of bench.sh, which sources this file: probes of the inner index of a join

# The inner side of a join of pairs
section_join()
{
	local method table k n ms plan

	echo
	echo "### Pair join: time of one probe of the inner index"
	echo
	header "data" "index" "k" "probes" "us per probe" "plan"
	for table in $data; do
		create_table "$table"
		for method in $methods; do
			query "CREATE INDEX measured ON $table USING $method (fp)"
			query "VACUUM ANALYZE $table"
			prewarm measured
			for k in 3 8; do
				for n in 1000 100000; do
					query "DROP TABLE IF EXISTS probes;
						CREATE TABLE probes AS SELECT fp FROM $table
						WHERE id <= $n * 3 AND id % 3 = 0;
						ANALYZE probes"
					join="SELECT count(*) FROM probes p JOIN $table t ON p.fp <-> t.fp <= $k"
					plan=$(query "SET max_parallel_workers_per_gather = 0; EXPLAIN (COSTS OFF) $join" |
						sed -n 's/^[ >-]*\(.*Scan\) using measured.*/\1/p;s/^[ >-]*\(Bitmap Index Scan\).*/\1/p' | head -n 1)
					ms=
					[ -n "$plan" ] || break
					ms=$(timed "$join")
					n=$(query "SELECT count(*) FROM probes")
					[ "$(calc "$ms > 100" %d)" = 0 ] || break
				done
				if [ -n "$ms" ]; then
					row "$table" "$method" $k "$n" "$(figure "$ms * 1000 / $n")" "$plan"
				else
					row "$table" "$method" $k "" "" "the planner does not use the index"
				fi
			done
			query "DROP INDEX measured"
		done
	done
	query "DROP TABLE IF EXISTS probes"
}
