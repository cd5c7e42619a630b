# Documents on three servers, as foreign partitions of a table on the first server.
# Every query form is shipped whole, and each server answers it by its index.  The
# answers equal those of one local table.  simhash_duplicates fetches the texts of near
# documents only.  Two more tests: ingest without near-duplicates across servers, and a table
# of blocks, where a lookup asks only the servers that can have an answer.

use SimhashPage;
use SimhashTest;

my @nodes = map { start_node("shard$_", 'log_statement = none', 'max_prepared_transactions = 0') } 1 .. 3;
my $front = $nodes[0];
plan skip_all => 'postgres_fdw is not installed'
  if $front->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") eq '0';
my $version = $front->safe_psql('postgres', 'SHOW server_version_num');
my $has_auto_explain = eval { $front->safe_psql('postgres', "LOAD 'auto_explain'"); 1 };

# The documents: random and skewed fingerprints, with texts.  The front server has all
# of them in one table.
$front->safe_psql('postgres', 'CREATE DATABASE front');
$front->safe_psql('front', q{
	CREATE EXTENSION simhash;
	CREATE EXTENSION postgres_fdw;
	CREATE FUNCTION random_fp(seed text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
	$$ SELECT ('x' || substr(md5(seed), 1, 16))::bit(64)::bigint $$;
	CREATE TABLE whole (id bigint PRIMARY KEY, day date, body text, fp simhash);
	INSERT INTO whole
	SELECT i, date '2026-01-01' + i % 90, body, coalesce(fp, simhash(body)) FROM (
		SELECT i, 'document ' || md5((i / 3)::text) || ' of ' || md5((i / 3 + 7)::text) || repeat('!', i % 3) AS body,
			CASE WHEN i <= 4000 THEN NULL	-- of the text, three alike each
				WHEN i <= 8000 THEN random_fp(i::text)
				WHEN i <= 11000 THEN random_fp((i % 300)::text) # (1::bigint << (i % 64)) # (i % 7 / 6)::bigint
				WHEN i <= 11300 THEN 81985529216486895
				ELSE CASE i % 4 WHEN 0 THEN 0 WHEN 1 THEN -1 WHEN 2 THEN 1::bigint << (i % 64) ELSE ~(1::bigint << (i % 64)) END
			END::simhash AS fp
		FROM generate_series(1, 12000) i) s;
	CREATE INDEX ON whole USING bitblock (fp);
	ALTER TABLE whole ADD COLUMN pic bit(128);
	UPDATE whole SET pic = fp::bit(64) || (id % 3)::bit(64);
	CREATE INDEX ON whole USING bitblock (pic);
	ANALYZE whole;
	CREATE TABLE docs (LIKE whole) PARTITION BY HASH (id)});
for my $n (1 .. 3)
{
	my $node = $nodes[ $n - 1 ];
	$node->safe_psql('postgres', 'CREATE DATABASE shard');
	$node->safe_psql('postgres', q{ALTER DATABASE shard SET session_preload_libraries = 'auto_explain';
		ALTER DATABASE shard SET auto_explain.log_min_duration = 0}) if $has_auto_explain;
	$node->safe_psql('shard', q{CREATE EXTENSION simhash;
		CREATE TABLE docs (id bigint PRIMARY KEY, day date, body text, fp simhash, pic bit(128));
		CREATE INDEX docs_pic ON docs USING bitblock (pic);
		CREATE INDEX docs_fp ON docs USING bitblock (fp)});
	my ($host, $port) = ($node->host, $node->port);
	$front->safe_psql('front', qq{
		CREATE SERVER server$n FOREIGN DATA WRAPPER postgres_fdw
			OPTIONS (host '$host', port '$port', dbname 'shard', extensions 'simhash', async_capable 'true');
		CREATE USER MAPPING FOR CURRENT_USER SERVER server$n;
		CREATE FOREIGN TABLE docs$n PARTITION OF docs FOR VALUES WITH (MODULUS 3, REMAINDER @{[ $n - 1 ]})
			SERVER server$n OPTIONS (table_name 'docs')});
}
$front->safe_psql('front', 'INSERT INTO docs TABLE whole');
$_->safe_psql('shard', 'VACUUM ANALYZE docs') for @nodes;
$front->safe_psql('front', 'ANALYZE docs');

my %offset;

sub forget_logs
{
	%offset = map { ($_->name => -s $_->logfile) } @nodes;
	return;
}

# The log of a server since the given position
sub log_of
{
	my ($node) = @_;
	return substr(slurp_file($node->logfile), $offset{ $node->name });
}

sub plan_of
{
	my ($settings, $query) = @_;
	return $front->safe_psql('front', "$settings; EXPLAIN (VERBOSE, COSTS OFF) $query");
}

my $within = qr/WHERE \(public\.simhash_within\(fp, [^()]*(\(\$\d::text(\[\])?\))?[^()]*, (\d+|\$\d::\S+)\)\)$/;
my $nearest = qr/ORDER BY \(fp OPERATOR\(public\.<~>\) .+\) ASC NULLS LAST$/;
my $text = q{'document ' || md5('1000') || ' of ' || md5('1007')};

# name, types of parameters, query of table T, arguments, the expected work of each
# server ("any" plan: the distance is so large that a server may read all rows; "sorts":
# the few rows may be sorted locally)
for ([ 'within', '(text)', 'SELECT id FROM T WHERE fp <-> simhash($1::text) <= 8', "($text)", $within ],
	[ 'within a parameter', '(text, int)', 'SELECT id FROM T WHERE fp <-> simhash($1) <= $2', "($text, 3)", $within ],
	[ 'of a fingerprint', '(simhash)', 'SELECT id FROM T WHERE fp <-> $1 <= 8', q{('a35fe7f7fe8217b4')}, $within ],
	[ 'minhash', '(text)', 'SELECT id FROM T WHERE fp <-> minhash($1) <= 20', "($text)", $within, 'any' ],
	[ 'with options', '(text)', q{SELECT id FROM T WHERE fp <-> simhash($1, features => 'words', n => 2) <= 20}, "($text)", qr/simhash_within/, 'any' ],
	[ 'of an array', '(text[])', 'SELECT id FROM T WHERE fp <-> simhash_from_features($1) <= 20', "(ARRAY['a', 'b'])", $within, 'any' ],
	[ 'below', '(text)', 'SELECT id FROM T WHERE 4 > fp <-> simhash($1)', "($text)", $within ],
	[ 'at a distance', '(text)', 'SELECT id FROM T WHERE fp <-> simhash($1) = 0', "($text)", $within ],
	[ 'BETWEEN', '(text)', 'SELECT id FROM T WHERE fp <-> simhash($1) BETWEEN 0 AND 3', "($text)", qr/simhash_at_least\(fp, .+\) AND \(public\.simhash_within\(fp, / ],
	[ 'simhash_within', '(text)', 'SELECT id FROM T WHERE simhash_within(fp, simhash($1), 3)', "($text)", $within ],
	[ '%', '(text)', 'SELECT id FROM T WHERE fp % simhash($1)', "($text)", qr/WHERE \(\(fp OPERATOR\(public\.%\) .+\)\)$/ ],
	[ '=', '(simhash)', 'SELECT id FROM T WHERE fp = $1', q{('a35fe7f7fe8217b4')}, qr/WHERE \(\(fp OPERATOR\(public\.=\) .+\)\)$/ ],
	[ 'in a ball', '(simhash)', 'SELECT id FROM T WHERE fp <@ simhash_ball($1, 3)', q{('a35fe7f7fe8217b4')}, qr/WHERE \(\(fp OPERATOR\(public\.<@\) .+\)\)$/ ],
	[ 'nearest', '(text)', 'SELECT fp <-> simhash($1::text) AS distance FROM T ORDER BY fp <-> simhash($1::text) LIMIT 10', "($text)", $nearest ],
	[ 'nearest within', '(simhash)', 'SELECT fp <-> $1 FROM T WHERE fp <-> $1 <= 9 ORDER BY fp <-> $1 LIMIT 50', q{('0000000000000000')}, qr/WHERE \(public\.simhash_within/, 'sorts' ],
	[ 'bits', '(text)', 'SELECT id FROM T WHERE pic <-> bit_from_hex($1) <= 7', "('a35fe7f7fe8217b40000000000000000')", qr/WHERE \(public\.bit_within\(pic, .+, 7\)\)$/ ],
	[ 'bits of parameters', '(bit, bigint)', 'SELECT id FROM T WHERE pic <-> $1 <= $2', "('xa35fe7f7fe8217b40000000000000000', 7)", qr/WHERE \(public\.bit_within\(pic, / ],
	[ 'far bits', '(bit)', 'SELECT id FROM T WHERE pic <-> $1 >= 121', "('x5ca01808017de84bffffffffffffffff')", qr/WHERE \(public\.bit_at_least\(pic, .+, 121\)\)$/ ],
	[ 'nearest bits', '(bit)', 'SELECT pic <-> $1 AS distance FROM T ORDER BY pic <-> $1 LIMIT 10', "('xa35fe7f7fe8217b40000000000000000')", qr/ORDER BY \(pic OPERATOR\(public\.<#~>\) .+\) ASC NULLS LAST$/ ],
	[ 'count', '(text)', 'SELECT count(*) FROM T WHERE fp <-> simhash($1) <= 8', "($text)", $within ])
{
	my ($name, $types, $query, $args, $shipped, $exception) = @$_;
	my $any_plan = ($exception // '') eq 'any';
	my $sorts = ($exception // '') eq 'sorts';
	my $on_docs = $query =~ s/ T / docs /r;
	my $expected = $front->safe_psql('front', 'PREPARE q ' . $types . ' AS ' . ($query =~ s/ T / whole /r)
		. "; SET enable_indexscan = off; SET enable_bitmapscan = off; EXECUTE q $args");
	$expected = join "\n", sort split /\n/, $expected if $query !~ /ORDER/;

	cmp_ok(length $expected, '>', 0, "$name: there is an answer") if !$any_plan;
	for my $mode (qw(force_custom_plan force_generic_plan))
	{
		my $settings = "PREPARE q $types AS $on_docs; SET plan_cache_mode = $mode";
		my $plan = plan_of($settings, "EXECUTE q $args");
		my @remote = $plan =~ /Remote SQL: (.+)/g;

		is(scalar(grep { /$shipped/ } @remote), 3, "$name, $mode: shipped to all three")
		  or diag $plan;
		unlike($plan, $sorts ? qr/Filter:/ : qr/Filter:| Sort$/m, "$name, $mode: nothing is left to do here") or diag $plan;
		like($plan, $query =~ /ORDER/ ? qr/Merge Append/ : qr/Async Foreign Scan/,
			"$name, $mode: servers are asked at the same time, or merged")
		  if !$sorts;

		forget_logs();
		my $answer = $front->safe_psql('front', "$settings; EXECUTE q $args");
		$answer = join "\n", sort split /\n/, $answer if $query !~ /ORDER/;
		is($answer, $expected, "$name, $mode: the answer is that of one table");
		next if $any_plan || !$has_auto_explain;
		for my $node (@nodes)
		{
			my $log = log_of($node);
			ok($log =~ /Index (Only )?Scan (using|on) docs_(fp|pic)/ && $log !~ /Seq Scan/,
				"$name, $mode: by the index of " . $node->name) or diag $log;
		}
	}
}

# The partition key selects one server.
my $one = plan_of('', q{SELECT id FROM docs WHERE id = 5 AND fp <-> '0123456789abcdef' <= 3});
is(scalar(my @scans = $one =~ /Remote SQL/g), 1, 'partition key: one server is asked');

# Joins: postgres_fdw ships each row's probe if it asks the servers for estimates, and
# if rows cost as much as over a network.
$front->safe_psql('front', "ALTER SERVER server$_ OPTIONS (ADD use_remote_estimate 'true', ADD fdw_tuple_cost '1')") for 1 .. 3;
$front->safe_psql('front', q{CREATE TABLE probes AS SELECT id, fp FROM whole WHERE id IN (1, 5000, 9000, 11999); ANALYZE probes});
my $join = 'SELECT p.id, d.id FROM probes p JOIN T d ON p.fp <-> d.fp <= 3 AND p.id < d.id ORDER BY 1, 2';
my $join_plan = plan_of('', $join =~ s/ T / docs /r);
is(scalar(my @probes = $join_plan =~ /Remote SQL: .*simhash_within\(\$1::public\.simhash, fp, 3\)/g), 3, 'join: probes are shipped')
  or diag $join_plan;
my $pairs = $front->safe_psql('front', $join =~ s/ T / whole /r);
is($front->safe_psql('front', $join =~ s/ T / docs /r), $pairs, 'join: the pairs are those of one table');
my $lateral = 'SELECT p.id, n.distance FROM probes p CROSS JOIN LATERAL (SELECT p.fp <-> d.fp AS distance FROM T d ORDER BY d.fp <-> p.fp LIMIT 3) n ORDER BY 1, 2';
is($front->safe_psql('front', $lateral =~ s/ T / docs /r), $front->safe_psql('front', $lateral =~ s/ T / whole /r),
	'the nearest of each: those of one table');
my $sum = q{SELECT count(*), sum(hashint8(a) + 3 * hashint8(b)::bigint) FROM simhash_pairs('SELECT id, fp FROM T', NULL::bigint, 3)};
is($front->safe_psql('front', $sum =~ s/ T'/ docs'/r), $front->safe_psql('front', $sum =~ s/ T'/ whole'/r),
	'simhash_pairs over all servers');
# simhash_duplicates reads ids and fingerprints of all documents, and the texts of near ones.  Of 50
# documents, 44 are near no other; one is a copy, one a revision and one a sibling of the document
# before it, on any server.
my $letters = q{(id bigint, small int, name text, code uuid, title text, body text, fp bit(256))};
$front->safe_psql('front', qq{
	CREATE TABLE whole_letters $letters;
	INSERT INTO whole_letters
	SELECT i, i, 'letter ' || i, md5(i::text)::uuid, title, body, minhash_bits(body) FROM (
		SELECT i, initcap(substr(words, 1, 20)) AS title, CASE i % 50
			WHEN 10 THEN upper(format('%s Invoice %s. %s', words, n, rest))
			WHEN 20 THEN format('%s invoice %s. %s', words, n, 'edited' || substr(rest, 7))
			WHEN 30 THEN format('%s invoice %s. %s', words, n + 1, rest)
			ELSE format('%s invoice %s. %s', words, n, rest) END AS body
		FROM (SELECT i, 1000 + base AS n, string_agg(translate(md5(format('%s %s', base, j)), '0123456789', 'ghijklmnop'), ' ' ORDER BY j) AS words,
				string_agg(translate(md5(format('%s rest %s', base, j)), '0123456789', 'ghijklmnop'), ' ' ORDER BY j) AS rest
			FROM (SELECT i, i - (i % 50 IN (10, 20, 30))::int AS base FROM generate_series(1, 3000) i) g, generate_series(1, 25) j GROUP BY i, base) s) t;
	CREATE TABLE letters $letters PARTITION BY HASH (id)});
for my $n (1 .. 3)
{
	$nodes[ $n - 1 ]->safe_psql('shard', "CREATE TABLE letters $letters; CREATE UNIQUE INDEX ON letters (id)");
	$front->safe_psql('front', "CREATE FOREIGN TABLE letters$n PARTITION OF letters FOR VALUES WITH (MODULUS 3, REMAINDER @{[ $n - 1 ]}) SERVER server$n OPTIONS (table_name 'letters')");
}
$front->safe_psql('front', q{INSERT INTO letters TABLE whole_letters; ANALYZE letters;
	CREATE VIEW all_letters AS SELECT * FROM letters;
	CREATE DOMAIN number AS int});

# The rows of simhash_duplicates over a query and its other arguments
sub duplicates_of
{
	my ($query, $arguments) = @_;
	return "SELECT string_agg(concat_ws(' ', id, original, kind, distance), E'\\n') FROM simhash_duplicates(\$\$$query\$\$$arguments)";
}

# columns, arguments, the type of the ids that the servers receive: without a fingerprint, or if the
# ids cannot be hashed, all texts are fetched
for ([ 'id, fp, body', '', 'bigint' ],
	[ 'id, fp, title, body', '', 'bigint' ],
	[ 'id, body' ],
	[ 'id, title, body' ],
	[ 'id, fp, body', ', numbers => false', 'bigint' ],
	[ 'id, fp, body', ', keep => $$SELECT id FROM T ORDER BY length(body), id DESC$$', 'bigint' ],
	[ 'id, fp, body', ', new => $$SELECT id FROM T WHERE id > 1500 AND length(name) > 0$$', 'bigint' ],
	[ 'id, body', ', new => $$SELECT id FROM T WHERE id > 1500 AND length(name) > 0$$' ],
	[ 'small, fp, body', '', 'integer' ],
	[ 'small::number, fp, body', '', 'integer' ],
	[ 'small, fp, body', ', id_type => NULL::int', 'integer' ],
	[ 'name, fp, body', ', id_type => NULL::text', 'text' ],
	[ 'name::varchar(20), fp, body', ', id_type => NULL::text', 'text' ],
	[ 'code, fp, title, body', ', id_type => NULL::uuid', 'uuid', 'all_letters' ],
	[ 'id::money, fp, body', ', id_type => NULL::money' ],
	[ 'id::bit(64), fp, body', ', id_type => NULL::bit(64)' ])
{
	my ($columns, $arguments, $type, $table) = @$_;
	my $name = "simhash_duplicates of $columns" . ($arguments //= '');
	$table //= 'letters';
	my $query = duplicates_of("SELECT $columns FROM T", $arguments);
	my $expected = $front->safe_psql('front', $query =~ s/ T\b/ whole_letters/gr);
	my @rows = split /\n/, $expected;

	is(grep({ / copy / } @rows) . ' of ' . @rows, $arguments =~ /new/ ? '30 of 60' : '60 of ' . ($arguments =~ /numbers/ ? 180 : 120),
		"$name: the local table has duplicates");
	forget_logs();
	is($front->safe_psql('front', $query =~ s/ T\b/ $table/gr), $expected, "$name: the foreign ones are the same");
	next if !$has_auto_explain || !$type;

	my @commands = grep { !/length/ } map { log_of($_) =~ /DECLARE c\d+ CURSOR FOR\s+(SELECT .*)/g } @nodes;
	my @of_texts = grep { /body/ } @commands;
	my @ids = map { / = ANY \('\{([^{}]*)\}'::\Q$type\E\[\]/ ? scalar(split /,/, $1) : 'all' } @of_texts;
	is(@commands - @of_texts, 3, "$name: fingerprints without texts") or diag join "\n", @commands;
	is("@ids", $arguments =~ /new/ ? '180 180 180' : '360 360 360', "$name: texts of near documents") or diag join "\n", @of_texts;
}
my $many = duplicates_of('SELECT id, body FROM T', '');
my $expected = $front->safe_psql('front', $many =~ s/ T\b/ whole/r);
is(scalar(split /\n/, $expected), 7999, 'simhash_duplicates of many documents: the local table has duplicates');
forget_logs();
is($front->safe_psql('front', $many =~ s/ T\b/ docs/r), $expected, 'simhash_duplicates of many documents: the foreign ones are the same');
my %parts = map { $_ => 1 } map { log_of($_) =~ /DECLARE c\d+ CURSOR FOR\s+SELECT id, body .* = ANY \('\{([^{}]*)\}'/g } @nodes;
is(scalar keys %parts, 2, 'simhash_duplicates of many documents: in two parts') if $has_auto_explain;

# What only one of the two runs sees is left out: "keep" runs between them.  A transaction sees its own
# changes of foreign tables.
$front->safe_psql('front', q{
	CREATE FUNCTION change(statement text) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN EXECUTE statement; RETURN NULL; END $$});
my $change = q{DELETE FROM T WHERE id IN (10, 59, 69, 110); UPDATE T SET body = 'another text' WHERE id = 160; INSERT INTO T SELECT 9000 + id, small, name, code, title, body, fp FROM whole_letters WHERE id < 100};
my $changed = $front->safe_psql('front', 'BEGIN; DELETE FROM whole_letters WHERE id IN (10, 59, 69, 110, 160); '
	. duplicates_of('SELECT id, fp, title, body FROM whole_letters', '') . '; ROLLBACK');
is(scalar(split /\n/, $changed), 115, 'documents deleted between the passes: duplicates are left');
is( $front->safe_psql('front', 'BEGIN; ' . duplicates_of('SELECT id, fp, title, body FROM letters', ', keep => $$SELECT change($c$' . ($change =~ s/ T / letters /gr) . '$c$)$$') . '; ROLLBACK'),
	$changed, 'documents deleted, changed and inserted between the passes: as if they had not been there');

$front->safe_psql('front', q{
	DELETE FROM docs USING simhash_clusters('SELECT id, fp FROM docs', NULL::bigint, 3, 'star') c WHERE docs.id = c.id AND c.id <> c.cluster;
	DELETE FROM whole USING simhash_clusters('SELECT id, fp FROM whole', NULL::bigint, 3, 'star') c WHERE whole.id = c.id AND c.id <> c.cluster});
is( $front->safe_psql('front', 'SELECT count(*) BETWEEN 4000 AND 10000, (SELECT count(*) FROM (TABLE docs EXCEPT TABLE whole) s) FROM whole'),
	't|0', 'deduplicated alike');

# Ingest through two servers at once: the fingerprints of all originals are in one
# place, with an exclusion constraint.  postgres_fdw's transactions are REPEATABLE READ.
# So a row that another session has just inserted causes a serialization error, and the
# transaction must be repeated, which pgbench can do from version 15 on.
$front->safe_psql('shard', 'CREATE TABLE originals (id bigint, fp simhash, EXCLUDE USING bitblock (fp WITH %))');
$nodes[1]->safe_psql('postgres', 'CREATE DATABASE front');
$nodes[1]->safe_psql('front', 'CREATE EXTENSION simhash; CREATE EXTENSION postgres_fdw;
	CREATE SERVER server1 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host ' . "'@{[ $front->host ]}', port '@{[ $front->port ]}'" . ", dbname 'shard', extensions 'simhash');
	CREATE USER MAPPING FOR CURRENT_USER SERVER server1");
for my $node (@nodes[ 0, 1 ])
{
	$node->safe_psql('front', q{CREATE FOREIGN TABLE originals (id bigint, fp simhash) SERVER server1});
}
my $near = q{(('x' || substr(md5(:n::text), 1, 16))::bit(64)::bigint # (1::bigint << :bit))::simhash};

# pgbench against several servers at the same time
sub run_sessions
{
	my ($script, @servers) = @_;
	my @retry = $version >= 150000 ? ('--max-tries=1000') : ();
	my $file = pgbench_script($script->[0], "\\set n random(1, 60)\n\\set bit random(0, 7)\n$script->[1]\n");
	my @runs = map { start_bench($_, 'front', 4, "-t 100 @retry", $file) } @servers;

	is(end_bench($_), 400, "$script->[0]: all were inserted or refused") for @runs;
	return;
}

if ($version >= 150000)
{
	run_sessions([ 'refused', "INSERT INTO originals SELECT 1, $near ON CONFLICT DO NOTHING;" ], @nodes[ 0, 1 ]);
	is( $front->safe_psql('shard', 'SELECT count(*) >= 60, count(*) <= 70 FROM originals'), 't|t', 'of each one is there');
	is( $front->safe_psql('shard', 'SELECT count(*) FROM originals a JOIN originals b ON a.ctid < b.ctid AND (a.fp <~> b.fp) <= 3'),
		0, 'no two originals are near each other');
}

# The trigger of a partitioned table also searches the other servers.  With 'lock' it
# also sees the rows that other sessions insert through this server.
for my $n (1 .. 3)
{
	$nodes[ $n - 1 ]->safe_psql('shard', 'CREATE TABLE posts (id bigint PRIMARY KEY, fp simhash, duplicate_of bigint);
		CREATE INDEX ON posts USING bitblock (fp) WHERE duplicate_of IS NULL');
}
$front->safe_psql('front', q{CREATE SEQUENCE post;
	CREATE TABLE posts (id bigint NOT NULL DEFAULT nextval('post'), fp simhash, duplicate_of bigint) PARTITION BY HASH (id);
	CREATE INDEX ON posts USING bitblock (fp);
	CREATE TRIGGER original BEFORE INSERT ON posts FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'within=3', 'lock')}
	. join '', map { "; CREATE FOREIGN TABLE posts$_ PARTITION OF posts FOR VALUES WITH (MODULUS 3, REMAINDER @{[ $_ - 1 ]}) SERVER server$_ OPTIONS (table_name 'posts')" } 1 .. 3);
run_sessions([ 'recorded', "INSERT INTO posts (fp) SELECT $near;" ], $front);
is( $front->safe_psql('front', q{
		SELECT count(*), count(DISTINCT p.tableoid), count(p.duplicate_of) > 300,
			count(*) FILTER (WHERE p.duplicate_of IS NOT NULL AND (o.duplicate_of IS NOT NULL OR NOT o.fp % p.fp OR o.id IS NULL)),
			(SELECT count(*) FROM posts a JOIN posts b ON a.id < b.id WHERE (a.fp <~> b.fp) <= 3 AND a.duplicate_of IS NULL AND b.duplicate_of IS NULL)
		FROM posts p LEFT JOIN posts o ON o.id = p.duplicate_of}),
	'400|3|t|0|0', 'originals on any server are found');

# Blocks: six partitions on three servers, kept up to date by a trigger
for my $n (0 .. 5)
{
	$nodes[ $n % 3 ]->safe_psql('shard', "CREATE TABLE blocks$n (block bigint NOT NULL, fp simhash NOT NULL, id bigint NOT NULL);
		CREATE INDEX ON blocks$n (block)");
}
$front->safe_psql('front', q{
	CREATE TABLE blocks (block bigint NOT NULL, fp simhash NOT NULL, id bigint NOT NULL) PARTITION BY HASH (block);
	CREATE FUNCTION keep_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF TG_OP <> 'INSERT' THEN
			DELETE FROM blocks WHERE block = ANY (simhash_blocks(OLD.fp, 3)) AND id = OLD.id;
		END IF;
		IF TG_OP <> 'DELETE' THEN
			INSERT INTO blocks SELECT block, NEW.fp, NEW.id FROM unnest(simhash_blocks(NEW.fp, 3)) block;
		END IF;
		RETURN NULL;
	END $$}
	. join '', map { "; CREATE FOREIGN TABLE blocks$_ PARTITION OF blocks FOR VALUES WITH (MODULUS 6, REMAINDER $_) SERVER server@{[ $_ % 3 + 1 ]} OPTIONS (table_name 'blocks$_')" } 0 .. 5);
$front->safe_psql('front', q{
	INSERT INTO blocks SELECT block, fp, id FROM docs, unnest(simhash_blocks(fp, 3)) block;
	CREATE TRIGGER keep_blocks AFTER INSERT OR UPDATE OR DELETE ON docs FOR EACH ROW EXECUTE FUNCTION keep_blocks();
	INSERT INTO docs (id, fp) SELECT 20000 + i, (random_fp((i % 300)::text) # (1::bigint << (i % 64)))::simhash FROM generate_series(1, 900) i;
	INSERT INTO docs (id, fp) VALUES (30000, NULL);
	UPDATE docs SET fp = (~fp::bigint)::simhash WHERE id BETWEEN 20001 AND 20100;
	DELETE FROM docs WHERE id BETWEEN 20101 AND 20200;
	TRUNCATE whole;
	INSERT INTO whole TABLE docs;
	ANALYZE whole;
	ANALYZE blocks});
is( $front->safe_psql('front', 'SELECT count(*) FROM (
		(TABLE blocks EXCEPT ALL SELECT block, fp, id FROM docs, unnest(simhash_blocks(fp, 3)) block)
		UNION ALL (SELECT block, fp, id FROM docs, unnest(simhash_blocks(fp, 3)) block EXCEPT ALL TABLE blocks)) s'),
	0, 'the trigger keeps the blocks');
$front->safe_psql('front', q{
	CREATE FUNCTION partitions_asked(query text) RETURNS int LANGUAGE plpgsql AS $$
	DECLARE line text; n int := 0;
	BEGIN
		FOR line IN EXECUTE 'EXPLAIN (VERBOSE) ' || query LOOP
			n := n + (line ~ 'Remote SQL: .*simhash_within.*block = ANY')::int;
		END LOOP;
		RETURN n;
	END $$;
	-- of many queries: what is compared, what is wrong, the partitions asked
	CREATE FUNCTION lookups() RETURNS TABLE (wrong bigint, many bool, fewest int, most int) LANGUAGE plpgsql AS $$
	DECLARE q simhash; lookup text; n int; answer bigint[]; expected bigint[]; found bigint := 0;
	BEGIN
		wrong := 0; fewest := 6; most := 0;
		FOR q IN SELECT fp FROM whole WHERE fp IS NOT NULL AND id % 60 = 0 UNION ALL SELECT (fp::bigint # 5)::simhash FROM whole WHERE id % 90 = 0 AND fp IS NOT NULL
			UNION ALL SELECT unnest('{0,-1}'::bigint[])::simhash LOOP
			lookup := format('SELECT id FROM blocks WHERE block = ANY (simhash_blocks(%L, 3)) AND fp <-> %1$L <= 3', q);
			EXECUTE format('SELECT array_agg(DISTINCT id ORDER BY id) FROM (%s) s', lookup) INTO answer;
			SELECT array_agg(id ORDER BY id) INTO expected FROM whole WHERE fp <-> q <= 3;
			wrong := wrong + (answer IS DISTINCT FROM expected)::int;
			found := found + cardinality(expected);
			n := partitions_asked(lookup);
			fewest := least(fewest, n);
			most := greatest(most, n);
		END LOOP;
		many := found > 200;
		RETURN NEXT;
	END $$});
like($front->safe_psql('front', 'SELECT * FROM lookups()'), qr/^0\|t\|[12]\|4$/, 'lookups by block ask at most four of six partitions');

# All pairs: each server joins its blocks
my $block_join = 'SELECT DISTINCT a.id, b.id FROM blocks a JOIN blocks b USING (block) WHERE a.id < b.id AND a.fp <-> b.fp <= 3';
my $block_plan = plan_of('SET enable_partitionwise_join = on', $block_join);
is(scalar(my @joins = $block_plan =~ /Remote SQL: SELECT .* INNER JOIN .*simhash_within/g), 6, 'pairs by block: joined where they are')
  or diag $block_plan;
is( $front->safe_psql('front', "SET enable_partitionwise_join = on; SELECT count(*) > 500, count(*) = sum((EXISTS (SELECT FROM whole x JOIN whole y ON x.id = s.a AND y.id = s.b AND (x.fp <~> y.fp) <= 3))::int),
		count(*) = (SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM whole', NULL::bigint, 3)) FROM ($block_join) s (a, b)"),
	't|t|t', 'pairs by block: all of them');

# The SQL of doc/scale.md and of its example runs
$front->safe_psql('postgres', 'CREATE DATABASE page');
my @blocks = sql_blocks('doc/scale.md');
is(run_blocks($front, 'page', \@blocks), 1, 'answers that the page shows');
like($blocks[-1]{sql}, qr/CREATE TRIGGER b_reject/, 'all of it');
answers_are($front, 'page', 'triggers of the page',
	q{INSERT INTO posts SELECT n, date '2026-01-01' + n, minhash('text ' || n / 2) FROM generate_series(2, 9) n} => '',
	'SELECT array_agg(id ORDER BY id) FROM posts' => '{2,4,6,8}');
my ($constraint) = slurp_file('doc/scale.md') =~ /`(ALTER\s+TABLE\s+docs_2026_02\s[^`]*)`/ or die 'the page has no constraint';
answers_are($front, 'page', 'constraint of the page', $constraint => '',
	'INSERT INTO docs (day, body) SELECT day, body FROM docs_2026_02 ON CONFLICT DO NOTHING; SELECT count(*) FROM docs_2026_02' => 1,
	'ALTER TABLE docs_2026_02 DROP CONSTRAINT docs_2026_02_fp_excl' => '');
is($front->psql('page', slurp_file('examples/blocks.sql'), on_error_stop => 1), 0, 'examples/blocks.sql');
answers_are($front, 'page', 'examples/blocks.sql',
	q{INSERT INTO docs (day, body) SELECT day, body FROM docs;
	  SELECT count(*) = 16, bool_and(d.fp = b.fp) FROM blocks b JOIN docs d USING (id)} => 't|t',
	'DELETE FROM docs WHERE id > 1; SELECT count(*), array_agg(DISTINCT id) FROM blocks' => '4|{1}');
links_exist('doc/scale.md');

$_->stop for @nodes;
done_testing();
