# Damaged files of bitblock indexes: random bytes, changed fields, zeroed, exchanged, torn
# and old pages, wrong links, shortened files.  The server neither crashes nor hangs.  A query
# or bitblock_check names the damaged block, or every answer is right.  REINDEX mends
# the index.

use SimhashTest;

my $seed = seed_random();
# indexes that several processes build have to be as good
my $node = start_node('damage', { no_checksums() }, 'autovacuum = off', 'log_statement = none', 'log_checkpoints = off',
	'log_min_error_statement = panic', 'min_parallel_table_scan_size = 0', 'max_parallel_maintenance_workers = ' . (0, 2)[ int rand 2 ]);
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');
use_small_pages($node, 'postgres');

my $block_size = 8192;
my $bits = (128, 144, 256)[ int rand 3 ];	# of wide fingerprints
my $opaque = $block_size - 48;

# The fields of a page: PageHeaderData without the LSN and the checksum, which belong to the
# server, and BBPageOpaqueData of page.h
my %field = (header_flags => [ 10, 'v' ], lower => [ 12, 'v' ], upper => [ 14, 'v' ],
	special => [ 16, 'v' ], size_version => [ 18, 'v' ], prune_xid => [ 20, 'V' ],
	low_window => [ $opaque, 'Q<' ], high_window => [ $opaque + 8, 'Q<' ],
	low_tag => [ $opaque + 16, 'V' ], high_tag => [ $opaque + 20, 'V' ],
	low_block => [ $opaque + 24, 'V' ], low_offset => [ $opaque + 28, 'v' ],
	high_block => [ $opaque + 30, 'V' ], high_offset => [ $opaque + 34, 'v' ],
	right => [ $opaque + 36, 'V' ], flags => [ $opaque + 40, 'C' ], words => [ $opaque + 41, 'C' ],
	level => [ $opaque + 42, 'C' ], tree => [ $opaque + 43, 'C' ],
	sorted => [ $opaque + 44, 'v' ], page_id => [ $opaque + 46, 'v' ]);
my @fields_of_pages = sort keys %field;

# Those of the metapage alone: BBMetaPageData, and bytes that no field has
my %field_of_metapage = (magic => [ 24, 'V' ], version => [ 28, 'V' ], blocks => [ 32, 'v' ],
	block_bits => [ 34, 'v' ], permutation => [ 36, 'v' ], leading => [ 38, 'v' ],
	reserved => [ 40, 'V' ], last => [ $opaque - 4, 'V' ]);
%field = (%field, %field_of_metapage);

sub get
{
	my ($page, $name) = @_;
	my ($offset, $format) = @{ $field{$name} };
	return unpack $format, substr $page, $offset, 8;
}

sub put
{
	my ($page, $name, $value) = @_;
	my ($offset, $format) = @{ $field{$name} };
	my %bits = (C => 8, v => 16, V => 32);
	$value &= 2**$bits{$format} - 1 if $bits{$format};
	my $bytes = pack $format, $value;
	substr($$page, $offset, length $bytes) = $bytes;
	return;
}

sub any { return $_[ int rand @_ ]; }

# The bytes of the entries of a leaf or an inner page, without their rests
sub word_bytes { return 8 * (get($_[0], 'words') || 1); }

# The flag of pages whose entries have tags, and the size of an entry's rest
my $tagged = 8;
sub is_tagged { return get($_[0], 'flags') & $tagged }
sub rest_size { my ($page, $level) = @_; return 6 + ($level > 0 ? 4 : 0) + (is_tagged($page) ? 4 : 0); }

# Exchange the child of a random entry of an inner page
sub set_child
{
	my ($page, $child) = @_;
	my $n = (get($$page, 'lower') - 24) / 8;
	my $entry = $opaque - rest_size($$page, 1) * (1 + int rand $n);
	substr($$page, $entry + 6, 4) = pack 'vv', $child >> 16, $child & 0xffff;
	return;
}

