# The functions of examples/ that remove what texts should not be compared by: without_quotes, without_tags and
# without_markup.  Each is tested on a table of inputs and outputs.

use utf8;
use Encode;
use SimhashTest;

my $node = start_node('without');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

my %outputs = (
	without_quotes => [
		# headers, quoted lines, signatures
		[ "Received: by a.example\n\tfor b\r\nDate: Mon, 2 Nov 2026\r\n\r\nThe pier\nis closed.\n", "\nThe pier\nis closed.\n" ],
		[ "Newsgroups: a.b\nFrom: Ann\n\nThe pier", "\nThe pier" ],
		[ "No, go back.\n\nOn Tuesday Anna wrote:\n> Is it open?\n>\n> Anna\nWe are closed.", "No, go back.\n\n\n\n\nWe are closed." ],
		[ "Yes.\nAnna wrote:\n\n  > Is it open?", "Yes.\n\n" ],
		[ "Note: closed\nBring:\nbread > 5", "Note: closed\nBring:\nbread > 5" ],
		[ "Closed.\n-- \nAnna\nPier 3", 'Closed.' ],
		[ "Closed.\n--", 'Closed.' ],
		[ "Closed.\n-----Original Message-----\nFrom: Anna", 'Closed.' ],
		[ 'a -- b --', 'a -- b --' ],

		# the lines before quoted lines: addresses, several lines, other colons
		[ "Sure.\n\nOn Mon, 3 May 2021 at 10:00, Ann Lee <ann\@mail.example> wrote:\n> May I?\n", "Sure.\n\n\n" ],
		[ "Sure.\n\nOn Mon, 3 May 2021 at 10:00, Ann Lee\n<ann\@mail.example> wrote:\n> May I?\n", "Sure.\n\n\n" ],
		[ "Sure.\n\nIn article <12\@mail.example>,\nAnn Lee, of the harbour\nof Bergen, writes:\n>May I?\n", "Sure.\n\n\n" ],
		[ "I come at 10:30.\nOn Tuesday, Ann\nwrote:\n> May I?", "I come at 10:30.\nOn Tuesday, Ann\n" ],
		[ "I come at 10:30\nby boat\nthen by\ntrain. Ann:\n> May I?", "I come at 10:30\nby boat\nthen by\n" ],
		[ "好。\n\n安娜写道：\n> 可以吗？\n", "好。\n\n\n" ],
		[ "好。\n\n安娜 <ann\@mail.example> 于2021年5月3日\n周一 10:00写道： \n> 可以吗？\n", "好。\n\n\n" ],

		# other signs, if the line before them says that they quote
		[ "Ben wrote:\n) Is it open?\n) And when?\nYes.\n) Thanks.", "Ben wrote:\n\n\nYes.\n" =~ s/^Ben wrote:\n//r ],
		[ "ben\@mail.example (Ben):\n\n# Is it open?\n: no\nYes.", "\n\n: no\nYes." ],
		[ "Ben schrieb:\n| Is it open?\nAnn wrote:\n: No.\nYes.", "\n\nYes." ],
		[ "Shopping:\n# bread\n# milk\n: 5", "Shopping:\n# bread\n# milk\n: 5" ],
		[ "|> Is it open?\n }> > No.\nYes | no", "\n\nYes | no" ],

		# Outlook's block, with and without a line before it, in other languages
		[ "Sure.\n\n________________________________\nFrom: Ann Lee\nSent: Monday\nTo: Bob\nSubject: Boat\n\nMay I?\n", "Sure.\n" ],
		[ "Sure.\n\n*Von:* Ann Lee\n*Gesendet:* Montag\n*An:* Bob\n*Betreff:* Boot\n\nDarf ich?\n", "Sure.\n" ],
		[ "好。\n\n发件人：安娜\n发送时间：周一\n收件人：鲍勃\n\n可以吗？\n", "好。\n" ],
		[ "The ferry leaves.\nFrom: Bergen\nTo: Oslo\nat noon", "The ferry leaves.\nFrom: Bergen\nTo: Oslo\nat noon" ],
	],
	without_tags => [
		# character references
		[ '<p>A &amp;amp; B&lt;br&gt;&#x41;&#65;&nosuch;&#55296;&#0;&; & &hellip;<!-- x --> <script>y</script>&shy;&nbsp;</p>',
			" A &amp; B<br>AA&nosuch;&#55296;&#0;&; & \x{2026}   \x{AD}\x{A0} " ],

		# tags inside lines, and the readings of ruby
		[ '<p>CO<sub>2</sub>, 10<SUP class="a>b">3</SUP></p>', ' CO2, 103 ' ],
		[ '<p><span>T</span>he dam<b>aged</b> ferry<wbr>boats</p>', ' The damaged ferryboats ' ],
		[ 'one<br>two<td>three</td><td>four<img src=a>five<h1>six', 'one two three  four five six' ],
		[ '<ruby>東京<rp>(</rp><rt>とう<b>きょう</b></rt><rp>)</rp></ruby>の<ruby>港<rt>みなと</ruby>は', '東京の港は' ],
		[ '<ruby><rb>a<rt>1<rb>b<rtc><rt>2</rtc></ruby>c<rtx>d', 'abc d' ],
		[ 'A<script>if (a<b>c) d</script>B<!-- <b> -- <i> -->C<i a="<br>">D', 'A B CD' ],
		[ "A\x01B\x02<b>C\x01</b>D", 'ABCD' ],

		# tags, comments, scripts and styles
		[ '<SCRIPT src="a">x</script>A<!-- x > y -->B<style>z</style >C<!-- <p> -->D<script>x</style></script>E', ' A B C D E' ],
		map({ [ $_, $_ ] } 'p < 0.05, a <- b -> c, x <= 5, I <3 it, 1 < 2', 'to <jan@mail.example>, <ftp://files.example/a>, </jan@mail.example>', 'A<b'),
		[ 'Map<Key> a', 'Map  a' ],
		[ '<!DOCTYPE html><?xml a?>A</>B</3>C<br/>D<o:p>E</o:p >F<my-tag>G', '  A B C D E F G' ],
		[ q{<p a="b > c" d='e > f' g = "h>">A<p j="k"l>B<p m=n"o>C<p p'q>D<p a="<!-- <b>">E}, ' A B C D E' ],
		[ '<script>if (a<b) c("</b>")</script>A<SCRIPT/src=x>y</Script z>B<style>p > q {}</style>C<script-x>D', ' A B C D' ],
		[ 'A<!-->B<!--->C<!-- d > e - -->F<!-- g --!>H', 'A B C F H' ],
		[ 'A<![CDATA[B & <p>C</p>]]>D', 'A B &  C  D' ],
		[ 'A<!-- B', 'A ' ], [ 'A<script>B</style>', 'A ' ], [ 'A<p b="c>d', 'A ' ], [ 'A<p b', 'A ' ], [ 'A<? b', 'A ' ],
	],
	without_markup => [
		# Markdown
		[ "# The **pier**\n======\n> > * It is __closed__, [see](https://a.example/c_(d)) or [here][x].\n\n[x]: https://a.example \"Title\"\n[^1]: Note",
			" The pier\n\n It is closed, see or here.\n\n\n[^1]: Note" ],
		[ '![pier](a.png) [![b](c)](d) [b](e) ![f][g]', '  b ' ],
		[ "| a | b |\n|---|:-:|\n| 1 | 2 |\n```sh\nset `limit` 500\n```\n---\n- [x] done ~~no~~", "  a   b  \n\n  1   2  \n\nset limit 500\n\n\n [x] done no" ],
		[ "* 500 boats\n+ 20 ferries\n1. three\n-500 x\n5 * 3 * 2, *a* _b_ dam**ag**ed", " 500 boats\n 20 ferries\n three\n-500 x\n5 * 3 * 2, a b damaged" ],
		map({ [ $_, $_ ] } '2*3, 2**3, a_b, snake_case_, [1], a[1], (x)' =~ s/case_/case/r, '-500 > #3', "The pier.\nThe storm.", '港は閉鎖された。'),

		# BBCode, terminals
		[ '[B]Bold[/B] and [url=http://a.example]link[/url] [quote=Ann]Hi[/quote]there [list][*]one[*]two[/list][size=3]x[/size]', 'Bold and link  Hi there   one two x' ],
		[ "\e[31mERROR\e[0m the \e[1;33mboat\e[K \e]0;title\a\e]8;;http://a.example\e\\end", 'ERROR the boat end' ],

		# data: URIs and long blocks
		[ 'a ![](data:image/png;base64,' . 'iVBOR/+x' x 30 . '==) b data:,x data: d', 'a  b data:,x data: d' ],
		[ "before\n" . ('Ab1/' x 19 . "\n") x 2 . "Q2w=\nafter " . '0f' x 32 . ' end', "before\n\nafter  end" ],
		[ 'src="data:image/svg+xml;charset=utf-8,%3Csvg%20a%3E" alt', 'src="" alt' ],
	],
);

# What is repeated a million times, and what precedes and follows it
my %hostile = (
	without_quotes => [
		[ '', "\@ wrote:\n" ],
		[ "a:\n", "a: b\n", "a:\n> b\n", "-- \n", ':', "\n", "\n>", '-', " \t", '<', '>', '[', '(', 'x', '@ ', '1:23 ', "wrote:\n#",
			"2021\na\nb:\n>", '_', "_____\n", "From: a\n", "\nFrom: a\nb: c\n", 'From:', "\r" ],
		[ "\n\@ wrote:\n> x" ],
	],
	without_tags => [
		[''],
		[ '<', '<a ', '<a', '<p b="', '<a b=""="', '<?', '</', '<!-- >', '<script><', '<script></style>', '<a =', '<p:', ']', '= ', '<b>',
			'<rt>', '<rt', '<rt></rp>', ']]>', '&' ],
		[ '', '<!--', '<b>', '"<' ],
	],
	without_markup => [
		[''],
		[ '<', '>', '[', '(', '[a', '![', '[a](', '![a](', '[a][', 'x', '*', '_', 'a_', '**a', '`', '~', '-', '> ', '# ', '1. ', "\n- ", "\n", '| ',
			"\e", "\e[", "\e]", "\e[1m", 'data:', 'data:a/b,', 'a' x 60 . ' ', 'aaaa= ', '[quote', '[b=', "\n[a]: b", '(()', '[a](()' ],
		[ '', ')x' ],
	],
);

for my $function (sort keys %outputs)
{
	my $literal = sub { '$x$' . encode_utf8($_[0]) . '$x$' };
	my $cases = join ', ', map { sprintf '(%s, %s)', map { $literal->($_) } @$_ } @{ $outputs{$function} };

	$node->safe_psql('postgres', slurp_file("examples/$function.sql"));
	is($node->safe_psql('postgres', "SELECT format('%s: %s, not %s', i, $function(i), o) FROM (VALUES $cases) v (i, o) WHERE $function(i) IS DISTINCT FROM o"),
		'', "$function: outputs");
	is($node->safe_psql('postgres', "SELECT format('%s: %s, then %s', i, $function(i), $function($function(i))) FROM (VALUES $cases) v (i, o) WHERE $function($function(i)) <> $function(i)"),
		'', "$function: again changes nothing") if $function ne 'without_tags';

	# usable in an index, by any role, and in a parallel plan
	is($node->safe_psql('postgres', "SELECT provolatile, proparallel, proisstrict FROM pg_proc WHERE proname = '$function'"), 'i|s|t', "$function: properties");
	is($node->safe_psql('postgres', qq{
		CREATE SCHEMA evil_$function;
		CREATE FUNCTION evil_$function.regexp_replace(text, text, text, text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT ''evil''';
		CREATE FUNCTION evil_$function.replace(text, text, text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT ''evil''';
		SET search_path = evil_$function, public, pg_catalog;
		SELECT $function('The pier is closed.')}), 'The pier is closed.', "$function: any search_path");

	# time grows with the length of a text, not with its square
	my ($begins, $repeated, $ends) = map { join ', ', map { $literal->($_) } @$_ } @{ $hostile{$function} };
	is($node->safe_psql('postgres', "SET statement_timeout = '300s'; SELECT count($function(begins || repeat(repeated, 300000 / length(repeated)) || ends)) > 0
		FROM unnest(ARRAY[$begins]) begins, unnest(ARRAY[$repeated]) repeated, unnest(ARRAY[$ends]) ends"), 't', "$function: linear");
}
$node->stop;
done_testing();
