#!/bin/bash
# The cost of 10^9 and 10^10 fingerprints: bash bench/scale.sh [measure|compute|skew...]
#
#   measure   constants of an index of ROWS uniform fingerprints, measured on a private
#             server and written to the file CONSTANTS, a line for each number of rows
#   compute   print the tables of bench/results/scale.md from that file
#   skew      how evenly blocks divide real documents among servers
#
# The default is compute. Settings in the environment:
#   ROWS="1000000 10000000"     numbers of rows to measure
#   CONSTANTS=bench/scale.tsv
#   RAM_GB=256 CORES=32 SSD_US=100   a server: memory, cores, microseconds of a random read
#   DEPTH=32 READ_US=4          pages under way at once; microseconds of CPU to ask for and read one
#   DOCUMENTS="FILE..."         of skew; default /usr/share/doc/*/copyright, and the
#                               texts of the labelled pairs, if SIMHASH_PAIRS names them
#   SHARED_BUFFERS=4GB MAINTENANCE_WORK_MEM=1GB

case "$*" in
	*-h* | *--help*) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
exec </dev/null

. "$(dirname "$0")/../test/lib.sh"
export PGCLIENTENCODING=UTF8 PGDATABASE=postgres

constants=${CONSTANTS:-$root/bench/scale.tsv}

die()
{
	echo "scale: $*" >&2
	exit 1
}

query()
{
	sql -At -F ' ' -c "$1" || die "failed: $1"
}

start()
{
	[ -z "$server_pid" ] || return 0
	trap 'status=$?; trap - EXIT; remove_work_folder; exit $status' EXIT
	trap 'exit 130' INT TERM HUP
	make_work_folder
	{
		prepare_machine &&
		step "Copying the sources" copy_sources &&
		step "Building" build &&
		step "Installing into PostgreSQL ${pg_version%% *}" install_extension &&
		step "Starting a private server" start_server \
			"shared_buffers = ${SHARED_BUFFERS:-4GB}" \
			"maintenance_work_mem = ${MAINTENANCE_WORK_MEM:-1GB}" \
			"max_wal_size = 100GB" "checkpoint_timeout = 1d" "wal_level = minimal" \
			"max_wal_senders = 0" "autovacuum = off" "jit = off" \
			"max_parallel_workers_per_gather = 0" "client_min_messages = warning" &&
		step "Creating the extension" sql -c "CREATE EXTENSION simhash"
	} >&2 || exit 1
}

# seconds_of COMMAND
seconds_of()
{
	sql -At <<<"\\timing on
		$1" | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' | tail -n 1 |
		awk '{ printf("%.2f", $1 / 1000) }'
}

# probe K N: microseconds and pages for each lookup of N random fingerprints, the second
# time
probe()
{
	local i plan

	for i in 1 2; do
		plan=$(query "SET enable_seqscan = off; SET enable_bitmapscan = off;
			EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)
			SELECT count(*) FROM (SELECT ('x' || substr(md5('probe ' || i), 1, 16))::bit(64)::simhash AS q
				FROM generate_series(1, $2) i OFFSET 0) p JOIN measured ON fp <-> q <= $1")
	done
	awk -v n="$2" '/"Execution Time"/ { gsub(/[^0-9.]/, ""); ms = $0 }
		/"Shared (Hit|Read) Blocks"/ && seen[$1 $2]++ == 0 { gsub(/[^0-9]/, ""); pages += $0 }
		END { printf("%.2f\t%.1f", ms * 1000 / n, pages / n) }' <<<"$plan"
}

