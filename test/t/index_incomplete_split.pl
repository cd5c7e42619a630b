# Recovery ends between the WAL records of a page split, as after a crash: the new page
# has no downlink yet.  Searches find every row by right-links, and insertions that pass
# the page complete the split.  Recovery also ends between the records of an insertion of
# a wide fingerprint. Then only some trees have the row, and VACUUM removes the row from them.
# A random choice is whether the indexes have a leading column.

use SimhashTest;

# inner pages of the usual size split only after hundreds of thousands of rows
plan skip_all => 'needs SIMHASH_SMALL_PAGES' unless $ENV{SIMHASH_SMALL_PAGES};

seed_random();
my $leading = ('', '(id % 3), ')[ int rand 2 ];
note "leading columns: $leading";
my $rows = 400;
my $primary = start_node('primary', { allows_streaming => 1, has_archiving => 1 },
	'full_page_writes = off', 'wal_consistency_checking = all', 'autovacuum = off');
$primary->safe_psql('postgres', 'CREATE EXTENSION simhash');
use_small_pages($primary, 'postgres');
$primary->safe_psql('postgres', q{
	CREATE TABLE docs (id int, fp simhash);
	CREATE INDEX docs_fp ON docs USING bitblock (LEADING fp);
	CREATE FUNCTION fill(first int, last int) RETURNS void LANGUAGE sql AS $$
		INSERT INTO docs SELECT i, ('x' || substr(md5(i::text), 1, 16))::bit(64)::simhash FROM generate_series(first, last) i $$;
	CREATE TABLE wide (id int, fp bit(256));
	CREATE INDEX wide_fp ON wide USING bitblock (LEADING fp);
	CREATE FUNCTION fill_wide(first int, last int) RETURNS void LANGUAGE sql AS $$
		INSERT INTO wide SELECT i, ('x' || md5(i::text) || md5((-i)::text))::bit(256) FROM generate_series(first, last) i $$;
	-- leaves and inner pages whose split is not complete; see BBPageOpaqueData in page.h
	CREATE FUNCTION incomplete(OUT leaves bigint, OUT inner_pages bigint) LANGUAGE sql AS $$
		SELECT count(*) FILTER (WHERE get_byte(page, 8186) = 0), count(*) FILTER (WHERE get_byte(page, 8186) > 0)
		FROM generate_series(1, pg_relation_size('docs_fp') / 8192 - 1) block,
			pg_read_binary_file(pg_relation_filepath('docs_fp'), block * 8192, 8192) page
		WHERE get_byte(page, 8184) & 2 > 0 $$;
} =~ s/LEADING /$leading/gr);
$primary->safe_psql('postgres', 'SELECT fill_wide(1, 200)');
$primary->backup('base');
my $from = $primary->lsn('insert');
$primary->safe_psql('postgres', "SELECT fill(1, $rows)");
my $to = $primary->lsn('insert');
my @wide_range;
for my $id (201 .. 203)
{
	push @wide_range, $primary->lsn('insert');
	$primary->safe_psql('postgres', "SELECT fill_wide($id, $id)");
	push @wide_range, $primary->lsn('insert');
}
$primary->safe_psql('postgres', 'SELECT pg_switch_wal()');

# A split is a record of two pages, with the whole new page (S), followed by the record
# of its downlink (D).  If the parent must split first, the records of that split come
# between the two.
my ($waldump) = run_command([ 'pg_waldump', '-p', $primary->data_dir . '/pg_wal', '-r', 'Generic', '-s', $from, '-e', $to ]);
my $kinds = '';
my @lsns;
for (split /\n/, $waldump)
{
	m{lsn: ([0-9A-F]+/[0-9A-F]+)} or next;
	push @lsns, $1;
	$kinds .= !/blkref #1/ || /blkref #2/ ? '.' : /blkref #1.*FPW(?! for WAL verification)/ ? 'S' : 'D';
}
my @leaf = $kinds =~ /[^S]SD[^D]/ ? @lsns[ $-[0] + 1 .. $-[0] + 2 ] : ();
my @inner = $kinds =~ /[^S]SSDD[^D]/ ? @lsns[ $-[0] + 1 .. $-[0] + 4 ] : ();
ok(@leaf && @inner, 'leaves were split, and inner pages') or BAIL_OUT('no splits to look at');

