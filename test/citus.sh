#!/bin/bash
# Tests on Citus: bash test/citus.sh
#
# Runs if Citus is installed in the PostgreSQL of PG_CONFIG, and skips otherwise. Builds
# and installs the extension, starts a private coordinator and two workers, distributes
# ROWS=20000 documents among them by id and by tenant, and compares plans and answers of
# every query form with those of one local table. Ends with the line "N passed, N failed".

case "$*" in
	*-h* | *--help*) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
exec </dev/null

. "$(dirname "$0")/lib.sh"

rows=${ROWS:-20000}
passed=0
failed=0

stop_nodes()
{
	local node

	for node in "$work"/node*; do
		[ ! -e "$node/postmaster.pid" ] ||
			as_server "$bindir/pg_ctl" -D "$node" -m immediate -s stop >/dev/null 2>&1
	done
	remove_work_folder
}
trap 'status=$?; trap - EXIT; stop_nodes; exit $status' EXIT
trap 'exit 130' INT TERM HUP

# start_nodes: 0 is the coordinator, 1 and 2 are workers, ports 6000 to 6002 on sockets
start_nodes()
{
	local i

	mkdir "$work/socket" && chmod 700 "$work/socket" || return 1
	for i in 0 1 2; do
		mkdir "$work/node$i" && chmod 700 "$work/node$i" || return 1
		hand_over node$i socket || return 1
		as_server "$bindir/initdb" -D "$work/node$i" -U postgres -A trust \
			--encoding=UTF8 --locale=C.UTF-8 --no-sync || return 1
		printf '%s\n' "listen_addresses = ''" \
			"unix_socket_directories = '$work/socket'" "port = 600$i" "fsync = off" \
			"jit = off" "shared_preload_libraries = 'citus'" "max_connections = 200" \
			"citus.node_conninfo = 'sslmode=disable'" |
			as_server tee -a "$work/node$i/postgresql.conf" >/dev/null
		as_server "$bindir/pg_ctl" -D "$work/node$i" -l "$work/node$i/server.log" -w -s start || return 1
	done
	export PGHOST=$work/socket PGPORT=6000 PGUSER=postgres PGDATABASE=postgres
	for i in 0 1 2; do
		sql -p 600$i -c "CREATE EXTENSION citus" || return 1
	done
	sql -c "SELECT citus_set_coordinator_host('$work/socket', 6000)" \
		-c "SELECT citus_add_node('$work/socket', 6001), citus_add_node('$work/socket', 6002)" \
		-c "SELECT citus_set_node_property('$work/socket', 6000, 'shouldhaveshards', false)"
}

# report NAME STATUS [DETAIL]
report()
{
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
		printf 'ok      %s\n' "$1"
	else
		failed=$((failed + 1))
		printf 'FAILED  %s\n%s\n' "$1" "$3"
	fi
}

ask()
{
	sql -At -v VERBOSITY=terse 2>&1 <<<"SET statement_timeout = '60s'; SET client_min_messages = warning; $1" |
		sed '/^$/d'
}

# same NAME QUERY [TABLE [LOCAL]]: the answers must be equal with the distributed table, docs
# by default, and with the local table, whole by default, in place of T
same()
{
	local name=$1 query=$2 here there start

	start=$(now)
	there=$(ask "${query// T/ ${3:-docs}}")
	start=$(($(now) - start))
	here=$(ask "${query// T/ ${4:-whole}}")
	[ -n "$here" ] && [[ $here != *ERROR:* ]] && [ "$here" = "$there" ]
	report "$name, $start ms" $? "expected: ${here:0:500}
got: ${there:0:500}"
}

# plan NAME PATTERN QUERY [COMMANDS]: the plan must match the extended regular expression
plan()
{
	local text

	text=$(ask "$4 EXPLAIN (VERBOSE, COSTS OFF) $3")
	grep -qE -- "$2" <<<"$text"
	report "$1" $? "no $2 in: $text"
}

