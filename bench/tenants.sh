# Section tenants of bench.sh, which sources this file: an index with a column in front of the fingerprint

# create_tenants TABLE FINGERPRINT: rows of 1,000 tenants in random order; the size of tenant
# n is proportional to 1/n
create_tenants()
{
	query "
		CREATE TABLE $1 AS
			SELECT g::bigint AS id,
				1 + width_bucket(((hashint8extended(g, 1) >> 12) & ((1::bigint << 52) - 1)) / (1::bigint << 52)::float8, shares) AS tenant,
				$2 AS fp
			FROM generate_series(1, $rows) g, (
				SELECT array_agg(share::float8 ORDER BY n) AS shares FROM (
					SELECT n, sum(1.0 / n) OVER (ORDER BY n) / sum(1.0 / n) OVER () AS share
					FROM generate_series(1, 1000) n) s
				WHERE n < 1000) s"
	finish_table "$1"
}

# tenant_queries FILE TABLE TENANTS [FINGERPRINT]: a tenant and a fingerprint in each line, a
# fingerprint of the tenant unless an expression of g is given
tenant_queries()
{
	query "SELECT tenant, ${4:-fp} FROM (
			SELECT *, row_number() OVER (ORDER BY hashint8(id), id) AS g FROM $2 WHERE tenant IN ($3)) s
		ORDER BY g LIMIT 2000" | tr '|' '\t' >"$work/$1"
	[ -s "$work/$1" ] || die "no queries of tenants $3"
}

# in_turn STATEMENT FILE OTHER OTHER_FILE: sets us, n_rows, how and mark of the first
# statement, and ratio, the median of its time divided by the other's, measured in turn
in_turn()
{
	local round other times=() ratios=()

	for round in 1 2 3 4 5; do
		drive -s "$(calc "$seconds / 5")" "$3" "$work/$4" "$plan_mode"
		other=$us
		lookup_for "$(calc "$seconds / 5")" "$1" "$2"
		times+=("$us")
		ratios+=("$(calc "$us / $other" %.4f)")
	done
	us=$(median "${times[@]}")
	ratio=$(median "${ratios[@]}")
}

within_tenant()
{
	echo "SELECT id FROM $1 WHERE tenant = \$1 AND fp <-> \$2 <= $2"
}

# tenant_lookup NAME TABLE INDEX STATEMENT FILE: a line of the table of lookups
tenant_lookup()
{
	in_turn "$4" "$5" "SELECT id, fp FROM $2 WHERE id = \$1" ids
	row "$1" "\`$3\`" "$(calc "$n_rows" %.1f)" "$(figure "$us / 1000")$mark" "$(figure "$ratio" 2)"
}

# tenant_lookups TABLE INDEX: the queries of 64 bits
tenant_lookups()
{
	local k

	for k in 3 8; do
		tenant_lookup "within $k, a tenant of $some_size" "$1" "$2" "$(within_tenant "$1" $k)" of_some
	done
	tenant_lookup "nearest 10, a tenant of $some_size, none near" "$1" "$2" \
		"SELECT id FROM $1 WHERE tenant = \$1 ORDER BY fp <-> \$2 LIMIT 10" random
	tenant_lookup "nearest 10, twenty tenants of about this size" "$1" "$2" \
		"SELECT id FROM $1 WHERE tenant = ANY (ARRAY(SELECT generate_series(\$1, \$1 + 19))) ORDER BY fp <-> \$2 LIMIT 10" random
	tenant_lookup "within 3, the largest tenant, of $largest_size" "$1" "$2" "$(within_tenant "$1" 3)" of_largest
}

# Inserts into the two tables in turn
tenant_inserts()
{
	local round table
	local -A rate=() times=()

	for round in 1 2 3; do
		query "SELECT $rows + $round * $inserts + g, tenant, $(fingerprint "'insert $round ' || g")
			FROM generate_series(1, $inserts) g JOIN tenants t
				ON t.id = 1 + (hashint8(g + $round)::bigint + 2147483648) % $rows" | tr '|' '\t' >"$work/inserts"
		for table in untagged tenants; do
			query "CHECKPOINT"
			drive -t "INSERT INTO $table VALUES (\$1, \$2, \$3)" "$work/inserts"
			times[$table]+=" $mean"
		done
	done
	for table in untagged tenants; do
		rate[$table]=$(calc "1e6 / $(median ${times[$table]})" %.0f)
	done
	echo
	echo "Single-row inserts, primary key and index: ${rate[untagged]} per second with bitblock (fp)," \
		"${rate[tenants]} with bitblock (tenant, fp) ($(calc "${rate[tenants]} / ${rate[untagged]}"))."
}

