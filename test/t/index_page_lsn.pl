# Each page that a statement changed has the LSN of a WAL record of that statement. With
# an older LSN the page may be written before its WAL.  A crash at that moment leaves an
# index with entries of lost rows.  The moment is too rare for tests that crash the
# server.  And each page is the same on a standby, so the WAL has every change of every
# page.  There are no page images that would hide a lack.

use SimhashTest;

my $page_size = 8192;
my $node = start_node('node', { allows_streaming => 1 }, 'autovacuum = off', 'full_page_writes = off', 'wal_keep_size = 1GB');
my $standby = start_standby($node);

# An LSN as a number
sub position
{
	my ($high, $low) = map { hex } split m{/}, shift;
	return $high << 32 | $low;
}

# For each page of the index on disk: its LSN, and the bytes behind LSN and checksum without
# the hole between pd_lower and pd_upper
sub pages
{
	my ($server, $db) = @_;
	$server->safe_psql($db, 'CHECKPOINT');
	my $file = slurp_file($server->data_dir . '/' . $server->safe_psql($db, q{SELECT pg_relation_filepath('docs_fp')}));
	return map {
		my ($high, $low) = unpack 'LL', $_;
		my ($lower, $upper) = unpack 'x12 SS', $_;
		{ lsn => $high << 32 | $low, content => substr($_, 10, $lower - 10) . substr($_, $upper) };
	} unpack "(a$page_size)*", $file;
}

# The numbers of the pages whose bytes are not those of the standby's pages
sub unlike_standby
{
	my ($db, @pages) = @_;

	# replay of the CHECKPOINT that wrote the primary's pages, and the same on the standby
	$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
	my @replayed = pages($standby, $db);
	return grep { ($pages[$_]{content} // 'no page') ne ($replayed[$_]{content} // 'no page') }
	  0 .. ($#pages > $#replayed ? $#pages : $#replayed);
}

for ([ 'usual', 'simhash' ], [ 'small', 'simhash' ], [ 'usual', 'bit(256)' ], [ 'usual', 'simhash', '(id % 3), ' ], [ 'small', 'bit(256)', '(id % 3), id, ' ])
{
	my ($size, $type, $leading) = @$_;
	my $rows = $size eq 'small' ? 500 : 3000;
	local $ENV{SIMHASH_SMALL_PAGES} = $size eq 'small' ? $ENV{SIMHASH_SMALL_PAGES} : '';
	my $db = "db_${size}_" . substr($type, 0, 3) . ($leading ? '_leading' : '');
	my $fp = $type eq 'simhash' ? "('x' || substr(md5(i::text), 1, 16))::bit(64)::simhash"
	  : "('x' || md5(i::text) || md5((-i)::text))::$type";
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, 'CREATE EXTENSION simhash');
	use_small_pages($node, $db);
	$node->safe_psql($db, qq{
		CREATE FUNCTION fps(first int, last int) RETURNS TABLE (id int, fp $type) LANGUAGE sql AS
		\$\$ SELECT i, $fp FROM generate_series(first, last) i \$\$;
		CREATE TABLE docs (id int, fp $type);
		INSERT INTO docs SELECT * FROM fps(1, $rows);
		CREATE INDEX docs_fp ON docs USING bitblock (@{[ $leading // '' ]}fp);
	});

	my @before = pages($node, $db);
	for (
		[ 'a row', "INSERT INTO docs SELECT * FROM fps($rows + 1, $rows + 1)" ],
		[ 'another', "INSERT INTO docs SELECT * FROM fps($rows + 2, $rows + 2)" ],
		[ 'a NULL', 'INSERT INTO docs VALUES (0, NULL)' ],
		[ 'many rows', "INSERT INTO docs SELECT * FROM fps($rows + 3, 3 * $rows)" ],
		[ 'VACUUM of few', "DELETE FROM docs WHERE id % ($rows / 6) = 0", 'VACUUM docs' ],
		[ 'VACUUM of most', "DELETE FROM docs WHERE id > $rows / 10", 'VACUUM docs' ],
		[ 'rows in pages that are used again', "INSERT INTO docs SELECT * FROM fps(3 * $rows + 1, 4 * $rows)" ],
		[ 'REINDEX', 'REINDEX INDEX docs_fp' ],
		[ 'TRUNCATE', 'TRUNCATE docs' ])
	{
		my ($name, @statements) = @$_;
		my $from = position($node->lsn('insert'));
		$node->safe_psql($db, $_) for @statements;
		my $to = position($node->lsn('insert'));
		my @after = pages($node, $db);
		my @changed = grep { $_ >= @before || $before[$_]{content} ne $after[$_]{content} } 0 .. $#after;
		my @wrong = grep { $after[$_]{lsn} <= $from || $after[$_]{lsn} > $to } @changed;
		cmp_ok(scalar(@changed), '>=', 1, "$db: $name changes " . @changed . ' of ' . @after);
		is("@wrong", '', "$db: $name, LSNs");
		is(join(' ', unlike_standby($db, @after)), '', "$db: $name, replayed");
		@before = @after;
	}
}
$_->stop for $node, $standby;
done_testing();
