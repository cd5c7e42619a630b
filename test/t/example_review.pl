# examples/review.html and review.sql: the pairs of the page, and what a browser makes of them

use Digest::SHA qw(sha256_base64);
use Encode qw(decode encode);
use JSON::PP;
use List::Util qw(sum0);
use SimhashPage;
use SimhashTest;

my $node = start_node('review');
my $sql = slurp_file('examples/review.sql');
my $frame = decode('UTF-8', slurp_file('examples/review.html'));
my $pairs = 'SELECT d.id, d.name, d.body, o.id, o.name, o.body FROM docs d JOIN docs o ON o.id = d.duplicate_of';
my @classes = qw(name sibling signs words number punctuation copy);
my $folder = PostgreSQL::Test::Utils::tempdir;

# The JSON of the pairs of a database, in characters
sub lines
{
	my ($database, $query, @params) = @_;
	my ($lines, $err);

	is($node->psql($database, $sql, stdout => \$lines, stderr => \$err, extra_params => [ '-v', "pairs=$query", @params ]),
		0, 'examples/review.sql runs') or diag($err);
	unlike($lines, qr/</, 'no text can end the element of the pairs');
	return decode('UTF-8', $lines, Encode::FB_CROAK) . "\n";
}

sub data { return JSON::PP->new->decode(lines(@_)) }

# The pairs of a class
sub of_class
{
	my ($data, $class) = @_;
	return grep { $_->{class} eq $class } @{ $data->{shown} };
}

