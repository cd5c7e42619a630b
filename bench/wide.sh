# Section wide of bench.sh, which sources this file: builds, sizes and lookups of bit strings

# bits_of N SEED: SQL for N random bits
bits_of()
{
	local part all=

	for ((part = 0; part < $1; part += 128)); do
		all+="${all:+ || }md5($2 || ' $part')"
	done
	echo "('x' || $all)::bit($1)"
}

# create_wide TABLE N: a tenth of the rows differ from one of the nine rows before in up to
# a fifth of the bits
create_wide()
{
	[ "$(query "SELECT to_regclass('$1') IS NULL")" = t ] || return 0
	query "
		CREATE FUNCTION pg_temp.flipped(fp bit, flips integer, seed bigint) RETURNS bit LANGUAGE plpgsql AS \$\$
		DECLARE b integer;
		BEGIN
			FOR i IN 1 .. flips LOOP
				b := (hashint8extended(seed, i) & 2147483647) % length(fp);
				fp := set_bit(fp, b, 1 - get_bit(fp, b));
			END LOOP;
			RETURN fp;
		END \$\$;
		CREATE TABLE $1 (id bigint, fp bit($2));
		INSERT INTO $1 SELECT g, CASE WHEN g % 10 > 0 THEN $(bits_of "$2" "g")
			ELSE pg_temp.flipped($(bits_of "$2" "(g - 1 - g / 10 % 9)"), (g / 10 % ($2 / 5))::integer, g) END
			FROM generate_series(1, $rows) g"
	finish_table "$1"
}

# create_real TABLE FILE: a table of the hashes in a file
create_real()
{
	query "CREATE TABLE $1 (id bigint GENERATED ALWAYS AS IDENTITY, fp bit varying)"
	$pin "$bindir/psql" -X -q -v ON_ERROR_STOP=1 -c "\\copy $1 (fp) FROM '$2'" || die "failed: $2"
	query "ALTER TABLE $1 ALTER COLUMN fp TYPE bit($(query "SELECT length(fp) FROM $1 LIMIT 1"))"
	finish_table "$1"
}

# bits_label TABLE: what the tables of results call it: 256 bits, or the name of a table of real hashes
bits_label()
{
	case $1 in
		*_[0-9]*) echo "${1##*_} bits" ;;
		*) echo "$1" ;;
	esac
}

# wide_lookup TABLE NAME STATEMENT FILE: a line of the table of lookups.  It
# measures the lookup by primary key before and after
wide_lookup()
{
	local before after label

	label=$(bits_label "$1")
	drive -s "$(calc "$seconds / 3")" "SELECT id, fp FROM $1 WHERE id = \$1" "$work/ids" "$plan_mode"
	before=$us
	lookup "$3" "$4"
	local found_us=$us found_mean=$mean found_last=$last found_rows=$n_rows
	drive -s "$(calc "$seconds / 3")" "SELECT id, fp FROM $1 WHERE id = \$1" "$work/ids" "$plan_mode"
	after=$us
	pk_times+=("$before" "$after")
	row "$label, $2" "$(calc "$found_rows" %.1f)" "$(figure "$found_us / 1000")$mark" "$(figure "2 * $found_us / ($before + $after)" 2)" \
		"$(figure "$found_mean / 1000")" "$(figure "$found_last / 1000" 2)"
}

