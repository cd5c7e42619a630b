# Section disk of bench.sh, which sources this file: an index larger than memory, on a model of a disk

# restart_with OPTIONS [VARIABLE=VALUE...]: restarts the server with options and an environment
restart_with()
{
	local options=$1

	shift
	# shellcheck disable=SC2086
	as_server "$bindir/pg_ctl" -D "$work/data" -m fast -w -s stop &&
		as_server env "$@" $pin "$bindir/pg_ctl" -D "$work/data" -l "$work/data/server.log" \
			-o "$options" -w -s start || die "the server did not start again"
	server_pid=$(as_server head -n 1 "$work/data/postmaster.pid")
}

# set_disk MICROSECONDS: the latency of a page, for new connections
set_disk()
{
	echo "$1 ${DISK_DEPTH:-32}" >"$work/disk"
	chmod 644 "$work/disk"
}

# vacuum_disk METHOD: the time of VACUUM after 5% of the rows were deleted, in memory and on disk
vacuum_disk()
{
	local us times=

	for us in 0 "${DISK_US:-100}"; do
		query "DROP TABLE IF EXISTS vacuumed;
			CREATE TABLE vacuumed AS SELECT g::bigint AS id, $(fingerprint "'v' || g") AS fp FROM generate_series(1, $rows) g;
			CREATE INDEX ON vacuumed USING $1 (fp)"
		query "VACUUM vacuumed"
		query "DELETE FROM vacuumed WHERE id % 20 = 0"
		query "CHECKPOINT"
		[ "$us" != 0 ] || query "SELECT count(*) FROM vacuumed" >/dev/null
		[ "$us" = 0 ] || query "SELECT count(id) FROM cold" >/dev/null
		set_disk "$us"
		times+=" $(timed "SET maintenance_io_concurrency = 64; VACUUM vacuumed")"
		set_disk 0
	done
	echo "$times"
}

section_disk()
{
	local queries kind q name statement file depth i buffers times
	local -A cell=() all=()

	query "CREATE TABLE cold AS SELECT g::bigint AS id, $(fingerprint "'cold ' || g") AS fp FROM generate_series(1, 10 * $rows::bigint) g;
		ALTER TABLE cold ADD PRIMARY KEY (id);
		CREATE INDEX cold_fp ON cold USING bitblock (fp);
		CREATE TABLE cold_wide AS SELECT g::bigint AS id, $(bits_256 "'cold ' || g") AS fp FROM generate_series(1, $rows) g;
		CREATE INDEX cold_wide_fp ON cold_wide USING bitblock (fp)"
	query "VACUUM (FREEZE, ANALYZE) cold, cold_wide"
	query "CHECKPOINT"
	write_queries cold_ids "SELECT 1 + (hashint8(g)::bigint + 2147483648) % (10 * $rows::bigint) FROM generate_series(1, $n_queries) g"
	write_queries cold_64 "SELECT $(fingerprint "'query ' || g") FROM generate_series(1, $n_queries) g"
	write_queries cold_256 "SELECT $(bits_256 "'query ' || g") FROM generate_series(1, $n_queries) g"
	buffers=$(($(size_of cold_fp) / 10 / 8192))
	step "Compiling the model of a disk" cc -O2 -shared -fPIC -o "$work/disk.so" "$root/bench/disk.c" >&2 ||
		die "the model of a disk does not compile"
	set_disk 0
	restart_with "-c shared_buffers=$buffers" LD_PRELOAD="$work/disk.so" DISK_MODEL="$work/disk"
	queries=("primary key lookup|SELECT id, fp FROM cold WHERE id = \$1|cold_ids"
		"within 3|$(within cold 3)|cold_64" "within 5|$(within cold 5)|cold_64"
		"within 8|$(within cold 8)|cold_64" "nearest 10 of a random fingerprint|$(nearest cold)|cold_64"
		"256 bits, within 31|$(within cold_wide 31)|cold_256"
		"256 bits, nearest 10 of a random fingerprint|$(nearest cold_wide)|cold_256"
		"256 bits, a row inserted|INSERT INTO cold_wide VALUES (-1, \$1)|cold_256")
	set_disk "${DISK_US:-100}"
	for ((i = 0; i < builds; i++)); do
		for depth in 0 64; do
			for q in "${queries[@]}"; do
				IFS='|' read -r name statement file <<<"$q"
				drive -s "$seconds" "$statement" "$work/$file" "SET effective_io_concurrency = $depth"
				all[$depth,$name]+=" $us"
			done
		done
	done
	set_disk 0
	echo
	echo "### An index larger than memory"
	echo
	echo "$((10 * rows)) fingerprints of 64 bits, $rows of 256; shared buffers $((buffers / 128)) MB;" \
		"a disk that reads a page in ${DISK_US:-100} us, ${DISK_DEPTH:-32} pages at once."
	echo "Medians of queries in ms, and multiples of the primary key lookup in the same column:"
	echo
	header "effective_io_concurrency" "0" "x PK" "64" "x PK"
	for q in "${queries[@]}"; do
		IFS='|' read -r name statement file <<<"$q"
		cell=()
		for depth in 0 64; do
			cell[$depth]=$(median ${all[$depth,$name]})
			cell[$depth,pk]=$(median ${all[$depth,primary key lookup]})
		done
		row "$name" "$(figure "${cell[0]} / 1000" 2)" "$(figure "${cell[0]} / ${cell[0,pk]}" 2)" \
			"$(figure "${cell[64]} / 1000" 2)" "$(figure "${cell[64]} / ${cell[64,pk]}" 2)"
	done
	echo
	restart_with "-c shared_buffers=$((buffers * 2))" LD_PRELOAD="$work/disk.so" DISK_MODEL="$work/disk"
	echo "VACUUM after 5% of $rows rows were deleted, maintenance_io_concurrency 64:"
	echo
	header "index" "in memory, ms" "on the disk, ms"
	for kind in btree bitblock; do
		read -r -a times <<<"$(vacuum_disk $kind)"
		row "$kind" "$(calc "${times[0]}" %.0f)" "$(calc "${times[1]}" %.0f)"
	done
	query "DROP TABLE cold, cold_wide, vacuumed"
	restart_with ""
}
