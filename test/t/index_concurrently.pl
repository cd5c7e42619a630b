# The validation of a concurrently built index gets each row once, not once for each
# tree. After an interrupted insertion or VACUUM the row tree has all rows, because
# the validation reads only that tree.

use Time::HiRes;
use SimhashTest;

seed_random();
my $node = start_node('node', 'autovacuum = off');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

# Start a command with these settings in a session of its own.  The function that is returned
# cancels it when the condition holds, and returns its message.
sub start_command
{
	my ($command, @settings) = @_;
	my $session = start_session($node, map { ('-c', $_) } @settings, $command);
	return sub {
		my ($condition) = @_;
		my $tries = 0;
		until ($condition->())
		{
			die "$command: nothing to cancel: $session->{err}" if $tries++ > 30000;
			Time::HiRes::sleep(0.02);
		}
		$node->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = '$command'");
		end_session($session);
		return $session->{err};
	};
}

# The trees of an index of wide fingerprints: window trees, the tree of NULL, the row tree
for ([ 'docs', 'simhash', [ 1, 2, 3 ], 4, 0 ], [ 'wide', 'bit(144)', [ 0 .. 8 ], 9, 10 ])
{
	my ($t, $type, $others, $nulls, $row_tree) = @$_;
	my $fp = $type eq 'simhash' ? q{('x' || substr(md5(i::text), 1, 16))::bit(64)::simhash} : q{('x' || md5(i::text) || '1234')::bit(144)};
	my $zero = $type eq 'simhash' ? "'0000000000000000'" : "0::bit(144)";

	$node->safe_psql('postgres', qq{
		CREATE TABLE $t (id int, fp $type);
		INSERT INTO $t SELECT i, CASE WHEN i <= 10 THEN $zero WHEN i % 10 > 0 THEN $fp END FROM generate_series(1, 6000) i;
		CREATE INDEX ${t}_fp ON $t USING bitblock (fp)});

	# PostgreSQL reports the number of TIDs that the callback got.
	for my $command ("CREATE INDEX CONCURRENTLY other ON $t USING bitblock (fp)", 'REINDEX INDEX CONCURRENTLY other')
	{
		my (undef, $out, $err) = $node->psql('postgres', "SET client_min_messages = debug2;\n$command");
		my ($found) = $err =~ /validate_index found (.*)/;
		is($found, '6000 heap tuples, 6000 index tuples; inserted 0 missing tuples', $command);
	}
	$node->safe_psql('postgres', "DROP INDEX other");
	my (undef, undef, $said) = $node->psql('postgres', "SET client_min_messages = debug2;\nCREATE INDEX CONCURRENTLY other ON $t USING bitblock ((id % 7), (nullif(id % 3, 1)), fp)");
	like($said, qr/validate_index found 6000 heap tuples, 6000 index tuples; inserted 0 missing tuples/, "$t: leading columns");
	$node->safe_psql('postgres', "SELECT bitblock_check('other', true); DROP INDEX other; VACUUM $t");

	# A VACUUM cannot finish, because an index-only scan has pinned the first leaf of the
	# row tree.  Then VACUUM has removed entries from other trees, but not from the row tree.
	my $entries = sub {
		my %n = map { split /\|/ } split /\n/, $node->safe_psql('postgres', "SELECT tree, entries FROM bitblock_stats('${t}_fp')");
		my %others = map { $n{$_} => 1 } @$others;
		return join ' ', $n{$row_tree}, join('/', sort keys %others), $n{$nulls};
	};
	is($entries->(), '5401 5401 599', "$t: entries of each tree");
	$node->safe_psql('postgres', "DELETE FROM $t WHERE id % 3 = 0 AND id > 10");
	my $reader = start_session($node);
	$reader->{in} = "BEGIN; SET enable_seqscan = off; SET enable_bitmapscan = off;
		DECLARE c CURSOR FOR SELECT fp FROM $t WHERE fp = $zero; FETCH 1 FROM c; SELECT 'open';\n";
	wait_for($reader, 'out', qr/open/);
	my $command = "VACUUM (INDEX_CLEANUP ON) $t";
	my $cancel = start_command($command);
	my $err = $cancel->(sub { $node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE query = '$command' AND wait_event_type LIKE 'Buffer%'") });
	like($err, qr/user request/, "$t: VACUUM waits for the pin, and is cancelled");
	# in some versions VACUUM keeps the rows of the table's page that the scan has pinned
	like($entries->(), qr/^5401 36\d\d 599$/, "$t: the row tree has the entries that are gone from others");
	$reader->{in} = "FETCH ALL FROM c; COMMIT;\n";
	end_session($reader);
	is($node->safe_psql('postgres', "SET enable_seqscan = off; SELECT count(*) FROM $t WHERE fp <-> $zero <= 2000"), 3604, "$t: all others are found");
	$node->safe_psql('postgres', $_) for "SELECT bitblock_check('${t}_fp', true)", "VACUUM (INDEX_CLEANUP ON) $t", "SELECT bitblock_check('${t}_fp', true)";
	is($entries->(), '3604 3604 399', "$t: the next VACUUM ends");
	is($node->safe_psql('postgres', "SELECT reltuples FROM pg_class WHERE relname = '${t}_fp'"), 4003, "$t: and has counted the rows");
}

# An insertion of a wide fingerprint is cancelled between two of its WAL records, and a
# VACUUM between the window trees and the row tree.
$node->safe_psql('postgres', q{
	CREATE FUNCTION fp(i int) RETURNS bit LANGUAGE sql IMMUTABLE AS
	$$ SELECT string_agg(('x' || md5(i || ' ' || part))::bit(128)::text, '')::bit(1024) FROM generate_series(1, 8) part $$});
for ([ 'cut', '' ], [ 'cut_of', 'tenant, ' ])
{
	my ($t, $leading) = @$_;
	my $entries_of_trees = sub {
		my %n = map { split /\|/ } split /\n/, $node->safe_psql('postgres', "SELECT tree, entries FROM bitblock_stats('${t}_fp') WHERE tree <> 64");
		my $rows = delete $n{65};
		my %others = reverse %n;
		return ($rows, sort { $a <=> $b } keys %others);
	};
	my $is_sound = sub {
		my ($rows, $name) = @_;
		my ($ret, $out, $err) = $node->psql('postgres', qq{SET enable_seqscan = off;
			SELECT bitblock_check('${t}_fp', true);
			SELECT count(*), count(DISTINCT id) FROM $t WHERE fp <-> fp(1) <= 1024;
			SELECT count(*) FROM $t a WHERE (SELECT count(*) FROM $t b WHERE b.fp <-> a.fp <= 60) <> 1;
			SELECT count(*) FROM $t WHERE fp <-> fp(501) <= 60});
		is("$out$err", "\n$rows|$rows\n0\n0", "$t, $name: sound");
	};
	my @entries;

	$node->safe_psql('postgres', qq{
		CREATE TABLE $t (id int, tenant int DEFAULT 7, fp bit(1024)) WITH (autovacuum_enabled = off);
		CREATE INDEX ${t}_fp ON $t USING bitblock (${leading}fp);
		INSERT INTO $t (id, fp) SELECT i, fp(i) FROM generate_series(1, 500) i});

	# The cancel comes between two records almost always, because the insertions do nothing else.
	my $insertion = "INSERT INTO $t (id, fp) SELECT i, fp(501) FROM generate_series(1, 10000000) i";
	for (1 .. 100)
	{
		my $begun = $node->safe_psql('postgres', 'SELECT pg_current_wal_insert_lsn()');
		my $cancel = start_command($insertion);
		$cancel->(sub { $node->safe_psql('postgres', "SELECT pg_current_wal_insert_lsn() - '$begun' > 100000") eq 't' });
		@entries = $entries_of_trees->();
		last if @entries > 2;
	}
	is($entries[2] // '', $entries[0], "$t: an insertion is cancelled: first trees have the row");
	is($entries[1], $entries[0] - 1, "$t: and last trees do not");
	$is_sound->(500, 'after a cancelled insertion');

	$node->safe_psql('postgres', "DELETE FROM $t WHERE id % 3 = 0");
	# VACUUM sleeps after each page.
	my $cancel = start_command("VACUUM (INDEX_CLEANUP ON) $t", 'SET vacuum_cost_delay = 10', 'SET vacuum_cost_limit = 1');
	$cancel->(sub { @entries = $entries_of_trees->(); return @entries > 2 && $entries[1] == 334 });
	@entries = $entries_of_trees->();
	is($entries[1], 334, "$t: some trees have no dead rows");
	cmp_ok($entries[0], '>', 334, "$t: and the row tree has them");
	$is_sound->(334, 'after a cancelled VACUUM');
	$node->safe_psql('postgres', "VACUUM (INDEX_CLEANUP ON) $t");
	is(join(' ', $entries_of_trees->()), '334 334', "$t: the next VACUUM removes all");
	$is_sound->(334, 'after VACUUM');
	$node->safe_psql('postgres', "INSERT INTO $t (id, fp) SELECT i, fp(i) FROM generate_series(1001, 1500) i");
	is($node->safe_psql('postgres', "SELECT count(*) > 100 FROM $t WHERE id > 1000 AND ctid < (SELECT max(ctid) FROM $t WHERE id < 1000)"), 't', "$t: rows with the TIDs of removed rows");
	$is_sound->(834, 'after these');
}

# Beside writers
create_model($node, 'model', 1500) if $node->safe_psql('postgres', 'CREATE DATABASE model') eq '';
for my $round (1 .. rounds(4))
{
	my $writers = start_bench($node, 'model', 2, 2, pgbench_script("write$round", 'SELECT op(3000);'));
	my $builder = start_bench($node, 'model', 1, 2, pgbench_script("build$round", q{
		DROP INDEX IF EXISTS b_other;
		CREATE INDEX CONCURRENTLY b_other ON b USING bitblock (tenant, n, fp);
		REINDEX INDEX CONCURRENTLY b_fp;
		VACUUM (INDEX_CLEANUP ON) b;
		DROP INDEX IF EXISTS w_other;
		CREATE INDEX CONCURRENTLY w_other ON w USING bitblock (fp);
		REINDEX INDEX CONCURRENTLY w_fp;
		REINDEX INDEX CONCURRENTLY w_tenant;
		VACUUM (INDEX_CLEANUP ON) w;}));
	cmp_ok(end_bench($_), '>', 0, "round $round: at work") for $writers, $builder;
	verify_all($node, 'model', 2, "round $round: sound");
}

$node->stop;
done_testing();