# The same lookups by GiST, if btree_gist is there
tenant_gist()
{
	local build

	[ "$(query "SELECT count(*) FROM pg_available_extensions WHERE name = 'btree_gist'")" = 1 ] || return 0
	query "CREATE EXTENSION IF NOT EXISTS btree_gist; DROP INDEX untagged_fp"
	build=$(timed "CREATE INDEX untagged_gist ON untagged USING gist (tenant, fp)")
	query "VACUUM ANALYZE untagged"
	prewarm untagged_gist
	echo
	echo "gist (tenant, fp): built in $(calc "$build / 1000") s, $(calc "$(size_of untagged_gist) / 1e6" %.0f) MB."
	echo
	header "query" "index" "rows" "median, ms" "x PK"
	tenant_lookups untagged "gist (tenant, fp)"
}

# An index (tenant, fp) beside an index (fp) of an equal table, and beside GiST
section_tenants()
{
	local some some_size largest_size build size

	write_id_queries
	echo
	echo "### $rows rows of 1,000 tenants"
	echo
	create_tenants tenants "$(fingerprint "'uniform ' || g")"
	query "CREATE TABLE untagged AS TABLE tenants"
	finish_table untagged
	query "CREATE TABLE largest AS SELECT id, fp FROM tenants WHERE tenant = 1"
	finish_table largest
	some=$(query "SELECT string_agg(tenant::text, ',') FROM (SELECT tenant FROM tenants GROUP BY 1
		ORDER BY abs(count(*) - 10000), 1 LIMIT 5) s")
	some_size=$(query "SELECT to_char(count(*) / 5, 'FM999,999,999') || ' rows' FROM tenants WHERE tenant IN ($some)")
	largest_size=$(query "SELECT to_char(count(*), 'FM999,999,999') || ' rows' FROM largest")
	tenant_queries of_some tenants "$some"
	tenant_queries random tenants "$some" "$(fingerprint "'query ' || g")"
	tenant_queries of_largest tenants 1
	cut -f 2 "$work/of_largest" >"$work/alone"

	header "index" "build, s" "size, MB" "x index on the fingerprint alone"
	build=$(timed "CREATE INDEX untagged_fp ON untagged USING bitblock (fp)")
	size=$(size_of untagged_fp)
	row "\`bitblock (fp)\`" "$(figure "$build / 1000")" "$(calc "$size / 1e6" %.0f)" ""
	build=$(timed "CREATE INDEX tenants_fp ON tenants USING bitblock (tenant, fp)")
	row "\`bitblock (tenant, fp)\`" "$(figure "$build / 1000")" "$(calc "$(size_of tenants_fp) / 1e6" %.0f)" \
		"$(calc "$(size_of tenants_fp) / $size")"
	query "CREATE INDEX largest_fp ON largest USING bitblock (fp)"
	query "VACUUM ANALYZE tenants, untagged, largest"
	prewarm tenants_fp
	prewarm untagged_fp
	prewarm largest_fp

	echo
	header "query" "index" "rows" "median, ms" "x PK"
	tenant_lookups tenants "bitblock (tenant, fp)"
	tenant_lookups untagged "bitblock (fp)"
	in_turn "$(within_tenant tenants 3)" of_largest "$(within largest 3)" alone
	echo
	echo "Within 3 in the largest tenant: $(calc "$ratio") times the query of a table of these rows" \
		"with bitblock (fp)."
	tenant_inserts
	tenant_gist
	query "DROP TABLE tenants, untagged, largest"

	create_tenants tenants "$(bits_of 256 g)"
	query "CREATE INDEX tenants_fp ON tenants USING bitblock (tenant, fp)"
	query "VACUUM ANALYZE tenants"
	prewarm tenants_fp
	tenant_queries of_some tenants "$some"
	echo
	header "256 bits" "index" "rows" "median, ms" "x PK"
	tenant_lookup "within 31, a tenant of $some_size" tenants "bitblock (tenant, fp)" "$(within_tenant tenants 31)" of_some
	query "DROP TABLE tenants"
}
