# The library and the command of client/ give the values of the SQL functions, for texts of all
# kinds and all options.  SIMHASH_SOAK=n compares n times as many texts.

use Cwd;
use Encode;
use File::Path qw(make_path);
use JSON::PP;
use List::Util qw(max);
use SimhashPage;
use SimhashTest;

# make exports the variables of its command line
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES TAP_TESTS PROVE_TESTS REGRESS ISOLATION)};
my $folder = PostgreSQL::Test::Utils::tempdir();
my $json = JSON::PP->new->utf8;
my $canonical = JSON::PP->new->utf8->canonical;

# ---------- build ----------

my ($output, $status) = ('');
my @make = ('make', '-j2', "BUILD=$folder/build", "DESTDIR=$folder/installed", 'PREFIX=/usr');
$status = IPC::Run::run([ @make, 'PG_CONFIG=none', '-s', 'lib', 'install-lib' ], '>', \$output, '2>&1');
plan skip_all => 'the command is not built: it needs simdjson 3 or newer, and libcsv'
  if $status && !-e "$folder/installed/usr/bin/pgsimhash";
ok($status, 'the library is built and installed without PostgreSQL') or BAIL_OUT($output);
# Without the libraries of the command, as with a compiler that finds none
for my $target ('lib', 'install-lib')
{
	my $done = IPC::Run::run([ 'make', '-s', "BUILD=$folder/build", "DESTDIR=$folder/library", 'PREFIX=/usr', 'PG_CONFIG=none', 'CXX=false', $target ], '>', \$output, '2>&1');
	ok($done, "make $target without simdjson");
	like($output, qr/The command pgsimhash is not @{[ $target eq 'lib' ? 'built' : 'installed' ]}: it needs simdjson .*\n\z/, 'says at the end that there is no command');
}
ok(-e "$folder/library/usr/lib/libpgsimhash.a" && !-e "$folder/library/usr/bin/pgsimhash", 'the library alone is installed');
ok(!IPC::Run::run([ 'make', '-s', '-C', 'client', "BUILD=$folder/build", 'CXX=false', 'command' ], '>', \$output, '2>&1'), 'make command without simdjson fails');
like($output, qr/The command pgsimhash is not built: it needs simdjson/, 'and says why');
my $installed = "$folder/installed/usr";
my $pgsimhash = "$installed/bin/pgsimhash";

{
	local $ENV{PKG_CONFIG_PATH} = "$installed/lib/pkgconfig";
	local $ENV{PKG_CONFIG_SYSROOT_DIR} = "$folder/installed";
	my $cc = $ENV{CC} || 'cc';
	my $flags = `pkg-config --cflags --libs pgsimhash`;
	chomp $flags;
	is(system("$cc -std=gnu11 -Iclient -o $folder/values test/client/values.c -L$installed/lib $flags"),
		0, 'a program is linked with pkg-config');
}
$ENV{LD_LIBRARY_PATH} = "$installed/lib";
like(`readelf -d $folder/values`, qr/NEEDED.*\[libpgsimhash\.so\.1\]/, 'soname');
is((join ' ', grep { !/^pgsimhash_/ } map { (split)[-1] } split /\n/, `nm -D --defined-only $installed/lib/libpgsimhash.so`),
	'', 'no other symbols are visible');
is((join ' ', grep { !/^pgsimhash_/ } map { /^\S+ [A-TV-Z] (\S+)/ } split /\n/, `nm $installed/lib/libpgsimhash.a`),
	'', 'nor in the archive');
like(`man -l client/pgsimhash.1 2>/dev/null || cat client/pgsimhash.1`, qr/pgsimhash/, 'manual page');

# ---------- texts ----------

seed_random();
my $n_texts = rounds(20_000);

sub pick { return $_[ rand @_ ] }

my @ranges = ([ 0x20, 0x7e ], [ 0xa0, 0x24f ], [ 0x300, 0x36f ], [ 0x370, 0x5ff ], [ 0x600, 0x6ff ],
	[ 0x900, 0xdff ], [ 0xe00, 0xeff ], [ 0x1000, 0x109f ], [ 0x1100, 0x11ff ], [ 0x1f00, 0x1fff ],
	[ 0x2000, 0x206f ], [ 0x3000, 0x30ff ], [ 0x4e00, 0x9fff ], [ 0xac00, 0xd7a3 ], [ 0xe000, 0xffff ],
	[ 0x10000, 0x1ffff ], [ 0x20000, 0x2ffff ], [ 0x30000, 0x10ffff ], [ 1, 0x1f ]);
my @words = map { join '', map { chr(97 + rand 26) } 1 .. 1 + rand 9 } 1 .. 300;
my @marks = map { chr } 0x300, 0x301, 0x308, 0x323, 0x345, 0x3099, 0x200d, 0xfe0f, 0xad;

sub some_char
{
	my ($low, $high) = @{ pick(@_) };
	return chr($low + int rand($high - $low + 1));
}

# Characters of a text, in one of several kinds
sub random_text
{
	my $kind = int rand 9;
	my $length = rand() < .002 ? 20_000 : rand() < .1 ? 500 : 30;
	return '' if rand() < .01;
	return join ' ', map { pick(@words) } 1 .. 1 + rand $length if $kind < 3;
	return join '', map { some_char([ 0x4e00, 0x9fff ]) } 1 .. 1 + rand $length if $kind == 3;
	my @few = map { pick(@ranges) } 1 .. 1 + rand 3;
	return join '', map { rand() < .1 ? pick(@marks) : rand() < .2 ? ' ' : some_char(@few) } 1 .. 1 + rand $length
	  if $kind < 6;
	return join '', map { rand() < .5 ? pick(@words) : some_char(@ranges) } 1 .. 1 + rand $length / 3 if $kind == 6;
	return join pick(' ', "\n", "\r\n", "\t", '. '), map { ucfirst pick(@words) } 1 .. 1 + rand $length if $kind == 7;
	return pick(' ', "\n", '...', '"', '\\', "\\N\t", "a\tb\\c\"d\",\n", "\x{feff}x");
}

# A text that has parts of another
sub changed
{
	my ($text) = @_;
	return random_text() if rand() < .3;
	my $at = int rand(1 + length $text);
	return substr($text, $at) . pick(@words) . substr($text, 0, $at);
}

# Bytes that are perhaps not UTF-8
sub damaged
{
	my ($bytes) = @_;
	substr($bytes, int rand length $bytes, 1) = chr(128 + int rand 128) if length $bytes;
	return $bytes;
}

my $node = start_node('client');
my ($choices, @bits) = (216, map { $_ * 64 } 1 .. 16);
my (@texts, @lines);
for my $id (1 .. $n_texts)
{
	my $a = random_text();
	my $b = encode('UTF-8', changed($a));
	$a = encode('UTF-8', $a);
	push @texts, $a;
	$a = damaged($a) if rand() < .1;
	push @lines, join "\t", $id, unpack('H*', $a), unpack('H*', $b), int rand $choices, rand() < .5 ? 64 : pick(@bits);
}
append_to_file("$folder/lines", join "\n", @lines, '');
append_to_file("$folder/jsonl", join '', map { $json->encode({ id => $_, body => decode('UTF-8', $texts[ $_ - 1 ]) }) . "\n" } 1 .. $n_texts);

# ---------- library ----------

is(system("$folder/values < $folder/lines > $folder/values.out"), 0, 'the library computes all values');
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION simhash;
CREATE TABLE lines (id int, a text, b text, choice int, bits int);
CREATE TABLE lib (id int PRIMARY KEY, s text, m text, blocks bigint[], resemblance float8, containment float8, keys bigint[], passages text,
  first_change bigint, same boolean, changes text);
\\copy lines FROM '$folder/lines'
\\copy lib FROM '$folder/values.out'
CREATE TABLE texts (id int, body text);
CREATE FUNCTION text_or_null(hex text) RETURNS text LANGUAGE plpgsql AS 'BEGIN
  RETURN convert_from(decode(hex, ''hex''), ''UTF8'');
EXCEPTION WHEN character_not_in_repertoire THEN RETURN NULL; END';
CREATE TABLE given AS SELECT id, text_or_null(a) AS a, text_or_null(b) AS b, choice, bits,
  (ARRAY['words and pairs', 'words', 'characters'])[choice % 3 + 1]::name AS features,
  CASE WHEN choice % 3 > 0 THEN NULLIF(choice / 3 % 6, 0) END AS n,
  (ARRAY['once', 'frequency', 'logarithm'])[choice / 18 % 3 + 1] AS weight,
  choice / 54 % 2 = 0 AS fold, choice / 108 % 2 = 0 AS normalization FROM lines;
CREATE FUNCTION bits_of(text, int) RETURNS bit LANGUAGE sql AS 'SELECT CASE WHEN \$1 LIKE ''x%'' THEN bit_from_hex(substr(\$1, 2)) END';
SQL

