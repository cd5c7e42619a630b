# Functions that read a query whose rows do not fit into memory: sorts spill while the query runs,
# and comparisons of ids open catalogs. The rows are right, no file or resource is left, and no
# file of the database is damaged.

use SimhashTest;

my $rows = 6000;

my $node = start_node('node', { extra => ['-k'] }, 'autovacuum = off', 'log_temp_files = 0', 'synchronize_seqscans = off');
$node->safe_psql('postgres', q{
	CREATE EXTENSION simhash;
	CREATE ROLE ordinary LOGIN;
	GRANT CREATE ON SCHEMA public TO ordinary;
	-- a type whose comparison runs a query; only superusers may create operator classes
	CREATE TYPE weight AS (grams bigint);
	CREATE TABLE scale (unit bigint);
	INSERT INTO scale VALUES (1);
	GRANT SELECT ON scale TO ordinary;
	CREATE FUNCTION weight_cmp(a weight, b weight) RETURNS int LANGUAGE plpgsql STABLE AS $$
		BEGIN RETURN (SELECT sign(a.grams - b.grams) * unit FROM scale); END $$;
	CREATE FUNCTION weight_lt(a weight, b weight) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT public.weight_cmp(a, b) < 0';
	CREATE OPERATOR < (FUNCTION = weight_lt, LEFTARG = weight, RIGHTARG = weight);
	CREATE OPERATOR CLASS weight_ops DEFAULT FOR TYPE weight USING btree AS OPERATOR 1 <, FUNCTION 1 weight_cmp(weight, weight)});

# Each statement in a session of its own, whose caches are empty
sub ask
{
	my ($sql, @options) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', $sql, extra_params => [ '-U', 'ordinary' ], @options);

	return ($out, $err);
}

is((ask('SELECT current_user'))[0], 'ordinary', 'not a superuser');

# The types, and the id of row i. The comparison of an enum reads its labels if one of them was
# added before others.
my %ids = (
	bigint => 'i',
	text => q{'l' || lpad(i::text, 5, '0')},
	natural_number => 'i::natural_number',
	label => q{CASE i WHEN 0 THEN 'first' ELSE 'l' || lpad(i::text, 5, '0') END::label},
	span => 'span(i, i + 1)',
	pair => q{ROW(i, 'x')::pair},
	weight => 'ROW(i)::weight');

my (undef, $err) = ask(qq{
	CREATE DOMAIN natural_number AS bigint CHECK (VALUE >= 0);
	SELECT format('CREATE TYPE label AS ENUM (%s)', string_agg(format('''l%s''', lpad(i::text, 5, '0')), ', ' ORDER BY i))
	FROM generate_series(1, $rows) i \\gexec
	ALTER TYPE label ADD VALUE 'first' BEFORE 'l00001';
	CREATE TYPE span AS RANGE (subtype = bigint);
	CREATE TYPE pair AS (number bigint, letter text);
	CREATE TABLE plain_docs AS SELECT i, hashint8extended(i / 3, 1)::simhash AS fp, 'Title ' || translate(md5((i / 2)::text), '0123456789', 'ghijklmnop') AS title,
		'The ferry leaves ' || string_agg(translate(md5((i / 2 * 10 + w)::text), '0123456789', 'ghijklmnop'), ' ') AS body
	FROM generate_series(0::bigint, $rows - 1) i, generate_series(1, 5) w GROUP BY i;
	CREATE FUNCTION number(id anyelement) RETURNS bigint LANGUAGE sql AS \$\$ SELECT coalesce(substring(id::text FROM '[0-9]+'), '0')::bigint \$\$});
