<?php
// PDO: insert a text, find its near-duplicates, and search within 48 bits, in the table of doc/drivers.md.  $pdo is an open
// connection, and $body a string.

$pdo->prepare('INSERT INTO docs (body) VALUES (?) ON CONFLICT DO NOTHING')->execute([$body]);
$near = $pdo->prepare('SELECT id FROM docs WHERE fp % minhash_bits(?)');
$near->execute([$body]);
echo $near->fetchColumn(), "\n";
$query = $pdo->prepare('SELECT id, fp <-> minhash_bits(:body) AS d FROM docs WHERE fp <-> minhash_bits(:body) <= :bound');
$query->execute(['body' => $body, 'bound' => 48]);
foreach ($query as $row) echo "$row[id] $row[d]\n";
