# examples/sample.csv: simhash_duplicates finds the copies and revisions that the sample names, and
# takes no other document for one

use SimhashTest;

my $node = start_node('sample');
$node->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	CREATE TABLE sample (id int PRIMARY KEY, title text, body text, kind text, original int);
	\copy sample FROM 'examples/sample.csv' CSV HEADER});
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM sample'), '>=', 280, 'documents');

my $found = q{SELECT %s FROM sample s LEFT JOIN simhash_duplicates('SELECT id, title, %s FROM sample') d USING (id)};
my $wrong = q{count(*) FILTER (WHERE d.kind <> coalesce(s.kind, '') OR d.original <> s.original) AS wrong};
my $missed = q{string_agg(s.id || ' ' || s.kind, ', ' ORDER BY s.id) FILTER (WHERE d.kind IS NULL AND s.kind IS NOT NULL)};

is($node->safe_psql('postgres', sprintf($found, "$wrong, $missed", "coalesce(body, title)")), '0|', 'title and text');
is($node->safe_psql('postgres', sprintf($found =~ s/id, title, %s/id, concat_ws('. ', title, body)/r =~ s/simhash_duplicates\('(.*?) FROM sample'\)/simhash_duplicates(\$\$$1 FROM sample\$\$)/r, "$wrong, $missed")),
	'0|', 'one text');
is($node->safe_psql('postgres', q{SELECT count(*) FROM sample s JOIN sample o ON o.id = s.original
		WHERE (s.kind = 'copy') <> (simhash_copy_key(s.title || ' ' || s.body) = simhash_copy_key(o.title || ' ' || o.body))}), '0', 'copies have one key');
$node->stop;
done_testing();
