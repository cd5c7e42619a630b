# simhash_duplicates in several processes: the same rows in the same order for every number of
# workers and every size of memory, of documents with and without fingerprints and titles.  No file,
# process or warning is left after LIMIT, errors, cancels and the death of a worker.

use SimhashTest;

my $node = start_node('node', 'autovacuum = off', 'max_worker_processes = 8', 'max_parallel_workers = 8',
	'synchronize_seqscans = off', 'restart_after_crash = on', 'min_parallel_table_scan_size = 0', 'parallel_setup_cost = 0');

# Originals with copies and edited versions; a template with three names in one place; texts that
# differ in a number; one chain of versions; empty texts; unlike ones
$node->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	CREATE FUNCTION words(seed text, n int) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$ SELECT string_agg(translate(substr(md5(seed || i), 1, 3 + i % 5), '0123456789', 'ghijklmnop'), ' ' ORDER BY i) FROM generate_series(1, n) i $$;
	CREATE TABLE docs AS
	SELECT i AS id, 'title ' || translate((i / 5)::text, '0123456789', 'abcdefghij') AS title, CASE
		WHEN i % 1000 = 0 THEN NULL
		WHEN i % 1000 = 1 THEN '...'
		WHEN i <= 12000 THEN (CASE WHEN i % 5 = 3 THEN 'later ' ELSE '' END) || words((i / 5)::text, 45) || (CASE WHEN i % 5 = 4 THEN ' 7 of 9 ' ELSE ' ' END) || words('b' || i / 5, 45) || (ARRAY['', ' ', ' and more', '', ''])[1 + i % 5]
		WHEN i <= 13000 THEN words('template', 60) || ' we thank ' || (ARRAY['Anna', 'Bert', 'Carl', 'Dora'])[1 + i % 4] || ' of ' || words((i / 40)::text, 2) || words('end', 30)
		WHEN i <= 14000 THEN (SELECT string_agg(w, ' ') FROM (SELECT words(((i - 13000) / 20 + s)::text, 20) AS w FROM generate_series(1, 8) s) c)
		ELSE words(i::text, 80) END AS body
	FROM generate_series(1, 16000) i;
	ALTER TABLE docs ADD fp bit(256);
	UPDATE docs SET fp = minhash_bits(body);
	ANALYZE docs;
});

# The rows of a call in their order, and how many there are of each kind
sub rows_of
{
	my ($call, $workers, $memory, $settings) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', qq{
		SET max_parallel_maintenance_workers = $workers;
		SET max_parallel_workers_per_gather = $workers;
		SET maintenance_work_mem = '$memory';
		SELECT count(*) FILTER (WHERE r LIKE '%,copy,%'), count(*) FILTER (WHERE r LIKE '%,revision,%'), md5(string_agg(r, ' ')) FROM (SELECT ($call)::text AS r) s}, on_error_stop => 1);
	return "$out $err" =~ s/stdin>:\d+/stdin>/gr;
}

sub workers_of
{
	my ($code) = @_;
	my $before = -s $node->logfile;

	$node->safe_psql('postgres', 'ALTER SYSTEM SET log_min_messages = debug1; SELECT pg_reload_conf()');
	$code->();
	$node->safe_psql('postgres', 'ALTER SYSTEM RESET log_min_messages; SELECT pg_reload_conf()');
	return scalar(() = substr(slurp_file($node->logfile), $before) =~ /starting background worker process "parallel worker/g);
}

sub no_files
{
	return !grep { -f || glob("$_/*") } glob($node->data_dir . '/base/pgsql_tmp/*');
}

my @calls = map { "simhash_duplicates($_)" } q{'SELECT id, fp, body FROM docs'}, q{'SELECT id, body FROM docs'},
  q{'SELECT id, fp, title, body FROM docs', numbers => false}, q{'SELECT id, title, body FROM docs ORDER BY body', within => 20},
  q{'SELECT id, fp, body FROM docs', keep => 'SELECT id FROM docs ORDER BY length(body) DESC, id DESC'}, q{'SELECT id::text, body FROM docs', id_type => NULL::text},
  q{'SELECT id, fp, body FROM docs LIMIT 100000'}, q{'SELECT id, body FROM docs LIMIT 100000', numbers => false};
foreach my $call (@calls)
{
	my $serial = rows_of($call, 0, '64MB');

	like($serial, qr/^[1-9]\d{3}\|[1-9]\d{3}\|/, "copies and revisions: $call");
	is(rows_of($call, @$_), $serial, "$_->[0] workers, $_->[1]: $call") foreach [ 1, '64MB' ], [ 4, '1GB' ], [ 3, '20MB' ], [ 0, '1MB' ], [ 2, '1MB' ];
}

is(workers_of(sub { rows_of($calls[0], 0, '64MB') }), 0, 'no workers');
is(workers_of(sub { $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; SET max_parallel_maintenance_workers = 2; SELECT count(*) FROM $calls[0]") }), 2, 'workers compare texts');
cmp_ok(workers_of(sub { $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 2; SET max_parallel_maintenance_workers = 0; SELECT count(*) FROM $calls[1]") }), '>', 0, 'workers compute fingerprints');
cmp_ok(workers_of(sub { $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 2; SET parallel_tuple_cost = 1000; SET max_parallel_maintenance_workers = 0; SELECT count(*) FROM $calls[0]") }), '>', 0, 'workers fetch texts');

my $set = 'SET max_parallel_maintenance_workers = 2; SET max_parallel_workers_per_gather = 2;';
is($node->safe_psql('postgres', "$set SELECT count(*) FROM (SELECT $calls[1] LIMIT 3) s"), 3, 'LIMIT');
$node->safe_psql('postgres', "$set BEGIN; DECLARE c CURSOR FOR SELECT $calls[1]; FETCH 2 FROM c; COMMIT;
	BEGIN; DECLARE c CURSOR FOR SELECT $calls[0]; FETCH 2 FROM c; SAVEPOINT s; FETCH 200 FROM c; ROLLBACK TO s; CLOSE c; ROLLBACK");
ok(no_files(), 'no files of rows that were not fetched');
foreach my $limit ('1MB', '3MB', '5MB', '7MB')
{
	my (undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY sqlstate\n$set SET temp_file_limit = '$limit'; SELECT count(*) FROM $calls[1]");
	like($error, qr/53400/, "a limit of $limit for temporary files");
	ok(no_files(), 'no files after the limit');
}
foreach my $ms (5, 20, 50, 100, 150, 200, 300, 400)
{
	$node->psql('postgres', "$set SET statement_timeout = $ms; SELECT count(*) FROM $_") foreach @calls[ 0, 1, 7 ];
}
ok(no_files(), 'no files after cancels');
my (undef, undef, $error) = $node->psql('postgres', "$set SELECT count(*) FROM simhash_duplicates('SELECT id, body || 1 / (15000 - id) FROM docs')");
like($error, qr/division by zero/, 'an error in a worker');
ok(no_files(), 'no files after the error');
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'"), 0, 'no worker is left');
unlike(slurp_file($node->logfile), qr/leak/, 'no file or memory leaks');

done_testing();
