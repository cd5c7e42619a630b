# simhash_record_original() while an old transaction keeps its index from being used: inserts
# succeed, each statement is warned once, and the remedies of the warning help.

use SimhashTest;

my $node = start_node('index_wait', 'autovacuum = off');

# An update before CREATE INDEX leaves rows of which older versions may be seen: the server
# then sets indcheckxmin, and uses the index after the end of all transactions that are
# older than it.
my %tables = (
	docs => '',
	parted => ' PARTITION BY LIST (tenant)',
	parent => '');
my $trigger = q{CREATE TRIGGER original BEFORE INSERT ON %s FOR EACH ROW
	EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'equal=tenant', 'confirm=body');};

$node->safe_psql('postgres', 'CREATE EXTENSION simhash; CREATE TABLE others (n int); CREATE DATABASE elsewhere');
for my $table (sort keys %tables)
{
	$node->safe_psql('postgres', qq{
		CREATE TABLE $table (id int, tenant int DEFAULT 1, body text, fp bit(256), duplicate_of int, n int)$tables{$table};
	});
}
$node->safe_psql('postgres', q{
	CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
	CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);
	CREATE TABLE child () INHERITS (parent);
	ALTER TABLE docs SET (fillfactor = 50);
	ALTER TABLE parted_1 SET (fillfactor = 50);
	ALTER TABLE child SET (fillfactor = 50);
});
for my $table (qw(docs parted child))
{
	$node->safe_psql('postgres', qq{
		INSERT INTO $table (id, body, fp) SELECT n, body, minhash_bits(body) FROM generate_series(1, 300) n, md5(n::text) body});
}

# A session with an open transaction that has a number
sub start_transaction
{
	my ($db) = @_;
	my $session = start_session($node);

	$session->{in} = "\\connect $db\nBEGIN;\nSELECT 'begun', pg_current_xact_id() IS NOT NULL;\n";
	wait_for($session, 'out', qr/begun\|t/);
	return $session;
}

sub end_transaction
{
	my ($session) = @_;

	$session->{in} = "COMMIT;\n\\q\n";
	ok(end_session($session), 'the old transaction ends');
	return;
}

# Warnings of a command and the tables that they name, and the number of times that a table was
# read from end to end
my $scans = q{SELECT sum(pg_stat_get_xact_numscans(oid)) FROM pg_class WHERE relkind = 'r' AND relname IN ('docs', 'parted_1', 'child')};
my $n = 1000;

sub inserted
{
	my ($table, $rows, @command) = @_;
	my $first = $n + 1;
	my $command = $command[0] //
	  "INSERT INTO $table (id, body, fp) SELECT n, body, minhash_bits(body) FROM generate_series($first, @{[ $n += $rows ]}) n, md5((n % 7)::text) body";
	my ($status, $out, $err) = $node->psql('postgres', "BEGIN; $command; $scans; COMMIT");

	is($status, 0, "$table: the command succeeds") or diag($err);
	my @warnings = $err =~ /^(?:psql:\S+ )?WARNING:  (.*)/mg;
	return (\@warnings, $out, $err);
}

# The server's own rule holds for the index that is to be used.
sub waits
{
	my ($index) = @_;
	return $node->safe_psql('postgres', "SELECT indcheckxmin FROM pg_index WHERE indexrelid = '$index'::regclass");
}

my $warning = 'trigger "original" reads the whole table for each new row';

