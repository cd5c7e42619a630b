# bitblock indexes after crashes during concurrent writing, on a standby while
# the primary writes and vacuums, after promotion, and with damaged pages.

use SimhashTest;

# Replay compares each page with the primary's page.
my $primary = start_node('primary', { allows_streaming => 1, no_checksums() }, q{wal_consistency_checking = 'generic'},
	'autovacuum = off', 'max_wal_size = 4GB', 'wal_keep_size = 8GB');
$primary->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	CREATE TABLE docs (id bigserial PRIMARY KEY, fp simhash);
	CREATE INDEX docs_fp ON docs USING bitblock (fp);
	CREATE UNLOGGED TABLE scratch (id int, fp simhash);
	CREATE INDEX scratch_fp ON scratch USING bitblock (fp);
	INSERT INTO scratch SELECT i, i::bigint::simhash FROM generate_series(1, 1000) i;
	CREATE UNLOGGED TABLE scratch_bits (id int, fp bit varying);
	CREATE INDEX scratch_bits_fp ON scratch_bits USING bitblock (fp) WITH (bits = 144);
	INSERT INTO scratch_bits SELECT i, i::bit(144) FROM generate_series(1, 1000) i;
	INSERT INTO docs (fp) SELECT ('x' || substr(md5(i::text), 1, 16))::bit(64)::simhash FROM generate_series(1, 20000) i;
	INSERT INTO docs (fp) VALUES (NULL);
	CREATE TABLE wide AS SELECT random()::text || repeat('x', 1000) AS body, i::bigint::simhash AS fp FROM generate_series(1, 3000) i;
	CREATE INDEX wide_fp ON wide USING bitblock (fp);
	VACUUM ANALYZE wide;
});
my $standby = start_standby($primary, 'max_standby_streaming_delay = -1');

# There is no index-only scan on a standby, because replay does not wait for pins.  For
# a query that needs no column, the planner would use an index-only scan even of an
# index that cannot return columns.
my $count = 'EXPLAIN (COSTS OFF) SELECT count(*) FROM wide';
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
like($primary->safe_psql('postgres', $count), qr/Index Only Scan using wide_fp/, 'rows are counted by the index');
unlike($standby->safe_psql('postgres', $count), qr/Index Only Scan/, 'but not on the standby');
like($standby->safe_psql('postgres', "SET enable_seqscan = off; $count"), qr/Index Scan using wide_fp/,
	'where it is an index scan, if that is wanted');
is($standby->safe_psql('postgres', 'SET enable_seqscan = off; SELECT count(*) FROM wide'), 3000, 'which finds all');

# A session cannot read the pages of an unlogged index on a standby, nor those of another session's
# temporary index.
my $other = start_session($primary);
$other->{in} = "CREATE TEMP TABLE t AS SELECT i::bigint::simhash AS fp FROM generate_series(1, 100) i;
	CREATE INDEX t_fp ON t USING bitblock (fp); SELECT 't_fp'::regclass::oid || ' is its OID';\n";
my $oid = wait_for($other, 'out', qr/(\d+) is its OID/);
for my $case ([ $standby, "'scratch_fp'", 'temporary or unlogged relations during recovery' ], [ $primary, $oid, 'temporary tables of other sessions' ])
{
	my ($node, $index, $what) = @$case;

	for my $call ("bitblock_check($index)", "bitblock_check($index, true)", "bitblock_stats($index)", "bitblock_explain($index, simhash '0000000000000000', 3)",
		"bitblock_explain($index, simhash '0000000000000000')")
	{
		my ($status, $out, $error) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT * FROM $call;");
		like($error, qr/ERROR: +0A000: cannot access $what/, "no $what: $call");
	}
}
end_session($other);

