# Sections insert, ingest and bulk of bench.sh, which sources this file: single inserts and bulk loads

# Inserts into a table that has rows already, one row in each statement, in one
# transaction. The WAL has no full-page images, because these depend on the time of the
# last checkpoint.
section_insert()
{
	local method round lsn wal elapsed

	echo
	echo "### $inserts single-row inserts in one transaction, into $rows rows"
	echo
	create_table uniform
	query "CREATE TABLE target AS TABLE uniform; ALTER TABLE target ADD PRIMARY KEY (id)"
	header "indexes" "rows/s" "x primary key only" "WAL per row" "of it by the index" "x btree"
	local -A rate=() wal_row=()
	for method in "" btree $methods; do
		local rates=() wals=()

		[ -z "$method" ] || query "CREATE INDEX measured ON target USING $method (fp)"
		query "VACUUM ANALYZE target"
		for round in 1 2 3; do
			query "SELECT $rows + ($round - 1) * $inserts + g, $(fingerprint "'insert $round ' || g")
				FROM generate_series(1, $inserts) g" | tr '|' '\t' >"$work/inserts"
			query "CHECKPOINT"
			lsn=$(query "SELECT pg_current_wal_insert_lsn()")
			drive -t "INSERT INTO target VALUES (\$1, \$2)" "$work/inserts"
			wals+=("$(query "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '$lsn') / $inserts")")
			rates+=("$(calc "1e6 / $mean" %.0f)")
		done
		rate[x$method]=$(median "${rates[@]}")
		wal_row[x$method]=$(median "${wals[@]}")
		[ -z "$method" ] || query "DROP INDEX measured"
		query "DELETE FROM target WHERE id > $rows"
		query "VACUUM target"
	done
	row "primary key" "${rate[x]}" 1.00 "$(calc "${wal_row[x]}" %.0f)" "" ""
	for method in btree $methods; do
		row "primary key, $method" "${rate[x$method]}" \
			"$(calc "${rate[x$method]} / ${rate[x]}")" \
			"$(calc "${wal_row[x$method]}" %.0f)" \
			"$(calc "${wal_row[x$method]} - ${wal_row[x]}" %.0f)" \
			"$(calc "(${wal_row[x$method]} - ${wal_row[x]}) / (${wal_row[xbtree]} - ${wal_row[x]})")"
	done
	query "DROP TABLE target"
}

# synthetic_documents N BYTES: lines of words, with frequencies like those of a
# language; every fifth line is a copy of one of the thousand lines before it, with one
# word replaced
synthetic_documents()
{
	perl -e 'use strict; use warnings;
		my ($n, $bytes) = @ARGV;
		my (@words, @recent);
		srand(1);
		push @words, join("", map { chr(97 + int(rand(26))) } 1 .. 2 + rand(8)) for 1 .. 30000;
		sub word { return $words[int(@words ** rand())] }
		for my $i (1 .. $n) {
			my $text;
			if ($i % 5 == 0) {
				my @text = split(/ /, $recent[rand(@recent)]);
				$text[rand(@text)] = word();
				$text = join(" ", @text);
			} else {
				$text = word();
				$text .= " " . word() while length($text) < $bytes;
			}
			$recent[$i % 1000 < @recent ? $i % 1000 : @recent] = $text;
			print $text, "\n";
		}' "$1" "$2"
}

# templated_documents N BYTES SIBLINGS: lines of words.  A template has a name at the beginning and in five more places,
# and SIBLINGS successive documents differ only in that name.
templated_documents()
{
	synthetic_documents $((($1 + $3 - 1) / $3)) "$2" | perl -lane '
		BEGIN { srand(2); our $siblings = pop @ARGV; }
		my @places = (0, map { int(rand(@F)) } 1 .. 5);
		for my $i (1 .. $siblings) {
			my $name = join("", map { chr(97 + int(rand(26))) } 1 .. 10);
			@F[@places] = ($name) x @places;
			print "@F";
		}' /dev/stdin "$3" | head -n "$1"
}

# original_trigger TABLE [OPTIONS]
original_trigger()
{
	echo "CREATE TRIGGER original BEFORE INSERT ON $1 FOR EACH ROW" \
		"EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id'$2)"
}

# ratios A B: a/b for the numbers of two lists
ratios()
{
	paste <(printf '%s\n' $1) <(printf '%s\n' $2) | awk '{ print $1 / $2 }'
}

# ingest_tables TYPE FINGERPRINT: type, fingerprint, title, definition (@ is the name) and ON
# CONFLICT of each table
ingest_tables()
{
	local index="CREATE INDEX ON @ USING bitblock (fp)" exclude="EXCLUDE USING bitblock (fp WITH %)"

	echo "$1|$2|primary key only"
	echo "$1|$2|\`bitblock (fp)\`|$index"
	echo "$1|$2|\`$exclude\`|ALTER TABLE @ ADD $exclude|ON CONFLICT DO NOTHING"
	echo "$1|$2|\`bitblock (fp)\`, \`simhash_record_original\`|$index; $(original_trigger @)"
	echo "$1|$2|\`bitblock (fp)\`, \`simhash_record_original\`, \`'confirm=body'\`|$index; $(original_trigger @ ", 'confirm=body'")"
}