for my $database ('postgres', 'elsewhere')
{
	my $old = start_transaction($database);

	for my $table (qw(docs parted child))
	{
		my $tables = $table eq 'child' ? 'parent child' : $table;
		my ($index) = { docs => 'docs_fp', parted => 'parted_1_tenant_fp_idx', child => 'child_fp' }->{$table};

		$node->safe_psql('postgres', "UPDATE $table SET n = 1 WHERE id < 10");
		$node->safe_psql('postgres', "DROP INDEX IF EXISTS ${_}_fp; DROP TRIGGER IF EXISTS original ON $_;
			CREATE INDEX ${_}_fp ON $_ USING bitblock (tenant, fp) WHERE duplicate_of IS NULL;" . sprintf($trigger, $_))
		  for split ' ', $tables;
		is(waits($index), 't', "$table, old transaction in $database: the index has to wait");

		# 20 rows of which the first seven are originals, or none
		my ($warnings, $scanned, $err) = inserted($table, 20);
		is_deeply($warnings, [$warning], "$table: a warning for a statement of many rows");
		like($err, qr/Index "$index" cannot be used yet/, "$table: it names the index");
		cmp_ok($scanned, '>=', 20, "$table: the table is read for each row");
		($warnings) = inserted($table, 2, "DO \$\$ BEGIN FOR i IN 1..5 LOOP INSERT INTO $table (id, body, fp) VALUES (0, 'a b', minhash_bits('a b')); END LOOP; END \$\$");
		is_deeply($warnings, [$warning], "$table: a warning for a command of many statements");
		($warnings) = inserted($table, 0, "INSERT INTO $table (id, body, fp) VALUES (0, 'a', minhash_bits('a')); INSERT INTO $table (id, body, fp) VALUES (0, 'a', minhash_bits('a'))");
		is(scalar(@$warnings), 2, "$table: each statement of a session is warned");

		# the remedy of the hint
		my ($remedy) = $err =~ /or run (REINDEX .*;)/;
		if ($table eq 'docs')
		{
			$node->safe_psql('postgres', $remedy);
			($warnings, $scanned) = inserted($table, 20);
			is_deeply($warnings, [], "$table: no warning after $remedy");
			is($scanned, 0, "$table: the table is not read any more");
			$node->safe_psql('postgres', "UPDATE docs SET n = 2; REINDEX INDEX docs_fp; DROP INDEX docs_fp; CREATE INDEX docs_fp ON docs USING bitblock (tenant, fp) WHERE duplicate_of IS NULL");
		}
	}

	# a plan of a session that is older than the end of the transaction
	my $session = start_session($node);
	my $insert = "INSERT INTO docs (id, body, fp) VALUES (0, 'a', minhash_bits('a'));";
	$session->{in} = "$insert\n\\echo first\n";
	wait_for($session, 'out', qr/first/);
	end_transaction($old);
	$session->{in} = "$insert\n\\q\n";
	ok(end_session($session), 'a session that was warned goes on');
	is(scalar(() = $session->{err} =~ /WARNING/g), 1, 'it is not warned any more');

	for my $table (qw(docs parted child))
	{
		my ($warnings, $scanned) = inserted($table, 20);
		is_deeply($warnings, [], "$table: no warning after the end of the old transaction");
		is($scanned, 0, "$table: the table is not read any more");
	}
}

# The transaction that updates, creates the index and inserts
$node->safe_psql('postgres', 'DROP INDEX docs_fp');
my ($warnings, undef, $err) = inserted('docs', 0, 'UPDATE docs SET n = 3; CREATE INDEX docs_fp ON docs USING bitblock (tenant, fp) WHERE duplicate_of IS NULL;
	INSERT INTO docs (id, body, fp) VALUES (0, \'a\', minhash_bits(\'a\'))');
is_deeply($warnings, [$warning], 'a transaction that updates, creates the index and inserts is warned');

# In the other order nothing waits, because the update changes a column of the index.
my $old = start_transaction('elsewhere');
$node->safe_psql('postgres', 'DROP INDEX docs_fp');
$node->safe_psql('postgres', 'VACUUM FULL docs');
$node->safe_psql('postgres', 'CREATE INDEX docs_fp ON docs USING bitblock (tenant, fp) WHERE duplicate_of IS NULL');
$node->safe_psql('postgres', 'UPDATE docs SET duplicate_of = 1 WHERE id < 100');
($warnings, my $scanned) = inserted('docs', 20);
is_deeply($warnings, [], 'no warning if the index was created before the update');
is($scanned, 0, 'the table is not read');
end_transaction($old);

$node->stop;
done_testing();
