# GiST indexes after a crash, on a standby and after its promotion.

use SimhashTest;

my $primary = start_node('primary', { allows_streaming => 1 },
	'wal_consistency_checking = all', 'wal_keep_size = 4GB', 'max_wal_size = 2GB');
my $standby = start_standby($primary);

# Every query must have the same answer by sequential scan and by index scan.
sub index_agrees
{
	my ($node) = @_;
	my @answers;
	for my $seqscan ('on', 'off')
	{
		push @answers, $node->safe_psql('postgres', qq{
			SET enable_seqscan = $seqscan; SET enable_indexscan = @{[ $seqscan eq 'on' ? 'off' : 'on' ]};
			SET enable_indexonlyscan = off; SET enable_bitmapscan = off; SET enable_sort = $seqscan;
			SELECT q, k, (SELECT array_agg(id ORDER BY id) FROM docs WHERE fp <-> q <= k)
				FROM unnest(ARRAY[0, 3, 8, 20, 64]) k,
				     (SELECT fp AS q FROM docs ORDER BY id LIMIT 20) s ORDER BY 1, 2;
			SELECT q, (SELECT array_agg(d) FROM (SELECT fp <-> q AS d FROM docs ORDER BY fp <-> q LIMIT 50) s)
				FROM (SELECT fp AS q FROM docs ORDER BY id LIMIT 20) s ORDER BY 1;
		});
	}
	return $answers[0] eq $answers[1];
}

$primary->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	CREATE TABLE docs (id serial, fp simhash);
	CREATE INDEX docs_fp ON docs USING gist (fp);
	CREATE FUNCTION fill(n int) RETURNS void LANGUAGE sql AS $$
		INSERT INTO docs (fp) SELECT (('x' || substr(md5((i / 3)::text), 1, 16))::bit(64)::bigint
			# (1::bigint << (i % 64)))::simhash FROM generate_series(1, n) i $$;
	SELECT fill(20000);
});
ok(index_agrees($primary), 'primary');

$primary->stop('immediate');
$primary->start;
is($primary->safe_psql('postgres', 'SELECT count(*) FROM docs'), 20000, 'nothing lost in a crash');
ok(index_agrees($primary), 'primary after a crash');

$primary->safe_psql('postgres', q{DELETE FROM docs WHERE id % 3 = 0});
$primary->safe_psql('postgres', q{VACUUM docs});
$primary->safe_psql('postgres', q{SELECT fill(10000)});
ok(index_agrees($primary), 'primary after VACUUM');
$primary->wait_for_catchup($standby, 'replay');
ok(index_agrees($standby), 'standby');
is( $standby->safe_psql('postgres', 'SELECT md5(string_agg(id || fp::text, $$,$$ ORDER BY id)) FROM docs'),
	$primary->safe_psql('postgres', 'SELECT md5(string_agg(id || fp::text, $$,$$ ORDER BY id)) FROM docs'),
	'standby holds the same');

$primary->stop('immediate');
$standby->promote;
$standby->safe_psql('postgres', 'SELECT fill(5000)');
ok(index_agrees($standby), 'promoted standby');

$standby->stop;
done_testing();
