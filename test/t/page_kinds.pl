# The SQL of doc/kinds-of-texts.md runs without change on documents of each kind, finds what the page says, and finds it only
# because of what the page removes.

use utf8;
use Encode;
use SimhashPage;
use SimhashTest;

my $news = 'The council of the town has decided to close the north pier for the winter, because the storm of last week has damaged '
  . 'the piles. Ferries leave from the south pier until the repairs are finished in spring.';
my $offer = 'we have new rain coats and boots for you this autumn. Come to our shop near the harbour and try them on. ';
my $mail = 'The printer on the second floor prints only blank pages since this morning, although I have changed the cartridge.';
my $reply = 'Did you remove the yellow strip from the new cartridge before you put it into the printer on your floor?';
my $advert = 'We look for somebody who likes to work with people. You write offers, answer the telephone and look after our guests. '
  . 'We offer a flat, thirty days of leave and free travel.';
my $post = encode_utf8('北码头因台风关闭，渡轮改由南码头开出，请提前十分钟到达。');
my $words = sub { my ($n, $seed) = @_; join ' ', map { 'w' . ($_ * $seed % 997) } 1 .. $n };
my $code = "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n    return result\n";
my $passage = 'Vessels waiting for the tide anchor south of the bar, in eight fathoms, where the bottom is firm clay and the ebb sets '
  . 'clear of the fairway; in southerly gales the roadstead is untenable, and masters should put to sea.';
my $licence = 'Permission to use and copy this work for any purpose is granted without fee, if this notice is kept in all copies of it. '
  . 'The work comes without any warranty, and its authors are not liable for any damage that arises from its use.';

