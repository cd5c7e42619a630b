# src/index/bitblock/insert_wal.c composes the WAL record of an insertion by hand.  The record
# must equal, byte for byte, the record of PostgreSQL's GenericXLogFinish.  A second
# build of the library uses GenericXLogFinish.  The test inserts the same rows with both
# builds and compares the records.

use SimhashTest;

seed_random();
my $bits = (128, 144, 256, 512, 1024)[ int rand 5 ];
my $row_size = int(($bits + 63) / 64) * 8;
note "bit($bits)";

plan skip_all => 'needs SIMHASH_GENERIC_WAL' unless $ENV{SIMHASH_GENERIC_WAL};

# only new pages have page images
my $node = start_node('node', { allows_streaming => 1 }, 'autovacuum = off', 'full_page_writes = off', 'wal_keep_size = 1GB');	# wal_level
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');
my $segment_size = $node->safe_psql('postgres', q{SELECT setting FROM pg_settings WHERE name = 'wal_segment_size'});
my $wal_page = 8192;
my $generic = 20;	# RM_GENERIC_ID, see rmgrlist.h

sub position
{
	my ($high, $low) = map { hex } split m{/}, shift;
	return $high << 32 | $low;
}

# The WAL between two positions, without the headers of WAL pages
sub written
{
	my ($from, $to) = @_;
	my $bytes = '';

	for (my $page = $from - $from % $wal_page; $page < $to; $page += $wal_page)
	{
		my $segment = int($page / $segment_size);
		my $per_id = int(2**32 / $segment_size);
		my $name = sprintf '%08X%08X%08X', 1, int($segment / $per_id), $segment % $per_id;
		my $first = $page + ($page % $segment_size ? 24 : 40);	# SizeOfXLogShortPHD, SizeOfXLogLongPHD
		my $last = $page + $wal_page < $to ? $page + $wal_page : $to;

		$first = $from if $from > $first;
		open my $file, '<:raw', $node->data_dir . "/pg_wal/$name" or die "$name: $!";
		seek $file, $first % $segment_size, 0;
		read $file, my $part, $last - $first or die "$name: $!";
		$bytes .= $part;
		close $file;
	}
	return $bytes;
}

# The generic records in that WAL: flags, block number and data of each page that a
# record changes (see xlogrecord.h)
sub records
{
	my ($bytes) = @_;
	my @records;

	for (my $at = 0; $at < length $bytes;)
	{
		my ($length, undef, undef, $info, $rmid) = unpack 'VVQ<CC', substr $bytes, $at, 18;
		die "not a record at $at" if $length < 24 || $at + $length > length $bytes;
		my $record = substr $bytes, $at, $length;
		$at += ($length + 7) & ~7;
		next if $rmid != $generic;

		my $i = 24;
		my $rest = 0;
		my @blocks;
		while ($i + $rest < $length)
		{
			my $id = unpack 'C', substr $record, $i, 1;
			if ($id == 255 || $id == 254)	# main data
			{
				push @blocks, { main => $id };
				$rest += $id == 255 ? unpack 'C', substr $record, $i + 1, 1 : unpack 'V', substr $record, $i + 1, 4;
				$i += $id == 255 ? 2 : 5;
				next;
			}
			$i += 3, next if $id == 253;	# origin
			$i += 5, next if $id == 252;	# top-level transaction
			my ($flags, $data) = unpack 'Cv', substr $record, $i + 1, 3;
			my $image = 0;
			$i += 4;
			if ($flags & 0x10)	# BKPBLOCK_HAS_IMAGE, not compressed
			{
				$image = unpack 'v', substr $record, $i, 2;
				$i += 5;
			}
			$i += 12 unless $flags & 0x80;	# BKPBLOCK_SAME_REL
			push @blocks, { id => $id, flags => $flags, image => $image, data => $data, block => unpack 'V', substr $record, $i, 4 };
			$i += 4;
			$rest += $image + $data;
		}
		die "record of $length bytes, $i + $rest in its parts" if $i + $rest != $length;
		for my $block (grep { defined $_->{id} } @blocks)
		{
			$block->{image} = substr $record, $i, $block->{image};
			$i += length $block->{image};
			$block->{data} = substr $record, $i, $block->{data};
			$i += length $block->{data};
		}
		push @records, { info => $info, blocks => \@blocks };
	}
	return @records;
}

# The parts of a record that must be equal, in readable form
sub show
{
	my ($record) = @_;
	return join "\n", "info $record->{info}", map {
		my $block = $_;
		defined $block->{main} ? 'main data'
		  : "block $block->{block}, number $block->{id}, flags $block->{flags}, image of " . length($block->{image}) . ' bytes, data ' . unpack('H*', $block->{data})
	} @{ $record->{blocks} };
}

