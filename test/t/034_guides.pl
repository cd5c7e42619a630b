# The SQL of README.zh-CN.md, doc/migrating.md, doc/languages.md, doc/quality.md and doc/titles.md runs without change,
# from top to bottom, and its answers are those that the pages show. The files to which the
# pages link exist. The plots are those of their scripts.  examples/records.sql finds what it says.

use SimhashPage;
use SimhashTest;

# For each page, the number of answers that it shows
my %answers = ('README.zh-CN.md' => 3, 'doc/migrating.md' => 5, 'doc/languages.md' => 1, 'doc/quality.md' => 0, 'doc/titles.md' => 2);

# Tables that a page takes as given
my %tables = (
	'doc/languages.md' => 'CREATE EXTENSION simhash',
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

# The records that titles.md names, also after a dump and a restore
{
	my $records = "$PostgreSQL::Test::Utils::tmp_check/records.sql";

	is($node->safe_psql('doc_titles_md', slurp_file('examples/records.sql')), "1|2|13\n1|2", 'pairs of records');
	$node->command_ok([ 'pg_dump', '-d', $node->connstr('doc_titles_md'), '-f', $records ], 'dump of records');
	$node->safe_psql('postgres', 'CREATE DATABASE restored');
	is($node->psql('restored', slurp_file($records), on_error_stop => 1), 0, 'it can be restored');
	is($node->safe_psql('restored', 'SELECT count(fp) FROM people'), 3, 'with the fingerprints');
}

# The plot has a bar for each distance that pairs have.
for my $kind ([ 'fp', 'simhash_calibrate' ], [ 'minhash_bits(body, 256)', 'bit_calibrate' ], [ 'NULL::simhash', 'simhash_calibrate' ])
{
	my ($fingerprint, $calibrate) = @$kind;
	my $plot = slurp_file('examples/distances.sql');
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
is(slurp_file('doc/lookups.svg'), `bash bench/lookups_figure.sh`,
	'doc/lookups.svg is the output of bench/lookups_figure.sh');

# The index of the page about stash-box serves its query.
$node->safe_psql('doc_migrating_md', q{
	INSERT INTO fingerprints SELECT n, hashint8extended(n, 0), 'PHASH' FROM generate_series(10, 20000) n;
	ANALYZE fingerprints});
like($node->safe_psql('doc_migrating_md', q{
		EXPLAIN SELECT p.phash, f.id FROM unnest(ARRAY[-517698843252459735]::bigint[]) AS p (phash)
		JOIN fingerprints f ON f.hash::simhash <-> p.phash::simhash <= 4 AND f.algorithm = 'PHASH'}),
	qr/Index Scan using fingerprints_phash_idx/, 'plan of the query for several hashes');

$node->stop;
done_testing();
