# The SQL of README.zh-CN.md, doc/migrating.md, doc/languages.md, doc/measurements.md and doc/titles.md runs without change,
# from top to bottom, and its answers are those that the pages show. The files to which the
# pages link exist. The plots and figures are those of their scripts, and the rows of doc/measurements.md are rows of
# bench/results.
# examples/records.sql finds what it says, and examples/README.md lists all examples.

use SimhashPage;
use SimhashTest;

# For each page, the number of answers that it shows
my %answers = ('README.zh-CN.md' => 4, 'doc/migrating.md' => 2, 'doc/languages.md' => 1, 'doc/measurements.md' => 1, 'doc/titles.md' => 3);

# Tables that a page takes as given
my %tables = (
	'doc/languages.md' => 'CREATE EXTENSION simhash',
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

$node->safe_psql('postgres', 'CREATE DATABASE operations');
is(run_blocks($node, 'operations', [ sql_blocks('doc/operations.md') ]), 1, 'doc/operations.md: answers that the page shows');
links_exist('doc/operations.md');

# Without the template the documents are far apart. With it they are near each other.
$node->safe_psql('doc_measurements_md', q{
	CREATE TABLE docs AS
	SELECT n AS id, body, minhash(body) AS fp
	FROM generate_series(1, 100) n,
		 format('Application for a permit. The applicant asks for a permit. Name: %s. Plot: %s', md5(n::text), n) body});
$node->safe_psql('doc_measurements_md', slurp_file('examples/without_template.sql'));
is($node->safe_psql('doc_measurements_md', q{
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

	$node->psql('doc_measurements_md', $plot, stdout => \$svg, on_error_die => 1,
		extra_params => [ '-v', "fps=SELECT $fingerprint FROM docs", '-v', "calibrate=$calibrate" ]);
	my $bars = () = $svg =~ /<rect x=/g;
	is($bars, $node->safe_psql('doc_measurements_md',
			"SELECT count(*) FROM $calibrate(ARRAY(SELECT $fingerprint FROM docs)) WHERE pairs > 0"),
		"bars of the plot of $fingerprint");
	like($svg, qr/\A<svg .*<\/svg>\s*\z/s, "plot of $fingerprint");
}

# The figures are drawn from doc/measurements.md.
for my $figure ('lookups', 'recall')
{
	is(slurp_file("doc/$figure.svg"), `bash bench/${figure}_figure.sh`, "doc/$figure.svg is the output of bench/${figure}_figure.sh");
}

is(slurp_file('bench/results/scale.md'), `bash bench/scale.sh`, 'bench/results/scale.md is the output of bench/scale.sh');

# Each row of its sections, except for the heads of tables, is a row of a file of bench/results.
my %results = map { $_ => 1 } map { split /\n/, slurp_file($_) } glob 'bench/results/*.md';
my ($sections) = slurp_file('doc/measurements.md') =~ /^(## .*)/ms;
my @rows = $sections =~ /^(\|.*)\n(?!\|---)/mg;

cmp_ok(scalar(@rows), '>=', 60, 'rows of doc/measurements.md');
is(join("\n", grep { !$results{$_} } @rows), '', 'the rows of doc/measurements.md are rows of bench/results');
cmp_ok(scalar(split(/^/, slurp_file('doc/measurements.md'))), '<=', 300, 'lines of doc/measurements.md');
links_exist($_) for glob 'bench/results/*.md';

# Every example is in the list of examples.
my $examples = slurp_file('examples/README.md');
is(join(', ', grep { $examples !~ /\(\Q$_\E\)/ && $_ ne 'README.md' } map { s!.*/!!r } glob 'examples/*'), '', 'examples/README.md lists all examples');
is(join(', ', grep { slurp_file($_) !~ /^\\set ON_ERROR_STOP (?:on|1)$/m } glob 'examples/*.sql'), '', 'scripts in examples/ stop at the first error');
links_exist('examples/README.md');

# The examples of doc/migrating.md
my $migrating = slurp_file('doc/migrating.md');
for my $example ('longest_sentences', 'bands', 'tfidf', 'stash_box')
{
	like($migrating, qr{\(\.\./examples/$example\.sql\)}, "the page names $example.sql");
	is(run_example($node, $example), 1, "$example.sql: its answer");
}

# The distances of the page are those of its example.
my ($table) = $migrating =~ /^\| tool \| bands .*?\n\|-.*?\n(.*?)^\n/ms;
my $bands = $node->safe_psql('bands', slurp_file('examples/bands.sql'));
is( join('', map { my @c = split /\|/; "| $c[0] | $c[1] | $c[5], $c[6] | $c[3], $c[4] |\n" } split /\n/, $bands),
	$table, 'distances that replace bands');

# The index of the example about stash-box serves its query.
$node->safe_psql('stash_box', q{
	INSERT INTO fingerprints SELECT n, hashint8extended(n, 0), 'PHASH' FROM generate_series(10, 20000) n;
	ANALYZE fingerprints});
like($node->safe_psql('stash_box', q{
		EXPLAIN SELECT p.phash, f.id FROM unnest(ARRAY[-517698843252459735]::bigint[]) AS p (phash)
		JOIN fingerprints f ON f.hash::simhash <-> p.phash::simhash <= 4 AND f.algorithm = 'PHASH'}),
	qr/Index Scan using fingerprints_phash_idx/, 'plan of the query for several hashes');

# Whatever shows the kinds of changes knows all of them.
my @kinds = slurp_file('src/core/changes/changes.c') =~ /^\t\[CHANGE_\w+\] = "(\w+)"/mg;
cmp_ok(scalar(@kinds), '>=', 7, 'kinds of changes');
for my $file ('doc/reference.md', 'examples/review.sql', 'client/pgsimhash.1', 'client/pgsimhash.h')
{
	my $text = slurp_file($file);
	is(join(', ', grep { $text !~ /\b(?:$_|PGSIMHASH_CHANGE_\U$_\E)\b/ } @kinds), '', "$file: kinds of changes");
}

# Marks of the English that the pages no longer have
my $marks = qr/white space|typing errors?|This page is for|after it they|some \d+ (?:minutes|seconds)|bytes a (?:row|page|feature)|comes again|stands there|are no prose|asked for in vain/i;
for my $file ('README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', glob('doc/*.md packaging/*.md test/*.md client/python/*.md src/index/bitblock/*.md src/index/bitblock/*/*.md src/core/*/*.md'))
{
	is(join('; ', slurp_file($file) =~ /($marks)/g), '', "$file: English");
}

# Figures as English writes them: 0.5 and 5%, in prose and tables.  The rows of doc/measurements.md are those of the benchmarks.
for my $file ('README.md', 'examples/README.md', glob 'doc/*.md')
{
	my $prose = SimhashPage::prose($file) =~ s/`[^`]*`//gr;

	$prose =~ s/^\|.*\n|"< \.\d"//gm if $file eq 'doc/measurements.md';
	is(join('; ', $prose =~ /(\S*\d %|\S* \.\d+)/g), '', "$file: figures");
}

$node->stop;
done_testing();