my $insert = pgbench_script('insert', q{
\set a (random(0, 4294967295) << 32) | random(0, 4294967295)
\set n random(1, 60)
INSERT INTO docs (fp) SELECT ((:a)::bigint # (i::bigint * i * i * 1000003))::simhash FROM generate_series(1, :n) i;
});
my $delete = pgbench_script('delete', q{
DELETE FROM docs WHERE id IN (SELECT id FROM docs ORDER BY id LIMIT 30);
});
my $abort = pgbench_script('abort', q{
\set a (random(0, 4294967295) << 32) | random(0, 4294967295)
BEGIN; INSERT INTO docs (fp) VALUES ((:a)::bigint::simhash); ROLLBACK;
});
my $vacuum = pgbench_script('vacuum', 'VACUUM docs;');

# A query by sequential and by index scan in one snapshot fails unless they agree.
my $compare = pgbench_script('compare', q{
\set a (random(0, 4294967295) << 32) | random(0, 4294967295)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SET LOCAL enable_seqscan = off;
SELECT count(*) AS c1, coalesce(sum(id), 0) AS s1 FROM docs WHERE fp <-> (:a)::bigint::simhash <= 22 \gset
SELECT count(*) AS c2, coalesce(sum(id), 0) AS s2 FROM docs WHERE fp <-> (:a)::bigint::simhash <= 8 \gset
SELECT count(*) AS n, count(DISTINCT id) AS nd FROM (SELECT id FROM docs ORDER BY fp <-> (:a)::bigint::simhash LIMIT 3000) s \gset
SELECT count(*) AS t, count(fp) AS tf FROM docs \gset
SET LOCAL enable_seqscan = on; SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_indexonlyscan = off;
SELECT count(*) AS c3, coalesce(sum(id), 0) AS s3 FROM docs WHERE fp <-> (:a)::bigint::simhash <= 22 \gset
SELECT count(*) AS c4, coalesce(sum(id), 0) AS s4 FROM docs WHERE fp <-> (:a)::bigint::simhash <= 8 \gset
SELECT count(*) AS u, count(fp) AS uf FROM docs \gset
COMMIT;
SELECT 1 / (:c1 = :c3 AND :s1 = :s3 AND :c2 = :c4 AND :s2 = :s4 AND :n = least(3000, :u) AND :nd = :n AND :t = :u AND :tf = :uf)::int;
});

my @writers = ("$insert\@10", "$delete\@10", "$abort\@2", "$vacuum\@1");

# All at once, on both servers
my $on_primary = start_bench($primary, 'postgres', 6, 6, @writers, "$compare\@4");
my $on_standby = start_bench($standby, 'postgres', 2, 6, $compare);
cmp_ok(end_bench($on_primary), '>', 0, 'scans agree under concurrent writing and VACUUM');
cmp_ok(end_bench($on_standby), '>', 0, 'scans agree on a standby meanwhile');
is($primary->safe_psql('postgres', q{SELECT bitblock_check('docs_fp', true)}), '', 'index is sound');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
is($standby->safe_psql('postgres', q{SELECT bitblock_check('docs_fp', true)}), '', 'and on the standby');
cmp_ok($primary->safe_psql('postgres', q{SELECT sum(leaf_pages) FROM bitblock_stats('docs_fp')}),
	'>', 100, 'there were pages to split');

# A crash at any moment
for my $round (1 .. 3)
{
	my $bench = start_bench($primary, 'postgres', 6, 30, @writers);
	sleep 1;
	$primary->stop('immediate');
	$bench->{handle}->finish;
	$primary->start;
	is($primary->safe_psql('postgres', q{SELECT bitblock_check('docs_fp', true)}), '', "index is sound after crash $round");
	my $after = start_bench($primary, 'postgres', 2, '-t 20', $compare);
	cmp_ok(end_bench($after), '>', 10, "scans agree after crash $round");
}
is($primary->safe_psql('postgres', q{SELECT count(*) FROM scratch; SET enable_seqscan = off; SELECT count(*) FROM scratch WHERE fp % '0000000000000000'}),
	"0\n0", 'an unlogged table is empty after a crash');
$primary->safe_psql('postgres', q{INSERT INTO scratch SELECT i, i::bigint::simhash FROM generate_series(1, 1000) i});
is($primary->safe_psql('postgres', q{SELECT bitblock_check('scratch_fp', true)}), '', 'and its index usable');
is($primary->safe_psql('postgres', q{SELECT count(*) FROM scratch_bits; SET enable_seqscan = off; SELECT count(*) FROM scratch_bits WHERE fp <-> 0::bit(144) <= 10;
	INSERT INTO scratch_bits SELECT i, i::bit(144) FROM generate_series(1, 1000) i; SELECT count(*) FROM scratch_bits WHERE fp <-> 0::bit(144) <= 10;
	SELECT bitblock_check('scratch_bits_fp', true)}), "0\n0\n1000\n", 'the same of wide fingerprints');

# Failover
$primary->safe_psql('postgres', 'VACUUM docs');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
my $sum = q{SELECT md5(string_agg(id || coalesce(fp::text, ''), ',' ORDER BY id)) FROM docs};
is($standby->safe_psql('postgres', $sum), $primary->safe_psql('postgres', $sum), 'standby holds the same');
$primary->stop('immediate');
$standby->promote;
$on_standby = start_bench($standby, 'postgres', 4, 3, @writers, "$compare\@4");
cmp_ok(end_bench($on_standby), '>', 0, 'scans agree on the promoted standby');
is($standby->safe_psql('postgres', q{SELECT bitblock_check('docs_fp', true)}), '', 'its index is sound');

# A damaged page is an error that names the block, and never a crash.
$standby->safe_psql('postgres', q{
	CREATE TABLE damaged (id int, fp simhash);
	INSERT INTO damaged SELECT i, ('x' || substr(md5(i::text), 1, 16))::bit(64)::simhash FROM generate_series(1, 20000) i;
	CREATE INDEX damaged_fp ON damaged USING bitblock (fp);
	CHECKPOINT;
});
my $path = $standby->data_dir . '/' . $standby->safe_psql('postgres', q{SELECT pg_relation_filepath('damaged_fp')});

sub damage
{
	my ($block, $offset, $bytes, $what, $pattern) = @_;
	my $saved;
	$standby->stop;
	open my $file, '+<:raw', $path or die "$path: $!";
	seek $file, $block * 8192 + $offset, 0;
	read $file, $saved, length $bytes;
	seek $file, $block * 8192 + $offset, 0;
	print $file $bytes;
	close $file;
	$standby->start;
	for my $query (
		q{SELECT count(*) FROM damaged WHERE fp <-> '0123456789abcdef' <= 20},
		q{SELECT id FROM damaged ORDER BY fp <-> '0123456789abcdef' LIMIT 20000},
		q{INSERT INTO damaged SELECT i, ('x' || substr(md5(i::text), 1, 16))::bit(64)::simhash FROM generate_series(1, 3000) i},
		q{DELETE FROM damaged WHERE id < 10; VACUUM damaged},
		q{SELECT bitblock_check('damaged_fp')})
	{
		my ($out, $err);
		$standby->psql('postgres', "SET enable_seqscan = off; $query", stdout => \$out, stderr => \$err);
		unlike($err, qr/server closed|terminated/, "$what: no crash: " . substr($query, 0, 30));
		like($err, $pattern, "$what: bitblock_check") if $query =~ /bitblock_check/;
	}
	$standby->stop;
	open $file, '+<:raw', $path or die "$path: $!";
	seek $file, $block * 8192 + $offset, 0;
	print $file $saved;
	close $file;
	$standby->start;
	$standby->safe_psql('postgres', 'REINDEX INDEX damaged_fp; CHECKPOINT');
	$path = $standby->data_dir . '/' . $standby->safe_psql('postgres', q{SELECT pg_relation_filepath('damaged_fp')});
	return;
}
damage(0, 24, "\0\0\0\0", 'wrong magic', qr/is not a bitblock index.*REINDEX/s);
damage(0, 28, "\x63\0\0\0", 'unknown version', qr/unsupported bitblock version.*has version 99.*REINDEX/s);
damage(1, 0, "\0" x 8192, 'zeroed root', qr/unexpected zero page in index "damaged_fp".*at block 1\./s);
damage(20, 0, "\0" x 8192, 'zeroed leaf', qr/unexpected zero page in index.*at block 20\./s);
damage(20, 24, "\xff" x 8168, 'garbage in a leaf', qr/in index "damaged_fp".*at block 20\.|invalid page in block 20/s);
damage(20, 12, "\x50\x00", 'a wrong number of entries', qr/wrong number of entries in index.*at block 20\./s);
damage(20, 40, "\x01\x02\x03", 'a changed fingerprint', qr/index "damaged_fp" does not match its table\n.*row at \(\d+,\d+\).*REINDEX/s);
damage(20, 8192 - 12, "\x00\x01\x00\x00", 'a wrong right-link', qr/in index "damaged_fp"\n.*at block \d+\./s);
damage(20, 8192 - 5, "\x02", 'a page of another tree', qr/link to a page of another tree in index.*at block 20\./s);

# An index file from before VACUUM is undamaged.  It has an entry for every row of the
# table, and entries of rows that are gone.  Index-only scans would return those rows.
$standby->safe_psql('postgres', q{
	CREATE TABLE gone AS SELECT i AS id, i::bigint::simhash AS fp FROM generate_series(1, 1000) i;
	CREATE INDEX gone_fp ON gone USING bitblock (fp)});
$standby->safe_psql('postgres', 'CHECKPOINT');
my $gone = $standby->data_dir . '/' . $standby->safe_psql('postgres', q{SELECT pg_relation_filepath('gone_fp')});
my $before_vacuum = slurp_file($gone);
$standby->safe_psql('postgres', $_) for 'DELETE FROM gone WHERE id <= 500', 'VACUUM (INDEX_CLEANUP ON) gone',
	"SELECT bitblock_check('gone_fp', true)";
$standby->stop;
open my $old, '>:raw', $gone or die "$gone: $!";
print $old $before_vacuum;
close $old;
$standby->start;
my $complaint;
$standby->psql('postgres', q{SELECT bitblock_check('gone_fp', true)}, stderr => \$complaint);
like($complaint, qr/index "gone_fp" does not match its table\n.*the row at \(0,\d+\), which is gone from a page that is all-visible\..*REINDEX/s,
	'entries of rows that are gone are found');
$standby->safe_psql('postgres', q{REINDEX INDEX gone_fp; SELECT bitblock_check('gone_fp', true)});

$standby->stop;
done_testing();
