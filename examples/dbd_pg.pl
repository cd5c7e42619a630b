# DBD::Pg: insert a text, find its near-duplicates, and search within 48 bits, in the table of doc/drivers.md.  $dbh is an
# open connection, and $body a string.

$dbh->do('INSERT INTO docs (body) VALUES (?) ON CONFLICT DO NOTHING', undef, $body);
print $dbh->selectrow_array('SELECT id FROM docs WHERE fp % minhash_bits(?)', undef, $body), "\n";
my $rows = $dbh->selectall_arrayref(
	'SELECT id, fp <-> minhash_bits(?) FROM docs WHERE fp <-> minhash_bits(?) <= ?', undef, $body, $body, 48);
print "@$_\n" for @$rows;
