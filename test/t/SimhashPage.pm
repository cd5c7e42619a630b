# Shared by the tests of README.md and of pages of doc/: the SQL of a page runs without
# change, its answers are those that the page shows, and its links lead to files.

package SimhashPage;

use Encode qw(decode_utf8 encode_utf8);
use Exporter 'import';
use File::Basename qw(dirname);
use SimhashTest;

our @EXPORT = qw(sql_blocks run_blocks run_example answers_are plans_are links_exist);

# The blocks of SQL of a page, in order.  The section is '' before the first section.  The
# answer is the block without a language that follows at once; undef if there is none.
sub sql_blocks
{
	my ($file) = @_;
	my $page = slurp_file($file);
	my $section = '';
	my @blocks;

	# the last alternative skips code in other languages
	while ($page =~ /^## ([^\n]*)|^```sql\n(.*?)^```\n(?:```\n(.*?)^```\n)?|^```.*?^```\n/gms)
	{
		my ($title, $sql, $answer) = ($1, $2, $3);

		$section = $title if defined $title;
		next unless defined $sql;
		my ($name) = $sql =~ /^(.*)/;
		push @blocks, { file => $file, section => $section, name => $name, sql => $sql, answer => $answer };
	}
	die "$file has no SQL" unless @blocks;
	return @blocks;
}

# Remove the white space at the ends of lines.
sub trimmed
{
	my ($text) = @_;
	$text =~ s/[ \t]+$//mg;
	$text =~ s/\n*\z/\n/;
	return $text;
}

# Each block runs, in a session of its own, and its answer is that of the page.  %checks has
# queries and their answers after the last block of a section.  Returns the number of answers
# of the page.
sub run_blocks
{
	my ($node, $database, $blocks, %checks) = @_;
	my $answers = 0;

	for my $i (0 .. $#$blocks)
	{
		my $block = $blocks->[$i];
		my $next = $blocks->[ $i + 1 ];
		my $section = $block->{section};
		my ($stdout, $stderr);
		my $status = $node->psql(
			$database, $block->{sql},
			stdout => \$stdout,
			stderr => \$stderr,
			extra_params => [ '-P', 'format=aligned', '-P', 'tuples_only=off' ]);

		is($status, 0, "$block->{file}: $block->{name}") or diag($stderr);
		if (defined $block->{answer})
		{
			is(trimmed($stdout), trimmed($block->{answer}), "$block->{file}: answer of: $block->{name}");
			$answers++;
		}
		answers_are($node, $database, $section, @{ delete $checks{$section} // [] })
		  unless $next && $next->{section} eq $section;
	}
	fail("$_: a section with SQL") for sort keys %checks;
	return $answers;
}

# A file of examples/ runs from top to bottom in a database of its own, which has the name of the
# file, and its answers are those in the comments that follow its queries.  Returns their number.
sub run_example
{
	my ($node, $name) = @_;
	my $sql = slurp_file("examples/$name.sql");
	my $answers = 0;

	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, 'CREATE EXTENSION simhash') unless $sql =~ /^CREATE EXTENSION/m;
	while ($sql =~ /\G(.+?)(?:((?:^--[^\n]*\n)(?:^-- -[-+]*\n)(?:^--[^\n]*\n)*?^-- \(\d+ rows?\)\n)|\z)/gms)
	{
		my ($commands, $answer) = ($1, $2);
		my ($stdout, $stderr);
		my $status = $node->psql(
			$name, $commands,
			stdout => \$stdout,
			stderr => \$stderr,
			extra_params => [ '-P', 'format=aligned', '-P', 'tuples_only=off' ]);

		is($status, 0, "examples/$name.sql runs") or diag($stderr);
		next unless defined $answer;
		# the answer of the last query
		$answer = trimmed($answer =~ s/^-- //gmr);
		$answers += is(substr(trimmed($stdout), -length $answer), $answer, "examples/$name.sql: answer");
	}
	return $answers;
}

# Each query, which may be several commands, has the answer that follows it in @checks.
sub answers_are
{
	my ($node, $database, $name, @checks) = @_;

	while (my ($query, $answer) = splice(@checks, 0, 2))
	{
		is($node->safe_psql($database, $query), $answer, "$name: " . $query =~ s/\s+/ /gr);
	}
	return;
}

# The plans of the queries of these sections match the patterns: %plans has, for each section,
# a pattern for each SELECT, in order.
sub plans_are
{
	my ($node, $database, $blocks, %plans) = @_;

	for my $section (sort keys %plans)
	{
		my @patterns = @{ $plans{$section} };
		my @queries =
		  grep { /^SELECT/m && !/^(INSERT|CREATE|DELETE|ALTER)/m }
		  map { split(/(?<=;)\n/, $_->{sql}) } grep { $_->{section} eq $section } @$blocks;

		is(scalar(@queries), scalar(@patterns), "$section: number of queries");
		for my $query (@queries)
		{
			like($node->safe_psql($database, "EXPLAIN $query"), shift @patterns, "plan of: " . $query =~ s/\s+/ /gr);
		}
	}
	return;
}

# A page without its code
sub prose
{
	my ($file) = @_;

	return decode_utf8(slurp_file($file)) =~ s/^```.*?^```//gmsr;
}

# The anchors that GitHub makes of the headings of a page
sub anchors
{
	my ($file) = @_;

	return map { lc =~ s/\[([^]]*)\]\([^)]*\)/$1/gr =~ s/[^\w -]//gr =~ s/ /-/gr } prose($file) =~ /^#+ (.*)/mg;
}

# The files and headings exist to which a file of the folder links.  Code has no links.
sub links_exist
{
	my ($file, $folder) = (@_, '.');
	my (@files, @headings);

	for my $link (prose("$folder/$file") =~ /\]\((?!http)([^)\s]+)\)/g)
	{
		my ($path, $anchor) = split /#/, $link;
		my $target = $path eq '' ? "$folder/$file" : dirname("$folder/$file") . "/$path";

		push @files, $path unless -e $target;
		push @headings, $link if -e $target && defined $anchor && !grep { $_ eq $anchor } anchors($target);
	}
	is("@files", '', "$file: files that it links to");
	is(encode_utf8("@headings"), '', "$file: headings that it links to");
	return;
}

1;