is($err, '', 'types of ids');
for my $type (sort keys %ids)
{
	my $copies = $type eq 'bigint' ? 10 : 1;	# of each edge, because integers are stored in less memory

	(undef, $err) = ask(qq{
		CREATE TABLE ${type}_docs AS SELECT $ids{$type} AS id, fp, title, body FROM plain_docs;
		CREATE TABLE ${type}_edges AS SELECT d.id AS a, e.id AS b FROM (SELECT $ids{$type} AS id, i FROM plain_docs) d
			JOIN (SELECT $ids{$type} AS id, i FROM plain_docs) e ON e.i = d.i + 1, generate_series(1, $copies) WHERE d.i % 4 > 0;
		-- the row before the last one is an error
		CREATE VIEW ${type}_bad_docs AS SELECT * FROM ${type}_docs WHERE 1 / (number(id) - $rows + 2) < 2;
		CREATE VIEW ${type}_bad_edges AS SELECT * FROM ${type}_edges WHERE 1 / (number(b) - $rows + 2) < 2});
	is($err, '', "$type: tables");
}

# Every query that a function reads. T is the type.
my $wished = q{keep => 'SELECT id FROM T_docs ORDER BY md5(number(id)::text)'};
my @calls = (
	q{simhash_pairs('SELECT id, fp FROM T_docs', id_type => NULL::T, distance => 0)},
	q{simhash_clusters('SELECT id, fp FROM T_docs', id_type => NULL::T, distance => 0)},
	q{simhash_clusters('SELECT id, fp FROM T_docs', id_type => NULL::T, distance => 0, method => 'star')},
	q{simhash_components('SELECT a, b FROM T_edges', id_type => NULL::T)},
	q{simhash_stars('SELECT a, b FROM T_edges', id_type => NULL::T)},
	qq{simhash_stars('SELECT a, b FROM T_edges', id_type => NULL::T, $wished)},
	q{simhash_duplicates('SELECT id, body FROM T_docs', id_type => NULL::T)},
	qq{simhash_duplicates('SELECT id, fp, title, body FROM T_docs', id_type => NULL::T, $wished)});

for my $call (@calls)
{
	my %answers;

	for my $type (sort keys %ids)
	{
		my $of_type = $call =~ s/\bT(?=_|\b)/$type/gr;
		my ($function) = $call =~ /^(\w+)/;
		my $log = -s $node->logfile;
		my ($out, $err) = ask(qq{
			SET maintenance_work_mem = '1MB';
			SELECT count(*), md5(string_agg(concat_ws(' ', number(a), number(b)), ',' ORDER BY number(a), number(b))) FROM $of_type r (a, b)});

		is($err, '', "$type: $call");
		push @{ $answers{$out} }, $type;
		like(slurp_file($node->logfile, $log), qr/LOG:  temporary file: /, 'does not fit');

		# The caller stops after the first row, or a query fails.
		my $errors = '';
		while ($of_type =~ /${type}_(?=docs|edges)/g)
		{
			my $bad = substr($of_type, 0, $+[0]) . 'bad_' . substr($of_type, $+[0]);

			$errors .= qq{DO \$do\$ BEGIN
				PERFORM * FROM $bad r;
				RAISE 'no error';
			EXCEPTION WHEN division_by_zero THEN NULL; END \$do\$;};
		}
		($out, $err) = ask(qq{
			SET maintenance_work_mem = '1MB';
			SELECT $of_type LIMIT 1;
			$errors});
		is($err, '', 'ends early and by an error');
	}
	is(scalar keys %answers, 1, 'the rows are those of other types') or diag(explain(\%answers));
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0, 'no temporary file is left');

# What is on disk
$node->stop;
command_ok([ 'pg_checksums', '--check', '-D', $node->data_dir ], 'the checksums of all blocks are right');
$node->start;
SKIP:
{
	skip 'no amcheck', 1 if $node->psql('postgres', 'CREATE EXTENSION amcheck') != 0;
	is($node->safe_psql('postgres', q{SELECT count(bt_index_check(c.oid, true)) > 100 FROM pg_class c JOIN pg_am a ON a.oid = c.relam
		WHERE amname = 'btree' AND relkind = 'i' AND relnamespace = 'pg_catalog'::regnamespace}), 't', 'the indexes of all catalogs are right');
}
unlike(slurp_file($node->logfile), qr/ WARNING:  /, 'no resource is left');
log_is_calm($node, 'at the end');

$node->stop;
done_testing();