# "CLASS ID ID; CLASS ID": the ids of the marked rows
sub sections
{
	my ($data) = @_;
	return join('; ', map { my $class = $_; my @found = of_class($data, $class); @found ? join(' ', $class, map { $_->{other}{id} } @found) : () } @classes);
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
my $data = data('postgres', $pairs);
is(sections($data), 'sibling 10 9; signs 6; words 7 4; number 5; punctuation 3; copy 2', 'the least certain come first in each class');
is_deeply($data->{pairs}, { sibling => 2, signs => 1, number => 1, words => 2, punctuation => 1, copy => 1 }, 'the number of pairs of each class');
is(join('; ', map { join(' ', $_->{other}{id}, $_->{first_change}, defined $_->{word} ? ($_->{word}, $_->{in_original} ? 'original' : 'other', $_->{only_there} ? 'only' : 'both') : '-') }
		map { of_class($data, $_) } @classes),
	'10 100 who other only; 9 6 MD5SUM original only; 6 0 -; 7 1 closed original only; 4 1 north original only; 5 1 500 original only; 3 0 -; 2 0 -',
	'the word that decides, and where it is');
my ($long) = of_class($data, 'sibling');
is_deeply($long->{changes}[0]{b}, [ substr('(who is known to all) ' x 100, 0, 160), 2199 - 240, substr(' (who is known to all)' x 100, -80) ], 'a long change has a beginning and an end');
my ($word) = grep { $_->{other}{id} == 4 } of_class($data, 'words');
is_deeply($word->{changes}, [ { kind => 'replace', times => 1, before => 'The harbour master has closed the ', a => 'north', b => 'south', spaces => 0 } ], 'a change, and the text before it');
is($word->{after}, ' pier, because the storm has damaged 500 stones of it.', 'and behind it');

my $few = data('postgres', $pairs, '-v', 'limit=1');
is(sections($few), 'sibling 10; signs 6; words 7; number 5; punctuation 3; copy 2', 'a limit');
is_deeply($few->{pairs}, $data->{pairs}, 'does not change the numbers');

# Other names come first.  They have no section if no two names are equal.
my $without = 'sibling 10 9; signs 6; words 7 4; number 5; punctuation 3; copy 2';
my $named = sub { my ($name, $original) = @_; sections(data('postgres', $pairs =~ s/d\.name/$name/r =~ s/o\.name/$original/r)) };
my $title = q{CASE WHEN d.id IN (2, 3, 7, 9) THEN 'Tide ' || d.id WHEN d.id <> 4 THEN ' THE  pier' END};
is($named->($title, q{'The pier'}), 'name 9 7 3; sibling 10; signs 6; words 4; number 5; copy 2', 'other names first, and copies last');
is($named->('NULL', 'NULL'), $without, 'no names');
is($named->('d.id', 'o.id'), $without, 'names that are ids');
is($named->(q{nullif('The pier', d.name)}, q{nullif('', o.name)}), $without, 'a name of one of the two');
my $times = q{SELECT 1, NULL, 'The harbour is full of new and very large ships today', 2, NULL, 'The harbour is full today' UNION ALL
	SELECT 3, NULL, 'The old sun, if it is up, or it was up, goes on', 4, NULL, 'The sun, if he is up, or he was up, goes on'};
is(sections(data('postgres', $times)), 'words 3 1', 'a change that comes again, before more characters');

# A word that decides can be in both texts, and does not end with punctuation.
my $both = q{SELECT 1, NULL, 'The sun and the moon and the old, old stars', 2, NULL, 'The old, OLD sun and the old moon and the old, old stars' UNION ALL
	SELECT 3, NULL, 'The sun and the old moon and the old, old stars', 4, NULL, 'The old sun and the old moon and the old, old stars'};
is(join('; ', map { join(' ', $_->{word}, $_->{first_change}, $_->{only_there} ? 'only' : 'both') } @{ data('postgres', $both)->{shown} }), 'old 3 both; old 1 both', 'a word that decides is in both texts');

is(join('; ', map { $_->{word} } @{ data('postgres', q{SELECT 1, NULL, 'him at the pier', 2, NULL, 'him, "Peter", at the pier'})->{shown} }), 'Peter', 'punctuation is not a word');

# A server whose strings have backslashes
{
	local $ENV{PGOPTIONS} = '-c standard_conforming_strings=off';
	is_deeply(data('postgres', $pairs), $data, 'strings with backslashes');
}

# The command at the head of the file
my ($usage) = $sql =~ /^--   psql -XAtq -v pairs="(.*?)" -f review\.sql/ms;
$node->safe_psql('postgres', 'ALTER TABLE docs ADD title text; UPDATE docs SET title = name');
is(@{ data('postgres', $usage =~ s/^--//mgr)->{shown} }, 8, 'the command at the head of the file');

# No pairs, and values that are NULL
is_deeply(data('postgres', "$pairs WHERE false"), { pairs => {}, shown => [] }, 'no pairs');
my $nulls = q{SELECT 1, NULL, NULL, 2, '', 'a text' UNION ALL SELECT NULL, NULL, 'a text', NULL, NULL, NULL};
is(@{ data('postgres', $nulls)->{shown} }, 2, 'NULL');

# Many changes: 200 of a pair
my $many = q{SELECT 1, 'b', string_agg('word' || n || CASE n % 10 WHEN 0 THEN ' new' || n ELSE '' END, ' '),
	2, 'a', string_agg('word' || n, ' ') FROM generate_series(1, 3000) n};
my ($most) = @{ data('postgres', $many)->{shown} };
is(@{ $most->{changes} } . " $most->{more} $most->{counts}{words}", '200 100 300', 'many changes');
is_deeply([ map { ref } $most->{changes}[1]{before}, $most->{after} ], [ '', '' ], 'the text behind the last one ends at the next');

# Hostile names and texts.  Each is in the original alone, in the other alone, in both, and in all names.
my @hostile = (
	'<script>document.title = "run"</script>', '</script><script>document.title = "run"</script>', '<!--<script>', '<!-- </script> -->', '</SCRIPT\t>',
	'<img src="x" onerror="document.title=1">', '"><svg onload=\'document.title=1\'>', '<svg><script>document.title=1</script></svg>', '<math><mtext><img src=x onerror=document.title=1>',
	"' onmouseover='document.title=1' x='", '</style></title></p></del></article><b>', '<!-- --> ]]> <![CDATA[ <?php ?>', '<iframe srcdoc="<script>parent.document.title=1</script>">',
	'&lt;b&gt; &amp;amp; &#60;script&#62; &notanentity', 'javascript:document.title=1//http://example.com/x.js', '<a href="javascript:document.title=1">x</a>', '<base href="http://example.com/">',
	'<link rel=stylesheet href=http://example.com/x.css>', '<meta http-equiv=refresh content=0;url=http://example.com>', '<form action=http://example.com><input name=a>', '<object data=x>', '<template><script>',
	'"}]}; document.title = 1; //', '\\u003cscript\\u003e', '\\\\" , "class": "copy', "\x{2028}document.title=1\x{2029}", '__proto__', 'constructor', 'toString', '${document.title=1}', '`${document.title=1}`',
	':pairs :\'control\' \\1 \\& $1 %s %1$s $html$', '{{constructor.constructor("document.title=1")()}}',
	"\x{202e}desrever\x{2066}\x{ff0e}\x{ffff}\x{1fffe}\x{10ffff}", join('', map { chr } 1 .. 31, 127 .. 159), "\x{feff}<script>", '<' x 300);
my $values = join(', ', map { "(convert_from('\\x" . unpack('H*', encode('UTF-8', $_)) . "', 'UTF8'))" } @hostile);
my $texts = "(VALUES $values) AS v (t)";
my $all = "SELECT t, t, 'Begin ' || t || ' end', t, t, 'Begin end' FROM $texts
	UNION ALL SELECT t, t, 'Begin end', t, t, 'Begin ' || t || ' end' FROM $texts
	UNION ALL SELECT t, t, 'Begin ' || t || ' old end', t, t, 'Begin ' || t || ' new end' FROM $texts
	UNION ALL SELECT t, t, t, t, t, t FROM $texts
	UNION ALL SELECT t, t, repeat(t || ' word ', 300), t, t, repeat('word ', 300) FROM $texts";
my $hostile = lines('postgres', $all, '-v', 'limit=1000');
my %names = map { $_->{other}{name} => 1 } @{ JSON::PP->new->decode($hostile)->{shown} };
ok($names{ decode('UTF-8', encode('UTF-8', $_)) }, 'a name is as it was: ' . encode('UTF-8', substr($_, 0, 30) =~ s/[\x00-\x1f]/?/gr)) for @hostile;

# Another encoding of the server and of the client, and texts whose collation knows no patterns
$node->safe_psql('postgres', q{CREATE DATABASE latin1 TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'});
$node->safe_psql('latin1', $docs);
$node->safe_psql('latin1', q{UPDATE docs SET name = U&'caf\00E9 <b>', body = replace(body, 'storm', U&'\00D8stenwind') WHERE id > 3});
{
	local $ENV{PGCLIENTENCODING} = 'LATIN1';
	my $latin1 = data('latin1', $pairs);
	ok((grep { $_->{other}{name} eq "caf\x{e9} <b>" } @{ $latin1->{shown} }), 'LATIN1: a name');
	ok((grep { grep { !ref $_->{b} && $_->{b} =~ /\x{d8}stenwind/ } @{ $_->{changes} } } @{ $latin1->{shown} }), 'LATIN1: a text');
}
SKIP:
{
	skip 'no ICU', 3 if $node->psql('postgres', q{CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)});
	$node->safe_psql('postgres', 'ALTER TABLE docs ALTER name TYPE text COLLATE any_case, ALTER body TYPE text COLLATE any_case');
	is_deeply(data('postgres', $pairs), $data, 'a collation that is not deterministic');
}

# The page itself: its script is the one that its policy allows, and makes text nodes and nothing else of texts.
my ($script) = $frame =~ /<script>(.*?)<\/script>/s;
my $hash = sha256_base64(encode('UTF-8', $script));
$hash .= '=' while length($hash) % 4;
like($frame, qr/content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\Q$hash\E'; base-uri 'none'; form-action 'none'"/, 'the policy allows the script');
unlike($script, qr/innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(|setAttribute|\.on[a-z]+ =|import|fetch|XMLHttp|http|src\b|href/, 'no text becomes HTML or a program, and nothing is loaded');
unlike($frame =~ s/<script>.*?<\/script>//sr, qr/https?:|url\(|\@import|\son[a-z]+=/, 'nor by the rest of the page');
is(() = $frame =~ /<script\b/g, 2, 'one script, and the pairs');

# A browser.  $test is a script that runs at the end.
my ($chromium) = grep { -x } map { my $place = $_; map { "$place/$_" } qw(chromium chromium-browser google-chrome) } split(/:/, $ENV{PATH});
local $ENV{HOME} = $folder;
sub dom
{
	my ($lines, $test) = @_;
	my ($dom, $err);
	my $page = $frame . $lines;

	# without its policy, which would protect the page
	$page =~ s/<meta http-equiv="Content-Security-Policy"[^<>]*>// or die if defined $test;
	$page .= "</script><script>document.addEventListener('DOMContentLoaded', () => { $test });</script>" if defined $test;
	open my $file, '>:utf8', "$folder/review.html" or die;
	print $file $page;
	close $file;
	return unless eval {
		IPC::Run::run([ $chromium, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', "--user-data-dir=$folder/profile",
				'--dump-dom', "file://$folder/review.html" ], '<', \undef, '>', \$dom, '2>', \$err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	};
	return decode('UTF-8', $dom) =~ s/<script\b.*?<\/script>//gsr;
}

# The text of elements of this pattern
sub texts
{
	my ($html, $pattern) = @_;
	return map { s/<[^<>]*>//gr =~ s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&amp;/&/gr } $html =~ /$pattern/gs;
}

SKIP:
{
	skip 'no chromium', 1 unless $chromium;
	$node->safe_psql('postgres', 'ALTER TABLE docs ALTER name TYPE text COLLATE "C", ALTER body TYPE text COLLATE "C"');
	my $html = dom(lines('postgres', $pairs));
	skip 'chromium does not run', 1 unless defined $html;
	is(join(', ', texts($html, qr/<span class="other"[^<>]*>(.*?)<\/span>/)),
		'a long stretch, sha512sum, signs, revision of more, revision of a word, number, punctuation, copy', 'the least certain come first');
	like($html, qr/<p id="summary">8 pairs, each with its original first\./, 'the number of pairs');
	is(join('; ', texts($html, qr/<ul class="again">(.*?)<\/ul>/)), 'MD5SUM becomes SHA512SUM, 6 times', 'a change that comes again is one line');
	is(join('; ', map { /other \d+(?: \x{b7} (.*))?/ ? $1 // '-' : die } texts($html, qr/<p class="meta">(.*?)<\/p>/)),
		'only in the other: "who", 100 times; only in the original: "MD5SUM", 6 times; -; only in the original: "closed"; '
		  . 'only in the original: "north"; only in the original: "500"; -; -',
		'the word that decides is named, and where it is');
	my ($sibling) = $html =~ /<section class="sibling">(.*?)<\/section>/s;
	like($sibling, qr/<details><summary>6 changes: words<\/summary>/, 'a sibling is folded');
	like($html, qr/<section class="signs">.*?<details open="">.*has damaged <ins>-<\/ins>500 stones/s, 'other pairs are open, with the words around a change');
	like($html, qr/closed the <del>north<\/del> <ins>south<\/ins> pier/, 'what is only in one text is an element of its own');
	like($html, qr/The harbour master <ins>\(who is.*\x{2026} 1,9\d\d characters \x{2026}.*\)<\/ins> has closed/, 'a long stretch is abbreviated');
	like($html, qr/<label><input type="checkbox" id="show-words"[^<>]*> Revisions 2<\/label>/, 'a box for each class');

	$html = dom(lines('postgres', $pairs, '-v', 'limit=1'));
	like($html, qr/<p id="summary">8 pairs, .* 6 of 8 shown\.<\/p>/, 'a limit');
	like($html, qr/perhaps another document of the same template\. 1 of 2 shown\.<\/p>/, 'of a class');
	$html = dom(lines('postgres', $many));
	like($html, qr/<summary>300 changes: words<\/summary>/, 'the number of changes');
	$html = dom(lines('postgres', q{SELECT 1, 'b', string_agg('word' || n || CASE n % 30 WHEN 0 THEN ' new' || n ELSE '' END, ' '),
		2, 'a', string_agg('word' || n, ' ') FROM generate_series(1, 3000) n}));
	like($html, qr/<details><summary>18 more<\/summary>/, 'the first six places are open');
	like($html, qr/<p>76 more changes not shown\.<\/p>/, 'the page shows 24 places');
	my $again = "string_agg('%s ' || (SELECT string_agg('word' || n || 'of' || m, ' ') FROM generate_series(1, 40) m), ' ')";
	$html = dom(lines('postgres', "SELECT 1, 'b', " . $again =~ s/%s/dog/r . ", 2, 'a', " . $again =~ s/%s/cat/r . " FROM generate_series(1, 9) n"));
	is(() = $html =~ /<del>cat<\/del> <ins>dog<\/ins>/g, 1, 'a change that comes again has one place');
	is(join('', texts($html, qr/<ul class="again">(.*?)<\/ul>/)), 'cat becomes dog, 9 times', 'and a line');
	$html = dom(lines('postgres', q{SELECT 1, NULL, 'up and down the hill.', 2, NULL, 'up and, then, down the old hill.'}));
	like($html, qr/up and<del>, then,<\/del> down the <del>old<\/del> hill\./, 'what was deleted has its whitespace around it');
	like(dom(lines('postgres', $nulls)), qr/<span class="original" dir="auto">-<\/span>.*<span class="other" dir="auto">1<\/span>|<span class="other" dir="auto">1<\/span>.*<span class="original" dir="auto">-<\/span>/s, 'a name that is NULL is shown as its id');
	like(dom(substr(lines('postgres', $pairs), 0, -40)), qr/<p id="summary">This page is incomplete: /, 'an incomplete page says so');

	# Filters
	$html = dom(lines('postgres', $pairs), q{const box = document.getElementById('show-words'); box.click();
		const search = document.querySelector('input[type=search]'); search.value = 'SHA512'; search.dispatchEvent(new Event('input', {bubbles: true}));});
	like($html, qr/<section class="words" hidden="">/, 'a box hides a class');
	like($html, qr/<section class="number" hidden="">/, 'and a search those without a pair');
	is(join(', ', map { /class="other"[^<>]*>(.*?)</ } grep { !/\A<[a-z]+ hidden/ } $html =~ /(<(?:article|li)\b[^<>]*><(?:h3|p) class="names">.*?<\/span><\/(?:h3|p)>)/gs), 'sha512sum', 'a search hides other pairs');

	# Hostile texts, without the policy
	$html = dom($hostile, q{document.body.dataset.title = document.title;});
	like($html, qr/<title>Near-duplicates<\/title>.*<body data-title="Near-duplicates">/s, 'no script ran');
	my %elements = map { $_ => 1 } $html =~ /<([a-z0-9]+)\b/g;
	is(join(' ', sort keys %elements), 'article body del details fieldset h1 h2 h3 head header html input ins label legend li main meta noscript p section span style summary title ul', 'no element of a text');
	unlike($html =~ s/<style>.*?<\/style>//sr, qr/[\x00-\x09\x0b-\x1f\x7f-\x9f\x{202a}-\x{202e}\x{2066}-\x{2069}\x{ffff}\x{1fffe}\x{10ffff}]/, 'no characters that control');
	my %shown = map { $_ => 1 } texts($html, qr/<span class="other"[^<>]*>(.*?)<\/span>/);
	for my $text (@hostile)
	{
		my $name = $text =~ s/[ \t-\r]+/ /gr =~ s/[\x00-\x1f\x7f-\x9f\x{202a}-\x{202e}\x{2066}-\x{2069}\x{ffff}\x{1fffe}\x{10ffff}]/\x{fffd}/gr;

		ok($shown{$name} || $shown{ $name =~ s/\x{a0}/&nbsp;/gr }, 'a name is shown as it is: ' . encode('UTF-8', substr($name, 0, 30)));
	}

	# Two mutations of the page, each of which the tests above would find
	my $safe = $frame;
	$frame =~ s/document\.createTextNode\(visible\(child\)\)/(() => { const t = document.createElement('template'); t.innerHTML = child; return t.content; })()/ or die;
	$html = dom($hostile, q{});
	# which can lead to another page
	ok($html =~ /<(?:img|svg|iframe|b|a|base|link|form)\b/ || $html !~ /<title>Near-duplicates</, 'HTML of texts would show');
	$frame = $safe;
	(my $open = $hostile) =~ s/\\u003c/</g;
	like(dom($open, q{}) =~ s/.*<p id="summary">//sr, qr/This page is incomplete|<(?:img|svg|iframe|b|a)\b/, 'and so would "<" in the JSON');
}

$node->stop;
done_testing();
