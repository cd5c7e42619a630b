# JIT does not compile the search of simhash_record_original(), with any settings of the
# session.

use SimhashTest;

my $node = start_node('original_jit', 'jit = on');
plan(skip_all => 'this server has no JIT') if $node->safe_psql('postgres', 'SELECT pg_jit_available()') ne 't';
plan(skip_all => 'this server has no auto_explain') if $node->psql('postgres', q{LOAD 'auto_explain'}) != 0;

$node->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	CREATE TABLE docs (id int, fp simhash, duplicate_of int);
	CREATE INDEX ON docs USING bitblock (fp) WHERE duplicate_of IS NULL;
	CREATE TRIGGER original BEFORE INSERT ON docs FOR EACH ROW
		EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id');
});

# The plans that the server executed for a command, by the text of their query
sub plans
{
	my ($command) = @_;
	my ($status, $out, $err) = $node->psql('postgres', qq{
		LOAD 'auto_explain';
		SET auto_explain.log_min_duration = 0;
		SET auto_explain.log_nested_statements = on;
		SET auto_explain.log_analyze = on;
		SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = 0; SET jit_optimize_above_cost = 0;
		SET client_min_messages = log;
		$command});
	is($status, 0, 'the command succeeds') or diag($err);
	return split /(?=^(?:psql:\S+ )?LOG: )/m, $err;
}

my ($outer) = grep { /Query Text: SELECT count/ } plans('SELECT count(*) FROM docs WHERE id > 0;');
like($outer, qr/JIT:/, 'the settings have a query compiled');

my ($search) = grep { /Query Text: SELECT t\.id/ } plans(q{INSERT INTO docs VALUES (1, '0123456789abcdef');});
like($search, qr/docs_fp_idx/, 'the search is by the index');
unlike($search, qr/JIT:/, 'and not compiled');

$node->stop;
done_testing();