holds()
{
	local answer

	answer=$(ask "$2")
	[ "$answer" = "$3" ]
	report "$1" $? "expected: $3
got: $answer"
}

make_work_folder
prepare_machine || exit 1
if [ ! -e "$("$PG_CONFIG" --sharedir)/extension/citus.control" ]; then
	echo "skipped: Citus is not installed in $("$PG_CONFIG" --bindir)"
	echo
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
step "Copying the sources" copy_sources || exit 1
step "Building" build COPT="-Wall -Wextra -Werror" || exit 1
step "Installing into PostgreSQL ${pg_version%% *}" install_extension || exit 1
step "Starting a coordinator and two workers" start_nodes || exit 1
echo

holds "CREATE EXTENSION reaches the workers" "CREATE EXTENSION simhash;
	SELECT DISTINCT result FROM run_command_on_workers('SELECT count(*) FROM pg_extension WHERE extname = ''simhash''')" 1

# Random and skewed fingerprints; every fourth row has a text similar to another row's
# text
ask "CREATE TABLE whole (id bigint PRIMARY KEY, body text, fp simhash, tenant int, wide bit(256));
	INSERT INTO whole SELECT i, body, CASE i % 4 WHEN 0 THEN simhash(body)
		WHEN 1 THEN ('x' || substr(md5(i::text), 1, 16))::bit(64)::simhash
		WHEN 2 THEN (('x' || substr(md5((i % 300)::text), 1, 16))::bit(64)::bigint # (1::bigint << (i % 61)))::simhash
		ELSE (CASE i % 5 WHEN 0 THEN 0 WHEN 1 THEN -1 WHEN 2 THEN 81985529216486895 ELSE 1::bigint << (i % 64) END # (i % 3000))::simhash END,
		CASE WHEN i % 2 = 0 THEN i % 30 ELSE 30 END, minhash_bits(body)
	FROM (SELECT i, md5((i / 12)::text) || ' and ' || md5((i / 12 + 1)::text) || repeat('.', i % 5) AS body FROM generate_series(1, $rows) i) s;
	CREATE INDEX ON whole USING bitblock (fp);
	ANALYZE whole;
	CREATE TABLE docs (LIKE whole INCLUDING INDEXES)" >/dev/null
holds "documents distributed by id" "SET citus.shard_count = 8; SELECT create_distributed_table('docs', 'id');
	CREATE INDEX docs_fp ON docs USING bitblock (fp); CREATE INDEX docs_wide ON docs USING bitblock (wide);
	INSERT INTO docs TABLE whole; ANALYZE docs; SELECT count(*) FROM docs" "$rows"
text="md5('100') || ' and ' || md5('101')"

plan "within: the index of every shard" 'Index (Only )?Scan (using|on) docs_fp_' "SELECT id FROM docs WHERE fp <-> simhash($text) <= 3"
plan "nearest: the index of every shard, and its LIMIT" 'Order By: .*<~>' "SELECT id FROM docs ORDER BY fp <-> simhash($text) LIMIT 5"
plan "nearest: merged from all shards" 'Task Count: 8' "SELECT id FROM docs ORDER BY fp <-> simhash($text) LIMIT 5"
same "within" "SELECT array_agg(id ORDER BY id) FROM T WHERE fp <-> simhash($text) <= 3"
# Citus makes no generic plans for several shards: it plans each execution of a prepared
# statement
same "within a parameter" "PREPARE q (text, int) AS SELECT id FROM T WHERE fp <-> simhash(\$1) <= \$2 ORDER BY 1; $(printf "EXECUTE q($text, %s); " 0 3 8 3 8 3 8 20)"
same "below, at, between" "SELECT (SELECT count(*) FROM T WHERE fp <-> '0123456789abcdef' < 9), (SELECT count(*) FROM T WHERE fp <-> '0123456789abcdef' = 3), (SELECT count(*) FROM T WHERE fp <-> '0123456789abcdef' BETWEEN 0 AND 5)"
same "%, =, ball" "SELECT (SELECT count(*) FROM T WHERE fp % '0123456789abcdef'), (SELECT count(*) FROM T WHERE fp = '0123456789abcdef'), (SELECT count(*) FROM T WHERE fp <@ simhash_ball('0123456789abcdef', 6))"
same "nearest" "SELECT fp <-> simhash($text) FROM T ORDER BY fp <-> simhash($text) LIMIT 40"
same "nearest of a parameter" "PREPARE q (text) AS SELECT fp <-> simhash(\$1) FROM T ORDER BY fp <-> simhash(\$1) LIMIT 10; $(for n in 1 2 3 4 5 6 7; do printf "EXECUTE q(md5('%s')); " $n; done)"
same "of one shard" "SELECT id, fp <-> '0123456789abcdef' FROM T WHERE id = 42 AND fp <-> '0123456789abcdef' <= 64"
same "sorted and grouped by fingerprint" "SELECT md5(string_agg(fp || ':' || n, ',' ORDER BY fp)) FROM (SELECT fp, count(*) AS n FROM T GROUP BY fp) s"
same "pairs in memory" "SELECT count(*), sum(a + 3 * b) FROM simhash_pairs('SELECT id, fp FROM T', NULL::bigint, 3)"
same "clusters in memory" "SELECT count(DISTINCT cluster), sum(cluster) FROM simhash_clusters('SELECT id, fp FROM T', NULL::bigint, 3, 'star')"

# Of 50 documents, 44 are near no other; one is a copy, one a revision and one a sibling of the
# document before it, which is on another shard
ask "CREATE TABLE whole_letters (id bigint PRIMARY KEY, name text, code uuid, title text, body text, fp bit(256));
	INSERT INTO whole_letters SELECT i, 'letter ' || i, md5(i::text)::uuid, initcap(substr(words, 1, 20)), body, minhash_bits(body)
	FROM (SELECT i, words, CASE i % 50 WHEN 10 THEN upper(format('%s Invoice %s. %s', words, n, rest))
			WHEN 20 THEN format('%s invoice %s. %s', words, n, 'edited' || substr(rest, 7))
			WHEN 30 THEN format('%s invoice %s. %s', words, n + 1, rest)
			ELSE format('%s invoice %s. %s', words, n, rest) END AS body
		FROM (SELECT i, 1000 + base AS n, string_agg(translate(md5(format('%s %s', base, j)), '0123456789', 'ghijklmnop'), ' ' ORDER BY j) AS words,
				string_agg(translate(md5(format('%s rest %s', base, j)), '0123456789', 'ghijklmnop'), ' ' ORDER BY j) AS rest
			FROM (SELECT i, i - (i % 50 IN (10, 20, 30))::int AS base FROM generate_series(1, 5000) i) g, generate_series(1, 25) j GROUP BY i, base) s) t;
	CREATE TABLE letters (LIKE whole_letters INCLUDING INDEXES)" >/dev/null
holds "letters on several shards" "SET citus.shard_count = 8; SELECT create_distributed_table('letters', 'id');
	INSERT INTO letters TABLE whole_letters;
	SELECT count(*) > 100 FROM letters WHERE id % 50 IN (10, 20, 30) AND get_shard_id_for_distribution_column('letters', id) <> get_shard_id_for_distribution_column('letters', id - 1)" t

# duplicates COLUMNS [ARGUMENTS]: simhash_duplicates over letters
duplicates()
{
	echo "SELECT string_agg(concat_ws(' ', id, original, kind, distance), ', '), count(*) FROM simhash_duplicates('SELECT $1 FROM T' ${2:+, $2})"
}
holds "simhash_duplicates: the local table has duplicates" "SELECT count(*), count(*) FILTER (WHERE kind = 'copy') FROM simhash_duplicates('SELECT id, fp, body FROM whole_letters')" "200|100"
same "simhash_duplicates of fingerprints" "$(duplicates "id, fp, body")" letters whole_letters
same "simhash_duplicates of titles" "$(duplicates "id, fp, title, body")" letters whole_letters
same "simhash_duplicates of texts" "$(duplicates "id, body")" letters whole_letters
same "simhash_duplicates of titles and texts" "$(duplicates "id, title, body")" letters whole_letters
same "simhash_duplicates, numbers ignored" "$(duplicates "id, fp, body" "numbers => false")" letters whole_letters
same "simhash_duplicates, the last one kept" "$(duplicates "id, fp, body" "keep => 'SELECT id FROM T ORDER BY id DESC'")" letters whole_letters
same "simhash_duplicates, some are new" "$(duplicates "id, fp, body" "new => 'SELECT id FROM T WHERE id > 2500'")" letters whole_letters
same "simhash_duplicates of integers" "$(duplicates "id::int, fp, body")" letters whole_letters
same "simhash_duplicates of names" "$(duplicates "name, fp, body" "id_type => NULL::text")" letters whole_letters
same "simhash_duplicates of uuid" "$(duplicates "code, fp, title, body" "id_type => NULL::uuid")" letters whole_letters
holds "simhash_duplicates of more documents than one command names" "$(duplicates "id, fp, tenant::text" | sed 's/ T/ docs/')" \
	"$(ask "$(duplicates "id, fp, tenant::text" | sed 's/ T/ whole/')")"

# near_texts NAME COLUMNS NEAR [ARGUMENTS]: each shard is asked once for ids and fingerprints, which it
# may compute, and once for the texts of NEAR documents
near_texts()
{
	local commands first second ids

	commands=$(ask "SET client_min_messages = notice; SET citus.log_remote_commands = on; $(duplicates "$2" "$4" | sed 's/ T/ letters/')" |
		sed -n 's/^.*NOTICE: *issuing SELECT/SELECT/p')
	second=$(grep "textcat(body.* ANY ('{" <<<"$commands")
	first=$(grep -v "textcat(body" <<<"$commands")
	ids=$(sed "s/.* ANY ('{\([^}]*\)}'.*/\1/" <<<"$second" | sort -u | tr ',' '\n' | wc -l)
	[ "$(grep -c . <<<"$second")" = 8 ] && [ "$ids" = "$3" ] && [ "$(grep -c . <<<"$first")" = 8 ] &&
		[ "$(grep -cE "^SELECT [a-z]+ AS [^ ]+, (\(?fp\)?(::[^ ]+)?|[a-z]+\.minhash_bits\(body, [^)]*\)) AS [^ ]+ FROM" <<<"$first")" = 8 ]
	report "$1" $? "texts of $ids documents, expected $3; commands: $(cut -c1-300 <<<"$commands")"
}
near_texts "simhash_duplicates: only texts of near documents leave their shards" "id, fp, body" 600
near_texts "simhash_duplicates: shards compute the fingerprints" "id, body" 600
near_texts "simhash_duplicates: texts near new ones" "id, fp, body" 300 "new => 'SELECT i FROM generate_series(2501, 5000) i'"
near_texts "simhash_duplicates: also of names" "name, fp, body" 600 "id_type => NULL::text"

# "keep" runs between the two passes, and the second one sees what it changes
ask "CREATE FUNCTION change(statement text) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN EXECUTE statement; RETURN NULL; END'" >/dev/null
gone="id IN (10, 59, 69, 110)"
holds "simhash_duplicates: documents deleted, changed and inserted between the passes are left out" \
	"BEGIN; $(duplicates "id, fp, body" "keep => \$k\$SELECT change('DELETE FROM letters WHERE $gone; UPDATE letters SET body = ''another text'' WHERE id = 160') UNION ALL
		SELECT change('INSERT INTO letters SELECT 9000 + id, name, code, title, body, fp FROM whole_letters WHERE id < 100')\$k\$" | sed 's/ T/ letters/'); ROLLBACK" \
	"$(ask "BEGIN; DELETE FROM whole_letters WHERE $gone OR id = 160; $(duplicates "id, fp, body" | sed 's/ T/ whole_letters/'); ROLLBACK")"

# for small shards
no_seqscan="SET citus.propagate_set_commands = 'local'; BEGIN; SET LOCAL enable_seqscan = off;"

# Wide fingerprints
wide="minhash_bits($text)"
plan "256 bits, near: the index of every shard" 'Index (Only )?Scan (using|on) docs_wide_' "SELECT id FROM docs WHERE wide % $wide"
plan "256 bits, within: the index of every shard" 'Index (Only )?Scan (using|on) docs_wide_' "SELECT id FROM docs WHERE wide <-> $wide <= 40"
plan "256 bits, nearest: the index of every shard" 'Index (Only )?Scan using docs_wide_' "SELECT id FROM docs ORDER BY wide <-> $wide LIMIT 5"
same "256 bits, near, within, ball" "SELECT (SELECT array_agg(id ORDER BY id) FROM T WHERE wide % $wide), (SELECT count(*) FROM T WHERE wide <-> $wide <= 100), (SELECT count(*) FROM T WHERE wide <@ bit_ball($wide, 60))"
same "256 bits, near a parameter" "PREPARE q (text, int) AS SELECT (SELECT array_agg(id ORDER BY id) FROM T WHERE wide % minhash_bits(\$1)), (SELECT count(*) FROM T WHERE wide <-> minhash_bits(\$1) <= \$2); $(printf "EXECUTE q($text, %s); " 0 20 48 90 20 48 90)"
same "256 bits, nearest" "SELECT wide <-> $wide FROM T ORDER BY wide <-> $wide LIMIT 40"
same "256 bits, pairs in memory" "SELECT count(*), sum(a + 3 * b) FROM simhash_pairs('SELECT id, wide FROM T', NULL::bigint, 20)"

# Distribution by tenant: one shard has all rows of a tenant
holds "documents distributed by tenant" "CREATE TABLE posts (LIKE whole); SELECT create_distributed_table('posts', 'tenant');
	CREATE INDEX posts_fp ON posts USING bitblock (tenant, fp); CREATE INDEX posts_wide ON posts USING bitblock (tenant, wide);
	INSERT INTO posts TABLE whole; ANALYZE posts; SELECT count(*) FROM posts" "$rows"
for column in fp wide; do
	value="simhash($text)"
	[ $column = fp ] || value=$wide
	for query in "WHERE tenant = 30 AND $column % $value" "WHERE tenant = 30 AND $column <-> $value <= 3" \
		"WHERE tenant = 30 ORDER BY $column <-> $value LIMIT 5"; do
		plan "one tenant, its shard only: $column ${query/"$value"/q}" 'Task Count: 1$' "SELECT id FROM posts $query"
		plan "one tenant, by index: $column ${query/"$value"/q}" "Index (Only )?Scan (using|on) posts_${column}_" "SELECT id FROM posts $query"
	done
	same "one tenant, near and within: $column" "SELECT (SELECT array_agg(id ORDER BY id) FROM T WHERE tenant = 30 AND $column % $value), (SELECT count(*) FROM T WHERE tenant = 30 AND $column <-> $value <= 22), (SELECT count(*) FROM T WHERE tenant = 4 AND $column <-> $value <= 22)" posts
	same "one tenant, nearest: $column" "SELECT $column <-> $value FROM T WHERE tenant = 30 ORDER BY $column <-> $value LIMIT 40" posts
	same "nearest of a tenant that is a parameter: $column" "PREPARE q (int) AS SELECT $column <-> $value FROM T WHERE tenant = \$1 ORDER BY $column <-> $value LIMIT 10; $(printf 'EXECUTE q(%s); ' 0 2 4 6 8 28 29 30)" posts
done
same "pairs of the tenants" "SELECT count(*), sum(a.id + 3 * b.id) FROM T a JOIN T b ON a.tenant = b.tenant AND a.fp % b.fp AND a.id < b.id" posts

# A constraint: no two rows of a tenant are near, and each row that is left out is near one
# that was kept
for column in fp wide; do
	k=5 value="simhash($text)"
	[ $column = fp ] || k=20 value=$wide
	near="a.tenant = b.tenant AND length(replace((a.$column::bit varying # b.$column::bit varying)::text, '0', '')) <= $k"
	holds "a constraint over a table distributed by tenant: $column" "CREATE TABLE refusing (LIKE whole, EXCLUDE USING bitblock (tenant WITH =, $column WITH %));
		SELECT create_distributed_table('refusing', 'tenant');
		INSERT INTO refusing SELECT * FROM whole WHERE id <= 2000 ON CONFLICT DO NOTHING;
		CREATE TABLE kept AS TABLE refusing;
		SELECT count(*) BETWEEN 100 AND 1900, (SELECT count(*) FROM kept a JOIN kept b ON a.id < b.id AND $near),
			(SELECT count(*) FROM whole a WHERE id <= 2000 AND NOT EXISTS (SELECT FROM kept b WHERE $near)) FROM kept" "t|0|0"
	plan "the constraint's index serves searches: $column" "Index (Only )?Scan (using|on) refusing_tenant_${column}_excl" \
		"SELECT id FROM refusing WHERE tenant = 30 AND $column % $value" "$no_seqscan"
	ask "DROP TABLE refusing, kept" >/dev/null
done

# Keys of passages
ask "CREATE TABLE whole_files (id bigint, body text, keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED);
	INSERT INTO whole_files SELECT i, string_agg(md5((i * 30 + w)::text), ' ' ORDER BY w)
	FROM generate_series(1, 2000) i, generate_series(1, 90) w GROUP BY i" >/dev/null
holds "keys of passages, an index of every shard" "SET citus.shard_count = 4; CREATE TABLE files (id bigint, body text, keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED);
	SELECT create_distributed_table('files', 'id'); CREATE INDEX files_keys ON files USING gin (keys);
	INSERT INTO files SELECT id, body FROM whole_files; ANALYZE files; SELECT count(*) FROM files" 2000
passage=$(ask "SELECT body FROM whole_files WHERE id = 1000")
plan "passages: the index of every shard" 'Bitmap Index Scan on files_keys_' "SELECT id FROM files WHERE keys && simhash_passage_keys('$passage')" "$no_seqscan"
same "passages" "SELECT array_agg(id ORDER BY id) FROM T WHERE keys && simhash_passage_keys('$passage')" files whole_files
same "passages confirmed" "SELECT array_agg((id, share) ORDER BY id) FROM (SELECT id, simhash_containment('$passage', body) AS share FROM T WHERE keys && simhash_passage_keys('$passage')) s" files whole_files

# A generated column, an aggregate
holds "generated column" "CREATE TABLE notes (id bigint, body text, fp simhash GENERATED ALWAYS AS (simhash(body)) STORED);
	SELECT create_distributed_table('notes', 'id');
	INSERT INTO notes SELECT id, body FROM whole WHERE id <= 1000;
	SELECT count(*) = count(*) FILTER (WHERE n.fp = simhash(w.body)) FROM (SELECT id, fp FROM notes OFFSET 0) n JOIN whole w USING (id)" t

# Distribution by the fingerprint: equal fingerprints are in one shard
holds "distributed by fingerprint" "CREATE TABLE by_fp (fp simhash, id bigint); SELECT create_distributed_table('by_fp', 'fp');
	INSERT INTO by_fp SELECT fp, id FROM whole;
	SELECT (SELECT count(*) FROM by_fp a JOIN by_fp b USING (fp)) = (SELECT count(*) FROM whole a JOIN whole b USING (fp))" t

# A join of a reference table on the distance uses the shards' index
ask "CREATE TABLE probes AS SELECT id, fp FROM whole WHERE id % 500 = 0; SELECT create_reference_table('probes')" >/dev/null
plan "join with a reference table: by index" 'Index (Only )?Scan using docs_fp_' "SELECT p.id, d.id FROM probes p JOIN docs d ON p.fp <-> d.fp <= 3" "SET enable_seqscan = off;"
same "join with a reference table" "SELECT array_agg((p.id, d.id) ORDER BY p.id, d.id) FROM probes p JOIN T d ON p.fp <-> d.fp <= 3 AND p.id <> d.id"

# Ingest: the fingerprints of originals are in one place, a table of one shard with a
# constraint
holds "ingest without near-duplicates" "CREATE TABLE originals (shard int DEFAULT 0, id bigint, fp simhash, EXCLUDE USING bitblock (fp WITH %));
	SELECT citus_add_local_table_to_metadata('originals');
	INSERT INTO originals (id, fp) SELECT id, fp FROM whole WHERE id <= 4000 ORDER BY id ON CONFLICT DO NOTHING;
	SELECT count(*) BETWEEN 500 AND 3900, (SELECT count(*) FROM originals a JOIN originals b ON a.id < b.id AND (a.fp <~> b.fp) <= 5) FROM originals" "t|0"
refused=$(ask "SELECT create_distributed_table('originals', 'id')")
grep -q "cannot create constraint" <<<"$refused"
report "a constraint over a distributed table is refused" $? "$refused"

# Blocks: a lookup asks the shards of its keys, and each shard joins its own pairs
holds "blocks" "CREATE TABLE blocks (block bigint NOT NULL, fp simhash NOT NULL, id bigint NOT NULL);
	SET citus.shard_count = 16; SELECT create_distributed_table('blocks', 'block');
	CREATE INDEX ON blocks (block);
	INSERT INTO blocks SELECT block, fp, id FROM docs, unnest(simhash_blocks(fp, 3)) block;
	ANALYZE blocks; SELECT count(*) FROM blocks" $((4 * rows))
plan "lookup by block: at most four shards of sixteen" 'Task Count: [1-4]$' "SELECT DISTINCT id FROM blocks WHERE block = ANY (simhash_blocks('0123456789abcdef', 3)) AND fp <-> '0123456789abcdef' <= 3"
holds "lookup by block: the answer" "SELECT (SELECT array_agg(id ORDER BY id) FROM (SELECT DISTINCT id FROM blocks WHERE block = ANY (simhash_blocks('0123456789abcdef', 3)) AND fp <-> '0123456789abcdef' <= 3) s)
	= (SELECT array_agg(id ORDER BY id) FROM whole WHERE fp <-> '0123456789abcdef' <= 3)" t
pairs="SELECT DISTINCT a.id AS a, b.id AS b FROM blocks a JOIN blocks b USING (block) WHERE a.id < b.id AND a.fp <-> b.fp <= 3"
plan "pairs by block: joined in each shard" 'Task Count: 16' "$pairs"
start=$(now)
ask "SELECT count(*) FROM ($pairs) s" >/dev/null
echo "        pairs by block: $(($(now) - start)) ms"
holds "pairs by block: all of them" "SELECT count(*), sum(a + 3 * b) FROM ($pairs) s" \
	"$(ask "SELECT count(*), sum(a + 3 * b) FROM simhash_pairs('SELECT id, fp FROM whole', NULL::bigint, 3)")"

# Queries that Citus cannot execute raise an error. They never return a wrong answer.
refused=$(ask "SELECT a.id, b.id FROM docs a JOIN docs b ON a.fp <-> b.fp <= 3 AND a.id < b.id")
grep -q "complex joins are only supported" <<<"$refused"
report "a join on the distance alone is refused by Citus" $? "$refused"

installed_is_ours || report "another build of simhash was installed meanwhile" 1
echo
echo "$passed passed, $failed failed"
[ $failed = 0 ]
