# Logical replication of a table with a generated fingerprint and an index bitblock on both
# sides.  The subscriber computes the fingerprints itself.

use SimhashTest;

my $table = q{
CREATE EXTENSION simhash;
CREATE TABLE docs (id int PRIMARY KEY, body text NOT NULL,
	fp bit(256) GENERATED ALWAYS AS (minhash_bits(body, 256)) STORED);
CREATE INDEX docs_fp ON docs USING bitblock (fp);
};

my ($publisher, $subscriber) = map { start_node($_, { allows_streaming => 'logical' }) } 'publisher', 'subscriber';
$_->safe_psql('postgres', $table) for $publisher, $subscriber;

# Blocks of 20 documents differ in a word or two.
my $documents = q{SELECT id, (SELECT string_agg(md5((id / 20 * 100 + i)::text), ' ') FROM generate_series(1, 60) i)
	|| ' ' || id FROM generate_series};
$publisher->safe_psql('postgres', "INSERT INTO docs (id, body) $documents(1, 1000) id");
$publisher->safe_psql('postgres', 'CREATE PUBLICATION docs FOR TABLE docs');
my $source = $publisher->connstr . ' dbname=postgres';
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION docs CONNECTION '$source' PUBLICATION docs");
$subscriber->wait_for_subscription_sync($publisher, 'docs') if $subscriber->can('wait_for_subscription_sync');
$subscriber->poll_query_until('postgres',
	"SELECT count(*) > 0 AND bool_and(srsubstate IN ('r', 's')) FROM pg_subscription_rel");

# Each node's answers by the index are those of its sequential scan, and equal the other node's.
sub same_answers
{
	my ($what) = @_;
	my $near = q{SELECT count(*), sum(d.id), sum(n.id) FROM docs d JOIN LATERAL
		(SELECT id FROM docs WHERE fp <-> d.fp <= 31 OFFSET 0) n ON true WHERE d.id % 7 = 0};
	my %answers;

	$publisher->wait_for_catchup('docs');
	for my $node ($publisher, $subscriber)
	{
		for my $off (qw(enable_seqscan enable_indexscan))
		{
			my $settings = $off eq 'enable_indexscan' ? "SET enable_bitmapscan = off; " : '';
			$answers{$node->safe_psql('postgres', "SET $off = off; $settings$near")}++;
		}
		is($node->safe_psql('postgres', "SELECT bitblock_check('docs_fp', heapallindexed => true)"), '',
			"$what: the index is sound");
	}
	is(join(' and ', values %answers), 4, "$what: answers are equal");
	cmp_ok((split /\|/, (keys %answers)[0])[0], '>', 1000, "$what: documents have near-duplicates");
}

same_answers('copy');
$publisher->safe_psql('postgres', "INSERT INTO docs (id, body) $documents(1001, 3000) id");
same_answers('insert');
$publisher->safe_psql('postgres', q{UPDATE docs SET body = body || ' later words' WHERE id % 3 = 0});
same_answers('update');
$publisher->safe_psql('postgres', 'DELETE FROM docs WHERE id % 5 = 0; VACUUM docs');
same_answers('delete');
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM docs'), 2400, 'all rows have arrived');

done_testing();