# For each section: the documents, which are pairs of a title and a text, commands before its SQL, and the rows that its SQL
# returns.  Then perhaps a pattern, what replaces it in the SQL, and the rows that this returns.
my %kinds = (
	'News and web pages' => {
		docs => [ map { ('Pier', "<p>$news</p> $_ https://n.example/?t=$_") } 1204, 1377, 2055, 3111 ],
		rows => "2|1|copy|0\n3|1|copy|0\n4|1|copy|0",
		without => [ qr/https\?:.*?\\d\+/, '^$', '' ],
	},
	'Newsletters and mail campaigns' => {
		docs => [ map { ('Autumn', "Dear $_,\n$offer https://s.example/?u=$_\nUnsubscribe $_ from this list") } 'Anna', 'Berta', 'Carla' ],
		rows => "2|1|copy|0\n3|1|copy|0",
		without => [ qr/'\^.*\+'/, q{'^$'}, '' ],
	},
	'Mails and tickets' => {
		docs => [
			'Printer', "From: Anna\nSubject: Printer\n\n$mail\n-- \nAnna",
			'RE: Printer', "From: Bert\nSubject: RE: Printer\n\nOn Tuesday Anna wrote:\n> $mail\n\n$reply\n",
			'Re: Fwd: printer', "$mail\n-- \nSent from my telephone",
			'Order', 'This message is in HTML.',
			'Order', 'This message is in HTML.'
		],
		rows => '3|1|copy|0',
		without => [ qr/without_quotes\(body\)/, 'body', '' ],
	},
	'Markup' => {
		docs => [
			'Pier', "# Pier\n\n* **500** boats\n* [$news](a.html)\n", 'Pier', "<h1>Pier</h1> <ul><li>500 boats</li> <li>$news</li></ul>",
			map({ ('Note', "$_ ![](data:image/png;base64," . join('/', map { join '', map { chr(97 + $_ % 26) } $_ * 7, $_ * $_, $_ * 3 % 11, $_ % 17 } 1 .. 900) . ')') }
				'Minutes of Monday. The budget of the harbour was discussed.', 'Recipe for Friday. Fry the onions in oil, and serve them.') ],
		rows => '2|1|copy|0',
		checks => [ q{SELECT minhash_bits(unistr(regexp_replace(body, '\\\\[nrt]', ' ', 'g'))) = minhash_bits('The pier.
			The café is open.') FROM (VALUES ('The pier.\\nThe caf\\u00e9 is open.')) v (body)} => 't' ],
		without => [ qr/without_markup\(body\)/, 'body', '2|1|revision|6' ],
	},
	'Adverts, products and forms' => {
		rows_of => q{INSERT INTO adverts SELECT n, 'Receptionist', e, 'Bergen', replace(b, 'ADVERT', 'TEXT') FROM (VALUES
			(1, 'Sea Hotel', 'Ref. 4711 ADVERT Since 01.03.2026. We pay 3,000 Euro.'), (2, 'Sea Hotel', 'Ref. 4802 ADVERT Since 15.04.2026. We pay 3,000 Euro.'),
			(3, 'Forest Hotel', 'Ref. 4803 ADVERT Since 15.04.2026. We pay 3,000 Euro.'), (4, 'Sea Hotel', 'Ref. 4901 ADVERT We pay 4,000 Euro.')) v (n, e, b)}
		  =~ s/TEXT/$advert/r,
		rows => '2|1|copy|0',
		without => [ qr/'\\mRef.*?\\M'/, q{'^$'}, '' ],
	},
	'Short texts' => {
		docs => [ '', 'Thank you!', '', 'thank you!', '', $advert, '', lc $advert, '', $post, '', $post ],
		rows => "4|3|copy|0\n6|5|copy|0",
		delete => '4 OR id = 6',
		without => [ qr/>= 60/, '>= 1', "2|1|copy|0\n4|3|copy|0\n6|5|copy|0" ],
		checks => [ q{INSERT INTO docs (body) SELECT upper(body) FROM docs ON CONFLICT DO NOTHING RETURNING body} => "THANK YOU!\nTHANK YOU!" ],
	},
	'Quotations' => {
		docs => [ 'Pilot book', $passage, 'Essay', "He read aloud: $passage We left in the morning. $news $offer", 'News', $news ],
		rows => "1|2|1.00\n3|2|1.00",
	},
	'Code and configuration' => {
		docs => [ 'a/total.py', $code, 'b/total.py', $code, 'c/total.py', $code =~ s/    return/        return/r, 'd/sum.py', $code ],
		rows => '',
		checks => [ 'SELECT array_agg(id ORDER BY id) FROM docs' => '{1,3,4}' ],
		without => [ qr/ AND d\.body = o\.body/, '', '' ],
		without_checks => [ 'SELECT array_agg(id ORDER BY id) FROM docs' => '{1,4}' ],
	},
	'Speech and OCR' => {
		docs => [
			'', "1\n00:00:01,000 --> 00:00:04,000\n$news", '', "1\n00:00:02,500 --> 00:00:05,500\n" . $news =~ s/piles/pi-\nles/r,
			'', join(' ', map { /^(town|close|winter|storm|piles|south|repairs)/ ? s/[oisp]/l/r : $_ } split / /, $news), '', $passage
		],
		like => qr/\A1\|2\|0\n1\|3\|\d+\n2\|3\|\d+\z/,
		without => [ qr/, features => 'characters', n => 3/, '', '1|2|0' ],
	},
	'Legal texts and licences' => {
		docs => [
			'Licence', "Copyright 2019. $licence", 'Licence', "Copyright 2024. $licence" =~ s/for any purpose/for any lawful purpose/r,
			'Law', $passage
		],
		rows => "2|1|number|2019|2024\n2|1|insert||lawful",
		without => [ qr/, numbers => false/, '', '' ],
	},
	'Chunks for retrieval' => {
		docs => [ 'A', $words->(200, 7), 'B', $words->(100, 11) . " $passage", 'C', $passage . ' ' . $words->(100, 13) ],
		like => qr/^1\|0\|1\|1\n.*^2\|\d\|3\|0\n/ms,
	},
	'Test items in training data' => {
		docs => [ '', "Question: $passage Answer: yes.", '', $news ],
		rows_of => q{INSERT INTO items VALUES (10, 'where the bottom is firm clay and the ebb sets clear OF the'),
			(11, 'the bottom is firm clay'), (12, 'the ebb sets clear of the fairway where the bottom is firm clay and masters put to sea')},
		rows => '10|1',
	},
	'Repeated paragraphs' => {
		docs => [ map { ('', "$_\n\nThis mail is meant only for those to whom it is addressed.") } 'one', 'two', 'three', "four\n\nfive" ],
		rows => "1|one\n2|two\n3|three\n4|four\n\nfive",
	},
	'JSON' => {
		docs => [
			'', '{"name": "Anna", "city": "Bergen", "updated_at": "2026-01-01"}', '', '{"updated_at": "2026-02-02", "city": "Bergen", "name": "Anna"}',
			'', '{"name": "ANNA", "city": "Bergen"}', '', '{"name": "Anna", "city": "Oslo"}'
		],
		rows => '',
		checks => [ 'SELECT array_agg(id ORDER BY id) FROM docs' => '{1,3,4}' ],
		without => [ qr/ - 'updated_at'/, '', '' ],
		without_checks => [ 'SELECT array_agg(id ORDER BY id) FROM docs' => '{1,2,3,4}' ],
	},
	'Logs' => {
		docs => [ map { ('', $_) } 'GET "/a" took 12 ms', 'GET "/b?x=1" took 7 ms', 'out of memory at 0x7fA0' ],
		rows => "GET ? took ? ms|2|GET \"/a\" took 12 ms\nout of memory at ?|1|out of memory at 0x7fA0",
	},
	'Several kinds in one table' => {
		rows => '',
		checks => [ qq{INSERT INTO posts (kind, title, body) VALUES ('web', 'Pier', '<p>$news</p> <i>1,204</i>'), ('web', 'Pier', '<b>$news</b> <i>1,377</i>'),
			('mail', 'Pier', '$news'), ('web', 'Quay', '$news') RETURNING id, duplicate_of} => "1|\n2|1\n3|\n4|" ],
	},
);

my $node = start_node('kinds');
my @blocks = sql_blocks('doc/kinds-of-texts.md');
my ($first, @others) = @blocks;

is_deeply([ map { $_->{section} } @others ], [ grep { $kinds{$_} } map { $_->{section} } @others ], 'a test for each section');
is(scalar(@others), scalar(keys %kinds), 'one block in each section');
$node->safe_psql('postgres', 'CREATE DATABASE page');
is(run_blocks($node, 'page', [$first]), 1, 'the answer that the page shows');
is($node->safe_psql('page', q{SELECT count(*) FROM simhash_duplicates('SELECT id, title, without_tags(body) FROM docs')}), 0, 'numbers count by default');

for my $block (@others)
{
	my $section = $block->{section};
	my $kind = $kinds{$section};
	my $name = lc($section) =~ s/\W+/_/gr;
	my @docs = @{ $kind->{docs} // [] };
	my $fill = 'TRUNCATE docs RESTART IDENTITY;';

	while (my ($title, $body) = splice @docs, 0, 2)
	{
		$fill .= "INSERT INTO docs (title, body) VALUES (\$t\$$title\$t\$, \$t\$$body\$t\$);";
	}
	for my $variant ('', $kind->{without} ? 'without' : ())
	{
		my $sql = $block->{sql};
		my $rows = $kind->{rows};
		my @checks = @{ $kind->{ $variant ? 'without_checks' : 'checks' } // [] };
		my $database = "$name$variant";

		if ($variant)
		{
			my ($pattern, $replacement, $others_rows) = @{ $kind->{without} };
			ok($sql =~ s/$pattern/$replacement/g, "$section: what the page removes");
			$rows = $others_rows;
		}
		$node->safe_psql('postgres', qq{CREATE DATABASE "$database" TEMPLATE page});
		$node->safe_psql($database, $fill);

		# rows of tables that the block creates
		my ($create, $query) = $kind->{rows_of} ? $sql =~ /\A(CREATE TABLE .*?;\n)(.*)\z/s : ('', $sql);
		$node->safe_psql($database, $create . "$kind->{rows_of};") if $create;
		my ($before_index, $index) = $kind->{delete} ? $query =~ /\A(.*?)(^CREATE UNIQUE INDEX.*)\z/ms : ($query, undef);
		my ($stdout, $stderr);
		is($node->psql($database, $before_index, stdout => \$stdout, stderr => \$stderr), 0, "$database: the SQL runs") or diag($stderr);
		if (!$variant && $kind->{like}) { like($stdout, $kind->{like}, "$section: rows") }
		else { is($stdout, $rows, "$section: rows" . ($variant && ' if nothing is removed')) }
		if (!$variant && defined $index)
		{
			$node->safe_psql($database, "DELETE FROM docs WHERE id = $kind->{delete}; $index");
		}
		answers_are($node, $database, $section, @checks);
	}
}

# Windows of the pages of doc/
my ($chunks) = grep { $_->{section} eq 'Chunks for retrieval' } @others;
my $pages = '';
for my $file (glob 'doc/*.md')
{
	$pages .= "INSERT INTO docs (title, body) VALUES ('$file', \$page\$" . slurp_file($file) . '$page$);';
}
$node->safe_psql('page', "TRUNCATE docs; $pages");
my ($create) = $chunks->{sql} =~ /\A(.*;\n)SELECT/s;
is($node->safe_psql('page', $create . q{
	SELECT string_agg(format('%s %s %s %s', neighbours, count > 400, found, near), ', ' ORDER BY neighbours DESC) FROM (
	  SELECT a.doc = b.doc AND a.n + 1 = b.n AS neighbours, count(*),
	    CASE WHEN bool_and(a.keys && b.keys) THEN 'all' WHEN avg((a.keys && b.keys)::integer) < 0.01 THEN 'few' END AS found,
	    bool_or(minhash_bits(a.body) <-> minhash_bits(b.body) <= 48) FILTER (WHERE a.doc = b.doc AND a.n + 1 = b.n) AS near
	  FROM chunks a JOIN chunks b ON (a.doc, a.n) < (b.doc, b.n) GROUP BY 1) s}),
	't t all f, f t few ', 'windows of the pages');

# Each kind has a row of the table and at most ten lines
my $page = slurp_file('doc/kinds-of-texts.md');
my %lines;
my @sections = $page =~ /^## (.*?)\n(.*?)(?=^## |\z)/gms;
while (my ($title, $text) = splice @sections, 0, 2)
{
	my $anchor = lc($title) =~ s/[^\w -]//gr =~ s/ /-/gr;
	my @lines = grep { /\S/ && !/^```/ } split /\n/, $text;

	cmp_ok(scalar(@lines), '<=', 10, "$title: lines");
	like($page, qr/^\| \[[^]]+\]\(#\Q$anchor\E\) \|/m, "$title: a row of the table");
}
links_exist('doc/kinds-of-texts.md');

$node->stop;
done_testing();
