# Changes of labelled pairs of texts: replacing each change's text of a by that of b gives b but
# for white space and case, and the places cut the very texts.
#
#   SIMHASH_DATA=folder     the folder of the file revisions_dev.tsv: label, kind, language and
#                           two texts, in COPY's text format; without it the test is skipped

use SimhashTest;

my $file = ($ENV{SIMHASH_DATA} // '') . '/revisions_dev.tsv';

plan skip_all => 'needs revisions_dev.tsv: see SIMHASH_DATA' unless $ENV{SIMHASH_DATA} && -r $file;

my $node = start_node('labelled_changes', { extra => ['--locale=C.UTF-8'] }, 'autovacuum = off');

# Each pair in both orders
$node->safe_psql('postgres', <<"END");
CREATE EXTENSION simhash;
CREATE TABLE given (label text, kind text, lang text, a text, b text);
\\copy given FROM '$file'
CREATE TABLE pairs AS
SELECT row_number() OVER () AS id, label, x.* FROM given, LATERAL (VALUES (a, b), (b, a)) x (a, b);
CREATE TABLE changes AS SELECT id, fold_case, c.* FROM pairs, (VALUES (true), (false)) f (fold_case), simhash_changes(a, b, fold_case) c;
CREATE FUNCTION visible(t text) RETURNS text LANGUAGE sql AS
  'SELECT regexp_replace(t, ''[\\s\\u0085\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u2800\\u3000]'', '''', ''g'')';
CREATE TABLE applied AS
SELECT p.id, f.fold_case, p.b, string_agg(substr(p.a, previous, a_start - previous) || b_text, '' ORDER BY change) || substr(p.a, max(a_start + a_length)) AS result
FROM pairs p CROSS JOIN (VALUES (true), (false)) f (fold_case)
JOIN (SELECT *, lag(a_start + a_length, 1, 1) OVER (PARTITION BY id, fold_case ORDER BY change) AS previous FROM changes) c ON c.id = p.id AND c.fold_case = f.fold_case
GROUP BY p.id, p.a, p.b, f.fold_case;
END
is($node->safe_psql('postgres', 'SELECT count(*) FROM given'), 320, '320 pairs');
is($node->safe_psql('postgres', 'SELECT count(*), count(*) FILTER (WHERE lower(visible(a)) <> lower(visible(b))) FROM pairs WHERE NOT EXISTS (SELECT FROM simhash_changes(a, b))'),
	'4|0', 'pairs without a change are copies');
is($node->safe_psql('postgres', 'SELECT id FROM applied WHERE NOT fold_case AND visible(result) <> visible(b)'),
	'', 'applying the changes gives b but for white space');
is($node->safe_psql('postgres', 'SELECT id FROM applied WHERE fold_case AND lower(visible(result)) <> lower(visible(b))'),
	'', 'applying the changes gives b but for white space and case');
is($node->safe_psql('postgres', 'SELECT id FROM changes JOIN pairs USING (id) WHERE substr(a, a_start, a_length) <> a_text OR substr(b, b_start, b_length) <> b_text'),
	'', 'places cut the very texts');
done_testing();