measure()
{
	local rows build heap index within3 within8 inserts ms

	start
	[ -e "$constants" ] ||
		printf '#rows\theap_bytes\tindex_bytes\tbuild_s\tus_3\tpages_3\tus_8\tpages_8\tinsert_us\n' >"$constants"
	for rows in ${ROWS:-1000000 10000000}; do
		query "DROP TABLE IF EXISTS measured"
		query "CREATE TABLE measured (id bigint, fp simhash);
			INSERT INTO measured SELECT i, ('x' || substr(md5(i::text), 1, 16))::bit(64)::simhash
			FROM generate_series(1, $rows::bigint) i"
		query "VACUUM (FREEZE, ANALYZE) measured"
		build=$(seconds_of "CREATE INDEX measured_fp ON measured USING bitblock (fp);")
		heap=$(query "SELECT pg_relation_size('measured')")
		index=$(query "SELECT pg_relation_size('measured_fp')")
		within3=$(probe 3 20000)
		within8=$(probe 8 2000)
		# one at a time, without network and planner
		inserts=100000
		ms=$(seconds_of "DO \$\$ BEGIN FOR i IN 1..$inserts LOOP
			INSERT INTO measured VALUES (-i, ('x' || substr(md5('new ' || i), 1, 16))::bit(64)::simhash);
			END LOOP; END \$\$;")
		sed -i "/^$rows\t/d" "$constants"
		printf '%d\t%d\t%d\t%s\t%s\t%s\t%.2f\n' "$rows" "$heap" "$index" "$build" "$within3" "$within8" \
			"$(awk "BEGIN { print $ms * 1e6 / $inserts }")" >>"$constants"
		tail -n 1 "$constants" >&2
	done
}

compute()
{
	[ -s "$constants" ] || die "no constants in $constants: measure first"
	sort -n "$constants" | awk -F '\t' -v ram="${RAM_GB:-256}" -v cores="${CORES:-32}" -v ssd="${SSD_US:-100}" \
		-v depth="${DEPTH:-32}" -v read="${READ_US:-4}" '
	function power(x, y) { return exp(y * log(x)) }
	# the probability that two random fingerprints are within k
	function tail(k,  i, c, sum) {
		c = 1
		for (i = 0; i <= k; i++) { sum += c; c = c * (64 - i) / (i + 1) }
		return sum / 18446744073709551616
	}
	function human(x,  u, i) {
		split("1,k,M,G,T,P", u, ",")
		for (i = 1; x >= 999.5 && i < 6; i++) x /= 1000
		return sprintf(x < 9.95 ? "%.1f %sB" : "%.0f %sB", x, i == 1 ? "" : u[i])
	}
	# a number, not a number of bytes
	function count(x) {
		if (x >= 1e5 || (x < 0.001 && x > 0)) return sprintf("%.1e", x)
		return sprintf(x < 10 ? "%.3g" : "%.0f", x)
	}
	/^#/ { next }
	{
		n[++m] = $1; heap = $2 / $1; index_bytes = $3 / $1
		build[m] = $4 / $1; us3[m] = $5; pages3[m] = $6; us8[m] = $7; pages8[m] = $8; insert[m] = $9
		print_measured = print_measured sprintf("| %s | %.1f | %.1f | %.2f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", \
			count($1), heap, index_bytes, $4 * 1e6 / $1, $5, $6, $7, $8, $9)
	}
	# Beyond the largest measured number, more leaves hold each value of a block of 16
	# bits, at each of the probes.
	function more_pages(x, probes,  leaf) {
		leaf = 8192 / (index_bytes / 4)
		return x > n[m] ? probes * (x - n[m]) / 65536 / leaf : 0
	}
	# The same for within 3, where 17 pairs of blocks take the place of a block value that has
	# 8 leaves or more
	function leaves_of_value(x) { return x / 65536 / (8192 / (index_bytes / 4)) }
	function probed(l) { return l < 8 ? l : l * (1 - exp(-17 / l)) }
	function more_pages3(x) { return x > n[m] ? 4 * (probed(leaves_of_value(x)) - probed(leaves_of_value(n[m]))) : 0 }
	function us_of_page() { return (us8[m] - us3[m]) / (pages8[m] - pages3[m]) }
	# milliseconds of a lookup whose pages are all on disk, and are asked for ahead
	function on_disk(us, pages) { return (us + ssd * (1 + (pages - 1) / depth) + pages * read) / 1000 }
	function within3(x) { return us3[m] + more_pages3(x) * us_of_page() }
	function within8(x) { return us8[m] + more_pages(x, 188) * us_of_page() }
	END {
		print "# What large numbers cost\n"
		print "Output of `bash bench/scale.sh >bench/results/scale.md` from bench/scale.tsv, which `bash bench/scale.sh measure` writes. It"
		print "measures one core of a virtual machine (PostgreSQL 15, random fingerprints of 64 bits, index in memory), without client,"
		print "planner and network:\n"
		print "| rows | heap, bytes per row | index, bytes per row | build, us per row | within 3, us | pages | within 8, us | pages | insert, us |"
		print "|---|---|---|---|---|---|---|---|---|"
		printf("%s", print_measured)
		printf("\nComputed for servers with %d GB of memory and %d cores. The index uses three quarters of the memory. Reading a page from\n", ram, cores)
		printf("disk takes %d us, and %d pages are read at once. If a block value has 8 leaves or more, a lookup within 3 looks for\n", ssd, depth)
		print "[pairs of blocks](../../src/index/bitblock/search/README.md#radii):\n"
		print "| | 10^8 | 10^9 | 8 x 10^9 | 10^10 |"
		print "|---|---|---|---|---|"
		k = split("1e8 1e9 8e9 1e10", at, " ")
		for (i = 1; i <= k; i++) {
			x = at[i] + 0
			shards = int((index_bytes * x) / (ram * 1e9 * 0.75)) + 1
			each = x / shards
			row["fingerprints alone"] = row["fingerprints alone"] " | " human(8 * x)
			row["index"] = row["index"] " | " human(index_bytes * x)
			row["table of id and fingerprint"] = row["table of id and fingerprint"] " | " human(heap * x)
			row["servers whose memory holds the index"] = row["servers whose memory holds the index"] " | " shards
			row["build, one core each, minutes"] = row["build, one core each, minutes"] " | " count(build[m] * each / 60)
			row["within 3, all in memory, us of CPU on each server"] = row["within 3, all in memory, us of CPU on each server"] " | " count(within3(each))
			row["within 8, the same"] = row["within 8, the same"] " | " count(within8(each))
			row["lookups per second within 3, every server asked"] = row["lookups per second within 3, every server asked"] " | " count(cores * 1e6 / within3(each))
			# four times the rows; all servers together do the same work for one block
			# value
			b = int(4 * shards)
			touched = b * (1 - power(1 - 1 / b, 4))
			row["divided by blocks: servers"] = row["divided by blocks: servers"] " | " b
			row["divided by blocks: servers asked by a lookup"] = row["divided by blocks: servers asked by a lookup"] " | " count(touched)
			row["divided by blocks: lookups per second"] = row["divided by blocks: lookups per second"] " | " count(b * cores * 1e6 / (touched * us3[m] + within3(at[i]) - us3[m]))
			row["one server, index on disk: ms of reads within 3, one after the other"] = row["one server, index on disk: ms of reads within 3, one after the other"] " | " count((pages3[m] + more_pages3(x)) * ssd / 1000)
			row["the same, asked for ahead: ms within 3"] = row["the same, asked for ahead: ms within 3"] " | " count(on_disk(within3(x), pages3[m] + more_pages3(x)))
			row["the same, ms within 8"] = row["the same, ms within 8"] " | " count(on_disk(within8(x), pages8[m] + more_pages(x, 188)))
			row["inserts per second, one core each"] = row["inserts per second, one core each"] " | " count(shards * 1e6 / insert[m])
		}
		order = "fingerprints alone;index;table of id and fingerprint;servers whose memory holds the index;build, one core each, minutes;within 3, all in memory, us of CPU on each server;within 8, the same;lookups per second within 3, every server asked;divided by blocks: servers;divided by blocks: servers asked by a lookup;divided by blocks: lookups per second;one server, index on disk: ms of reads within 3, one after the other;the same, asked for ahead: ms within 3;the same, ms within 8;inserts per second, one core each"
		c = split(order, label, ";")
		for (i = 1; i <= c; i++)
			print "| " label[i] row[label[i]] " |"
		print "\nExpected number of random fingerprints within k of a query, and of pairs within k:\n"
		print "| k | 10^6: a query, pairs | 10^8 | 10^9 | 10^10 |"
		print "|---|---|---|---|---|"
		for (d = 3; d <= 16; d += d < 12 ? (d == 3 ? 2 : d == 5 ? 3 : 2) : 4) {
			printf("| %d", d)
			k = split("1e6 1e8 1e9 1e10", at, " ")
			for (i = 1; i <= k; i++)
				printf(" | %s, %s", count(at[i] * tail(d)), count(at[i] * at[i] / 2 * tail(d)))
			print " |"
		}
	}'
}

# balance NAME: prints the balance of the fingerprints in the table prints
balance()
{
	query "DROP TABLE IF EXISTS blocks;
		CREATE TABLE blocks AS SELECT block FROM prints, unnest(simhash_blocks(fp, 3)) block"
	query "WITH keys AS (SELECT block, count(*) AS rows FROM blocks GROUP BY block),
		servers AS (SELECT n, abs(hashint8extended(block, 0) % n) AS server, sum(rows) AS rows, sum(rows * rows) AS compared
			FROM keys, unnest(ARRAY[3, 16, 64]) n GROUP BY 1, 2)
		SELECT '| $1 | ' || (SELECT count(*) FROM prints) || ' | ' || (SELECT count(DISTINCT fp) FROM prints) || ' | '
			|| (SELECT max(rows) FROM keys) || ' | ' || (SELECT round(sum(rows * rows) / (SELECT count(*) FROM prints), 1) FROM keys)
			|| ' | ' || string_agg(round(peak, 2) || ', ' || round(work, 2), ' | ' ORDER BY n) || ' |'
		FROM (SELECT n, max(rows) * n / sum(rows) AS peak, max(compared) * n / sum(compared) AS work FROM servers GROUP BY n) s"
}

skew()
{
	local file

	start
	echo "| documents | number | different | rows of the largest key | compared a lookup | 3 servers: rows, work | 16 | 64 |"
	echo "|---|---|---|---|---|---|---|---|"
	query "CREATE TABLE texts (kind text, body text);
		CREATE TABLE prints (fp simhash)"
	for file in ${DOCUMENTS:-/usr/share/doc/*/copyright}; do
		[ ! -f "$file" ] || echo "$file"
	done | perl -MEncode -ne '
		chomp;
		open my $in, "<:raw", $_ or next;
		local $/;
		my $text = encode("UTF-8", decode("UTF-8", scalar <$in>));
		$text =~ tr/\0\r//d;
		$text =~ s/\\/\\\\/g;
		$text =~ s/\t/\\t/g;
		$text =~ s/\n/\\n/g;
		print "files\t$text\n"' | sql -c "\\copy texts FROM pstdin" || die "loading failed"
	[ -z "$SIMHASH_PAIRS" ] ||
		tail -n +2 "$SIMHASH_PAIRS" | cut -f 4,5 | tr '\t' '\n' | sed 's/^/pairs\t/' |
		sql -c "\\copy texts FROM pstdin" || die "loading failed"
	query "INSERT INTO prints SELECT simhash(body) FROM texts WHERE kind = 'files' AND simhash(body) IS NOT NULL"
	balance "files of this machine"
	if [ -n "$SIMHASH_PAIRS" ]; then
		query "TRUNCATE prints; INSERT INTO prints SELECT simhash(body) FROM texts WHERE kind = 'pairs' AND simhash(body) IS NOT NULL"
		balance "labelled pairs, both texts of each"
	fi
	query "TRUNCATE prints; INSERT INTO prints SELECT ('x' || substr(md5(i::text), 1, 16))::bit(64)::simhash FROM generate_series(1, 1000000) i"
	balance "random"
}

for section in ${*:-compute}; do
	case $section in
		measure | compute | skew) "$section" ;;
		*) die "no section called $section" ;;
	esac
done