# Alternatives: a sequential scan, and the HNSW index of pgvector if that is installed
wide_others()
{
	local ef answers

	write_queries few "SELECT fp FROM $1 WHERE id IN (SELECT 1 + (hashint8(g)::bigint + 2147483648) % $rows FROM generate_series(1, 20) g)"
	wide_lookup "$1" "bit_count(fp # q) <= $2, sequential scan" \
		"SELECT id FROM $1 WHERE bit_count(fp # \$1) <= $2" few
	[ "$(query "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'")" = 1 ] || return 0
	query "CREATE EXTENSION IF NOT EXISTS vector"
	answers=$(timed "CREATE INDEX measured_hnsw ON $1 USING hnsw (fp bit_hamming_ops)")
	row "pgvector HNSW, build, s" "" "$(calc "$answers / 1000" %.0f)" "" "" ""
	for ef in 40 200 1000; do
		plan_mode="SET hnsw.ef_search = $ef" wide_lookup "$1" "pgvector HNSW, nearest 10, ef_search $ef" \
			"SELECT id FROM $1 ORDER BY fp <~> \$1 LIMIT 10" stored
	done
	query "DROP INDEX measured_hnsw"
}

# Ten rows within 31 of a query: the nearest ten
wide_near()
{
	query "CREATE TABLE near_256 (id bigint, fp bit(256));
		INSERT INTO near_256 SELECT g, $(bits_of 256 "('near ' || g / 12)") #
			($(bits_of 256 "('a ' || g)") & $(bits_of 256 "('b ' || g)") & $(bits_of 256 "('c ' || g)") & $(bits_of 256 "('d ' || g)"))
			FROM generate_series(0, $rows - 1) g"
	finish_table near_256
	query "CREATE INDEX near_256_fp ON near_256 USING bitblock (fp)"
	query "VACUUM ANALYZE near_256"
	prewarm near_256_fp
	write_queries centre "SELECT $(bits_of 256 "('near ' || g * 7)") FROM generate_series(1, 2000) g"
	wide_lookup near_256 "nearest 10, twelve rows within 31" "$(nearest near_256)" centre
	query "DROP TABLE near_256"
}

wide_join()
{
	local ms

	query "CREATE TABLE probes AS SELECT fp FROM bits_256 WHERE id % 100 = 0 LIMIT 5000; ANALYZE probes"
	ms=$(timed "SET enable_seqscan = on; SELECT count(*) FROM probes p JOIN bits_256 t ON p.fp <-> t.fp <= 31")
	echo
	echo "Join, one probe within 31 of 256 bits: $(figure "$ms / $(query "SELECT count(*) FROM probes")") ms."
	query "DROP TABLE probes"
}

wide_inserts()
{
	local with without

	query "CREATE TABLE target AS TABLE bits_256; ALTER TABLE target ADD PRIMARY KEY (id)"
	query "SELECT $rows + g, $(bits_of 256 "'insert ' || g") FROM generate_series(1, $inserts / 5) g" |
		tr '|' '\t' >"$work/inserts"
	query "CHECKPOINT"
	drive -t "INSERT INTO target VALUES (\$1, \$2)" "$work/inserts"
	without=$mean
	query "DELETE FROM target WHERE id > $rows; CREATE INDEX measured ON target USING bitblock (fp)"
	query "VACUUM target"
	query "CHECKPOINT"
	lsn=$(query "SELECT pg_current_wal_insert_lsn()")
	drive -t "INSERT INTO target VALUES (\$1, \$2)" "$work/inserts"
	with=$mean
	echo
	echo "Single-row inserts of 256 bits: $(calc "1e6 / $without" %.0f) per second with the primary key," \
		"$(calc "1e6 / $with" %.0f) with the index, too ($(calc "$without / $with"));" \
		"$(query "SELECT round(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '$lsn') / ($inserts / 5))") bytes of WAL per row."
	query "DROP TABLE target"
}

# median_build TABLE: milliseconds of an index build, the median of $builds; the index is called measured
median_build()
{
	local i times=

	for ((i = 0; i < builds; i++)); do
		query "DROP INDEX IF EXISTS measured"
		times+=" $(timed "CREATE INDEX measured ON $1 USING bitblock (fp)")"
	done
	median $times
}

# wide_build TABLE: build the index of a table, and add a row to the list "builds_rows"
wide_build()
{
	local build

	build=$(median_build "$1")
	query "ALTER INDEX measured RENAME TO $1_fp"
	query "VACUUM ANALYZE $1"
	prewarm "$1_fp"
	builds_rows+=("$(row "$(bits_label "$1")" "$(figure "$build / 1000")" "$(figure "$build / $build64" 2)" \
		"$(query "SELECT round(pg_relation_size('$1_fp') / count(*)::numeric) FROM $1")")")
}

# One table after the other, so that each is in memory alone
section_wide()
{
	local n table k file build64 others=
	local -a pk_times=() builds_rows=()

	write_id_queries
	create_table uniform
	build64=$(median_build uniform)
	builds_rows+=("$(row "64 bits (\`simhash\`)" "$(figure "$build64 / 1000")" 1 "$(calc "$(size_of measured) / $rows" %.0f)")")
	query "DROP INDEX measured"
	echo
	echo "### $rows bit strings"
	echo
	header "median of a query" "rows" "ms" "x PK" "mean, ms" "99%, ms"
	for n in $widths; do
		table=bits_$n
		create_wide "$table" "$n"
		wide_build "$table"
		write_fp_queries "$table"
		write_queries random "SELECT $(bits_of "$n" "'query ' || g") FROM generate_series(1, 200) g"
		case $n in
			128) set -- 7 10 15 20 ;;
			256) set -- 15 20 28 31 40 48 ;;
			*) set -- $((n / 16 - 1)) $((n / 8 - 1)) ;;
		esac
		for k; do
			wide_lookup "$table" "within $k" "$(within "$table" "$k")" stored
		done
		wide_lookup "$table" "nearest 10 of a random one" "$(nearest "$table")" random
		if [ "$n" = 256 ]; then
			wide_others "$table" 31
			wide_near
			others=$(wide_join && wide_inserts) || exit 1
		fi
		query "DROP TABLE $table"
	done
	for file in $HASHES; do
		table=$(basename "$file" | sed 's/[^a-z0-9].*//')
		create_real "$table" "$file"
		wide_build "$table"
		write_queries stored "SELECT fp FROM $table JOIN generate_series(1, 1000) g
			ON id = 1 + (hashint8(g)::bigint + 2147483648) % (SELECT max(id) FROM $table) ORDER BY g"
		for k in 8 15 31; do
			wide_lookup "$table" "within $k" "$(within "$table" "$k")" stored
		done
		query "DROP TABLE $table"
	done
	row "primary key lookup" 1.0 "$(figure "$(median "${pk_times[@]}") / 1000")" 1 "" ""
	echo
	header "index" "build, s" "x 64 bits" "bytes per row"
	printf '%s\n' "${builds_rows[@]}" "$others"
}