# Rows of which a value differs
sub same
{
	my ($name, $value, $sql) = @_;
	is($node->safe_psql('postgres', "SELECT g.id, g.choice, g.bits FROM given g JOIN lib l USING (id)
		WHERE g.a IS NOT NULL AND $value IS DISTINCT FROM $sql LIMIT 3"), '', "library: $name");
}
my $options = 'n => g.n, fold => g.fold, normalization => g.normalization';
my $forms = 'fold => g.fold, normalization => g.normalization';
is($node->safe_psql('postgres', 'SELECT count(*) FROM given g JOIN lib l USING (id) WHERE (g.a IS NULL) <> (l.m IS NOT DISTINCT FROM $$-2$$)'),
	0, 'library: UTF-8 is what SQL takes for it');
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM given WHERE a IS NULL'), '>', $n_texts / 50, 'many texts are not UTF-8');
same('simhash_bits', 'bits_of(l.s, g.bits)', "simhash_bits(g.a, g.bits, g.features, weight => g.weight, $options)");
same('minhash_bits', 'bits_of(l.m, g.bits)', "minhash_bits(g.a, g.bits, g.features, $options)");
same('bit_blocks', 'l.blocks', 'bit_blocks(bits_of(l.m, g.bits), g.choice % 12)');
same('simhash_resemblance', 'l.resemblance', "simhash_resemblance(g.a, g.b, g.features, $options)");
same('simhash_containment', 'l.containment', "simhash_containment(g.a, g.b, 3, $forms)");
same('simhash_passage_keys', 'l.keys', "simhash_passage_keys(g.a, 10, 4, $forms)");
same('simhash_passages', 'l.passages', "(SELECT COALESCE(string_agg(concat_ws(',', a_start, a_length, b_start, b_length, words), ' ' ORDER BY o), '')
	FROM simhash_passages(g.a, g.b, 5, 3, $forms) WITH ORDINALITY AS p(a_start, a_length, b_start, b_length, words, o))");
same('simhash_first_change', 'l.first_change', 'simhash_first_change(g.a, g.b, g.choice % 2 = 1)');
same('simhash_same_document', 'l.same', 'simhash_same_document(g.a, g.b, g.choice % 2 = 1)');
same('simhash_changes', 'l.changes', "(SELECT COALESCE(string_agg(concat_ws(',', a_start, a_length, b_start, b_length,
	array_position('{insert,delete,replace,number,form,punctuation,signs}', kind) - 1, times), ' ' ORDER BY change), '')
	FROM simhash_changes(g.a, g.b, g.fold))");
cmp_ok($node->safe_psql('postgres', 'SELECT count(DISTINCT first_change) FROM lib'), '>', 4, 'many first changes');
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM lib WHERE passages <> $$$$'), '>', $n_texts / 20, 'many have passages');

# ---------- command ----------

