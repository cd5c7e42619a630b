# The SQL of README.zh-CN.md, doc/coming-from.md, doc/quality.md and doc/short.md runs without change,
# from top to bottom, and its answers are those that the pages show. The files to which the
# pages link exist. The plots are those of their scripts.
#
#   SIMHASH_DATA=folder     the folder of pairs_dev.tsv, which 035_labelled_pairs.pl describes; without it
#                           the table about sentences is not measured

use SimhashPage;
use SimhashTest;

# For each page, the number of answers that it shows
my %answers = ('README.zh-CN.md' => 4, 'doc/coming-from.md' => 5, 'doc/quality.md' => 0, 'doc/short.md' => 1);

# Tables that a page takes as given
my %tables = (
	'doc/quality.md' => q{
		CREATE EXTENSION simhash;
		CREATE TABLE docs AS
		SELECT n AS id, body, minhash(body) AS fp
		FROM generate_series(1, 100) n,
			 format('Application for a permit. The applicant asks for a permit. Name: %s. Plot: %s', md5(n::text), n) body},
);

my $node = start_node('guides', 'autovacuum = off');

for my $file (sort keys %answers)
{
	my $database = $file =~ s/\W+/_/gr;
	my @blocks = sql_blocks($file);

	$node->safe_psql('postgres', qq{CREATE DATABASE "$database"});
	$node->safe_psql($database, $tables{$file}) if $tables{$file};
	is(run_blocks($node, $database, \@blocks), $answers{$file}, "$file: answers that the page shows");
	links_exist($file);
}

# Without the template the documents are far apart. With it they are near each other.
is($node->safe_psql('doc_quality_md', q{
		SELECT max(a.fp <-> b.fp) < 26, min(a.own <-> b.own) > 8, count(DISTINCT a.id)
		FROM docs a JOIN docs b ON a.id < b.id WHERE a.own IS NOT NULL AND b.own IS NOT NULL}),
	't|t|99', 'fingerprints without the template');

# The plot has a bar for each distance that pairs have.
for my $kind ([ 'fp', 'simhash_calibrate' ], [ 'minhash_bits(body, 256)', 'bit_calibrate' ], [ 'NULL::simhash', 'simhash_calibrate' ])
{
	my ($fingerprint, $calibrate) = @$kind;
	my $plot = slurp_file('doc/distances.sql');
	my $svg;

	$node->psql('doc_quality_md', $plot, stdout => \$svg, on_error_die => 1,
		extra_params => [ '-v', "fps=SELECT $fingerprint FROM docs", '-v', "calibrate=$calibrate" ]);
	my $bars = () = $svg =~ /<rect x=/g;
	is($bars, $node->safe_psql('doc_quality_md',
			"SELECT count(*) FROM $calibrate(ARRAY(SELECT $fingerprint FROM docs)) WHERE pairs > 0"),
		"bars of the plot of $fingerprint");
	like($svg, qr/\A<svg .*<\/svg>\s*\z/s, "plot of $fingerprint");
}

# The figure of README.md shows the figures of doc/performance.md.
is(slurp_file('doc/lookups.svg'), `bash test/bench/lookups_figure.sh`,
	'doc/lookups.svg is the output of test/bench/lookups_figure.sh');

# The index of the page about stash-box serves its query.
$node->safe_psql('doc_coming_from_md', q{
	INSERT INTO fingerprints SELECT n, hashint8extended(n, 0), 'PHASH' FROM generate_series(10, 20000) n;
	ANALYZE fingerprints});
like($node->safe_psql('doc_coming_from_md', q{
		EXPLAIN SELECT p.phash, f.id FROM unnest(ARRAY[-517698843252459735]::bigint[]) AS p (phash)
		JOIN fingerprints f ON f.hash::simhash <-> p.phash::simhash <= 4 AND f.algorithm = 'PHASH'}),
	qr/Index Scan using fingerprints_phash_idx/, 'plan of the query for several hashes');