# ingest TITLE, with lines of ingest_tables: deduplicating ingest, and the same inserts with only an
# index: one document in each statement, in one transaction.
# Every table takes each slice of the documents, in an order that changes from slice to
# slice.  The figures are medians over the slices: a machine that gets slower for a while
# changes them little.
ingest()
{
	local slices=40 slice type fingerprint n i title table definition conflict reference=
	local -A titles=() statements=() fingerprints=() times=()

	split -n "l/$slices" -d "$work/documents" "$work/slice."
	n=0
	while IFS='|' read -r type fingerprint title definition conflict; do
		table=docs_$n
		titles[$table]=$title
		fingerprints[$table]=$fingerprint
		statements[$table]="INSERT INTO $table (body) VALUES (\$1) $conflict"
		query "CREATE TABLE $table (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text,
			fp $type GENERATED ALWAYS AS ($fingerprint) STORED, duplicate_of bigint);
			${definition//@/$table}"
		n=$((n + 1))
	done
	for slice in "$work"/slice.*; do
		for table in $(printf '%s\n' "${!titles[@]}" | shuf --random-source="$slice"); do
			query "CHECKPOINT"
			drive -t "${statements[$table]}" "$slice"
			times[$table]+=" $mean"
		done
	done
	echo
	echo "### Ingest of $1"
	echo
	header "fingerprint" "table" "us per row" "x primary key only" "rows" "originals"
	reference=${times[docs_0]}
	for ((i = 0; i < n; i++)); do
		table=docs_$i
		row "\`${fingerprints[$table]}\`" "${titles[$table]}" "$(calc "$(median ${times[$table]})" %.0f)" \
			"$(figure "$(median $(ratios "${times[$table]}" "$reference"))" 2)" \
			"$(query "SELECT count(*) FROM $table")" \
			"$(query "SELECT count(*) FROM $table WHERE duplicate_of IS NULL")"
		query "DROP TABLE $table"
	done
}

section_ingest()
{
	synthetic_documents "$documents" 2000 >"$work/documents"
	ingest "$documents documents of 2 kB, a fifth of them near-duplicates" \
		< <(ingest_tables simhash "minhash(body)"; ingest_tables "bit(256)" "minhash_bits(body)")
	# a document has ten siblings before it, on average
	templated_documents "$documents" 2000 21 >"$work/documents"
	ingest "$documents documents of 2 kB, templates of 21 siblings each" \
		< <(ingest_tables "bit(256)" "minhash_bits(body)" | grep -v "EXCLUDE")
}

# bulk_load REST: COPY into a staging table, and from the staging table into docs, as
# one command
bulk_load()
{
	echo "DO \$\$ BEGIN" \
		"CREATE TEMP TABLE staging (n bigint GENERATED ALWAYS AS IDENTITY, body text, fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED);" \
		"COPY staging (body) FROM '$work/documents';" \
		"ANALYZE staging;" \
		"INSERT INTO docs (body, fp) SELECT body, fp FROM staging s $1;" \
		"END \$\$"
}

# Ways to load documents in bulk into a table that already has half of them
section_bulk()
{
	local name definition load ms

	synthetic_documents "$documents" 2000 >"$work/documents"
	query "CREATE TABLE known (n bigint GENERATED ALWAYS AS IDENTITY, body text, fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED);
		COPY known (body) FROM '$work/documents'"
	echo
	echo "### Bulk load of $documents documents of 2 kB into a table that has half of them"
	echo
	header "through a staging table" "s" "documents/s" "rows after" "originals"
	while IFS='|' read -r name definition load; do
		query "CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text, fp bit(256), duplicate_of bigint);
			$definition; INSERT INTO docs (body, fp) SELECT body, fp FROM known WHERE n % 2 = 0 ORDER BY n ON CONFLICT DO NOTHING;
			ANALYZE docs; CHECKPOINT"
		ms=$(timed "$load")
		row "$name" "$(calc "$ms / 1000" %.1f)" "$(calc "$documents * 1000 / $ms" %.0f)" \
			"$(query "SELECT count(*) FROM docs")" \
			"$(query "SELECT count(*) FROM docs WHERE duplicate_of IS NULL")"
		query "DROP TABLE docs"
	done <<-END
		\`INSERT ... SELECT\`, near-duplicates get in|CREATE INDEX ON docs USING bitblock (fp)|$(bulk_load)
		\`INSERT ... SELECT ... ON CONFLICT DO NOTHING\`, the constraint|ALTER TABLE docs ADD EXCLUDE USING bitblock (fp WITH %)|$(bulk_load "ORDER BY n ON CONFLICT DO NOTHING")
		the same with an anti-join before|ALTER TABLE docs ADD EXCLUDE USING bitblock (fp WITH %)|$(bulk_load "WHERE NOT EXISTS (SELECT FROM docs d WHERE d.fp % s.fp) ORDER BY n ON CONFLICT DO NOTHING")
		\`INSERT ... SELECT\`, \`simhash_record_original\`|CREATE INDEX ON docs USING bitblock (fp); $(original_trigger docs)|$(bulk_load "ORDER BY n")
	END
	query "DROP TABLE known"
}
