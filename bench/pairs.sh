# Sections pairs and workers of bench.sh, which sources this file: all pairs and groups of a table

# cpu_of COMMAND: CPU seconds of the server process, and its largest memory in MB
# without shared memory
cpu_of()
{
	local cpu="SELECT (split_part(s, ' ', 14)::bigint + split_part(s, ' ', 15)::bigint) / $(getconf CLK_TCK).0 AS cpu
		FROM pg_read_file('/proc/self/stat', 0, 1000) s"

	$pin "$bindir/psql" -X -q -At -v ON_ERROR_STOP=1 2>&1 <<<"$cpu \\gset before_
		$1 \\g /dev/null
		SELECT ($cpu) - :before_cpu,
			((regexp_match(s, 'VmHWM:\s*(\d+)'))[1]::bigint - (regexp_match(s, 'RssShmem:\s*(\d+)'))[1]::bigint) / 1000
		FROM pg_read_file('/proc/self/status', 0, 10000) s" || die "failed: $1"
}

# pairs_rows TABLE: measure the statements of standard input, in lines "name|statement"
pairs_rows()
{
	local name statement cpu memory cpus k

	while IFS='|' read -r name statement; do
		[[ $name != *SQL* || $rows -le 2000000 ]] || continue
		cpus=()
		for ((k = 0; k < builds; k++)); do
			read -r cpu memory <<<"$(cpu_of "$statement" | tr '|' ' ')"
			cpus+=("$cpu")
		done
		row "$1" "$name" "$(calc "$(median "${cpus[@]}")")" "$(calc "$memory" %.0f)"
	done
}

# create_documents NAME N SENTENCES: N texts of SENTENCES of about 112 bytes, with fingerprints.  Every
# fortieth differs from the text before it in a sentence or not at all, so 5% are near another one.
create_documents()
{
	query "CREATE TABLE $1 (id bigint, fp bit(256), body text)"
	perl -e 'srand 1;
		my ($n, $sentences) = @ARGV;
		my @words = map { join "", map { chr(97 + rand 26) } 1 .. 2 + rand 9 } 1 .. 20000;
		my @all = map { join " ", map { $words[rand @words] } 1 .. 16 } 1 .. 100000;
		my @text;
		for my $i (1 .. $n)
		{
			if ($i % 40) { @text = map { $all[rand @all] } 1 .. $sentences }
			else { $text[rand @text] = $all[rand @all] if $i % 80 }
			print "$i\t\\N\t", join(" ", @text), "\n";
		}' "$2" "$3" | "$bindir/psql" -X -q -c "COPY $1 FROM STDIN"
	query "CREATE TABLE with_fp AS SELECT id, minhash_bits(body) AS fp, body FROM $1;
		DROP TABLE $1;
		ALTER TABLE with_fp RENAME TO $1"
	query "VACUUM (FREEZE, ANALYZE) $1"
	prewarm "$1"
}

# The duplicates of texts, with and without stored fingerprints
duplicates_rows()
{
	local table n sentences

	while read -r table n sentences; do
		create_documents "$table" "$n" "$sentences"
		pairs_rows "$n texts of $(query "SELECT round(avg(length(body)) / 1000, 1) FROM $table") kB" <<-END
			\`md5\`|SELECT count(md5(body)) FROM $table
			\`minhash_bits\`|SELECT count(minhash_bits(body)) FROM $table
			simhash_pairs, 40|SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM $table', 40)
			simhash_duplicates|SELECT count(*) FROM simhash_duplicates('SELECT id, fp, body FROM $table')
			simhash_duplicates, computed fingerprints|SELECT count(*) FROM simhash_duplicates('SELECT id, body FROM $table')
		END
		query "DROP TABLE $table"
	done <<-END
		documents $rows 20
		long_documents $((rows * 66 / 1000)) 49
	END
}

# All pairs and groups of a table, beside other operations that read the whole table
section_pairs()
{
	local table

	echo
	echo "### Pairs and groups of $rows fingerprints: CPU seconds, median of $builds"
	echo
	header "data" "what" "CPU s" "memory, MB"
	for table in uniform near_duplicates; do
		create_table "$table"
		# the join in SQL would take minutes
		if [ "$rows" -le 2000000 ]; then
			query "CREATE INDEX measured ON $table USING bitblock (fp)"
			prewarm measured
		fi
		pairs_rows "$table" <<-END
			read it, in order of fingerprint|SELECT fp FROM $table ORDER BY fp OFFSET $((rows - 1))
			equal ones, SQL|SELECT count(*) FROM $table a JOIN $table b ON a.fp = b.fp AND a.id < b.id
			within 3, SQL|SELECT count(*) FROM $table a JOIN $table b ON a.fp <-> b.fp <= 3 AND a.id < b.id
			simhash_pairs, 3|SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM $table', 3)
			simhash_pairs, 8|SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM $table', 8)
			simhash_clusters, 3|SELECT count(*) FROM simhash_clusters('SELECT id, fp FROM $table', 3)
			simhash_clusters, 3, star|SELECT count(*) FROM simhash_clusters('SELECT id, fp FROM $table', 3, 'star')
			delete all but the first, 3|BEGIN; DELETE FROM $table USING simhash_clusters('SELECT id, fp FROM $table', 3, 'star') c WHERE $table.id = c.id AND c.id <> c.cluster; ROLLBACK
		END
		[ "$rows" -gt 2000000 ] || query "DROP INDEX measured"
	done
	create_table wide
	pairs_rows wide <<-END
		read it, in order of fingerprint|SELECT fp FROM wide ORDER BY fp OFFSET $((rows - 1))
		simhash_pairs, 15|SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM wide', 15)
		simhash_pairs, 31|SELECT count(*) FROM simhash_pairs('SELECT id, fp FROM wide', 31)
		simhash_clusters, 31|SELECT count(*) FROM simhash_clusters('SELECT id, fp FROM wide', 31)
		simhash_clusters, 31, star|SELECT count(*) FROM simhash_clusters('SELECT id, fp FROM wide', 31, 'star')
	END
	duplicates_rows
}

# All pairs and groups, by several processes
section_workers()
{
	local table what k method columns

	start_workers "Pairs and groups"
	while read -r table what k method; do
		workers_row "\`simhash_$what\` of \`$([ "$table" = large ] && echo simhash || echo 'bit(256)')\` within $k${method:+, \`'$method'\`}" \
			"SELECT count(*) FROM (SELECT simhash_$what('SELECT id, fp FROM $table', NULL::bigint, $k${method:+, '$method'})) s"
	done <<-END
		large pairs 3
		large pairs 5
		large pairs 8
		wide pairs 31
		large clusters 3
		large clusters 5
		large clusters 5 star
		wide clusters 31
	END
	create_documents documents $((rows / 2)) 20
	for columns in id,fp,body id,body; do
		workers_row "\`simhash_duplicates\` of $columns, $((rows / 2)) texts of 2 kB" \
			"SELECT count(*) FROM simhash_duplicates('SELECT $columns FROM documents')"
	done
	query "CREATE TABLE in_pairs AS SELECT documents.id, d.fp, d.body FROM documents JOIN documents d ON d.id = greatest(documents.id / 2 * 2, 1);
		DROP TABLE documents;
		ALTER TABLE in_pairs RENAME TO documents"
	query "VACUUM (FREEZE, ANALYZE) documents"
	prewarm documents
	workers_row "\`simhash_duplicates\` of id,fp,body, all of them near another one" \
		"SELECT count(*) FROM simhash_duplicates('SELECT id, fp, body FROM documents')"
	end_workers
}