# The table about the longest sentences has the figures of the labelled pairs. The edits are those
# of wording. The pairs of other texts are those of test/bench/quality_width.sql.
sub sentences_table
{
	my ($file) = @_;
	my ($block) = grep { $_->{sql} =~ /CREATE TABLE sentences/ } sql_blocks('doc/coming-from.md');

	$node->safe_psql('postgres', 'CREATE DATABASE sentences');
	$node->safe_psql('sentences', <<"END" . $block->{sql} =~ s/\bSELECT a\.id.*//sr . <<'END');
CREATE EXTENSION simhash;
CREATE TABLE pairs (label int, bucket text, lang text, text_a text, text_b text, source text);
\\copy pairs FROM PROGRAM 'tail -n +2 "$file"'
CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY, edit bigint, kind text, lang text, document text, body text);
INSERT INTO docs (edit, kind, body)
SELECT edit, split_part(bucket, '/', 2), body
FROM (SELECT row_number() OVER () AS edit, * FROM pairs WHERE label = 1 AND bucket ~ '^(S|M|L)/(e<1|e1-5|e5-10|e10-25)\$') e,
     unnest(ARRAY[text_a, text_b]) body;
INSERT INTO docs (lang, document, body)
SELECT DISTINCT lang, regexp_replace(part, '^.*/', ''), CASE place WHEN 1 THEN text_a ELSE text_b END
FROM pairs, unnest(string_to_array(source, ' | ')) WITH ORDINALITY s (part, place)
WHERE bucket NOT LIKE 'XS/%' AND source !~ '^(NDD|hand)';
END
CREATE TABLE fps AS SELECT id, edit, kind, lang, document, body, minhash(body) AS narrow, minhash_bits(body, 256) AS wide FROM docs;
CREATE TABLE keys AS SELECT id, array_agg(key ORDER BY key) AS keys FROM sentences GROUP BY id;
CREATE TABLE common AS
SELECT a.id AS a, b.id AS b, count(*) AS common
FROM sentences a JOIN sentences b USING (key) WHERE a.id < b.id GROUP BY a.id, b.id;
CREATE TABLE compared AS
SELECT a.id AS a, b.id AS b, a.kind, a.edit IS NULL AS others, x.keys IS NOT NULL AND x.keys = y.keys AS same,
       coalesce(common, 0) AS common, a.narrow <-> b.narrow AS narrow, a.wide <-> b.wide AS wide
FROM fps a JOIN fps b ON a.id < b.id AND (a.edit = b.edit OR a.lang = b.lang AND a.document <> b.document)
     LEFT JOIN common c ON c.a = a.id AND c.b = b.id LEFT JOIN keys x ON x.id = a.id LEFT JOIN keys y ON y.id = b.id;
CREATE FUNCTION share(found bigint, of bigint) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT regexp_replace(to_char(found / of::numeric, 'FM0.00'), '^0', '') $$;
ANALYZE;
END
	is($node->safe_psql('sentences', q{SELECT round(count(*) / 1e6, 2) FROM compared WHERE others}), '1.08', 'millions of pairs of other texts');
	return $node->safe_psql('sentences', join(' UNION ALL ', map {
		my ($nr, $found) = @$_;
		my $shares = join(", ' | ', ", map { "share(count(*) FILTER (WHERE $found AND kind ~ '$_'), count(*) FILTER (WHERE kind ~ '$_'))" }
			'^e', 'e<1', 'e1-5', 'e5-10', 'e10-25');
		"(SELECT concat($shares, ' | ', (SELECT count(*) FROM compared c JOIN docs a ON a.id = c.a JOIN docs b ON b.id = c.b
		  WHERE others AND $found AND simhash_resemblance(a.body, b.body) < 0.5)) FROM compared WHERE NOT others)"
	} [ 1, 'same' ], [ 2, 'common >= 2' ], [ 3, 'common >= 1' ], [ 4, 'narrow <= 5' ], [ 5, 'wide <= 20' ], [ 6, 'wide <= 48' ]));
}

SKIP:
{
	my $file = ($ENV{SIMHASH_DATA} // '') . '/pairs_dev.tsv';

	skip 'needs pairs_dev.tsv: see SIMHASH_DATA', 2 unless $ENV{SIMHASH_DATA} && -r $file;
	my @shown = slurp_file('doc/coming-from.md') =~ /^\| [^|]+ \| (\S+ \| \S+ \| \S+ \| \S+ \| \S+ \| \d+) \|$/mg;
	is(sentences_table($file), join("\n", @shown), 'table about the longest sentences');
}

$node->stop;
done_testing();