sub recovered_until
{
	my ($lsn) = @_;
	return start_restored('until_' . $lsn =~ tr{/}{_}r, $primary, "recovery_target_lsn = '$lsn'", 'recovery_target_inclusive = off');
}

for (
	[ 'leaf', $leaf[1], '1|0' ],
	[ 'leaf, before its parent is split', $inner[1], '1|0' ],
	[ 'leaf and inner page', $inner[2], '1|1' ],
	[ 'leaf, after its parent was split', $inner[3], '1|0' ])
{
	my ($name, $lsn, $expected) = @$_;
	my $node = recovered_until($lsn);
	$node->safe_psql('postgres', 'CHECKPOINT');
	is($node->safe_psql('postgres', 'SELECT * FROM incomplete()'), $expected, "$name: incomplete");

	# nobody sees the rows of the interrupted transaction; now insert others
	my ($ret) = $node->psql('postgres', "SET statement_timeout = '60s'; SELECT bitblock_check('docs_fp', true); SELECT fill(1, $rows); SELECT bitblock_check('docs_fp', true)");
	is($ret, 0, "$name: sound, takes all rows, and sound then");
	$node->safe_psql('postgres', 'CHECKPOINT');
	is($node->safe_psql('postgres', 'SELECT * FROM incomplete()'), '0|0', "$name: complete");
	is( $node->safe_psql('postgres', q{SET enable_seqscan = off; SET enable_bitmapscan = off;
			SELECT count(*), count(DISTINCT id) FROM docs WHERE fp <-> '0123456789abcdef' <= 64}),
		"$rows|$rows", "$name: all are found");
	$node->stop;
}

# Each insertion makes 17 entries, 4 in a record, and may split pages.
while (my ($begin, $end) = splice @wide_range, 0, 2)
{
	my ($dump) = run_command([ 'pg_waldump', '-p', $primary->data_dir . '/pg_wal', '-r', 'Generic', '-s', $begin, '-e', $end ]);
	my @records = grep { !/FPW(?! for WAL verification)/ && (/blkref #3/ || !/blkref #1/) } split /\n/, $dump;
	my $lsn = $records[ 1 + int rand $#records ] =~ m{lsn: ([0-9A-F]+/[0-9A-F]+)} ? $1 : die 'no record';
	my $name = 'recovery until ' . $lsn;

	cmp_ok(scalar(@records), '>=', 5, 'an insertion of several records');
	my $node = recovered_until($lsn);

	# the row tree is number 17, after the tree of NULL
	my $entries = sub { $node->safe_psql('postgres', q{SELECT string_agg(DISTINCT entries::text, ' ') FROM bitblock_stats('wide_fp') WHERE tree <> 16}) };
	my $count = sub { $node->safe_psql('postgres', 'SELECT count(*) FROM wide') };
	my ($n) = $count->();
	my ($few, $many) = ($n, $n + 1);
	is($entries->(), "$few $many", "$name: some trees have the row");
	is($node->safe_psql('postgres', q{SELECT entries FROM bitblock_stats('wide_fp') WHERE tree = 17}), $many, "$name: the row tree does");
	is($node->safe_psql('postgres', "SELECT bitblock_check('wide_fp', true); SET enable_seqscan = off;
			SELECT count(*), count(DISTINCT id) FROM wide WHERE fp <-> 0::bit(256) <= 256;
			SELECT count(*) FROM wide WHERE fp <-> (SELECT ('x' || md5(($n + 1)::text) || md5((-$n - 1)::text))::bit(256)) <= 31"),
		"\n$n|$n\n0", "$name: the index is sound");
	$node->safe_psql('postgres', 'VACUUM (INDEX_CLEANUP ON) wide');
	is($entries->(), $n, "$name: VACUUM removes the row");
	$node->safe_psql('postgres', 'SELECT fill_wide(1001, 1010)');
	is($node->safe_psql('postgres', "SELECT bitblock_check('wide_fp', true); SET enable_seqscan = off;
			SELECT count(*) FROM wide a WHERE (SELECT count(*) FROM wide b WHERE b.fp <-> a.fp <= 31) <> 1"),
		"\n0", "$name: another row has its place");
	$node->stop;
}
$primary->stop;
done_testing();
