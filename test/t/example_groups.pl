# The procedure of examples/groups.sql keeps the groups of a table that changes: after each
# batch they are those that simhash_clusters computes.  page_deduplication.pl runs its page.
#
#   SIMHASH_SOAK=n          n times as many batches

use SimhashPage;
use SimhashTest;

my $batches = rounds(10);
my $seed = seed_random();
my $node = start_node('living_groups', 'autovacuum = off');

$node->safe_psql('postgres', 'CREATE EXTENSION simhash');
my $documents = q{
	CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL,
	  fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED);
	CREATE INDEX ON docs USING bitblock (fp);
};
my $procedure = slurp_file('examples/groups.sql');
$node->safe_psql('postgres', "$documents $procedure
	INSERT INTO docs (body) VALUES
	  ('Print or check SHA256 checksums of files.'), ('print or check SHA256 checksums of files'), ('Heat the oil in a pan.')");
$node->safe_psql('postgres', 'CALL group_docs()');
is($node->safe_psql('postgres', 'SELECT array_agg((id, component) ORDER BY id) FROM doc_groups'), '{"(1,1)","(2,1)","(3,3)"}', 'first groups');

# Fingerprints of chains, whose neighbours are near, of a large group, of copies that differ a
# little, and of nothing near
$node->safe_psql('postgres', q{
	ALTER TABLE docs ALTER fp DROP EXPRESSION;
	CREATE TABLE touched (id bigint);
	CREATE FUNCTION bits_of(seed text) RETURNS bit(256) LANGUAGE sql AS $$ SELECT bit_from_hex(md5(seed) || md5(seed || '+'))::bit(256) $$;
	CREATE FUNCTION any_fp() RETURNS bit(256) LANGUAGE plpgsql AS $$
	DECLARE
	  n integer := floor(random() * 20);
	  fp bit(256);
	BEGIN
	  CASE floor(random() * 6)
	  WHEN 0, 1 THEN RETURN bits_of('chain ' || n % 5) # rpad(repeat('1', 12 * n), 256, '0')::bit(256);
	  WHEN 2 THEN RETURN bits_of('large group') # (bits_of(random()::text) & B'1111'::bit(256));
	  WHEN 3 THEN
	    SELECT d.fp INTO fp FROM docs d WHERE id >= floor(random() * (SELECT max(id) FROM docs)) AND d.fp IS NOT NULL ORDER BY id LIMIT 1;
	    RETURN fp # (bits_of(random()::text) & bits_of(random()::text) & bits_of(random()::text) & bits_of(random()::text));
	  WHEN 4 THEN RETURN bits_of(random()::text);
	  ELSE RETURN CASE WHEN n > 0 THEN bits_of('value ' || n) END;
	  END CASE;
	END $$;
	CREATE PROCEDURE change(n integer) LANGUAGE plpgsql AS $$
	DECLARE
	  target bigint;
	BEGIN
	  FOR i IN 1..n LOOP
	    target := floor(random() * (SELECT max(id) FROM docs));
	    CASE floor(random() * 10)
	    WHEN 0, 1 THEN DELETE FROM docs WHERE id = target;
	    WHEN 2, 3, 4 THEN UPDATE docs SET fp = any_fp() WHERE id = target;
	    WHEN 5 THEN UPDATE docs SET body = body || '.' WHERE id = target;
	    ELSE INSERT INTO docs (body, fp) VALUES ('', any_fp()) RETURNING id INTO target;
	    END CASE;
	    INSERT INTO touched VALUES (target);
	  END LOOP;
	END $$});

my $differences = q{
	SELECT count(*) FROM doc_groups g FULL JOIN simhash_clusters('SELECT id, fp FROM docs', NULL::bigint) c USING (id)
	WHERE g.component IS DISTINCT FROM c.cluster};

for my $batch (1 .. $batches)
{
	# every other batch is told what changed
	my $ids = $batch % 2 ? q{(ARRAY(SELECT id FROM touched))} : '()';

	$node->safe_psql('postgres', "SELECT setseed(" . ($seed + $batch) % 1000 / 1000 . "); TRUNCATE touched; CALL change(1000)");
	$ids = q{('} . $node->safe_psql('postgres', 'SELECT array_agg(id) FROM touched') . q{')} if $batch % 2;
	$node->safe_psql('postgres', "CALL group_docs$ids");
	is($node->safe_psql('postgres', $differences), '0', "batch $batch: groups");
}
like($node->safe_psql('postgres', 'SELECT max(n) > 50, count(*) > 10 FROM (SELECT count(*) AS n FROM doc_groups GROUP BY component) g WHERE n > 1'),
	qr/^t\|t$/, 'there are large groups, and several');

# Groups within a tenant, of keys of type uuid, with the changes that the pages name
{
	my ($table) = slurp_file('doc/tenants.md') =~ /^## Groups of a tenant\n(.*?)^## /ms;
	my $sql = "$documents$procedure";
	my $changes = 0;
	foreach ($table =~ /^\|[^|]*(\|.*)$/mg)
	{
		my ($old, $new) = /^\| `([^`]+)` \| `([^`]+)` \|$/ or next;
		$old = join '\s+', map { quotemeta } split ' ', $old;
		$changes += $sql =~ s/$old/$new/;
	}
	is($changes, 7, 'changes of the page');
	$sql =~ s/\bbigint(?!;)(?! :=)/uuid/g;
	$sql =~ s/batch CONSTANT uuid := 'doc_groups'::regclass::uuid/batch CONSTANT bigint := 'doc_groups'::regclass::bigint/;
	$sql =~ s/uuid GENERATED ALWAYS AS IDENTITY/uuid DEFAULT gen_random_uuid()/;
	$sql =~ s/body text NOT NULL,/body text NOT NULL, tenant_id integer,/;
	$sql =~ s/bitblock \(fp\)/bitblock (tenant_id, fp)/;
	$node->safe_psql('postgres', 'CREATE DATABASE tenants');
	$node->safe_psql('tenants', "CREATE EXTENSION simhash; $sql;
		INSERT INTO docs (body, tenant_id) SELECT 'text ' || i / 6, i % 3 FROM generate_series(0, 3000) i");
	my $per_tenant = q{SELECT count(*) FROM doc_groups g FULL JOIN (SELECT c.* FROM generate_series(0, 3) t,
		simhash_clusters(format('SELECT id, fp FROM docs WHERE tenant_id = %L', t), NULL::uuid) c) c USING (id)
		WHERE g.component IS DISTINCT FROM c.cluster};
	foreach my $change ('', 'UPDATE docs SET tenant_id = 2 WHERE tenant_id = 1 AND random() < .1', 'DELETE FROM docs WHERE random() < .1',
		"INSERT INTO docs (body, tenant_id) SELECT 'text ' || i, i % 4 FROM generate_series(0, 600) i")
	{
		$node->safe_psql('tenants', $change);
		$node->safe_psql('tenants', 'CALL group_docs()');
		is($node->safe_psql('tenants', $per_tenant), 0, "groups within tenants: $change");
	}
	cmp_ok($node->safe_psql('tenants', 'SELECT max(n) FROM (SELECT count(*) AS n FROM doc_groups GROUP BY component) g'), '>', 1, 'of several documents');
}

# A batch writes no row of a group that did not change.
$node->safe_psql('postgres', q{
	CREATE TABLE before AS SELECT id, component, ctid AS place FROM doc_groups;
	INSERT INTO docs (body, fp) SELECT '', bits_of('alone ' || n) FROM generate_series(1, 5) n;
	DELETE FROM docs WHERE id = (SELECT max(id) FROM doc_groups WHERE component = (SELECT component FROM doc_groups GROUP BY component HAVING count(*) BETWEEN 3 AND 40 LIMIT 1))});
$node->safe_psql('postgres', 'CALL group_docs()');
is($node->safe_psql('postgres', $differences), '0', 'one deletion: groups');
is($node->safe_psql('postgres', qq{
		SELECT count(DISTINCT b.component) <= 1, (SELECT count(*) FROM before) > 100 * $batches
		FROM before b LEFT JOIN doc_groups g USING (id) WHERE g.ctid IS DISTINCT FROM b.place}),
	't|t', 'only the group that lost a row was written');

# A batch that has waited for another sees what came meanwhile.
my $lock = q{'doc_groups'::regclass::bigint};
my $holder = start_session($node);
$holder->{in} = "SELECT pg_advisory_lock($lock), 'held';\n";
wait_for($holder, 'out', qr/held/);
my $waiting = start_session($node, '-c', 'CALL group_docs()');
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) or die 'no batch waits';
$node->safe_psql('postgres', q{INSERT INTO docs (body, fp) SELECT '', bits_of('late') FROM generate_series(1, 3)});
$holder->{in} = "SELECT pg_advisory_unlock($lock);\n\\q\n";
end_session($holder);
ok(end_session($waiting), 'the batch that waited ends');
is($node->safe_psql('postgres', $differences), '0', 'the batch that waited: groups');

# A batch that is cancelled at the moment when it gets the lock leaves none.
$holder = start_session($node);
$holder->{in} = "SELECT pg_advisory_lock($lock), 'held';\n";
wait_for($holder, 'out', qr/held/);
$waiting = start_session($node, '-c', 'CALL group_docs()',
	'-c', q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()});
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) or die 'no batch waits';
my $pid = $node->safe_psql('postgres', q{SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});
kill 'STOP', $pid;
$holder->{in} = "SELECT pg_advisory_unlock($lock);\n\\q\n";
end_session($holder);
kill 'INT', $pid;
kill 'CONT', $pid;
end_session($waiting);
like($waiting->{err}, qr/canceling statement/, 'a batch is cancelled when it gets the lock');
is($waiting->{out}, "0\n", 'it keeps no lock');

# Many batches at once, among writers
my $script = PostgreSQL::Test::Utils::tempdir() . '/batches.sql';
append_to_file($script, "CALL change(10);\nCALL group_docs();\n");
command_ok([ 'pgbench', '-n', '-c', 4, '-t', rounds(5), '-f', $script, '-h', $node->host, '-p', $node->port, 'postgres' ], 'batches at once');
$node->safe_psql('postgres', 'CALL group_docs()');
is($node->safe_psql('postgres', $differences), '0', 'batches at once: groups');
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), '0', 'no lock is left');

my ($ret, $locks, $stderr) = $node->psql('postgres', "BEGIN; CALL group_docs(); ROLLBACK; SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'", on_error_stop => 0);
like($stderr, qr/invalid transaction termination/, 'not in a transaction block');
is($locks, '0', 'the session is left without a lock');

figures($node->safe_psql('postgres', 'SELECT count(*) FROM docs') . " rows at the end, $batches batches of 1000 changes");
$node->stop;
done_testing();
