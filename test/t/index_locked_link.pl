# A damaged link leads a process back to a page that the process has locked, while it
# searches for the page's parent.  The process must raise an error.  Otherwise it would
# wait for its own lock and ignore a cancel.

use SimhashTest;

# otherwise trees of three levels need a quarter of a million rows
plan skip_all => 'needs SIMHASH_SMALL_PAGES' unless $ENV{SIMHASH_SMALL_PAGES};

# VACUUM that reads ahead would find the damage before it locks a page.
my $node = start_node('node', { no_checksums() }, 'autovacuum = off', 'maintenance_io_concurrency = 0');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');
use_small_pages($node, 'postgres');

# Enough rows for a root of level 2 in tree 0, in the order of keys
my @tables = ('insertion', 'merge_left', 'merge_right');
$node->safe_psql('postgres', qq{
	CREATE TABLE $_ (id int, fp simhash) WITH (autovacuum_enabled = off);
	INSERT INTO $_ SELECT i, (i::bigint << 48)::simhash FROM generate_series(0, 149) i;
	CREATE INDEX ${_}_fp ON $_ USING bitblock (fp);
}) for @tables;
my %file = map { $_ => $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('${_}_fp')") } @tables;
$node->stop;

# The level of a page, and the child of an entry of an inner page (see page.h)
my $opaque = 8192 - 48;
sub level { return unpack 'C', substr $_[0], $opaque + 42, 1 }
sub entries { return (unpack('v', substr $_[0], 12, 2) - 24) / 8 }
sub child_at { return $opaque - 10 * ($_[0] + 1) + 6 }
sub child { my ($high, $low) = unpack 'vv', substr $_[0], child_at($_[1]), 4; return $high << 16 | $low }

my %fp;
for my $table (@tables)
{
	my @pages = unpack '(a8192)*', slurp_file($file{$table});
	my $root = $pages[1];
	is(level($root), 2, "$table: the root is on level 2");

	# the last leaf below the root's first child, and the first leaf below its second
	# child
	my ($first, $second) = @pages[ child($root, 0), child($root, 1) ];
	my $left = child($first, entries($first) - 1);
	my $right = child($second, 0);
	$fp{$table} = unpack 'Q<', substr $pages[$left], 24, 8;

	# the second child: the search for the parent of the right leaf begins here
	substr($pages[1], child_at(1), 4) = pack 'vv', 0, $table eq 'merge_right' ? $right : $left;
	substr($pages[$left], $opaque + 40, 1) = pack 'C', 2 if $table eq 'insertion';	# BB_INCOMPLETE_SPLIT
	open my $handle, '>:raw', $file{$table} or die $!;
	print $handle @pages;
	close $handle;
}
$node->start;

# VACUUM merges only the two leaves.
my %statement = (
	insertion => sprintf("INSERT INTO insertion VALUES (1000, '%016x')", $fp{insertion} + 1),
	map { $_ => sprintf("DELETE FROM $_ WHERE id > %d AND id < %1\$d + 12; VACUUM (INDEX_CLEANUP ON) $_", $fp{$_} >> 48) } 'merge_left', 'merge_right');
for my $table (@tables)
{
	my ($out, $err);
	my $ended = eval {
		$node->psql('postgres', "\\set VERBOSITY verbose\n$statement{$table}", stdout => \$out, stderr => \$err, timeout => 20);
		1;
	};
	ok($ended, "$table: the session does not wait for itself") or next;
	like($err, qr/XX002: circular link in index "${table}_fp"\n.*block \d+/, "$table: an error");
}

# do not wait for sessions that hang
$node->stop('immediate');
done_testing();
