# examples/review.sql: the page is well-formed, shows every text as a text, and refers to nothing outside

use Encode qw(decode encode);
use SimhashPage;
use SimhashTest;

my $node = start_node('review');
my $sql = slurp_file('examples/review.sql');
my $pairs = 'SELECT d.id, d.name, d.body, o.id, o.name, o.body FROM docs d JOIN docs o ON o.id = d.duplicate_of';

# The page of pairs of a database, in characters
sub page
{
	my ($database, $query, @params) = @_;
	my ($html, $err);

	is($node->psql($database, $sql, stdout => \$html, stderr => \$err, extra_params => [ '-v', "pairs=$query", @params ]),
		0, 'examples/review.sql runs') or diag($err);
	return decode('UTF-8', $html, Encode::FB_CROAK);
}

# The elements, attributes and references of the page are those of examples/review.sql, and each element ends.
sub is_well_formed
{
	my ($html, $name) = @_;
	my @open;
	my %count;
	my @wrong;

	$html =~ s/\A<!DOCTYPE html>\n// or push @wrong, 'doctype';
	$html =~ s/(<style>)(.*?)(<\/style>)/$1$3/s or push @wrong, 'style';
	push @wrong, "style: $1" if $2 =~ /(url|import|http|<|expression)/i;
	while ($html =~ /\G(?:([^<>&"']+)|&(amp|lt|gt|quot|#39|hellip|middot|rarr|#xFFFD);|<([^<>]*)>|(.))/gs)
	{
		my ($text, $entity, $tag, $other) = ($1, $2, $3, $4);

		push @wrong, "$other at " . pos $html if defined $other;
		next unless defined $tag;
		if ($tag =~ /\A\/([a-z0-9]+)\z/)
		{
			push @wrong, "</$1>" if (pop @open // '') ne $1;
		}
		elsif ($tag =~ /\A([a-z0-9]+)((?: [a-z-]+(?:="[^"]*")?)*)\z/)
		{
			my ($element, $attributes) = ($1, $2);

			$attributes =~ s/"[^"]*"//g;

			$count{$element}++;
			push @wrong, "<$element>"
			  if $element !~ /\A(?:html|head|meta|title|style|body|header|h[123]|p|fieldset|legend|label|input|main|section|article|ul|li|details|summary|span|del|ins)\z/;
			push @wrong, "$1 of $element"
			  while $attributes =~ / (?!(?:lang|charset|http-equiv|content|name|type|id|autocomplete|checked|disabled|class|dir|open)\b)([a-z-]+)/g;
			push @open, $element if $element !~ /\A(?:meta|input)\z/;
		}
		else { push @wrong, "<$tag>" }
	}
	is(join(', ', @wrong, map { "<$_> without end" } @open), '', "$name: well-formed");
	return \%count;
}

# The texts of a page or a part of it, without its elements
sub text_of
{
	my ($html) = @_;
	my %characters = (amp => '&', lt => '<', gt => '>', quot => '"', '#39' => "'", '#xFFFD' => "\x{fffd}",
		hellip => "\x{2026}", middot => "\x{b7}", rarr => "\x{2192}");

	return $html =~ s/<[^<>]*>//gr =~ s/&([^;]+);/$characters{$1}/gr =~ s/\s+/ /gr;
}

# The texts of the elements of this pattern
sub texts
{
	my ($html, $pattern) = @_;
	return map { text_of($_) } $html =~ /$pattern/gs;
}

my $docs = <<'END';
CREATE EXTENSION simhash;
CREATE TABLE docs (id int PRIMARY KEY, name text, body text, duplicate_of int);
INSERT INTO docs VALUES
  (1, 'original', 'The harbour master has closed the north pier, because the storm has damaged 500 stones of it.', NULL),
  (2, 'copy', 'The harbour  master has closed the NORTH pier, because the storm has damaged 500 stones of it.', 1),
  (3, 'punctuation', 'The harbour master has closed the north pier; because the storm has damaged 500 stones of it.', 1),
  (4, 'revision of a word', 'The harbour master has closed the south pier, because the storm has damaged 500 stones of it.', 1),
  (5, 'number', 'The harbour master has closed the north pier, because the storm has damaged 600 stones of it.', 1),
  (6, 'signs', 'The harbour master has closed the north pier, because the storm has damaged -500 stones of it.', 1),
  (7, 'revision of more', 'The harbour master has opened the north pier, because the storm has damaged few stones of it.', 1),
  (8, 'md5sum', 'MD5SUM - print sums. MD5SUM prints. ' || repeat('Here MD5SUM reads from all the files that are named. ', 4), NULL),
  (9, 'sha512sum', 'SHA512SUM - print sums. SHA512SUM prints. ' || repeat('Here sha512sum reads from all the files that are named. ', 4), 8),
  (10, 'a long stretch', 'The harbour master ' || repeat('(who is known to all) ', 100) || ' has closed the north pier.', 1);
END
$node->safe_psql('postgres', $docs);
my $html = page('postgres', $pairs);
my $count = is_well_formed($html, 'a table');
is($count->{article}, 7, 'an article for each pair but the copy');
is(join(', ', texts($html, qr/<span class="other"[^<>]*>(.*?)<\/span>/)),
	'a long stretch, sha512sum, signs, revision of more, revision of a word, number, punctuation, copy', 'the least certain come first');
is(join('; ', texts($html, qr/<ul class="again">(.*?)<\/ul>/)), 'MD5SUM becomes SHA512SUM, 6 times', 'a change that comes again is one line');
is(join('; ', map { /other \d+(?: \x{b7} (.*))?/ ? $1 // '-' : die } texts($html, qr/<p class="meta">(.*?)<\/p>/)),
	'only in the other: "who", 100 times; only in the original: "MD5SUM", 6 times; -; only in the original: "closed"; '
	  . 'only in the original: "north"; only in the original: "500"; -; -',
	'the word that decides is named, and where it is');
my ($sibling) = $html =~ /<section class="sibling">(.*?)<\/section>/s;
like($sibling, qr/<details><summary>6 changes: words<\/summary>/, 'a sibling is folded');
unlike($html, qr/<p class="note">The words are the same\. Signs differ/, 'no contradiction');
like($html, qr/<p class="note">Signs differ, as in -500 and 500, .* The words and numbers are the same otherwise\.<\/p>/, 'what other signs are');
my ($signs) = $html =~ /<section class="signs">(.*?)<\/section>/s;
like($signs, qr/<details open>.*has damaged <ins>-<\/ins>500 stones/s, 'other pairs are open, with the words around a change');
like($html, qr/closed the <del>north<\/del> <ins>south<\/ins> pier/, 'what is only in one text is an element of its own');
like(text_of($html), qr/The harbour master \(who is.*\x{2026} 1,9\d\d characters \x{2026}.*\) has closed/, 'a long stretch is abbreviated');
like($html, qr/<p>8 pairs, /, 'the number of pairs');
my %pairs = (sibling => 2, signs => 1, number => 1, words => 2, punctuation => 1, copy => 1);
for my $kind (sort keys %pairs)
{
	like($html, qr/<label><input type="checkbox" id="show-$kind" [^<>]*checked> [^<>]* $pairs{$kind}<\/label>/, "a box for $kind");
	like($html, qr/^body:has\(#show-$kind:not\(:checked\)\) \.$kind \{ display: none; \}$/m, 'and what it hides');
}
like($html, qr/<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; /, 'nothing may be loaded');
like($html, qr/<meta name="viewport" .*prefers-color-scheme: dark.*overflow-wrap: anywhere/s, 'telephones and dark screens');

my $few = page('postgres', $pairs, '-v', 'limit=2');
is(join(', ', texts($few, qr/<span class="other"[^<>]*>(.*?)<\/span>/)), 'a long stretch, sha512sum', 'a limit');
like($few, qr/<p>8 pairs, .* 2 of 8 shown: -v limit=1000 shows more\.<\/p>/, 'and the page says so');
is(join(', ', texts($few, qr/<section class="\w+">\n<h2>(.*?) <span>/)), 'Siblings?, Other signs, Revisions, Only numbers differ, Other punctuation, Copies',
	'each section that has a box');
is(() = $few =~ /<p class="note">[^<]* 0 of [12] shown: -v limit=1000 shows more\.<\/p>/g, 5, 'and why it has no pairs');
is_well_formed($few, 'a limit');

# Other names come first.  They have no section if no two names are equal.
sub sections
{
	my ($page) = @_;
	return join('; ', map { my ($kind, $pairs) = @$_; join(' ', $kind, $pairs =~ /&middot; other (\d+)/g) }
		  map { [ /\A(\w+)">(.*)\z/s ] } $page =~ /<section class="(.*?)<\/section>/gs);
}

my $without = 'sibling 10 9; signs 6; words 7 4; number 5; punctuation 3; copy 2';
my $named = sub { my ($name, $original) = @_; page('postgres', $pairs =~ s/d\.name/$name/r =~ s/o\.name/$original/r, @_[ 2 .. $#_ ]) };
my $title = q{CASE WHEN d.id IN (2, 3, 7, 9) THEN 'Tide ' || d.id WHEN d.id <> 4 THEN ' THE  pier' END};
my $names = $named->($title, q{'The pier'});
is(sections($names), 'name 9 7 3; sibling 10; signs 6; words 4; number 5; copy 2', 'other names first, and copies last');
is_well_formed($names, 'other names');
like($names, qr/<h2>Other names <span>3<\/span><\/h2>\n<p class="note">The names differ: perhaps another document\.<\/p>/, 'and a heading');
like($names, qr/id="show-name" autocomplete="off" checked> Other names 3</, 'and a box');
unlike($html, qr{id="show-name"}, 'no box without pairs');
is(sections($html), $without, 'names that all differ are no titles');
is(sections($named->('NULL', 'NULL')), $without, 'no names');
is(sections($named->('d.id', 'o.id')), $without, 'names that are ids');
is(sections($named->(q{nullif('The pier', d.name)}, q{nullif('', o.name)})), $without, 'a name of one of the two');

# Sections share a limit.  In a section of revisions a change that comes again is first.
my $many = q{SELECT n, CASE n % 2 WHEN 0 THEN 'b' ELSE 'a' END, 'The first word of ' || n || ' is the same, and this is old.',
	0, 'a', 'The first word of ' || n || ' is the same, and this is ' || CASE n WHEN 299 THEN 'old' ELSE 'new.' END
	FROM generate_series(1, 300) n};
my $shared = page('postgres', $many, '-v', 'limit=250');
like($shared, qr/<p>300 pairs, .* 250 of 300 shown: -v limit=1250 shows more\.<\/p>/, 'a limit of several sections');
is(join(', ', map { my $other = $_; $other =~ s/ .*//sr . ' ' . (() = $other =~ / other \d+/g) } split(/; /, sections($shared) =~ s/ (\d+)/ other $1/gr)),
	'name 150, words 99, punctuation 1', 'each has its share');
is(join(', ', $shared =~ /<h2>(\w+).*\n.* (\d+ of \d+ shown: -v limit=1250 shows more)\.<\/p>/g), 'Revisions, 99 of 149 shown: -v limit=1250 shows more',
	'and says what is left out');
my $times = q{SELECT 1, NULL, 'The harbour is full of new and very large ships today', 2, NULL, 'The harbour is full today' UNION ALL
	SELECT 3, NULL, 'The old sun, if it is up, or it was up, goes on', 4, NULL, 'The sun, if he is up, or he was up, goes on'};
is(sections(page('postgres', $times)), 'words 3 1', 'a change that comes again, before more characters');

# A word that decides can be in both texts, and does not end with punctuation.
my $both = q{SELECT 1, NULL, 'The sun and the moon and the old, old stars', 2, NULL, 'The old, OLD sun and the old moon and the old, old stars' UNION ALL
	SELECT 3, NULL, 'The sun and the old moon and the old, old stars', 4, NULL, 'The old sun and the old moon and the old, old stars'};
is(join('; ', map { s/.*\x{b7} //r } texts(page('postgres', $both), qr/<p class="meta">(.*?)<\/p>/)),
	'first difference: "old", 3 times more often; first difference: "old"', 'a word that decides is in both texts');

# The command at the head of the file
my ($usage) = $sql =~ /^--   psql -XAtq -v pairs="(.*?)" -f review\.sql/ms;
$node->safe_psql('postgres', 'ALTER TABLE docs ADD title text; UPDATE docs SET title = name');
is(() = page('postgres', $usage =~ s/^--//mgr) =~ /<span class="other"/g, 8, 'the command at the head of the file');

# No pairs, and values that are NULL
is_well_formed(page('postgres', "$pairs WHERE false"), 'no pairs');
$few = page('postgres', q{SELECT 1, NULL, NULL, 2, '', 'a text' UNION ALL SELECT NULL, NULL, 'a text', NULL, NULL, NULL});
is_well_formed($few, 'NULL');
is(join(', ', sort(texts($few, qr/<h3[^<>]*>(.*?)<\/h3>/))), "- \x{2192} -, 2 \x{2192} 1", 'a name that is NULL is shown as its id');

# Many places and many changes
$few = page('postgres', q{SELECT 1, 'b', string_agg('word' || n || CASE n % 30 WHEN 0 THEN ' new' || n ELSE '' END, ' '),
	2, 'a', string_agg('word' || n, ' ') FROM generate_series(1, 3000) n});
is_well_formed($few, 'many places');
like($few, qr/<summary>100 changes: words<\/summary>/, 'the number of changes');
like($few, qr/<details><summary>18 more<\/summary>/, 'the first six places are open');
like($few, qr/<p>76 more are not shown\.<\/p>/, 'the page ends after 24 places');

# A change that comes again has one place
my $again = "string_agg('%s ' || (SELECT string_agg('word' || n || 'of' || m, ' ') FROM generate_series(1, 40) m), ' ')";
$few = page('postgres', "SELECT 1, 'b', " . $again =~ s/%s/dog/r . ", 2, 'a', " . $again =~ s/%s/cat/r . " FROM generate_series(1, 9) n");
is(() = $few =~ /<del>cat<\/del> <ins>dog<\/ins>/g, 1, 'a change that comes again has one place');
is(join('', texts($few, qr/<ul class="again">(.*?)<\/ul>/)), 'cat becomes dog, 9 times', 'and a line');

# Hostile names and texts.  Each is in the original alone, in the other alone, in both, and in all names.
my @hostile = (
	'<script>document.title = "run"</script>', '<img src="x" onerror="document.title=1">', '"><svg onload=\'document.title=1\'>',
	"' onmouseover='document.title=1' x='", '</style></title></p></del></article><b>', '<!-- --> ]]> <![CDATA[ <?php ?>',
	'&lt;b&gt; &amp;amp; &#60;script&#62; &notanentity', 'javascript:document.title=1//http://example.com/x.js',
	':pairs :\'control\' \\1 \\& $1 %s %1$s $html$', "\x{202e}desrever\x{2066}\x{ff0e}\x{ffff}\x{1fffe}\x{10ffff}", join('', map { chr } 1 .. 31, 127 .. 159));
my $values = join(', ', map { "(convert_from('\\x" . unpack('H*', encode('UTF-8', $_)) . "', 'UTF8'))" } @hostile);
my $texts = "(VALUES $values) AS v (t)";
my $all = "SELECT t, t, 'Begin ' || t || ' end', t, t, 'Begin end' FROM $texts
	UNION ALL SELECT t, t, 'Begin end', t, t, 'Begin ' || t || ' end' FROM $texts
	UNION ALL SELECT t, t, 'Begin ' || t || ' old end', t, t, 'Begin ' || t || ' new end' FROM $texts
	UNION ALL SELECT t, t, t, t, t, t FROM $texts
	UNION ALL SELECT t, t, repeat(t || ' word ', 300), t, t, repeat('word ', 300) FROM $texts";
my $hostile = page('postgres', $all);
is_well_formed($hostile, 'hostile texts');
unlike($hostile, qr/[\x00-\x09\x0b-\x1f\x7f-\x9f\x{202a}-\x{202e}\x{2066}-\x{2069}\x{ffff}\x{1fffe}\x{10ffff}]/, 'no characters that control');
my %shown = map { $_ => 1 } texts($hostile, qr/<span class="other"[^<>]*>(.*?)<\/span>/);
for my $text (@hostile)
{
	my $name = $text =~ s/\s+/ /gr =~ s/[\x00-\x1f\x7f-\x9f\x{202a}-\x{202e}\x{2066}-\x{2069}\x{ffff}\x{1fffe}\x{10ffff}]/\x{fffd}/gr;

	ok($shown{$name}, 'a name is shown as it is: ' . encode('UTF-8', substr($name, 0, 30)));
	ok(text_of($hostile) =~ /Begin \Q$name\E new old/, 'and a text') if $name !~ /\x{fffd}\x{fffd}/;
}

# Another encoding of the server and of the client, and texts whose collation knows no patterns
$node->safe_psql('postgres', q{CREATE DATABASE latin1 TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'});
$node->safe_psql('latin1', $docs);
$node->safe_psql('latin1', q{UPDATE docs SET name = U&'caf\00E9 <b>', body = replace(body, 'storm', U&'\00D8stenwind') WHERE id > 3});
{
	local $ENV{PGCLIENTENCODING} = 'LATIN1';
	my $latin1 = page('latin1', $pairs);
	is_well_formed($latin1, 'LATIN1');
	like(text_of($latin1), qr/caf\x{e9} <b>.*because the storm \x{d8}stenwind has/, 'LATIN1');
}
SKIP:
{
	skip 'no ICU', 3 if $node->psql('postgres', q{CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)});
	$node->safe_psql('postgres', 'ALTER TABLE docs ALTER name TYPE text COLLATE any_case, ALTER body TYPE text COLLATE any_case');
	is(page('postgres', $pairs), $html, 'a collation that is not deterministic');
}

# A browser, which the policy of the page does not protect
SKIP:
{
	my ($chromium) = grep { -x } map { my $folder = $_; map { "$folder/$_" } qw(chromium chromium-browser google-chrome) } split(/:/, $ENV{PATH});
	my $folder = PostgreSQL::Test::Utils::tempdir;
	my ($dom, $err);

	skip 'no chromium', 3 unless $chromium;
	$hostile =~ s/<meta http-equiv="Content-Security-Policy"[^<>]*>// or die;
	open my $file, '>:utf8', "$folder/review.html" or die;
	print $file $hostile;
	close $file;
	local $ENV{HOME} = "$folder";
	skip 'chromium does not run', 3
	  unless eval {
		IPC::Run::run([ $chromium, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', "--user-data-dir=$folder/profile",
				'--dump-dom', "file://$folder/review.html" ], '<', \undef, '>', \$dom, '2>', \$err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	  };
	$dom = decode('UTF-8', $dom);
	like($dom, qr/<title>Near-duplicates<\/title>/, 'no script ran');
	unlike($dom, qr/<(?:script|img|svg|a|b|link|iframe)\b/, 'no element of a text');
	is(() = $dom =~ /<del>|<ins>/g, () = $hostile =~ /<del>|<ins>/g, 'the elements are those of the page');
}

$node->stop;
done_testing();