# Each kind of damage changes @$pages and returns a description.  $some is a page other
# than the metapage, $inner is a page with children, and $old has the earlier pages.
my %damage = (
	'bytes of the header' => sub {
		my ($pages, $some) = @_;
		substr($pages->[$some], $_, 1) = chr int rand 256 for map { int rand 24 } 1 .. 1 + rand 3;
	},
	'bytes of the special space' => sub {
		my ($pages, $some) = @_;
		substr($pages->[$some], $opaque + int rand 48, 1) = chr int rand 256 for 1 .. 1 + rand 3;
	},
	'bytes of the entries' => sub {
		my ($pages, $some) = @_;
		my $size = word_bytes($pages->[$some]);
		my $n = (get($pages->[$some], 'lower') - 24) / $size;
		for (1 .. 1 + rand 8)
		{
			my $at = rand() < 0.5 ? 24 + int rand $size * $n : get($pages->[$some], 'upper') + int rand rest_size($pages->[$some], 0) * $n;
			substr($pages->[$some], $at, 1) = chr int rand 256 if $n > 0;
		}
	},
	'a tag, or a TID if there are no tags' => sub {
		my ($pages, $some) = @_;
		my $page = \$pages->[$some];
		my $n = (get($$page, 'lower') - 24) / word_bytes($$page);
		my $size = rest_size($$page, get($$page, 'level'));
		substr($$page, get($$page, 'upper') + $size * (1 + int rand $n) - 4 + int rand 4, 1) ^= chr(1 + int rand 255) if $n > 0;
	},
	'bytes anywhere' => sub {
		my ($pages) = @_;
		for (1 .. 1 + rand 20)
		{
			substr($pages->[ int rand @$pages ], int rand $block_size, 1) = chr int rand 256;
		}
	},
	'a page of random bytes' => sub {
		my ($pages, $some) = @_;
		$pages->[$some] = join '', map { chr int rand 256 } 1 .. $block_size;
	},
	'random bytes in the form of a page' => sub {
		my ($pages, $some) = @_;
		my $page = join '', map { chr int rand 256 } 1 .. $block_size;
		substr($page, 0, 24) = substr($pages->[$some], 0, 24);
		put(\$page, $_, get($pages->[$some], $_)) for 'flags', 'words', 'level', 'tree', 'page_id', any('right', 'tree');
		$pages->[$some] = $page;
	},
	'a zeroed page' => sub { my ($pages, $some) = @_; $pages->[$some] = "\0" x $block_size },
	'a page torn to zero' => sub {
		my ($pages, $some) = @_;
		my $at = 512 * (1 + int rand 15);
		substr($pages->[$some], $at) = "\0" x ($block_size - $at);
	},
	'exchanged pages' => sub {
		my ($pages, $some) = @_;
		my $other = 1 + int rand $#$pages;
		@$pages[ $some, $other ] = @$pages[ $other, $some ];
	},
	'another page in its place' => sub {
		my ($pages, $some) = @_;
		$pages->[$some] = $pages->[ int rand @$pages ];
	},
	'an old page' => sub { my ($pages, $some, $inner, $old) = @_; $pages->[$some] = $old->[$some] if $some < @$old },
	'an old inner page' => sub { my ($pages, $some, $inner, $old) = @_; $pages->[$inner] = $old->[$inner] if $inner < @$old },
	'a page torn to an old one' => sub {
		my ($pages, $some, $inner, $old) = @_;
		my $at = 512 * (1 + int rand 15);
		substr($pages->[$some], $at) = substr($old->[$some], $at) if $some < @$old;
	},
	'an old index with the new metapage' => sub { my ($pages, $some, $inner, $old) = @_; @$pages = ($pages->[0], @$old[ 1 .. $#$old ]) },
	'a right-link to itself' => sub { my ($pages, $some) = @_; put(\$pages->[$some], 'right', $some) },
	'a right-link to elsewhere' => sub { my ($pages, $some) = @_; put(\$pages->[$some], 'right', int rand @$pages) },
	'a right-link to the parent' => sub { my ($pages, $some, $inner) = @_; put(\$pages->[$some], 'right', $inner) },
	'a right-link beyond the end' => sub { my ($pages, $some) = @_; put(\$pages->[$some], 'right', @$pages + int rand 3) },
	'a last page too early' => sub { my ($pages, $some) = @_; put(\$pages->[$some], 'right', 0xffffffff) },
	'a circle of two' => sub {
		my ($pages, $some) = @_;
		my $right = get($pages->[$some], 'right');
		if ($right < @$pages)
		{
			put(\$pages->[$right], 'right', $some);
			# with ranges that fit together
			substr($pages->[$right], $opaque + 8, 8) = substr($pages->[$some], $opaque, 8);
			substr($pages->[$right], $opaque + 20, 4) = substr($pages->[$some], $opaque + 16, 4);
			substr($pages->[$right], $opaque + 30, 6) = substr($pages->[$some], $opaque + 24, 6);
		}
	},
	'a child that is its parent' => sub { my ($pages, $some, $inner) = @_; set_child(\$pages->[$inner], $inner) },
	'a child elsewhere' => sub { my ($pages, $some, $inner) = @_; set_child(\$pages->[$inner], int rand @$pages) },
	'a child beyond the end' => sub { my ($pages, $some, $inner) = @_; set_child(\$pages->[$inner], any(scalar @$pages, 0xffffffff, 0x7fffffff)) },
	'a split that was none' => sub { my ($pages, $some) = @_; put(\$pages->[$some], 'flags', 2 | is_tagged($pages->[$some])) },
	'an inner split that was none' => sub { my ($pages, $some, $inner) = @_; put(\$pages->[$inner], 'flags', 2 | is_tagged($pages->[$inner])) },
	'a deletion that was none' => sub { my ($pages, $some) = @_; put(\$pages->[$some], 'flags', 1 | is_tagged($pages->[$some])) },
	'an empty page' => sub {
		my ($pages, $some) = @_;
		my $page = \$pages->[$some];
		substr($$page, 24, $opaque - 24) = "\0" x ($opaque - 24);
		put($page, 'lower', 24);
		put($page, 'upper', $opaque);
	},
	'an inner page as a leaf' => sub {
		my ($pages, $some, $inner) = @_;
		my $page = \$pages->[$inner];
		my $n = (get($$page, 'lower') - 24) / 8;
		put($page, 'level', 0);
		put($page, 'upper', $opaque - rest_size($$page, 0) * $n);
	},
	'a leaf as an inner page' => sub {
		my ($pages, $some) = @_;
		my $page = \$pages->[$some];
		my $n = (get($$page, 'lower') - 24) / word_bytes($$page);
		if (get($$page, 'level') == 0)
		{
			put($page, 'level', any(1, 2, 16));
			put($page, 'upper', $opaque - rest_size($$page, 1) * $n);
		}
	},
	'a page without the flag of tags' => sub { my ($pages, $some) = @_; put(\$pages->[$some], 'flags', get($pages->[$some], 'flags') ^ $tagged) },
	'a metapage of random bytes' => sub { my ($pages) = @_; substr($pages->[0], 24 + int rand 16, 1) = chr int rand 256 },
	'no metapage' => sub { my ($pages) = @_; $pages->[0] = any("\0" x $block_size, $pages->[1]) },
	'no file' => sub { my ($pages) = @_; @$pages = () },
	'a shortened file' => sub { my ($pages) = @_; $#$pages = int rand $#$pages },
	'a file that ends in the middle of a page' => sub { my ($pages) = @_; $#$pages = 1 + int rand $#$pages - 1; $pages->[-1] = substr $pages->[-1], 0, 1 + int rand $block_size - 1 },
	'too long a file' => sub { my ($pages, $some) = @_; push @$pages, $pages->[$some] for 1 .. 1 + rand 3 });

# Each field of a page becomes another small number, another flag, what another page has, or
# anything.
for my $name (@fields_of_pages)
{
	$damage{"field $name of a page"} = sub {
		my ($pages, $some) = @_;
		put(\$pages->[$some], $name, any(any(0 .. 17, 24, 32, 255, 0xb10c, 65535, 8152, 8192),
			get($pages->[$some], $name) ^ 1 << int rand 16, get(any(@$pages), $name), int rand 2**32));
	};
}

# The second half of the tables has wide fingerprints.
my $tables = 2 * keys %damage;
sub is_wide { return $_[0] > $tables / 2; }

# Half of the indexes, at random, have a leading column.
my %leading = map { $_ => rand() < 0.5 ? '(id % 5), ' : '' } 1 .. $tables;

# SQL that converts an expression of type simhash to the type of table i
sub fp { return is_wide($_[0]) ? "widen($_[1])" : $_[1]; }

# The fingerprint of a row of table i with other bits
sub flipped
{
	return is_wide($_[0]) ? "fp # widen('8000000000000001')" : "(fp::bigint # x'8000000000000001'::bigint)::simhash";
}

sub rows { return is_wide($_[0]) ? 400 : 700; }

$node->safe_psql('postgres', qq{CREATE FUNCTION widen(fp simhash) RETURNS bit LANGUAGE sql IMMUTABLE AS
	\$\$ SELECT repeat(fp::bit(64)::text, 4)::bit($bits) \$\$});

# SQL that inserts rows into table i
sub insert
{
	my ($i, $first, $last) = @_;
	my $fp = fp($i, "(CASE i % 9 WHEN 0 THEN NULL WHEN 1 THEN (81985529216486895 # (i % 16))
		ELSE ('x' || substr(md5((i / 2)::text), 1, 16))::bit(64)::bigint END)::simhash");
	return "INSERT INTO t$i SELECT i, $fp FROM generate_series($first, $last) i;";
}

# The right answers, and the answers of the index
my $ask = sub {
	my ($i, $scan) = @_;
	my ($q, $zero, $half) = map { fp($i, "simhash '$_'") } '0123456789abcdef', '0000000000000000', '00000000ffffffff';
	my $scale = is_wide($i) ? $bits / 64 : 1;
	my $of = $leading{$i} ? 'id % 5 = 2' : 'true';
	my ($also, $where) = (" AND $of", "WHERE $of");
	return $scan . join '', map { "SELECT '$_->[0]' AS question, $_->[1] AS answer FROM $_->[2];\n" } (
		(map { [ "within $_", "count(*) || ' ' || coalesce(sum(id * id), 0)", "t$i WHERE fp <-> $q <= $_$also" ] } map { int $_ * $scale } 3, 20, 34, 64),
		[ 'equal', 'count(*)', "t$i WHERE fp = $q$also" ],
		[ 'null', "count(*) || ' ' || coalesce(sum(id * id), 0)", "t$i WHERE fp IS NULL$also" ],
		[ 'all', 'count(fp)', "t$i WHERE fp <-> $zero >= 0" ],
		[ 'nearest', "md5(string_agg(d::text, ' '))", "(SELECT fp <-> $half AS d FROM t$i $where ORDER BY fp <-> $half LIMIT 600) s" ]);
};
my $by_heap = 'SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; SET enable_seqscan = on; SET enable_sort = on;';
my @by_index = ('SET enable_seqscan = off; SET enable_sort = off; SET enable_indexscan = on; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;',
	'SET enable_seqscan = off; SET enable_sort = off; SET enable_indexscan = off; SET enable_indexonlyscan = on; SET enable_bitmapscan = off;',
	'SET enable_seqscan = off; SET enable_sort = on; SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = on;');

sub ask_all
{
	my ($i, @more) = @_;
	my ($out, $err);
	$node->psql('postgres', "SET statement_timeout = '20s';\n\\set VERBOSITY verbose\n" . join("\n", @more),
		on_error_stop => 0, stdout => \$out, stderr => \$err);
	return ($out, $err);
}

my @kinds = (sort keys %damage) x 2;
my $batches = rounds(1);
my %seen = (cases => 0, errors => 0, wrong => 0, unnoticed => 0);
my %sqlstates;
my (%old, %file);

$node->safe_psql('postgres', join '', map {
	sprintf("CREATE TABLE t%d (id int, fp %s) WITH (autovacuum_enabled = off);\n", $_, is_wide($_) ? "bit($bits)" : 'simhash')
	  . insert($_, 1, int(rows($_) / 3))
	  . "CREATE INDEX t${_}_fp ON t$_ USING bitblock ($leading{$_}fp);\n" } 1 .. $tables);
for my $batch (1 .. $batches)
{
	# first an old state of each index, then a newer state, both undamaged
	my @names = split /\n/, do {
		$node->safe_psql('postgres', "CHECKPOINT; SELECT pg_relation_filepath('t' || i || '_fp') FROM generate_series(1, $tables) i") };
	%old = map { $_ => [ unpack "(a$block_size)*", slurp_file($node->data_dir . "/$names[$_ - 1]") ] } 1 .. $tables;
	$node->safe_psql('postgres', join '', map {
		my $rows = rows($_);
		insert($_, 1 + $batch * $rows, ($batch + 1) * $rows)
		  . "DELETE FROM t$_ WHERE id % 3 = 0 OR id <= ($batch - 1) * $rows;" } 1 .. $tables);
	$node->safe_psql('postgres', 'VACUUM (INDEX_CLEANUP ON)');
	$node->stop;

	my @scars;
	for my $i (1 .. $tables)
	{
		my $file = $node->data_dir . "/$names[$i - 1]";
		my @pages = unpack "(a$block_size)*", slurp_file($file);
		my @inner = grep { my $p = $pages[$_]; get($p, 'level') > 0 && (get($p, 'flags') & ~$tagged) == 0 && get($p, 'lower') > 24 } 1 .. $#pages;
		# 64 bits have 5 trees; wide fingerprints have one for each block and two more
		my $trees = is_wide($i) ? $bits / 16 + 2 : 5;
		my $some = rand() < 0.3 ? 1 + int rand 2 * $trees : 1 + int rand $#pages;

		$damage{ $kinds[ $i - 1 ] }->(\@pages, $some, any(@inner), $old{$i});
		append_to_file("$file.new", '');
		open my $handle, '>:raw', "$file.new" or die "$file: $!";
		print $handle @pages;
		close $handle;
		rename "$file.new", $file or die "$file: $!";
	}
	$node->start;

	for my $i (1 .. $tables)
	{
		my $name = "batch $batch, $kinds[$i - 1] ($i" . (is_wide($i) ? ", bit($bits)" : '') . ($leading{$i} ? ', leading column)' : ')');
		my ($right) = ask_all($i, $ask->($i, $by_heap));
		my ($answers, $errors) = ask_all($i, map { $ask->($i, $_) } @by_index);
		my $error = $errors ne '';
		my %right = map { $_ => 1 } split /\n/, $right;
		my $wrong = grep { !$right{$_} } split /\n/, $answers;

		# bitblock_check must find the damage that made an answer wrong
		my ($none, $report) = ask_all($i, "SELECT bitblock_check('t${i}_fp', true);");
		my $noticed = $report =~ /ERROR: +(XX002|XX001|0A000)/;
		my $problem = $wrong && !$noticed ? "wrong answers, and bitblock_check finds nothing:\n$answers" : '';
		$problem .= "errors, and bitblock_check finds nothing:\n$errors" if $error && !$noticed;
		$problem .= "no block is named: $report" if $noticed && $report !~ /(at|in) block \d+|row at \(\d+,\d+\)|is not a bitblock index|unsupported bitblock version/;
		$problem .= "no hint: $report" if $report =~ /XX002/ && $report !~ /REINDEX/;

		# write to the damaged index
		my ($out, $more) = ask_all($i,
			"SELECT count(*) FROM bitblock_stats('t${i}_fp');",
			insert($i, ($batch + 1) * rows($i) - 300, ($batch + 1) * rows($i) - 200),
			insert($i, 1, 100),
			"UPDATE t$i SET fp = @{[ flipped($i) ]} WHERE id % 7 = 0;",
			"DELETE FROM t$i WHERE id % 5 = 0;",
			"VACUUM (INDEX_CLEANUP ON) t$i;",
			map({ $ask->($i, $_) } @by_index),
			"SELECT count(*) FROM bitblock_stats('t${i}_fp');");
		$errors .= $report . $more;
		$problem .= "the server went away:\n$errors" if $errors =~ /server closed|terminat|not yet accepting|connection to server/;
		$problem .= "a hang:\n$errors" if $errors =~ /57014/;
		$sqlstates{$1}++ while $errors =~ /ERROR: +(\w{5}):/g;
		# the table refuses a TID beyond its end
		$errors =~ s/ERROR:\s+(?:XX000|58P01): could not open file "[^"]+" \(target block \d+\)//g;
		$problem .= "another error: $1\n" while $errors =~ /(ERROR:\s++(?!XX002|XX001|0A000).*)/g;

		# REINDEX mends it
		my ($mended, $left) = ask_all($i, "REINDEX INDEX t${i}_fp;", "SELECT 'sound' || bitblock_check('t${i}_fp', true);");
		$problem .= "REINDEX does not mend it: $left" if $left ne '';
		my ($expected) = ask_all($i, $ask->($i, $by_heap));
		my ($answers_now) = ask_all($i, map { $ask->($i, $_) } @by_index);
		$problem .= "wrong answers after REINDEX: $answers_now\n"
		  if $answers_now ne join "\n", ($expected) x @by_index;
		ok($problem eq '', $name) or diag "SIMHASH_SEED=$seed\n$problem";
		$seen{cases}++;
		$seen{errors}++ if $error;
		$seen{wrong}++ if $wrong;
		$seen{unnoticed}++ if !$noticed;
	}
}
figures "$seen{cases} damaged indexes: $seen{errors} made a query fail, $seen{wrong} gave a wrong answer; bitblock_check found all of these, $seen{unnoticed} were not damaged in effect; errors: "
  . join ', ', map { "$_ $sqlstates{$_} times" } sort keys %sqlstates;

# Each field of the metapage has one right value.  With another one every command that reads or
# writes the index fails.  The catalog does not say the width of bit strings without a length.
my %metapage_of = (	# the type of the column, the index, a condition
	'simhash' => [ 'simhash', 'fp', 'fp <-> q.fp <= 3' ],
	'simhash_ball' => [ 'simhash', 'simhash_ball(fp, 2)', 'simhash_ball(fp, 2) && simhash_ball(q.fp, 2)' ],
	"bit($bits)" => [ "bit($bits)", 'fp', 'fp <-> q.fp <= 3' ],
	"bit($bits) with a leading column" => [ "bit($bits)", 'id, fp', 'id = q.id AND fp <-> q.fp <= 3' ],
	'bit varying' => [ 'bit varying', 'fp', 'fp <-> q.fp <= 3' ],
	'bit_ball' => [ 'bit varying', 'bit_ball(fp, 2)', 'bit_ball(fp, 2) && bit_ball(q.fp, 2)' ]);
my @metapages;
for my $kind (sort keys %metapage_of)
{
	my $blocks = $kind =~ /^simhash/ ? 4 : $bits / 16;

	push @metapages, map { [ $kind, 'blocks', $_ ] } grep { $_ != $blocks } 0, 1, 3, 4, 5, 8, 9, 16, 52, 64, 65, 65535;
	push @metapages, map { [ $kind, $_ ] } sort keys %field;
}
$node->safe_psql('postgres', join '', map {
	my ($type, $columns) = @{ $metapage_of{ $metapages[$_]->[0] } };
	my $value = $type eq 'simhash' ? 'i::bigint::simhash' : 'widen(i::bigint::simhash)';
	my $with = $type eq 'bit varying' ? "WITH (bits = $bits)" : '';
	$columns = "($columns)" if $columns =~ /\(/;
	"CREATE TABLE m$_ (id int, fp $type) WITH (autovacuum_enabled = off);
	 INSERT INTO m$_ SELECT i % 3, $value FROM generate_series(1, 40) i;
	 CREATE INDEX m${_}_fp ON m$_ USING bitblock ($columns) $with;
	 DELETE FROM m$_ WHERE id = 0;\n" } 0 .. $#metapages);
my @metapage_names = split /\n/,
  $node->safe_psql('postgres', "SELECT pg_relation_filepath('m' || i || '_fp') FROM generate_series(0, $#metapages) i");
$node->stop;
for my $i (0 .. $#metapages)
{
	my $case = $metapages[$i];
	my ($kind, $name, $value) = @$case;
	my $file = $node->data_dir . "/$metapage_names[$i]";
	my $contents = slurp_file($file);
	my $old = get($contents, $name);

	while (get($contents, $name) == $old)
	{
		put(\$contents, $name, $value // any($old ^ 1 << int rand 16, any(0 .. 17, 255, 65535), int rand 2**32));
	}
	$case->[2] = get($contents, $name);
	open my $handle, '>:raw', $file or die "$file: $!";
	print $handle $contents;
	close $handle;
}
$node->start;
for my $i (0 .. $#metapages)
{
	my ($kind, $name, $value) = @{ $metapages[$i] };
	my $condition = $metapage_of{$kind}->[2];
	my @commands = (
		(map { "$_ SELECT count(*) FROM m$i, (SELECT id, fp FROM m$i OFFSET 2 LIMIT 1) q WHERE " . $condition =~ s/\bfp\b(?<!q\.fp)/m$i.fp/gr =~ s/(?<!\.)\bid\b/m$i.id/r . ';' } '', 'EXPLAIN'),
		"INSERT INTO m$i SELECT * FROM m$i LIMIT 1;",
		"UPDATE m$i SET fp = NULL;",
		"VACUUM (INDEX_CLEANUP ON) m$i;",
		"SELECT bitblock_check('m${i}_fp');",
		"SELECT * FROM bitblock_stats('m${i}_fp');",
		$condition =~ /^fp/ ? ("SELECT count(*) FROM bitblock_explain('m${i}_fp', (SELECT fp FROM m$i LIMIT 1), 3);",
			"SELECT id FROM m$i ORDER BY fp <-> (SELECT fp FROM m$i LIMIT 1) LIMIT 1;") : ());
	my ($out, $errors) = ask_all($i, 'SET enable_seqscan = off;', @commands,
		"REINDEX INDEX m${i}_fp;", "SELECT 'sound' || bitblock_check('m${i}_fp', true);");
	my @errors = split /(?=^psql:.*ERROR:)/m, $errors;

	ok(@errors == @commands && !(grep { !/ERROR: +(XX002|XX001|0A000):/ || !/block \d|is not a bitblock index|unsupported bitblock version/ } @errors) && $out eq 'sound',
		"metapage of $kind: $name is $value") or diag "SIMHASH_SEED=$seed\n$out\n$errors";
}

# VACUUM gives no TID to the server that no row can have.  (A server with assertions would stop.)
for my $type ('simhash', 'bit(128)')
{
	my $fp = "random_fp_of(i)" . ($type eq 'simhash' ? '::simhash' : '::text::bit(128)');
	$node->safe_psql('postgres', qq{
		DROP TABLE IF EXISTS v;
		CREATE OR REPLACE FUNCTION random_fp_of(i int) RETURNS bit LANGUAGE sql IMMUTABLE AS
			\$\$ SELECT ('x' || substr(md5(i::text), 1, 16))::bit(64) \$\$;
		CREATE TABLE v (id int, fp $type) WITH (autovacuum_enabled = off);
		INSERT INTO v SELECT i, $fp FROM generate_series(1, 300) i;
		CREATE INDEX v_fp ON v USING bitblock (fp);
		DELETE FROM v WHERE id % 3 = 0});
	my $file = $node->data_dir . '/' . $node->safe_psql('postgres', q{SELECT pg_relation_filepath('v_fp')});
	$node->stop;
	my @pages = unpack "(a$block_size)*", slurp_file($file);
	my ($leaf) = grep { my $p = $pages[$_]; get($p, 'level') == 0 && get($p, 'flags') == 0 && get($p, 'lower') > 24 } 1 .. $#pages;
	substr($pages[$leaf], $opaque - 2, 2) = "\0\0";	# the offset of the first TID
	open my $handle, '>:raw', $file or die "$file: $!";
	print $handle @pages;
	close $handle;
	$node->start;
	my ($none, $error) = ask_all('', 'VACUUM (INDEX_CLEANUP ON) v;');
	like($error, qr{ERROR: +XX002: entry has an invalid TID.*at block $leaf\.}s, "VACUUM refuses an invalid TID, $type");
	is((ask_all('', 'REINDEX INDEX v_fp;', 'VACUUM (INDEX_CLEANUP ON) v;'))[1], '', 'until REINDEX');
}

my @lines = grep { /PANIC|TRAP|terminated by signal/ } split /\n/, slurp_file($node->logfile);
ok(!@lines, 'no word of crashes in the log') or diag join "\n", @lines;
$node->stop;
done_testing();