# Run the command with a shell: output, errors and status.
sub command
{
	my ($line, $input) = @_;
	my ($out, $err) = ('', '');

	# IPC::Run dies if the command ends before it has read its input
	unlink "$folder/input";
	append_to_file("$folder/input", $input // '');
	IPC::Run::run([ 'sh', '-c', "cat $folder/input 2>/dev/null | $pgsimhash $line" ], '>', \$out, '2>', \$err);
	return ($out, $err, $? >> 8);
}

# Load the output of the command and compare it with SQL.
sub loads
{
	my ($name, $line, $type, $sql) = @_;
	my ($out, $err, $exit) = command("$line > $folder/out");
	is("$err$exit", 0, "command: $name");
	is($node->safe_psql('postgres', "CREATE TABLE out (id int8, value $type);
		\\copy out FROM '$folder/out'
		SELECT id FROM texts FULL JOIN out USING (id) WHERE value IS DISTINCT FROM $sql LIMIT 3"), '', "$name: values");
	$node->safe_psql('postgres', 'DROP TABLE out');
}

append_to_file("$folder/texts", join '', map { unpack('H*', $texts[ $_ - 1 ]) . "\n" } 1 .. $n_texts);
$node->safe_psql('postgres', "CREATE TABLE hex (id serial, body text);
	\\copy hex (body) FROM '$folder/texts'
	INSERT INTO texts SELECT id, convert_from(decode(body, 'hex'), 'UTF8') FROM hex;");
my $of_json = "--field body $folder/jsonl";
loads('minhash', "minhash $of_json", 'simhash', 'minhash(body)');
loads('simhash in four threads', "simhash --jobs 4 $of_json", 'simhash', 'simhash(body)');
loads('bits in one thread', "simhash --bits 192 --jobs 1 $of_json", 'bit(192)', 'simhash_bits(body, 192)');
loads('bits', "minhash --bits 128 $of_json", 'bit(128)', 'minhash_bits(body, 128)');
loads('bigint', "minhash --bigint $of_json", 'bigint', 'minhash(body)::bigint');
loads('options', "simhash --features characters --n 3 --weight logarithm --no-fold --no-normalization $of_json", 'simhash',
	q{simhash(body, features => 'characters', n => 3, weight => 'logarithm', fold => false, normalization => false)});

# as the manual has it
$node->safe_psql('postgres', 'CREATE TABLE docs (id bigint, fp simhash)');
my $psql = sprintf "psql -X -q -h %s -p %s -d postgres", $node->host, $node->port;
is(system(qq{$pgsimhash minhash --field body $folder/jsonl | $psql -c "\\copy docs (id, fp) from stdin"}), 0, 'a pipe to psql');
is($node->safe_psql('postgres', 'SELECT count(*) FROM docs JOIN texts USING (id) WHERE fp IS NOT DISTINCT FROM minhash(body)'), $n_texts, 'fills a table');

# CSV as PostgreSQL writes it, JSON, lines, files
$node->safe_psql('postgres', "\\copy (SELECT body, id FROM texts WHERE body <> '') TO '$folder/texts.csv' (FORMAT csv, HEADER)
	DELETE FROM texts WHERE body = ''");
loads('CSV', "minhash --field body $folder/texts.csv", 'simhash', 'minhash(body)');
my ($out) = command("minhash --format json $of_json");
my @from_json = map { $json->decode($_) } split /\n/, $out;
($out) = command("minhash $of_json");
is((join '', map { $_->{id} . "\t" . ($_->{fp} // '\N') . "\n" } @from_json), $out, 'JSON is what COPY gets');
my @lines_of = map { s/[\n\r]/ /gr } @texts[ 0 .. 499 ];
make_path("$folder/files/deep");
append_to_file(sprintf("$folder/files/%s%04d", $_ % 2 ? '' : 'deep/', $_), $lines_of[ $_ - 1 ]) for 1 .. 500;
my ($by_line) = command('minhash --lines', join("\n", @lines_of) . "\n");
my ($by_file) = command("minhash --jobs 3 $folder/files");
is((join '', sort map { s/^0*//r } map { s/^.*\///r . "\n" } split /\n/, $by_file),
	(join '', sort map { "$_\n" } split /\n/, $by_line), 'lines and files');

# Rows in any order
sub same_rows
{
	my ($name, $got, $sql) = @_;
	my %left = map { $_ => 1 } split /\n/, $got;
	my @rows = split /\n/, $node->safe_psql('postgres', $sql);
	is((join ' ', grep { !delete $left{$_} } @rows), '', "$name: " . @rows . ' rows of SQL');
	is((join ' ', (sort keys %left)[ 0 .. (%left ? 0 : -1) ]), '', "$name: no others");
}

# in little memory: temporary files, of which none is left
my $scratch = "$folder/scratch";
make_path($scratch);
append_to_file("$folder/rows", join '', map { my $n = $_ % 5 ? $_ : $_ % 1000; "word$n other$n third$n\n" } 1 .. 30_000);
for my $line ('dedupe --lines', 'dedupe --lines --remove near')
{
	my ($in_memory) = command("$line $folder/rows");
	local $ENV{TMPDIR} = $scratch;
	my ($on_disk, $err, $exit) = command("$line --memory 1 $folder/rows");
	cmp_ok(($in_memory =~ tr/\n//), '>', 300, "$line: lines");
	is($on_disk eq $in_memory, 1, "$line in 1 MB: the same");
	is($exit, 0, "$line in 1 MB: no error");
}
is((join ' ', glob "$scratch/*"), '', 'no temporary file is left');
is((command("dedupe --lines --memory 1 $folder/rows >&-"))[2], 3, 'the output is no temporary file');
{
	local $ENV{TMPDIR} = "$folder/none";
	my ($none, $err, $exit) = command("dedupe --lines --memory 1 $folder/rows");
	is("$none$err$exit", "pgsimhash: could not create a temporary file: No such file or directory\n3", 'no folder for temporary files');
	$ENV{TMPDIR} = '/x' x 3000;
	is((command("dedupe --lines --memory 1 $folder/rows"))[1], "pgsimhash: could not create a temporary file: File name too long\n", 'too long a path');
}

# changes of two files
sub changes_of
{
	my ($a, $b, $options, $pipe) = @_;
	for (['one', $a], ['two', $b])
	{
		unlink "$folder/$_->[0]";
		append_to_file("$folder/$_->[0]", $_->[1]);
	}
	my ($out, $err, $exit) = command('changes ' . ($options // '') . " $folder/one $folder/two");
	return "$out$err$exit";
}
is(changes_of("Pier 7 is\topen. Größe\n", "PIER 7 is open.\nGröße"), '0', 'no changes');
is(changes_of('Pier', 'pier', '--no-fold'), "1:1,1:1 form: [-Pier-] {+pier+}\nsame document: yes\n1", 'a change of case');
is(changes_of("NAME\n  md5sum - 10²\nÄÖ: md5sum 5 m\n", "NAME\n  sha512sum - 102\nÄÖ; a\nsha512sum 6 m, new\n"),
	"2:3,2:3 replace: [-md5sum - 10²-] {+sha512sum - 102+}\n3:3,3:3 punctuation: [-:-] {+;+}\n"
	  . "3:5,3:5 replace: [-md5sum 5-] {+a sha512sum 6+}\n3:15,4:14 insert: {+, new+}\nsame document: no (a number is replaced)\n1", 'changes');
is(changes_of('x 1 a 1 b -5', 'x 2 a 2 b 5'), "1:3,1:3 number: [-1-] {+2+} (2 times)\n1:7,1:7 number: [-1-] {+2+} (2 times)\n"
	  . "1:11,1:10 signs: [---]\nsame document: no (a number is replaced)\n1", 'numbers and signs');
is(changes_of("a \e[31m\n\n b", "a \xc2\x9b5 \x7f q\n\r c"), "1:3,1:3 signs: [-\\u001B[-] {+\\u009B+}\n1:5,1:4 replace: [-31m b-] {+5 \\u007F q c+}\n"
	  . "same document: no (a number is replaced)\n1", 'white space and control characters');
my $closed = 'The harbour master has closed the north pier because the storm has damaged the landing stage and all boats are at the south pier until May when it opens'
  . ' and the people of the town wait there for hours while the old boat of the ferry line is painted';
is((split /\n/, changes_of($_->[0], $_->[1]))[-2], "same document: $_->[2]", "same document: $_->[2]") for
  [ $closed, "$closed again", 'yes' ], [ '...', '!!!', 'no (a text has no words)' ], [ "$closed 5", "$closed 6", 'no (a number is replaced)' ],
  [ $closed, $closed =~ s/the/a new/gr, 'no (the first word that differs appears again, as a name does)' ],
  [ $closed, $closed =~ s/closed/opened/r =~ s/damaged/hit/r =~ s/landing/other/r =~ s/hours/days/r, 'no (too many words are replaced)' ],
  [ 'The pier is closed until further notice today', 'The pier is closed until further orders today', 'no (a word of a short text is replaced)' ],
  [ "One Anna two Anna $closed", "Zwei Bert drei Bert $closed", 'no (both texts begin with a name that the other one lacks)' ];
is((command("changes - $folder/one < $folder/one"))[2], 0, 'standard input');
for my $line ('a', 'a b c', "$folder/one $folder/none", "--lines $folder/one $folder/two", "$folder/one $folder/two > /dev/full")
{
	($out, my $err, my $exit) = command("changes $line");
	is("$out$exit", 2, "trouble: changes $line");
	like($err, qr/^pgsimhash: /, 'with a message');
}
like(changes_of('a', "\xff"), qr/text is not UTF-8\n2$/, 'a text is not UTF-8');
changes_of('a', 'b');
SKIP:
{
	skip 'needs script of util-linux, and pseudo-terminals', 1
	  if system('script -qec true /dev/null </dev/null >/dev/null 2>&1') != 0;
	like(`script -qec "$pgsimhash changes $folder/one $folder/two" /dev/null </dev/null`,
		qr/replace: \e\[31m\[-a-\]\e\[m \e\[32m\{\+b\+\}\e\[m\r?\n/, 'colours on a terminal');
}

# ---------- files without near-duplicates ----------

my @outputs = ('--report FILE', '--review FILE');
my ($lines) = slurp_file('doc/command.md') =~ /```sh\n(pgsimhash dedupe[^`]*clean\.jsonl)\n```/;
my @records = map { qq({"id": "$_->[0]", "body": "$_->[1]"}\n) } [ 'a\\t\\\\b', 'one two three four five' ], [ 'no', '...' ],
  [ 'c', 'six seven eight nine ten' ], [ "d\\t", 'One two three FOUR five' ], [ 'e', 'six seven eight nine ten' ], [ 'f', 'other words' ];
append_to_file("$folder/corpus.jsonl", join '', @records);
my $path = $pgsimhash =~ s!/pgsimhash$!!r;
is(system("cd $folder && PATH=$path:\$PATH && $lines 2>messages"), 0, 'the line of the page');
is(slurp_file("$folder/clean.jsonl"), join('', @records[ 0 .. 2, 5 ]), 'writes the first record of each document, and those without a word');
is(slurp_file("$folder/messages"), "pgsimhash: read 6 records, left out 2 copies, found and kept 0 revisions\n", 'and says how many it left out');
my ($first, $its_answer) = slurp_file('doc/command.md') =~ /```sh\n(pgsimhash dedupe --lines.*?)```\n```\n(.*?)```\n/s;
append_to_file("$folder/first", $first);
is(`cd $folder && PATH=$path:\$PATH && sh first 2>messages`, $its_answer, 'the first example of the page');

# The summary of the page
SKIP:
{
	skip 'no jq', 3 if system('jq --version >/dev/null 2>&1') != 0;
	my ($script) = slurp_file('doc/command.md') =~ /^### Summarize what was found\n.*?```sh\n(.*?)```\n/ms;
	my $form = 'Dear %s, the storm of last night has closed the pier, so that your boat leaves from the south pier today at noon. '
	  . 'Please come ten minutes early, %s, because the walk to the boats is longer than usual. The ticket is valid for all boats of '
	  . 'this week, and bicycles travel free of charge until the repairs are finished, which the harbour master expects in spring.';
	my @texts = ((map { sprintf $form, $_, $_ } 'Anna', 'Berta', 'Carla', 'Dora'), uc(sprintf $form, 'Anna', 'Anna'), 'something else', 'Something Else');
	my $found = "$folder/summary";

	mkdir $found or die;
	append_to_file("$found/corpus.jsonl", join '', map { qq({"id": $_, "body": "$texts[$_]"}\n) } 0 .. $#texts);
	append_to_file("$found/script", $script);
	is(system("cd $found && PATH=$path:\$PATH && bash script >answer 2>messages"), 0, 'the summary of the page') or diag(slurp_file("$found/messages"));
	my $answer = slurp_file("$found/answer");
	like($answer, qr/\ADocuments of each kind:\n +2 copy\nLargest groups:\n4 like 0: 1:6,1:6 replace: \[-Anna-\] \{\+Dora\+\} \(2 times\)\n1 like 5: \nTen examples:\n/,
		'kinds and groups');
	is((() = $answer =~ /^(?:copy [46] of [05], distance 0: $|near [123] of 0, distance \d+: 1:6,1:6 replace: \[-Anna-\])/mg), 5, 'examples');
}

# Write the records with the command's options, from standard input.
sub deduped
{
	my ($options, $input) = @_;
	my ($out, $err, $exit) = command('dedupe ' . ($options =~ /lines/ ? '' : '--field body') . " $options", $input);
	return $exit == 0 ? $out : "$exit: $err";
}
is(deduped('', join '', map { s/"id"/"x"/r } @records), (join '', map { s/"id"/"x"/r } @records[ 0 .. 2, 5 ]), 'numbers of lines are ids');
is(deduped("--report $folder/report --id x", join '', map { s/"id"/"x"/r } @records), (join '', map { s/"id"/"x"/r } @records[ 0 .. 2, 5 ]), 'ids of another field');
is(slurp_file("$folder/report"), "d\\t\ta\\t\\\\b\tcopy\t0\tcopy\ne\tc\tcopy\t0\tcopy\n", 'are in the report as COPY reads them');
my $many = join '', map { qq({"id": $_, "body": "text ) . ($_ % 7 == 0 ? 'again' : join ' ', map { "w$_" } $_ * 8 .. $_ * 8 + 7) . qq("}\n) } 1 .. 50_000;
is(deduped("--jobs 4 $_", $many), $many =~ s/^\{"id": (\d+), .*again"\}\n/$1 == 7 ? $& : ''/megr, "many records in several threads $_") for '', '--memory 1';
my @versions = map { my $n = $_; my $text = join ' ', map { 'w' . (($n - $n % 3) * 40 + $_) } 1 .. 40; qq({"id": $n, "body": "$text) . ('', '.', ' and more')[ $n % 3 ] . qq("}\n) } 0 .. 8999;
my @answers = map { deduped("--remove copies,revisions --jobs $_->[0] $_->[1] --report $folder/jobs", join '', @versions) . slurp_file("$folder/jobs") } map { my $jobs = $_; map { [ $jobs, $_ ] } '', '--memory 1' } 1, 2, 4;
is((() = $answers[0] =~ /revision/g), 6000, 'revisions in several parts');
ok(!(grep { $_ ne $answers[0] } @answers), 'do not depend on the threads and the memory');
is(deduped('', qq(\xef\xbb\xbf{"body": "a"}\r\n \n{"body":  "A"}\r\n{"body": "b" })), qq({"body": "a"}\r\n{"body": "b" }\n), 'ends of lines');
is(deduped('--lines', "a\nA\n...\nb"), "a\n...\nb\n", 'lines');
is(deduped('--csv', qq(id,body,x\r\n1,"a b\n""c""",\r\n2,"A  B ""c""",""\r\n\r\n3,,5\r\n"4","other\r\n",x)),
	qq(id,body,x\r\n1,"a b\n""c""",\r\n3,,5\r\n"4","other\r\n",x\n), 'records of CSV, as they are written');
is(deduped('--csv', "body\na\nA\n...\nb\n"), "body\na\n...\nb\n", 'CSV with numbers of records');
append_to_file("$folder/$_->[0].csv", $_->[1]) for [ one => "id,body\n1,a\n2,b" ], [ two => "id,body\n3,A\n4,c\n" ], [ three => "body,id\na,5\n" ];
is((command("dedupe --field body $folder/one.csv $folder/two.csv"))[0], "id,body\n1,a\n2,b\n4,c\n", 'two files with one header');
my $corpus = join '', @records;
like((command("dedupe --field body $folder/one.csv $folder/three.csv"))[1], qr/the files have different headers/, 'and with two');
append_to_file("$folder/four.csv", "\xef\xbb\xbfid,body\r\n5,d\r\n");
is((command("dedupe --field body $folder/one.csv $folder/four.csv"))[0], "id,body\n1,a\n2,b\n5,d\r\n", 'headers that end in another way');
like((command("$_ --csv", qq(id,body\n1,a\n2,"b\n3,c\n)))[1], qr/input:3: unterminated quoted field/, "$_: a quoted field without an end")
	for 'minhash --field body', 'dedupe --field body';
is(deduped('', '') . deduped('--csv', "id,body\n"), "id,body\n", 'no records');
like(deduped('', qq({"id": "c", "body": "x"}\n{"id"\n)), qr/^1: .*input:2: the line is not JSON/, 'a wrong record');
is(deduped('--skip-errors', qq({"id": 1, "body": "x"}\n{"id": 2}\n{"id": 3, "body": "X"}\n{"id": 4, "body": null}\n)), qq({"id": 1, "body": "x"}\n{"id": 4, "body": null}\n), 'wrong records are left out');
my $titled = join '', map { qq({"id": $_->[0], "title": $_->[1], "body": "$_->[2]"}\n) } [ 1, '"Nurse in Bonn"', 'We look for you' ], [ 2, '"Driver in Oslo"', 'We look for you' ], [ 3, 'null', 'We look for you' ], [ 4, '"NURSE in Bonn"', 'we look for you' ];
is((join ' ', deduped('--title title', $titled) =~ /"id": (\d)/g), '1 2 3', 'titles');
like(deduped('--title id', $titled), qr/^1: .*input:1: field "id": the value is not a string/, 'a title that is a number');
like(deduped('--csv --title x', "id,body\n1,a\n"), qr/^3: .*column "x" does not exist/, 'a title that is no column');
is(deduped('--csv --title t', "t,body\nA b,c\nx y,c\na B,C\n"), "t,body\nA b,c\nx y,c\n", 'titles of CSV');
like(deduped('--csv --title t', "t,body\n\xff,c\n"), qr/^1: .*text is not UTF-8/, 'a title in another encoding');
my $edited = join '', map { qq({"body": "The harbour master has closed the north pier because the storm has damaged the landing stage and all the boats are now $_"}\n) }
  'at the south pier until May', 'at the south  pier until MAY', 'at the south pier until the end of May';
is((() = deduped('--within 60', $edited) =~ /\n/g), 2, 'a revision stays');
is((() = deduped('--within 60 --remove copies,revisions', $edited) =~ /\n/g), 1, 'unless revisions are removed');

# By default texts decide about candidates up to 40 bits apart, and the distance alone about those up to 20.
my $boats = ($edited =~ /"(The .*?) at/)[0];
my $apart = "$boats at the south pier until May\n$boats at the south pier until May when the repair of the landing stage is finished\n";
for my $case ([ '', 2, "2\t1\trevision\t29\twords\n" ], [ '--remove copies,revisions', 1, "2\t1\trevision\t29\twords\n" ], [ '--remove near', 2, '' ], [ '--remove near --within 40', 1, "2\t1\trevision\t29\twords\n" ], [ '--within 20', 2, '' ])
{
	is((() = deduped("--lines --report $folder/report $case->[0]", $apart) =~ /\n/g), $case->[1], "a revision 29 bits apart: $case->[0]");
	is(slurp_file("$folder/report"), $case->[2], 'and the report');
}

my $advice = "if these are dates, counters or reference numbers, use --no-numbers\n";
my $numbered = join '', map { "$boats here until $_ May\n" } 3 .. 5;
is((command('dedupe --lines', $numbered))[1], "pgsimhash: read 3 records, left out 0 copies, found and kept 0 revisions\n" .
	"pgsimhash: 2 documents differ from an earlier one in numbers only, and are not revisions; $advice", 'numbers that decide');
is((command('dedupe --lines --remove copies,revisions', $numbered =~ s/.*\n\z//r))[1], "pgsimhash: read 2 records, left out 0 copies and 0 revisions\n" .
	"pgsimhash: 1 document differs from an earlier one in numbers only, and is not a revision; $advice", 'a number that decides');
is((command("dedupe --lines $_->[0]", $numbered =~ s/.*\n\z//r))[1], "pgsimhash: read 2 records, left out 0 copies$_->[1]\n", "numbers do not decide: $_->[0]")
  for [ '--no-numbers', ', found and kept 1 revision' ], [ '--remove near', ', 0 revisions and 1 other near text' ], [ '--within 0', ', found and kept 0 revisions' ];
is((command('dedupe --lines --review ' . "$folder/empty.html", ''))[2], 0, 'a page without pairs');
like(slurp_file("$folder/empty.html"), qr/^\{"pairs": \{\}, "shown": \[\n\]\}\n\z/m, 'is a page');
like((command("dedupe --lines --$_ $folder/none/x", "a\nA\n"))[1], qr{^pgsimhash: $folder/none/x: No such file}, "no folder for the $_") for 'report', 'review';
like(deduped("--title titel $_", $titled), qr/^3: .*no object has the field "titel"\n/s, "a title that no object has $_") for '', '--skip-errors', '--jobs 2';
like((command("$_ --skip-errors --field text", $titled))[1], qr/no object has the field "text"\n\z/, "a text that no object has: $_") for 'minhash', 'dedupe';
like((command('minhash --skip-errors --field body --id url', $titled))[1], qr/no object has the field "url"\n\z/, 'an id that no object has');
is((join ' ', deduped('--title title', qq({"body": "x"}\n$titled)) =~ /"id": (\d)/g), '1 2 3', 'a title that some objects lack');
is(deduped('--title title', '') . deduped('--title title', "\n"), '', 'no objects');
like(deduped("--report $folder/both --review $folder/both", $corpus), qr/^2: .*is the file of two outputs/, 'one file for two outputs');
like(deduped("--$_ /dev/full", $corpus), qr{^3: .*/dev/full}s, "no room for the $_") for 'report', 'review';

# The duplicates of SQL, of texts and their changed copies
my @parts = map { $texts[ 2 * $_ ] } 1 .. 400;
my @titles = map { pick(@words) . ' ' . pick(@words) } 1 .. 8;

# 1,000 forms that are filled in with common words only: every word and pair of words is in hundreds of them
append_to_file("$folder/template.jsonl", join '', map { my $form = $_;
	$json->encode({ id => $_, body => join ' ', map { ($_ x 3, $form >> (ord() - ord 'a') & 1 ? 'yes' : 'no') } 'a' .. 'z' }) . "\n" } 1 .. 1000);
is((command("dedupe --field body $folder/template.jsonl"))[1], "pgsimhash: read 1000 records, left out 0 copies, found and kept 64 revisions
pgsimhash: 823 documents reached the limit of comparisons, so their originals can be missed; if documents share a template, remove the text that all of them have in common\n", 'dedupe reaches the limit of comparisons');
$node->safe_psql('postgres', 'CREATE TABLE parts (id int PRIMARY KEY, title text, body text)');
my @of_parts = map { my $body = pick(@parts); { id => $_, title => rand() < .2 ? undef : pick(@titles),
	body => decode('UTF-8', encode('UTF-8', rand() < .3 ? uc $body : rand() < .5 ? $body : rand() < .2 ? $body =~ s/ /  /gr . pick(' -5', ' - 5') : "$body " . pick(@words) . ' ' . int rand 9)) } } 1 .. 1500;
append_to_file("$folder/parts.jsonl", join '', map { $json->encode($_) . "\n" } @of_parts);
append_to_file("$folder/parts.hex", join '', map { join("\t", $_->{id}, map { defined $_ ? unpack('H*', encode('UTF-8', $_)) : '\N' } @$_{qw(title body)}) . "\n" } @of_parts);
$node->safe_psql('postgres', "CREATE TABLE parts_hex (id int, title text, body text);
	\\copy parts_hex FROM '$folder/parts.hex'
	INSERT INTO parts SELECT id, convert_from(decode(title, 'hex'), 'UTF8'), convert_from(decode(body, 'hex'), 'UTF8') FROM parts_hex");
for my $case ([ '', 'id, body', '' ], [ '--title title --no-numbers', 'id, title, body', ', numbers => false' ], [ '--memory 1 --within 60 --jobs 3', 'id, body', ', within => 60' ])
{
	my ($options, $columns, $arguments) = @$case;
	my $sql = "SELECT concat_ws(E'\\t', id, original, kind, distance) FROM simhash_duplicates('SELECT $columns FROM parts'$arguments)";
	my $title = $options =~ /--title/ ? 'x.title' : 'NULL';
	my $text = $options =~ /--title/ ? "coalesce(nullif(x.title, '') || ' ', '') || x.body" : 'x.body';
	$node->psql('postgres', $sql, stderr => \my $notices);
	my ($by_numbers) = $notices =~ /NOTICE:  (\d+ documents? differs? from an earlier one in numbers only), and w/;
	$by_numbers = defined $by_numbers ? "pgsimhash: $by_numbers, and " . ($by_numbers =~ /^1 / ? 'is not a revision' : 'are not revisions') . "; $advice" : '';
	for my $remove ('copies', 'copies,revisions', 'near')
	{
		my ($kept, $err) = command("dedupe --field body $options --remove $remove --report $folder/report --review $folder/review.html $folder/parts.jsonl");
		my %classes;
		my $found = slurp_file("$folder/report") =~ s/\t(\w+)$/$classes{$1}++; ''/megr;
		my %gone = map { /^(\d+)/ => 1 } grep { $remove ne 'copies' || /\tcopy\t/ } split /\n/, $found;
		my %n = map { my $kind = $_; $kind => scalar(() = $found =~ /\t$kind\t/g) } qw(copy revision near);
		my ($within) = ($options =~ /--within (\d+)/, 20);

		$sql = "WITH fingerprints AS MATERIALIZED (SELECT id, minhash_bits($text) AS fp FROM parts x)
			SELECT concat_ws(E'\\t', c.id, c.cluster, 'KIND', a.fp <-> b.fp)
			FROM simhash_clusters(\$q\$SELECT id, minhash_bits($text) FROM parts x\$q\$, $within, 'star') c
			JOIN fingerprints a ON a.id = c.id JOIN fingerprints b ON b.id = c.cluster WHERE c.id <> c.cluster" if $remove eq 'near';
		same_rows("dedupe --remove $remove $options", $remove eq 'near' ? $found =~ s/\t(copy|revision|near)\t/\tKIND\t/gr : $found, $sql);
		is($kept, join('', map { $json->encode($_) . "\n" } grep { !$gone{ $_->{id} } } @of_parts), 'and writes the records of the others');
		is($err, 'pgsimhash: read 1500 records, left out ' . ($remove eq 'copies' ? "$n{copy} copies, found and kept $n{revision} revisions" :
				$remove eq 'near' ? "$n{copy} copies, $n{revision} revisions and $n{near} other near texts" : "$n{copy} copies and $n{revision} revisions") . "\n" . ($remove eq 'near' ? '' : $by_numbers), 'and counts');
		cmp_ok($n{$_}, '>', 10, "$n{$_} of kind $_") for 'copy', 'revision';
		is($node->safe_psql('postgres', "CREATE TABLE found (n serial, id int, original int, kind text, distance int, class text);
			\\copy found (id, original, kind, distance, class) FROM '$folder/report'
			WITH keys AS MATERIALIZED (SELECT id, simhash_copy_key($text) AS key FROM parts x WHERE minhash_bits(body) IS NOT NULL)
			SELECT count(*) FILTER (WHERE (f.kind = 'copy') IS DISTINCT FROM (place > 1)), count(*) FILTER (WHERE f.original IN (SELECT id FROM found))
			FROM (SELECT id, row_number() OVER (PARTITION BY key ORDER BY id) AS place FROM keys) k LEFT JOIN found f USING (id) WHERE f.id IS NOT NULL OR place > 1"), '0|0', 'copies have the text of an earlier record, and originals are not found themselves');

		# The pairs are those of the SQL recipe.
		my $query = "SELECT a.id, " . "$title, $text" =~ s/x\./a./gr . ", b.id, " . "$title, $text" =~ s/x\./b./gr
			. ' FROM found f JOIN parts a ON a.id = f.id JOIN parts b ON b.id = f.original ORDER BY n';
		$node->psql('postgres', slurp_file('examples/review.sql'), stdout => \my $page, extra_params => [ '-v', "pairs=$query" ]);
		my ($html, $pairs) = slurp_file("$folder/review.html") =~ /\A(.*<script type="application\/json" id="data">\n)(.*)\z/s;
		is($html, slurp_file('examples/review.html'), 'the review page');
		my ($wanted, $got) = map { $json->decode($_) } $page, $pairs;
		my ($wanted_pairs, $got_pairs) = map { [ map { $canonical->encode($_) } sort { $a->{class} cmp $b->{class} } @{ $_->{shown} } ] } $wanted, $got;
		my ($differs) = grep { ($got_pairs->[$_] // '') ne ($wanted_pairs->[$_] // '') } 0 .. max($#$got_pairs, $#$wanted_pairs);
		is(defined $differs ? $got_pairs->[$differs] : '', defined $differs ? $wanted_pairs->[$differs] : '', 'and its pairs are those of review.sql');
		is_deeply($got->{pairs}, $wanted->{pairs}, 'and that of each class');
		cmp_ok(length $page, '>', 50_000, 'which are long');
		is_deeply(\%classes, $wanted->{pairs}, 'the classes of the report are those of the page');
		$node->safe_psql('postgres', 'DROP TABLE found');
	}
}

# ---------- known files ----------

# Known records without duplicates or siblings are as records that come first.
my @known = grep { /"id": (\d+)/ && $1 < 3000 && $1 % 3 == 0 } @versions;
my @new = map { my ($id, $text) = /"id": (\d+), "body": "(.*)"/; my $other = uc $text;
	(qq({"id": ${id}0, "body": "$text"}\n), $id % 3 == 0 ? qq({"id": ${id}1, "body": "$other"}\n) : ()) } @versions[ 1500 .. 4499 ];
append_to_file("$folder/known.jsonl", join '', @known);
append_to_file("$folder/new.jsonl", join '', @new);
for my $options (map { my $remove = $_; map { "--remove $remove $_" } '', '--memory 1 --jobs 3' } 'copies', 'copies,revisions', 'near', 'near --within 60')
{
	my ($all) = command("dedupe --field body $options --report $folder/all $folder/known.jsonl $folder/new.jsonl");
	my ($kept, $err) = command("dedupe --field body $options --report $folder/report --review $folder/review.html --known $folder/known.jsonl $folder/new.jsonl");
	my $found = slurp_file("$folder/report");
	my %originals;

	is((join '', @known) . $kept, $all, "known records: $options");
	is($found =~ s/\t[^\t\n]*$//mgr, slurp_file("$folder/all"), 'and the report');
	$originals{$1}++ while $found =~ /\t\d+\t\w+\t\d+\t\w+\t(.*)$/mg;
	is((join ' ', sort keys %originals), "$folder/known.jsonl $folder/new.jsonl", 'with known and new originals');
	is((() = $found =~ /^\d+\t\d{1,4}\t.*\Q$folder\E\/known.jsonl$/mg), $originals{"$folder/known.jsonl"}, 'and their files');
	like($err, qr/^pgsimhash: read 1000 known and 4000 new records, left out \d{4} copies/, 'and counts');
	like(slurp_file("$folder/review.html"), qr/^\{"class":/m, 'and the page');
}
append_to_file("$folder/all_known.jsonl", join '', @versions);
is(deduped("--remove copies,revisions --known $folder/all_known.jsonl", join '', @versions[ 0 .. 9 ], qq({"id": 1, "body": "..."}\n)), qq({"id": 1, "body": "..."}\n),
	'the same records in another file, and one without words');
append_to_file("$folder/known_1", "a\nb b c\nA\n");
append_to_file("$folder/known_2", "B b c\n");
is(deduped("--lines --report $folder/report --known $folder/known_1 --known $folder/known_2", "x\nB b c\nA\nx\n..."), "x\n...\n", 'several known files');
is(slurp_file("$folder/report"), "2\t2\tcopy\t0\tcopy\t$folder/known_1\n3\t1\tcopy\t0\tcopy\t$folder/known_1\n4\t1\tcopy\t0\tcopy\t-\n",
	'the first known copy is the original, and numbers of known records are their own');
is((command("dedupe --lines --known - $folder/known_1", "A\n"))[0], "b b c\n", 'standard input is known');
append_to_file("$folder/new.csv", "id,more,body\n7,x,d\n8,y,ONE two three four five\n9,z,A\n");
is((command("dedupe --field body --known $folder/corpus.jsonl --known $folder/one.csv $folder/new.csv"))[0], "id,more,body\n7,x,d\n", 'known files in other formats and with other headers');
append_to_file("$folder/untitled", qq({"id": 5, "body": "we LOOK for you"}\n));
like(deduped("--title title --known $folder/untitled", $titled), qr/^3: .*no known object has the field "title"\n/s, 'a title that no known object has');
append_to_file("$folder/titled", $titled);
like(deduped("--title title --known $folder/titled", slurp_file("$folder/untitled")), qr/^3: .*no new object has the field "title"\n/s, 'a title that no new object has');
append_to_file("$folder/untitled", qq({"id": 6, "title": "Cook", "body": "We look for you"}\n));
is((join ' ', deduped("--title title --known $folder/untitled", $titled) =~ /"id": (\d)/g), '1 2', 'a known record without a title has an empty one');

# ---------- wrong records, wrong options ----------

my $wrong = qq({"id": 1, "body": "a"}\n\n{"id": 2, "body": 5}\n{"id": 3, "body": "b"\n{"body": "c"}\n{"id": 4, "body": "\xff"}\n[1]\n{"id": null, "body": "a"}\n{"id": 9, "body": "b"});
my ($err, $exit);
($out, $err, $exit) = command('minhash --field body', $wrong);
is($out, "1\t6bff098b74ecf815\n", 'the rows before a wrong record');
is($err, qq(pgsimhash: standard input:3: field "body": the value is not a string\n), 'which is named');
is($exit, 1, 'exit status');
($out, $err, $exit) = command('minhash --skip-errors --field body', $wrong);
is($out, "1\t6bff098b74ecf815\n9\t490077985683f749\n", '--skip-errors');
is((join ' ', $err =~ /input:(\d+)/g), '3 4 5 6 7 8', 'names all');
is($exit, 0, 'and goes on');

# Lines of JSON and their texts; a wrong line has none
my $large = 'word ' x 200_000;
my @json_lines = (
	[ '{"body": "a"}' => 'a' ], [ qq( \t{"body": "a"} \r) => 'a' ], ["\r"], [''],
	[ '{"body": "b", "body": "a"}' => 'a' ], [ '{"x": {"body": "b", "y": [{"body": 1}]}, "body": "a"}' => 'a' ],
	[ '{"\u0062ody": "\u0061"}' => 'a' ], [ qq({"body": "$large"}) => $large ],
	[ '{"body": "\ud83d\ude00 \u4e2d\n\"\\\\\/x"}' => "\xf0\x9f\x98\x80 \xe4\xb8\xad\n\"\\/x" ], [ '{"body": "a\u0000b"}' => "a\0b" ],
	map({ [ $_, undef ] } '{"body": "\ud83d"}', '{"body": "\ude00"}', '{"body": "\ud83da"}', '{"body": "\ud83d\ud83d"}',
		qq({"body": "a", "x": "\xff"}), qq({"body": "\xed\xa0\x80"}), qq({"body": "a\0"}), qq({"body": "a"}\0),
		'{"body": "a"} x', '{"body": "a"}{"body": "a"}', '{"body": "a",', '"body": "a"}', '{"body": "a', q({'body': 'a'})),
	[ '{"body": "last"}' => 'last' ]);
make_path("$folder/json");
for my $i (grep { defined $json_lines[$_][1] } 0 .. $#json_lines)
{
	append_to_file(sprintf("$folder/json/%02d", $i + 1), $json_lines[$i][1]);
}
($by_file) = command("minhash $folder/json");
($out, $err, $exit) = command('minhash --skip-errors --field body', join "\n", map { $_->[0] } @json_lines);
is($out, (join '', map { s/^.*\/0*//r . "\n" } split /\n/, $by_file), 'texts of JSON are those of files');
is((join ' ', $err =~ /input:(\d+)/g), (join ' ', map { $_ + 1 } grep { @{ $json_lines[$_] } > 1 && !defined $json_lines[$_][1] } 0 .. $#json_lines),
	'and wrong lines are named');
is((command('minhash --skip-errors --field body', "5\n" x 200_000 . qq({"id": "x", "body": "a"}\n)))[0], "x\t6bff098b74ecf815\n",
	'ids are in a field if the first right record has it');
is((command('minhash --field body', qq({"body": "a"}\n\n{"id": "x", "body": "a"}\n)))[0], "1\t6bff098b74ecf815\n3\t6bff098b74ecf815\n",
	'and are numbers of lines otherwise');
($out, $err, $exit) = command('minhash --skip-errors --csv --field b', qq(\xef\xbb\xbfid,b\r\n1,"x\n""y"""\r\n\r\n2\r\n3,\xff\n4,z\n5,x,y\n));
is((join ' ', $out =~ /^(\d+)/mg), '1 4', 'CSV with wrong records');
is((join ' ', $err =~ /input:(\d+)/g), '5 6 8', 'whose lines are named');
($out, $err, $exit) = command('minhash --skip-errors --field b', qq(\xef\xbb\xbf{"b": "a"}\n\xef\xbb\xbf{"b": "a"}\n));
is($out, "1\t6bff098b74ecf815\n", 'a byte order mark is one at the beginning only');
like($err, qr/:2: byte order mark after the beginning of the file/, 'and wrong before a later object');
is((command('minhash --skip-errors --field b', qq(\xef\xbb\xbf\xef\xbb\xbf{"b": "a"}\n)))[0], '', 'and before the mark of the file');
# A byte order mark is no part of the first name, line, id or text of a file, also before a quote.
my $mark = "\xef\xbb\xbf";
my ($harbour) = (command('minhash --lines', 'the harbour master'))[0] =~ /\t(.*)/;
sub csv_is
{
	my ($input, $expected, $name, $more) = @_;
	is((join '', command('minhash --csv --field body ' . ($more // ''), $input)), $expected, "CSV: $name");
}
for my $end ("\n", "\r\n", "\r")
{
	my $shown = $end =~ s/\r/CR/r =~ s/\n/LF/r;
	my $row = qq($end"x7","the harbour master"$end);
	csv_is(qq($mark"id","body"$row), "x7\t${harbour}\n0", "a mark before a quoted name, $shown");
	csv_is(qq(${mark}id,body$row), "x7\t${harbour}\n0", "a mark before a name, $shown");
	csv_is(qq($mark$end$end"id","body"$row), "x7\t${harbour}\n0", "a mark before an empty line, $shown");
	csv_is(qq($mark "id" , "body" $row), "x7\t${harbour}\n0", "blanks around quoted names, $shown");
	csv_is(qq($mark id , body $row), "x7\t${harbour}\n0", "and around others, $shown");
	csv_is(qq($mark"body","i""d"${end}the harbour master,x7$end), "x7\t${harbour}\n0", "the text in the first column, $shown", q(--id 'i"d'));
	csv_is(qq($mark"a,b${end}c","body"$row), "x7\t${harbour}\n0", "a comma and the end of a line in a name, $shown", "--id 'a,b${end}c'");
	csv_is(qq($mark"body"${end}the harbour master$end), "the harbour master\t${harbour}\n0", "the text is the id, $shown", '--id body');
}
csv_is($mark, 0, 'a file with nothing but a mark');
is(`(printf '\\357\\273'; sleep 0.2; printf '\\277"id","body"\\nx7,the harbour master\\n') | $pgsimhash minhash --csv --field body`, "x7\t${harbour}\n",
	'CSV: a mark that comes in two parts');
csv_is(qq($mark$mark"id","body"\nx7,a\n), "pgsimhash: standard input:1: byte order mark after the beginning of the file\n1", 'two marks');
my $marked = qq($mark"id","body"\r\n"x7","a"\r\n"x8","A"\r\n"x9","b"\r\n);
is(deduped('--csv', $marked), qq($mark"id","body"\r\n"x7","a"\r\n"x9","b"\r\n), 'dedupe keeps the mark of CSV');
append_to_file("$folder/marked.csv", $marked);
is((command("dedupe --field body $folder/one.csv $folder/marked.csv"))[2], 1, 'and a quoted header is another one');
is(changes_of("${mark}a b", 'a b'), '0', 'a mark is no change');
append_to_file("$folder/a", 'Hier beginnt es: ' . join ' ', @words[ 0 .. 40 ]);
append_to_file("$folder/with_mark", $mark . slurp_file("$folder/a"));
my $characters = 'minhash --features characters --no-normalization';
is((command("$characters $folder/with_mark"))[0] =~ s/.*\t//r, (command("$characters $folder/a"))[0] =~ s/.*\t//r, 'nor of a text');
# A valid object beyond a limit, and wrong escape sequences, have a message of their own.
sub json_error
{
	my ($object, $message) = @_;
	is((command('minhash --field body', "$object\n"))[1], "pgsimhash: standard input:1: $message\n", "$message: " . substr $object, 0, 30);
}
my $nested = sub { qq({"body": "a", "x": ) . '[' x $_[0] . ']' x $_[0] . '}' };
is((command('minhash --field body', $nested->(1000)))[2], 0, 'JSON of 1,001 levels');
json_error($nested->(1100), 'JSON is nested more than 1024 levels deep');
json_error('{"body": "a", "x": 1' . '0' x 400 . '}', 'a number is invalid or out of range');
json_error(qq({"body": "\\ud83d\\ude00 \\\\ \\" $_->[0]"}), $_->[1])
  for map({ [ $_, 'a string has an invalid escape sequence' ] } '\x', '\u12', '\u12g4', '\u-123'),
  map({ [ $_, 'a string has the lone surrogate \ud835' ] } 'a \ud835 b', '\ud835', '\ud835\u0061', '\ud835\ud835', '\ud835\n'),
  [ '\ude00', 'a string has the lone surrogate \ude00' ];

# Run a command with these words of the shell, for standard streams and files.
sub in_shell
{
	my ($out, $err) = ('', '');
	IPC::Run::run([ 'sh', '-c', "cd $folder; $_[0]" ], '>', \$out, '2>', \$err);
	return $out . $err . ($? >> 8);
}
append_to_file("$folder/ids", "the harbour master\n");
make_path("$folder/empty_folder");
my @with_input = ('minhash -', 'minhash one -', 'minhash --lines one -', 'minhash --field body corpus.jsonl -', 'simhash --lines one -',
	'changes one -', 'changes - one', 'dedupe --field body corpus.jsonl -');
for my $line (@with_input)
{
	my $trouble = $line =~ /changes/ ? 2 : 3;
	like(in_shell("$pgsimhash $line <&-"), qr/^pgsimhash: standard input: Bad file descriptor\n$trouble\z/m, "closed standard input: $line");
	like(in_shell("$pgsimhash $line <empty_folder"), qr/^pgsimhash: standard input: Is a directory\n$trouble\z/m, "a folder is standard input: $line");
}
is(in_shell("$pgsimhash $_ <ids"), "pgsimhash: standard input cannot be read twice\nTry \"pgsimhash --help\" for more information.\n2", "twice: $_")
  for 'minhash - -', 'minhash --lines - one -', 'simhash --field body - -', 'changes - -',
  'dedupe --lines - -', 'dedupe --lines --known - -', 'dedupe --lines --known - --known - one', 'dedupe --lines --known -';
unlike(in_shell("$pgsimhash $_ <&-"), qr/[123]\z/, "without standard input: $_")
  for 'minhash one', 'minhash --lines one', 'changes one two', 'dedupe --lines --memory 1 ids', 'dedupe --field body corpus.jsonl';
like(in_shell("$pgsimhash changes one empty_folder"), qr/^pgsimhash: empty_folder: Is a directory\n2\z/, 'a folder');
is(in_shell("$pgsimhash changes one missing"), "pgsimhash: missing: No such file or directory\n2", 'the reason of an error');
system("mkfifo $folder/fifo");
is(in_shell("cat ids >fifo & $pgsimhash $_"), in_shell("$pgsimhash $_" =~ s/\bfifo/ids/r), "a named pipe: $_")
  for 'minhash --lines fifo', 'simhash fifo | cut -f 2', 'changes fifo one', 'dedupe --lines fifo';
like(in_shell("$pgsimhash $_ >$folder/closed_err 2>&1 >&-; cat $folder/closed_err; exit 3"), qr/could not write the output/, "closed standard output: $_")
  for '--help', '--version', 'minhash --help', 'minhash one', 'minhash --lines one', 'dedupe --lines --memory 1 ids', 'changes a one';
is(in_shell("$pgsimhash $_ >/dev/full 2>/dev/null"), 3, "no room for the output: $_") for '--help', '--version', 'minhash --help';
is(in_shell("$pgsimhash $_ 2>&-"), in_shell("$pgsimhash $_ 2>/dev/null"), "closed standard error: $_")
  for 'minhash one', 'minhash missing', 'dedupe --lines --memory 1 ids', 'minhash --skip-errors --field body one corpus.jsonl';
# An output that is a file of the input is refused before anything is written.
make_path("$folder/corpus");
append_to_file("$folder/corpus/lines", "a\nA\nb\n");
link "$folder/corpus/lines", "$folder/hard_link" or die $!;
symlink 'corpus/lines', "$folder/soft_link" or die $!;
for my $outputs (@outputs)
{
	for my $inputs ('corpus/lines', 'corpus', '- <corpus/lines', 'ids hard_link', 'soft_link', '--known corpus ids', 'ids --known hard_link')
	{
		for my $output ('corpus/lines', './corpus/../hard_link', 'soft_link')
		{
			my $line = "dedupe --lines $outputs $inputs" =~ s/FILE/$output/r;

			like(in_shell("$pgsimhash $line"), qr/^pgsimhash: .* would overwrite the input file .*2\z/s, "an input is an output: $line");
		}
	}
}
like(in_shell("$pgsimhash $_"), qr/^pgsimhash: the output would overwrite the input file .*2\z/s, "an input is the output: $_")
  for 'minhash --lines corpus/lines >>corpus/lines', 'dedupe --lines <corpus/lines >>soft_link', 'simhash corpus 1<>hard_link',
  'dedupe --lines --known corpus/lines ids >>corpus/lines';
like(in_shell("$pgsimhash dedupe --lines $_"), qr/^pgsimhash: .* is a known file and a new one\n.*2\z/s, "a known file is new: $_")
  for '--known corpus/lines hard_link', '--known corpus --known ids one soft_link', '--known ids - <ids';
is(in_shell("$pgsimhash dedupe --lines --known missing one"), "pgsimhash: missing: No such file or directory\n3", 'a known file is missing');
is(slurp_file("$folder/corpus/lines"), "a\nA\nb\n", 'the input is still there');
is(in_shell("$pgsimhash dedupe --lines --report corpus/report corpus 2>/dev/null"), "a\nb\n0", 'a new file in a folder of the input');
is(in_shell("$pgsimhash dedupe --lines --report /dev/null /dev/null 2>/dev/null"), 0, 'a device is no file');
# Only when they are open, two names of a file that did not exist are known to be one file.
symlink 'linked', "$folder/$_" or die $! for 'link_1', 'link_2';
mkdir "$folder/linked_folder" or die $!;
symlink 'linked_folder', "$folder/link_to_folder" or die $!;
for my $names ('./linked linked', 'link_1 link_2', 'linked_folder/new link_to_folder/new')
{
	my ($report, $review) = split / /, $names;
	like(in_shell("$pgsimhash dedupe --lines --report $report --review $review corpus/lines"), qr/^pgsimhash: \Q$review\E is the file of two outputs\n.*2\z/s, "one new file for two outputs: $names");
	in_shell("rm -f linked linked_folder/new");
}
# A forgotten FILE: the output is kept, because standard input is empty.
for my $line (map { my $option = $_; map { "--lines $option kept $_" } '</dev/null', '- </dev/null', '/dev/null' } '--report', '--review')
{
	in_shell("cp corpus/lines kept");
	is(in_shell("$pgsimhash dedupe $line; cat kept"), "a\nA\nb\npgsimhash: no records were read, so the file kept was not overwritten\n0", "an output is kept: $line");
	is(in_shell("$pgsimhash dedupe $line 2>/dev/null"), 3, 'and the status says so');
}
is(in_shell("$pgsimhash dedupe --lines --report kept --known ids </dev/null; cat kept"), "a\nA\nb\npgsimhash: no new records were read, so the file kept was not overwritten\n0", 'an output is kept: known records');
append_to_file("$folder/wrong.jsonl", qq({"body": 1}\n));
is(in_shell("$pgsimhash dedupe --field body $_ kept wrong.jsonl 2>/dev/null; cat kept"), "a\nA\nb\n0", "an output is kept after a wrong record: $_")
  for '--report', '--review';
is(in_shell("echo other | $pgsimhash dedupe --lines --report kept 2>/dev/null; cat kept"), "other\n0", 'but replaced after others, also by nothing');

# Files are read again for the texts that are near another one, and for the records that stay.  With a device
# among the files, they are read once.
make_path("$folder/again/deep");
my @again = map { my $record = $json->encode($_); rand() < .05 ? ($record, pick("\r", '', '{"id": 1, "body": 5}', '[1]', "\xff")) : $record } @of_parts;
my $csv = sub { join '', map { my $record = $_; join(',', map { '"' . encode('UTF-8', $record->{$_} // '') =~ s/"/""/gr . '"' } qw(title id body)) . pick("\n", "\r\n", "\n\n", ",\n") } @_ };
my @of_lines = map { encode('UTF-8', $_->{body}) =~ s/[\r\n]/ /gr } @of_parts;
append_to_file("$folder/again/" . shift @$_, @$_)
  for [ '1.jsonl', $mark . join "\n", @again[ 0 .. 600 ] ], [ '2.jsonl', '' ], [ 'deep/3.jsonl', join "\r\n", @again, @again, '' ],
  [ '4.csv', "$mark\ntitle,id,body\r\n" . $csv->(@of_parts, @of_parts) ], [ '5.csv', "title,id,body\n" ],
  [ '6.csv', "title,id,body\r" . $csv->(@of_parts[ 801 .. 1499 ]) =~ s/,?\r?\n+\z//r ],
  [ 'lines', join "\n", 'alone', 'BZh51AY&SY a b c', "${mark}d e f", @of_lines, @of_lines, "\xff", "${mark}D e f", 'd e f', 'BZh51AY&sy A b c' ];
cmp_ok(-s "$folder/again/$_", '>', 300_000, "$_ has several batches") for 'lines', '4.csv', 'deep/3.jsonl';

# The output of the command, with its report and its page.
sub all_outputs
{
	my ($line) = @_;
	unlink "$folder/report", "$folder/review.html";
	return in_shell("$pgsimhash dedupe --skip-errors --report report --review review.html $line") . join '', map { -e $_ ? slurp_file($_) : '' } "$folder/report", "$folder/review.html";
}
for my $files ('--field body --title title --no-numbers again/1.jsonl again/2.jsonl again/deep', '--field body --id title again/4.csv again/5.csv again/6.csv',
	'--field body again/4.csv again/1.jsonl again/2.jsonl', '--lines again/lines again/2.jsonl', '--lines again/lines again/lines', '--lines again/2.jsonl')
{
	for my $remove ('copies', 'copies,revisions', 'near')
	{
		my $line = "--remove $remove $files";
		my $once = all_outputs("--jobs 1 $line /dev/null");
		my @others = grep { all_outputs("$_ $line") ne $once } map { my $jobs = $_; map { "--jobs $jobs $_" } '', '--memory 1' } 1, 2, 4;
		is((join ', ', @others), '', "read once and again: $line");
		ok($once =~ ($line =~ /--lines again.2/ ? qr/read 0 records/ : qr/left out [1-9]\d+ copies/), 'with copies');
	}
}
{
	local $ENV{TMPDIR} = "$folder/none";
	is(in_shell("$pgsimhash dedupe --lines corpus/lines 2>/dev/null"), "a\nb\n0", 'no temporary file of records or texts');
	is(in_shell("$pgsimhash dedupe --lines corpus/lines /dev/null"), "pgsimhash: could not create a temporary file: No such file or directory\n3", 'unless files are read once');
}

# A file that changes.  The command waits for the reader of its output, so the change comes while it writes.
append_to_file("$folder/$_->[0]", join '', map { my $n = $_; join(' ', map { 'w' . ($n * 8 + $_) } 1 .. 8) . "\n" } $_->[1] .. $_->[1] + 30_000) for [ 'steady', 0 ], [ 'other', 40_000 ];
for my $case ([ 'echo >>changing', 'changing changed' ], [ 'printf x | dd of=changing bs=1 seek=9 conv=notrunc 2>/dev/null', 'changing changed' ], [ 'truncate -s 100 changing', 'changing changed' ],
	[ 'cp other new; mv new last', 'last changed' ], [ 'rm last', 'last: No such file' ], [ 'touch last', 'last changed' ], [ 'cp steady new; mv new changing', '' ])
{
	my ($change, $message) = @$case;
	my $answer = in_shell("cp steady changing; cp other last; (sleep 0.1; $pgsimhash dedupe --lines --remove near changing last 2>messages; echo \$? >>messages) |
		(head -c 1 >/dev/null; $change; cat >/dev/null); cat messages");
	like($answer, $message ? qr/^pgsimhash: $message.*\n3\n/ : qr/other near texts\n0\n/, "while records are written: $change");
}
# It also waits for the reader of its messages.  All of the first file has been read then.
for my $case (map { my $written = $_; map { [ $_, @$written ] } '--lines', '--field body' } [ 'echo >>changing', 'changing changed' ], [ 'touch changing', 'changing changed' ],
	map { [ "touch -r changing then; $_ | dd of=changing bs=1 seek=12 conv=notrunc; touch -r then changing", 'the input changed' ] } 'printf "\\n"', q(printf '\377'))
{
	my ($form, $change, $message) = @$case;
	my $answer = in_shell("sed 's/.*/" . ($form eq '--lines' ? '&' : '{"body": "&"}') . "/' steady >changing; yes \$(printf '\\377') | head -n 10000 >last; cat changing >>last;
		($pgsimhash dedupe --skip-errors $form changing last 2>&1 >/dev/null; echo \$? >status) | (grep -m 1 last: >/dev/null; $change; cat) 2>/dev/null; cat status");
	like($answer, qr/\npgsimhash: $message while it was read\n3\n/, "before texts are compared: $form, $change");
	unlike($answer, qr/changing:\d/, 'and no record is wrong');
}

# Control characters of names and ids do not reach the terminal, and COPY and JSON read them as they are
my $control = "\e[31m\xc2\x9b\x7f\x01x";
my $shown = '\u001B[31m\u009B\u007F\u0001x';
append_to_file("$folder/controls/$_", "a\n") for map { make_path("$folder/controls"); $_ } $control, "$control.csv", "$control.jsonl";
for my $line ("minhash 'controls/$control' 'none $control'", "minhash 'controls/$control.jsonl'", "minhash --lines 'none $control'", "minhash --csv --field '$control' 'controls/$control.csv'",
	"minhash --skip-errors --field '$control' 'controls/$control'", "dedupe --lines --report 'none/$control' one", "changes one 'none $control'",
	"minhash --features '$control' one", "minhash '--$control' one", "'$control'")
{
	my $answer = in_shell("$pgsimhash $line");
	unlike($answer, qr/[^\t\n\x20-\x7e]/, 'no control character: ' . $line =~ s/\Q$control\E/CONTROL/gr);
	like($answer, qr/\Q$shown\E|\\x1b\[31m\\xc2\\x9b\\x7f\\x01x/, 'but its escape sequence');
}
in_shell("cd controls; $pgsimhash minhash '$control' > ../control.copy");
$node->safe_psql('postgres', "CREATE TABLE controls (a text, fp simhash);
	\\copy controls FROM '$folder/control.copy'");
is($node->safe_psql('postgres', q{SELECT encode(convert_to(a, 'UTF8'), 'hex') = '} . unpack('H*', $control) . q{' FROM controls}), 't', 'COPY reads ids with control characters');
is(decode('UTF-8', encode('UTF-8', $json->decode(in_shell("cd controls; $pgsimhash minhash --format json '$control'") =~ s/0\z//r)->{id})), decode('UTF-8', $control), 'and JSON');
# Bytes that are not UTF-8, as 9B, a control character of other terminals.  Each is escaped alone, and COPY reads it.
my $byte = "\x9b[31m\xe4\xba\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xe4\xba\xba\xc3";
(my $byte_shown = $byte) =~ s/(\xe4\xba\xba)|([^\x20-\x7e])/$1 || sprintf '\x%02x', ord $2/ge;
make_path("$folder/bytes");
append_to_file("$folder/bytes/$byte", "a\n");
append_to_file("$folder/bytes.csv", "id,body\n$byte,one two three\n$byte,One two three\n");
is(in_shell("cd bytes; $pgsimhash minhash '$byte' | cut -f 1"), "$byte_shown\n0", 'a path that is not UTF-8');
is(in_shell("$pgsimhash minhash --field body bytes.csv | cut -f 1"), "$byte_shown\n$byte_shown\n0", 'an id of CSV');
is(in_shell("$pgsimhash dedupe --field body --report report --review review.html bytes.csv 2>/dev/null"), "id,body\n$byte,one two three\n0", 'a record stays as it is');
is(slurp_file("$folder/report"), "$byte_shown\t$byte_shown\tcopy\t0\tcopy\n", 'in the report');
my $page_of_bytes = slurp_file("$folder/review.html");
ok(utf8::decode(my $decoded = $page_of_bytes), 'the page is UTF-8');
(my $in_page = $byte) =~ s/(\xe4\xba\xba)|([^\x20-\x7e])/$1 || '\ufffd'/ge;
like($page_of_bytes, qr/\Q$in_page\E/, 'and has a replacement character for each byte');
like(in_shell("$pgsimhash minhash --format json --field body bytes.csv"), qr/\Apgsimhash: bytes.csv:2: the id is not UTF-8\n1\z/, 'JSON has no bytes');
is(in_shell("$pgsimhash $_ '$byte'"), "pgsimhash: " . $byte_shown =~ s/\\x(..)/"\\x" . uc $1/ger . ": No such file or directory\n3", "in a message: $_") for 'minhash', 'dedupe --lines';
# Compressed files, by the bytes with which they begin, and UTF-16
my %forms = (zcat => "\x1f\x8b\x08", zstdcat => "\x28\xb5\x2f\xfd\n", xzcat => "\xfd7zXZ\0\0", bzcat => "BZh51AY&SY", 'iconv -f UTF-16' => "\xff\xfei\0d\0\n\0");
for my $program (sort keys %forms)
{
	unlink "$folder/form";
	append_to_file("$folder/form", "$forms{$program}\xb5");
	for my $line ('minhash form', 'simhash --lines form', 'minhash --field body form', 'minhash --csv --field body form',
		'changes form one', 'dedupe --lines form')
	{
		my $trouble = $line =~ /changes/ ? 2 : $line =~ /minhash form/ ? 1 : 3;
		like(in_shell("$pgsimhash $line"), qr/^pgsimhash: form: (?:compressed with \w+;|UTF-16, not) .*: $program .*FILE \| pgsimhash \.\.\.\n$trouble\z/, "$program: $line")
	}
}
is(in_shell("$pgsimhash minhash --skip-errors form one 2>/dev/null"), in_shell("$pgsimhash minhash one"), '--skip-errors leaves out a compressed text');
is((command('minhash --lines', 'BZh is no bzip2'))[2], 0, 'a text that begins as a compressed one');
SKIP:
{
	skip 'needs script of util-linux, and pseudo-terminals', 3
	  if system('script -qec true /dev/null </dev/null >/dev/null 2>&1') != 0;
	# what the command waits for comes when the progress has been shown; the file also has the command itself
	my $until_shown = sub { "for i in \$(seq 6000); do ! grep -qs '$_[0]' typescript || break; sleep 0.1; done" };
	like(in_shell("(@{[ $until_shown->('MB/s') ]}; echo a) | script -qfec '$pgsimhash minhash' typescript"), qr/\r0 MB  0 MB\/s  \d+ s\e\[K.*\r\e\[K0\z/s,
		'progress on a terminal, while nothing is finished');
	unlike(in_shell("$pgsimhash minhash --skip-errors --field body one 2>&1"), qr/\e/, 'and not elsewhere');
	like(in_shell("script -qfec \"$pgsimhash dedupe --lines steady | (@{[ $until_shown->('writin[g]') =~ s/\$/\\\$/r ]}; cat >/dev/null)\" typescript"), qr/\rwriting  \[=* +\] .*\r\e\[Kpgsimhash: read [^\n]*\n0\z/s, 'which step it is');
}
my $hint = qr/hint: \S+ was read as one text; use --field NAME/;
append_to_file("$folder/records.$_", "a\n") for 'jsonl', 'ndjson', 'csv', 'txt';
like((command("minhash $folder/records.$_"))[1], $hint, "a hint at the records of a file .$_") for 'jsonl', 'ndjson', 'csv';
append_to_file("$folder/large", 'a ' x 9_000_000);
like((command("minhash $folder/large"))[1], $hint, 'and of a large file');
unlike((command($_))[1], $hint, "no hint: $_") for "minhash $folder/records.txt", "minhash --lines $folder/records.csv $folder/large";
like((command("$_->[0] --csv --field c", "id$_->[1]b\n1$_->[1]2\n"))[1], qr/input: column "c" does not exist$_->[2]\n\z/, "a missing column: @$_[0, 1]")
  for map { my $command = $_; [ $command, ',', '' ], [ $command, ';', '; columns must be separated by commas, not semicolons' ] } 'minhash', 'dedupe';
is((command('minhash --csv --field c', "id,b\n1,2\n"))[2], 3, 'and its status');
is((command("minhash $folder/none"))[2], 3, 'a missing file');
is((command("minhash --lines $folder/jsonl > /dev/full"))[2], 3, 'no room for the output');
is((command('dedupe --lines > /dev/full', "a\nA\n"))[1], "pgsimhash: could not write the output: No space left on device\n", 'and no counts of records');
for my $line ('', 'hash', 'minhash --weight once', 'minhash --bits 65', 'minhash --bits 65x', 'minhash --n 3', 'simhash --features x',
	'minhash --json', 'minhash --lines --field a', 'minhash --bits 128 --bigint', 'changes a',
	'pairs', 'minhash --format binary', 'changes --lines a b', 'minhash --jobs', 'dedupe', 'dedupe --title a', 'dedupe --lines --title a', 'dedupe --lines --field a', 'dedupe --lines --remove revisions')
{
	($out, $err, $exit) = command($line, '');
	is("$out$exit", 2, "usage: pgsimhash $line");
}
for my $name (qw(minhash simhash changes dedupe))
{
	($out, $err, $exit) = command("$name --help");
	like($out, qr/^Usage: pgsimhash $name .*^Examples:\n[^\n]*\bpgsimhash $name /ms, "help of $name");
	for my $option ($out =~ /^  --([a-z-]+)/mg)
	{
		my $written = "--$option" =~ s/-/\\-/gr;
		like(slurp_file('client/pgsimhash.1'), qr/^\.BI? "?\Q$written\E\b/m, "the manual page has --$option");
	}
}
like((command('--help'))[0], qr/^  changes /m, 'help lists the commands');

# ---------- the page ----------

my @blocks = sql_blocks('doc/command.md');
$node->safe_psql('postgres', 'CREATE DATABASE page');
my %checks = (
	'Check the values of a program' => [ 'SELECT count(*) FROM given WHERE fp IS DISTINCT FROM minhash(body)' => 0 ]);
run_blocks($node, 'page', \@blocks, %checks);
links_exist('doc/command.md');
is(run_example($node, 'btrees'), 2, 'a server without the extension');
is($node->safe_psql('btrees', 'SELECT string_agg(id::text, $$ $$ ORDER BY id) FROM docs WHERE fp <-> 81985529216486895::simhash <= 5'),
	'1 2 3', 'and with it');

figures("$n_texts texts are equal in the library, the command and SQL");
done_testing();
