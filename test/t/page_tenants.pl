# The SQL of doc/tenants.md runs without change, from top to bottom. Its answers are the
# answers that the page shows. Indexes serve its queries. A policy of row-level security that
# gives the tenant is a condition of the index.

use SimhashPage;
use SimhashTest;

my $node = start_node('tenants', 'autovacuum = off');

my $version = $node->safe_psql('postgres', q{SELECT current_setting('server_version_num')::integer / 10000});

# For each section, a pattern of the plan of each SELECT
my $near = qr/Index Cond: \(\(tenant_id = \S+ AND \(fp % /;
my %searches = (
	'' => [$near],
	'Queries' => [qr/Index Cond: \(tenant_id = ANY .*\)\s+Order By: \(fp <#~> /],
	'Several columns' => [qr/Index Cond: \(\(tenant_id = \S+ AND \(made_by = \S+ AND \(hash <@ /],
);

my @blocks = sql_blocks('doc/tenants.md');

is(run_blocks($node, 'postgres', \@blocks), 2, 'answers that the page shows');
is($node->safe_psql('postgres', q{
		CREATE TABLE posts (tenant_id integer, fp bit(256), EXCLUDE USING bitblock (tenant_id WITH =, fp WITH %))
		  PARTITION BY HASH (tenant_id);
		CREATE TABLE posts_0 PARTITION OF posts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
		CREATE TABLE posts_1 PARTITION OF posts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
		INSERT INTO posts VALUES (7, minhash_bits('a text')), (8, minhash_bits('A text')), (7, minhash_bits('A TEXT')), (9, minhash_bits('b'))
		ON CONFLICT DO NOTHING RETURNING tenant_id}),
	"7\n8\n9", 'constraint of a partitioned table') if $version >= 17;

# The plans of the page's queries, on larger tables
$node->safe_psql('postgres', q{
	ALTER TABLE docs DROP COLUMN fp CASCADE, ADD fp bit(256);
	INSERT INTO docs (tenant_id, body, fp)
	SELECT n % 20, '', bit_from_hex(md5(n::text) || md5(n || 'b')) FROM generate_series(1, 20000) n;
	CREATE INDEX ON docs USING bitblock (tenant_id, fp);
	CREATE TABLE captures (device macaddr, fp bit(256));
	CREATE INDEX ON captures USING bitblock (device, fp);
	INSERT INTO images
	SELECT n, md5((n % 20)::text)::uuid, (ARRAY['pdq', 'dhash'])[1 + n / 20 % 2]::method, bit_from_hex(md5(n::text) || md5(n || 'b'))
	FROM generate_series(1, 20000) n;
	INSERT INTO captures
	SELECT ('08:00:2b:01:02:' || to_hex(n % 20))::macaddr, bit_from_hex(md5(n::text) || md5(n || 'b')) FROM generate_series(1, 20000) n;
	ANALYZE});
plans_are($node, 'postgres', \@blocks, %searches);

# Other forms of queries that the page names
my $text = q{minhash_bits('The harbour master and the pier')};
for my $form (
	[ "fp <-> $text <= 48 AND tenant_id = 7", qr/Index Cond: \(\(tenant_id = \S+ AND \(fp <@ / ],
	[ "tenant_id = 7 ORDER BY fp <-> $text LIMIT 10", qr/Index Cond: \(tenant_id = 7\)\s+Order By: \(fp <#~> / ],
	[ "tenant_id IN (7, 8) AND fp % $text", qr/Index Cond: \(\(tenant_id = ANY \('\{7,8\}'::integer\[\]\)\) AND \(fp % / ],
	[ "(tenant_id = 7 OR 7 IS NULL AND tenant_id IS NULL) AND fp % $text", qr/Index Cond: \(\(tenant_id = 7\) AND \(fp % / ])
{
	like($node->safe_psql('postgres', "EXPLAIN SELECT id FROM docs WHERE $form->[0]"), $form->[1], "plan of $form->[0]");
}
like($node->safe_psql('postgres',
	'EXPLAIN SELECT a.id, b.id FROM docs a JOIN docs b ON a.tenant_id = b.tenant_id AND a.fp % b.fp AND a.id < b.id'),
	qr/Index Cond: \(\(tenant_id = a\.tenant_id\) AND \(fp % /, 'plan of a join');
like($node->safe_psql('postgres', qq{
	SET plan_cache_mode = force_generic_plan;
	PREPARE visible (integer[], bit) AS SELECT id FROM docs WHERE tenant_id = ANY (\$1) ORDER BY fp <-> \$2 LIMIT 10;
	EXPLAIN EXECUTE visible ('{7,8}', $text)}),
	qr/Index Cond: \(tenant_id = ANY \(\$1\)\)\s+Order By: \(fp <#~> \$2\)/, 'plan of an array as a parameter');

# The operator class of the page is valid, and its index finds what a sequential scan finds.
is($node->safe_psql('postgres', q{SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'macaddr_bitblock_ops'}),
	't', 'operator class of the page');
for my $class (
	[ 'OPERATOR 18 = (timetz, timetz)', qr/missing support function 1 for type time with time zone/ ],
	[ 'FUNCTION 1 timetz_hash(timetz)', qr/missing operator 18 for type time with time zone/ ],
	[ 'OPERATOR 17 = (timetz, timetz), FUNCTION 1 timetz_hash(timetz)', qr/cannot be operator 17/ ])
{
	my ($members, $message) = @$class;
	my ($stdout, $stderr);

	$node->psql('postgres', "BEGIN; CREATE OPERATOR CLASS bad_ops FOR TYPE timetz USING bitblock AS $members;
		SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'bad_ops'; ROLLBACK",
		stdout => \$stdout, stderr => \$stderr);
	is($stdout, 'f', "operator class with $members");
	like($stderr, $message, "message about $members");
}
like($node->safe_psql('postgres', q{EXPLAIN SELECT count(*) FROM captures WHERE device = '08:00:2b:01:02:03' AND fp % minhash_bits('some text')}),
	qr/Index Cond: \(\(device = \S+ AND \(fp % /, 'plan with this operator class');
like($node->safe_psql('postgres', '\dAp hash macaddr*'), qr/\|hashmacaddr$/m, 'psql shows the hash function');
my $count = q{SELECT count(*) FROM captures WHERE device = '08:00:2b:01:02:03' AND fp <-> bit_from_hex(repeat('5a', 32)) <= 112};
my $found = $node->safe_psql('postgres', "SET enable_seqscan = off; $count");
cmp_ok($found, '>', 0, 'rows of a column with this operator class');
is($found, $node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_bitmapscan = off; $count"),
	'the rows of a sequential scan');

# Row-level security
$node->safe_psql('postgres', q{
	CREATE ROLE tenant_user;
	CREATE TABLE members (member name, tenant_id integer);
	INSERT INTO members VALUES ('tenant_user', 7);
	GRANT SELECT ON docs, members TO tenant_user});
for my $policy (
	[ q{tenant_id = current_setting('app.tenant')::integer}, '', 1 ],
	[ q{tenant_id = (SELECT m.tenant_id FROM members m WHERE member = current_user)}, '', 1 ],
	[ q{tenant_id = ANY (string_to_array(current_setting('app.tenant'), ',')::integer[])}, '', 1 ],
	[ q{tenant_id IN (SELECT m.tenant_id FROM members m WHERE member = current_user)}, '', 0 ],
	[ q{tenant_id IN (SELECT m.tenant_id FROM members m WHERE member = current_user)}, 'tenant_id = 7 AND', 1 ])
{
	my ($condition, $and, $served) = @$policy;
	my $query = "SELECT tenant_id, id FROM docs WHERE $and fp <-> bit_from_hex(repeat('5a', 32)) <= 108";
	my $as_user = q{SET ROLE tenant_user; SET app.tenant = '7'};

	$node->safe_psql('postgres', "DROP POLICY own ON docs; CREATE POLICY own ON docs USING ($condition)");
	my $plan = $node->safe_psql('postgres', "$as_user; EXPLAIN $query");
	my $pattern = qr/Index Cond: \(\(tenant_id = .*\) AND \(fp <@ /;
	$served ? like($plan, $pattern, "policy $condition, $query") : unlike($plan, $pattern, "policy $condition, $query");
	is($node->safe_psql('postgres', "$as_user; $query ORDER BY id"),
		$node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_bitmapscan = off;
			$query AND tenant_id = 7 ORDER BY id"),
		'the rows of the tenant');
}

links_exist('doc/tenants.md');

$node->stop;
done_testing();