# The fragments of a page's data: offset, length, and as many bytes
sub lengths
{
	my ($data) = @_;
	my @lengths;

	for (my $i = 0; $i < length $data;)
	{
		my (undef, $length) = unpack 'vv', substr $data, $i, 4;
		push @lengths, $length;
		$i += 4 + $length;
	}
	return "@lengths";
}

my %shown;
my %kinds;
my $pages = 0;
for my $build ('by hand', 'by GenericXLogFinish')
{
	$node->safe_psql('postgres', "UPDATE pg_proc SET probin = '$ENV{SIMHASH_GENERIC_WAL}' WHERE probin = '\$libdir/simhash'")
	  if $build ne 'by hand';
	$node->safe_psql('postgres', q{
		DROP TABLE IF EXISTS docs, wide, docs_of, wide_of;
		CREATE TABLE docs (fp simhash);
		CREATE INDEX docs_fp ON docs USING bitblock (fp);
		CREATE TABLE wide (fp bit(} . $bits . q{));
		CREATE INDEX wide_fp ON wide USING bitblock (fp);
		CREATE TABLE docs_of (fp simhash, tenant int);
		CREATE INDEX docs_of_fp ON docs_of USING bitblock (tenant, fp);
		CREATE TABLE wide_of (fp bit(} . $bits . q{), tenant int, lang text);
		CREATE INDEX wide_of_fp ON wide_of USING bitblock (tenant, lang, fp);
		SELECT pg_switch_wal()});
	my $from = $node->lsn('insert');
	$node->safe_psql('postgres', q{
		INSERT INTO docs SELECT CASE
			WHEN i % 10 = 0 THEN NULL
			WHEN i % 10 = 1 THEN (i % 3 - 1)
			WHEN i % 10 < 4 THEN (1::bigint << (i % 64))
			ELSE ('x' || substr(md5((i / 2)::text), 1, 16))::bit(64)::bigint END::simhash
		FROM generate_series(1, 4000) i;
		INSERT INTO wide SELECT CASE
			WHEN i % 10 = 0 THEN NULL
			WHEN i % 10 = 1 THEN repeat((i % 3 % 2)::text, 1024)
			WHEN i % 10 < 4 THEN lpad(i::bit(16)::text, i * 16 % 1024, '0')
			ELSE (SELECT string_agg(('x' || md5(i || ' ' || part))::bit(128)::text, '') FROM generate_series(1, 8) part) END::bit(} . $bits . q{)
		FROM generate_series(1, 1500) i;
		INSERT INTO docs_of SELECT fp, nullif(hashtext(fp::text) % 4, 0) FROM docs;
		INSERT INTO wide_of SELECT fp, hashtext(fp::text) % 5, 'l' || hashtext(fp::text) % 3 FROM wide});
	my $to = $node->lsn('insert');
	my @records = records(written(position($from), position($to)));
	my ($dump) = run_command([ 'pg_waldump', '-p', $node->data_dir . '/pg_wal', '-r', 'Generic', '-s', $from, '-e', $to ]);
	is(scalar(@records), scalar(() = $dump =~ /rmgr: Generic/g), "$build: " . @records . ' records, as pg_waldump counts them');
	$shown{$build} = [ map { show($_) } @records ];
	next if $build ne 'by hand';
	for my $record (@records)
	{
		for my $block (grep { defined $_->{id} } @{ $record->{blocks} })
		{
			$kinds{ scalar(@{ $record->{blocks} }) . ' pages: ' . lengths($block->{data}) }++;
			$pages++;
		}
	}
}

my ($hand, $finish) = @shown{ 'by hand', 'by GenericXLogFinish' };
is(scalar(@$hand), scalar(@$finish), 'the same number');
my ($other) = grep { $hand->[$_] ne ($finish->[$_] // '') } 0 .. $#$hand;
ok(!defined $other, 'and each the same') or diag "record $other by hand:\n$hand->[$other]\nby GenericXLogFinish:\n" . ($finish->[$other] // 'none');

# The records are insertions: they change pd_lower, one or both bytes of pd_upper, a
# fingerprint or a window of it, a TID, and a tag if the index has leading columns.
cmp_ok($kinds{$_} // 0, '>', 5, ($kinds{$_} // 0) . " times $_")
  for map { ("4 pages: 3 8 $_", "4 pages: 4 8 $_", "1 pages: 3 8 $_", "1 pages: 4 8 $_", "4 pages: 3 $row_size $_", "4 pages: 4 $row_size $_") } 6, 10;
figures scalar(@$hand) . " records of insertions and splits, of $pages pages, equal to those of GenericXLogFinish"
  if Test::More->builder->is_passing;

$node->stop;
done_testing();
