# The SQL of doc/large-tables.md runs without change, in psql, and rows that arrive meanwhile get their fingerprints, too.

use SimhashPage;
use SimhashTest;

my $node = start_node('existing_table');
$node->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
	INSERT INTO docs (body) SELECT 'document ' || md5(i::text) FROM generate_series(1, 25000) i;
	INSERT INTO docs (body) VALUES (NULL), (''), ('some text')});

my @sql = map { $_->{sql} } sql_blocks('doc/large-tables.md');
is(scalar(@sql), 7, 'parts of the page');
# The page's last part marks the rows that are there by the statement of another page, without its title.
my ($update) = map { $_->{sql} } grep { $_->{section} eq 'Mark copies and revisions' } sql_blocks('doc/deduplication.md');
like(slurp_file('doc/large-tables.md'), qr/'SELECT id, fp, body FROM\s+docs'/, 'the query of the page');
is($update =~ s/fp, title, body/fp, body/, 1, 'has no title');
push @sql, $update;

# Rows that arrive between the parts
my $counted = 0;
for my $i (0 .. $#sql)
{
	my ($stdout, $stderr);

	is( $node->psql('postgres', $sql[$i], stdout => \$stdout, stderr => \$stderr, on_error_stop => 1),
		0, "part $i") or diag($stderr);
	$counted += is($stdout, '0', 'no row without a fingerprint') if $sql[$i] =~ /^SELECT count/m;
	$counted += is($stdout, '25003|some text', 'the row is found') if $sql[$i] =~ /^SELECT id, body/m;
	$node->safe_psql('postgres', "INSERT INTO docs (body) VALUES ('arrives after part $i')") if $i < $#sql;
}
is($counted, 2, 'answers of the page');
links_exist('doc/large-tables.md');
is( $node->safe_psql('postgres', 'SELECT count(*) FROM docs WHERE fp IS DISTINCT FROM minhash_bits(body)'),
	'0', 'all fingerprints are right');
is( $node->safe_psql('postgres', "SELECT count(*) FROM docs WHERE fp % minhash_bits('arrives after part 1') AND body = 'arrives after part 1'"),
	'1', 'a row that arrives is found');
# The page's last part marks near-duplicates that are there, and those that arrive.
is( $node->safe_psql('postgres', q{INSERT INTO docs (body) VALUES ('Arrives after part 4!') RETURNING duplicate_of = (SELECT id FROM docs WHERE body = 'arrives after part 4')}),
	't', 'a near-duplicate is marked');
$node->safe_psql('postgres', "UPDATE docs SET body = 'changed entirely' WHERE id = 7");
is($node->safe_psql('postgres', "SELECT fp = minhash_bits('changed entirely') FROM docs WHERE id = 7"), 't', 'an update of the text');
my ($stdout, $stderr);
isnt($node->psql('postgres', "ALTER TABLE docs DISABLE TRIGGER USER; UPDATE docs SET fp = minhash_bits('wrong') WHERE id = 8",
		stdout => \$stdout, stderr => \$stderr, on_error_stop => 1), 0, 'a wrong fingerprint is refused');
like($stderr, qr/violates check constraint "docs_fp"/, 'by the constraint');

# With ten batches there is a line of progress.
$node->safe_psql('postgres', 'ALTER TABLE docs DROP CONSTRAINT docs_fp, ENABLE TRIGGER USER');
$node->psql('postgres', 'CALL fill_fingerprints(1, 25004, 1000)', stdout => \$stdout, stderr => \$stderr);
like($stderr, qr/10 batches, id 10000,.*20 batches, id 20000,/s, 'progress');
is($node->safe_psql('postgres', "SELECT bool_and(indisvalid) FROM pg_index WHERE indrelid = 'docs'::regclass"), 't', 'the index is valid');

# The same with ids that are UUIDs.  Batches end where others begin, whatever the ids are.
$node->safe_psql('postgres', 'CREATE DATABASE uuids');
$node->safe_psql('uuids', q{
	CREATE EXTENSION simhash;
	CREATE TABLE docs (id uuid DEFAULT gen_random_uuid() PRIMARY KEY, body text);
	INSERT INTO docs (body) SELECT 'document ' || md5(i::text) FROM generate_series(1, 25000) i});
for my $sql (map { s/duplicate_of bigint/duplicate_of uuid/r } @sql[ 0 .. $#sql - 1 ])
{
	is($node->psql('uuids', $sql =~ s/10000000/10000/r, stderr => \$stderr, on_error_stop => 1), 0, 'ids that are UUIDs') or diag($stderr);
}
is($node->safe_psql('uuids', 'SELECT count(*), count(*) FILTER (WHERE fp IS DISTINCT FROM minhash_bits(body)) FROM docs'), '25000|0', 'all rows have fingerprints');
$node->safe_psql('uuids', q{
	ALTER TABLE docs DROP CONSTRAINT docs_fp, DISABLE TRIGGER USER;
	UPDATE docs SET fp = NULL;
	ALTER TABLE docs ENABLE TRIGGER USER});
my $middle = q{(SELECT id FROM docs ORDER BY id OFFSET 12345 LIMIT 1)};
is($node->psql('uuids', "SELECT format('CALL fill_fingerprints(NULL, %L, 5)', $middle) \\gexec"), 0, 'to the middle');
is( $node->safe_psql('uuids', "SELECT count(*), bool_and(id < $middle) FROM docs WHERE fp IS NOT NULL"), '12345|t', 'small batches end there');
is($node->psql('uuids', "SELECT format('CALL fill_fingerprints(%L, batch => 7)', $middle) \\gexec"), 0, 'from the middle');
is($node->safe_psql('uuids', 'SELECT count(*) FROM docs WHERE fp IS NULL'), 0, 'all rows');
$node->safe_psql('uuids', q{INSERT INTO docs (body) SELECT upper(body) FROM docs WHERE body ~ '^document 00'});
my $marked = q{SELECT count(*) > 50, count(duplicate_of) = count(*) FROM docs WHERE body ~ '^DOC'};
is($node->safe_psql('uuids', $marked), 't|t', 'the trigger marks copies');
is($update =~ s/FROM docs'\)/FROM docs', id_type => NULL::uuid, keep => 'SELECT id FROM docs ORDER BY body COLLATE "C" DESC')/, 1, 'the statement with UUIDs');
$node->safe_psql('uuids', "UPDATE docs SET duplicate_of = NULL; $update");
is($node->safe_psql('uuids', $marked), 't|t', 'marks them, too');

$node->stop;
done_testing();
