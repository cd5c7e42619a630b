# Each page that a statement changed has the LSN of a WAL record of that statement. With
# an older LSN the page may be written before its WAL.  A crash at that moment leaves an
# index with entries of lost rows.  The moment is too rare for tests that crash the
# server.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SimhashTest;
use Test::More;

my $page_size = 8192;
my $node = PostgreSQL::Test::Cluster->new('node');
$node->init(allows_streaming => 1);	# wal_level
$node->append_conf('postgresql.conf', "fsync = off\nautovacuum = off\njit = off");
$node->start;

# An LSN as a number
sub position
{
	my ($high, $low) = map { hex } split m{/}, shift;
	return $high << 32 | $low;
}

# For each page of the index on disk: its LSN, and the bytes behind LSN and checksum
sub pages
{
	my ($db) = @_;
	$node->safe_psql($db, 'CHECKPOINT');
	my $file = slurp_file($node->data_dir . '/' . $node->safe_psql($db, q{SELECT pg_relation_filepath('docs_fp')}));
	return map {
		my ($high, $low) = unpack 'LL', $_;
		{ lsn => $high << 32 | $low, content => substr($_, 10) };
	} unpack "(a$page_size)*", $file;
}

for ([ 'usual', 'simhash' ], [ 'small', 'simhash' ], [ 'usual', 'bit(256)' ], [ 'usual', 'simhash', '(id % 3), ' ], [ 'small', 'bit(256)', '(id % 3), id, ' ])
{
	my ($size, $type, $leading) = @$_;
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
		INSERT INTO docs SELECT * FROM fps(1, 3000);
		CREATE INDEX docs_fp ON docs USING bitblock (@{[ $leading // '' ]}fp);
	});

	for (
		[ 'a row', 'INSERT INTO docs SELECT * FROM fps(3001, 3001)' ],
		[ 'another', 'INSERT INTO docs SELECT * FROM fps(3002, 3002)' ],
		[ 'a NULL', 'INSERT INTO docs VALUES (0, NULL)' ],
		[ 'many rows', 'INSERT INTO docs SELECT * FROM fps(3003, 9000)' ],
		[ 'VACUUM of few', 'DELETE FROM docs WHERE id % 500 = 0', 'VACUUM docs' ],
		[ 'VACUUM of most', 'DELETE FROM docs WHERE id > 300', 'VACUUM docs' ],
		[ 'rows in pages that are used again', 'INSERT INTO docs SELECT * FROM fps(9001, 12000)' ],
		[ 'REINDEX', 'REINDEX INDEX docs_fp' ],
		[ 'TRUNCATE', 'TRUNCATE docs' ])
	{
		my ($name, @statements) = @$_;
		my @before = pages($db);
		my $from = position($node->lsn('insert'));
		$node->safe_psql($db, $_) for @statements;
		my $to = position($node->lsn('insert'));
		my @after = pages($db);
		my @changed = grep { $_ >= @before || $before[$_]{content} ne $after[$_]{content} } 0 .. $#after;
		my @wrong = grep { $after[$_]{lsn} <= $from || $after[$_]{lsn} > $to } @changed;
		cmp_ok(scalar(@changed), '>=', 1, "$db: $name changes " . @changed . ' of ' . @after);
		is("@wrong", '', "$db: $name, LSNs");
	}
}
$node->stop;
done_testing();
