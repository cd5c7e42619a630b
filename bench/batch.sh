# Section batch of bench.sh, which sources this file: new documents against known ones, in three ways

# batch_documents KNOWN NEW: lines of id and text.  An eighth are forms of 1,200 templates, whose documents differ in
# two names and a number.  Of the new ones, a tenth are copies of known ones, and a twentieth revisions.
batch_documents()
{
	perl -e 'use strict; use warnings;
		my ($known, $new) = @ARGV;
		my (@words, @kept);
		srand(1);
		push @words, join("", map { chr(97 + int(rand(26))) } 1 .. 2 + rand(8)) for 1 .. 30000;
		sub text { join " ", map { $words[int(@words ** rand())] } 1 .. $_[0] }
		my @names = map { ucfirst text(1) } 1 .. 600;
		my @templates = map { [ text(40), text(60) ] } 1 .. 1200;
		sub form
		{
			my $t = $templates[rand @templates];
			return sprintf "%s %s %s %s number %d", $t->[0], $names[rand 300], $names[ 300 + rand 300 ], $t->[1], 1000 + rand 9000;
		}
		for my $i (1 .. $known + $new)
		{
			my $chance = $i > $known ? rand : 1;
			my $text = $chance < 0.15 ? $kept[rand @kept] : rand() < 0.12 ? form() : text(100);
			if ($chance >= 0.10 && $chance < 0.15)
			{
				my @w = split / /, $text;
				$w[3 + rand(@w - 6)] = text(1);
				$text = join " ", @w, "revised";
			}
			push @kept, $text if $i <= $known && rand() < 50000 / $known;
			print "$i\t$text\n";
		}' "$1" "$2"
}

# way_row WHAT QUERY: a row with the CPU of a query, its memory, its WAL, and how its marks in the table "marks" differ
# from those in "wanted"
way_row()
{
	local lsn cpu memory wal

	lsn=$(query "SELECT pg_current_wal_insert_lsn()")
	read -r cpu memory <<<"$(cpu_of "SET client_min_messages = warning; $2" | tr '|' ' ')"
	wal=$(query "SELECT round(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '$lsn') / 1e6, 1)")
	row "$1" "$(calc "$cpu" %.1f)" "$memory" "$wal" "$(query "SELECT count(*) FROM marks")" \
		"$(query "SELECT count(*) FROM wanted w LEFT JOIN marks m USING (id) WHERE m.original IS DISTINCT FROM w.original")" \
		"$(query "SELECT count(*) FROM marks m LEFT JOIN wanted w USING (id) WHERE w.id IS NULL")"
}

section_batch()
{
	local known=$rows new all="SELECT id, fp, body FROM target" known_ids="SELECT id FROM target WHERE id <= $rows"

	batch_documents "$known" $((known / 10)) >"$work/batch.tsv"
	chmod a+r "$work/batch.tsv"
	query "CREATE TABLE loaded (id int, body text); COPY loaded FROM '$work/batch.tsv';
		CREATE TABLE documents AS SELECT id, minhash_bits(body) AS fp, body FROM loaded; DROP TABLE loaded"
	query "DELETE FROM documents USING simhash_duplicates('SELECT id, fp, body FROM documents WHERE id <= $known') d WHERE documents.id = d.id"
	for new in $((known / 100)) $((known / 10)); do
		echo
		echo "### $new new documents against $known known ones, which have no duplicates"
		echo
		header "way" "CPU, s" "memory, MB" "WAL, MB" "marks" "others than the first row has" "marks that it has not"
		query "DROP TABLE IF EXISTS target, marks, wanted; DROP SEQUENCE IF EXISTS marked;
			CREATE TABLE target (id int PRIMARY KEY, fp bit(256), body text, duplicate_of int);
			INSERT INTO target SELECT * FROM documents WHERE id <= $known;
			CREATE TABLE marks (id int, original int); CREATE TABLE wanted (id int, original int)"
		query "CREATE INDEX target_fp ON target USING bitblock (fp) WHERE duplicate_of IS NULL"
		query "VACUUM ANALYZE target"
		query "INSERT INTO target SELECT * FROM documents WHERE id > $known AND id <= $((known + new))"
		query "INSERT INTO wanted SELECT id, original FROM simhash_duplicates('$all', NULL::int, keep => '$known_ids') WHERE id > $known"
		way_row "everything again, the known ones kept first" "INSERT INTO marks SELECT id, original FROM simhash_duplicates('$all', NULL::int, keep => '$known_ids') WHERE id > $known"
		query "TRUNCATE marks"
		way_row "\`new\`" "INSERT INTO marks SELECT id, original FROM simhash_duplicates('$all', NULL::int, new => 'SELECT id FROM target WHERE id > $known')"
		query "TRUNCATE marks; DELETE FROM target WHERE id > $known"
		query "VACUUM target"
		way_row "insert into the table with its index alone" "INSERT INTO target SELECT * FROM documents WHERE id > $known AND id <= $((known + new))"
		query "DELETE FROM target WHERE id > $known"
		query "VACUUM target"
		query "CREATE TRIGGER original BEFORE INSERT ON target FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id', 'confirm=body')"
		way_row "the same with the trigger" "WITH added AS (INSERT INTO target SELECT * FROM documents WHERE id > $known AND id <= $((known + new)) RETURNING id, duplicate_of)
			INSERT INTO marks SELECT * FROM added WHERE duplicate_of IS NOT NULL"
	done
	query "DROP TABLE target, marks, wanted, documents"
}
