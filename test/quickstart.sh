#!/bin/bash
# Near-duplicate search over real documents, from nothing:
#   bash test/quickstart.sh [--keep] [--encoding=NAME] [FOLDER | FILE]
#
# Installs what is missing (Debian and Ubuntu, as root or with sudo), builds and
# installs the extension, starts a private server, loads documents, and shows
# which of them are near-duplicates of each other. Then it shows which files contain
# a licence of /usr/share/common-licenses, and where. The documents are
#   without argument   every /usr/share/doc/*/copyright of this machine
#   FOLDER             every regular file in it and in the folders below
#   FILE               every line of it
# read as UTF-8; bytes that are not become U+FFFD. With --encoding texts that are not
# valid UTF-8 are read in that encoding: latin1, gbk, shiftjis or another name that
# Perl's module Encode knows. A file with a byte order mark of UTF-16 is read as UTF-16.
# The script says how many files it left out, and why, and how many were not valid UTF-8.
#
# The script removes the server at the end. With --keep the server continues to run, and
# the last lines say how to connect to the server and how to remove it. PG_CONFIG
# chooses among several installations of PostgreSQL.

method=bitblock	# of the index
keep=
encoding=
source=
expect_encoding=

for argument; do
	if [ -n "$expect_encoding" ]; then
		encoding=$argument expect_encoding=
		continue
	fi
	case $argument in
		--keep) keep=1 ;;
		--encoding=*) encoding=${argument#*=} ;;
		--encoding) expect_encoding=1 ;;
		-h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
		-*) echo "unknown option $argument; --help lists them" >&2; exit 2 ;;
		*) source=$argument ;;
	esac
done
if [ -n "$expect_encoding" ] ||
	{ [ -n "$encoding" ] && ! perl -MEncode -e 'exit !find_encoding($ARGV[0])' -- "$encoding"; }; then
	echo "--encoding: ${encoding:-no name of an encoding}${encoding:+ is not an encoding that Perl knows}" >&2
	echo "perl -MEncode -e 'print \"@{[Encode->encodings(q(:all))]}\n\"' lists the encodings; gbk reads most texts of GB18030" >&2
	exit 2
fi
if [ -n "$source" ] && [ ! -r "$source" ]; then
	echo "$source: no such folder or file, or not readable" >&2
	exit 2
fi
[ -z "$source" ] || source=$(readlink -f "$source")
exec </dev/null 3>&1

. "$(dirname "$0")/lib.sh"
export PGCLIENTENCODING=UTF8 PGDATABASE=documents

trap 'status=$?; trap - EXIT; remove_work_folder; exit $status' EXIT
trap 'exit 130' INT TERM HUP

if [ -t 1 ]; then
	bold=$'\e[1m' plain=$'\e[0m'
else
	bold='' plain=''
fi

heading()
{
	printf '\n%s%s%s\n\n' "$bold" "$1" "$plain"
}

# Indents the output of psql
indent()
{
	cat -s | sed 's/^/  /; s/ *$//'
}

# ask QUERY: show the query, its result and its time.
ask()
{
	printf '%s\n\n' "$1" | indent
	sql -At <<<"\\timing on"$'\n'"$1" >"$work/answer.out" || return 1
	indent <"$work/answer.out"
}

############################################################################
# Documents
############################################################################

# Prints the names of the files, each with a zero byte at the end
list_files()
{
	if [ -z "$source" ]; then
		printf '%s\0' /usr/share/doc/*/copyright
	else
		find "$source" -type f -print0 2>"$work/find.txt" | sort -z
	fi
}

# Prints the documents as COPY reads them: name and text
read_documents()
{
	local program='
		use strict;
		use warnings;

		use Encode ();

		my ($source, $encoding, $report) = @ARGV;
		my (@left_out, %reasons);
		my ($read, $invalid, $decoded, $bytes, $last) = (0, 0, 0, 0, time);
		my $valid = qr/(?:[\x00-\x7f]++|[\xc2-\xdf][\x80-\xbf]
			|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}
			|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}
			|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})++/x;
		my %escape = ("\\" => "\\\\", "\n" => "\\n", "\r" => "\\r", "\t" => "\\t");

		sub escaped
		{
			my ($text) = @_;
			if ($text =~ /\A(?:\xff\xfe|\xfe\xff)/ && length($text) % 2 == 0)
			{
				$text = Encode::encode("UTF-8", Encode::decode("UTF-16", $text));
				$decoded++;
			}
			elsif ($text =~ /[\x80-\xff]/ && $text !~ /\A$valid\z/)
			{
				if ($encoding ne "")
				{
					$text = Encode::encode("UTF-8", Encode::decode($encoding, $text));
					$decoded++;
				}
				else
				{
					$text =~ s/($valid)|./defined $1 ? $1 : "\xef\xbf\xbd"/gse;
					$invalid++;
				}
			}
			$text =~ tr/\0//d;
			$text =~ s/([\\\n\r\t])/$escape{$1}/g;
			return $text;
		}

		# A name is any bytes.
		sub name_of
		{
			my ($name) = @_;
			$name =~ s/($valid)|./defined $1 ? $1 : "\xef\xbf\xbd"/gse;
			$name =~ s/([\\\n\r\t])/$escape{$1}/g;
			return $name;
		}

		sub left_out
		{
			my ($name, $reason) = @_;
			$reasons{$reason}++;
			push @left_out, "$name: $reason" if @left_out < 5;
		}

		# Behind the name of the step, each second; only on a terminal
		open my $screen, ">&=", 3;
		sub progress
		{
			return if time == $last || !-t $screen;
			$last = time;
			syswrite $screen, sprintf "\e[s  %d documents, %.0f MB\e[u", $read, $bytes / 1e6;
		}

		sub finish
		{
			syswrite $screen, "\e[K" if -t $screen;	# the time of the step is shorter
			open my $file, ">", $report or die "$report: $!\n";
			my $sum = 0;
			$sum += $_ for values %reasons;
			print $file "left out $sum files: ", join(", ", map { "$reasons{$_} $_" } sort keys %reasons), "\n" if $sum;
			print $file "  $_\n" for @left_out;
			print $file "  ...\n" if $sum > @left_out;
			print $file "$decoded of $read were not UTF-8 and were read in ", $encoding ne "" ? "$encoding or UTF-16" : "UTF-16", "\n" if $decoded;
			print $file "$invalid of $read were not UTF-8: other bytes became U+FFFD; --encoding=NAME reads another encoding\n" if $invalid;
			close $file or die "$report: $!\n";
			exit 0;
		}

		binmode STDOUT;
		if (-f $source)
		{
			(my $base = $source) =~ s,.*/,,;
			open my $file, "<:raw", $source or die "$source: $!\n";
			while (my $line = <$file>)
			{
				chomp $line;
				next if $line !~ /\S/;
				$read++;
				$bytes += length $line;
				print name_of("$base:$."), "\t", escaped($line), "\n";
				progress() if $read % 1000 == 0;
			}
			finish();
		}
		local $/ = "\0";
		while (my $name = <STDIN>)
		{
			chomp $name;
			my $file;
			if (!-e $name)
			{
				left_out($name, "not found") if $source ne "";
				next;
			}
			next if !-f $name;
			if (-s $name > 100_000_000)
			{
				left_out($name, "larger than 100 MB");
				next;
			}
			if (!open $file, "<:raw", $name)
			{
				left_out($name, "not readable");
				next;
			}
			local $/;
			my $text = <$file>;
			if (!defined $text)
			{
				left_out($name, "not readable");
				next;
			}
			$read++;
			$bytes += length $text;
			if ($source eq "") { $name =~ s,^/usr/share/doc/(.*)/copyright$,$1,; }
			else { $name =~ s,^\Q$source\E/*,,; }
			print name_of($name), "\t", escaped($text), "\n";
			progress();
		}
		finish();'

	if [ -f "$source" ]; then
		perl -e "$program" "$source" "$encoding" "$work/report.txt"
	else
		list_files | perl -e "$program" "$source" "$encoding" "$work/report.txt"
	fi
}

read_documents_to_file()
{
	read_documents >"$work/documents.copy" || return 1
	mv "$work/report.txt" "$work/documents.txt" || return 1
	if [ -s "$work/find.txt" ]; then
		echo "left out $(wc -l <"$work/find.txt") folders: not readable" >>"$work/documents.txt"
		head -5 "$work/find.txt" | sed 's/^/  /' >>"$work/documents.txt"
	fi
	if [ ! -s "$work/documents.copy" ]; then
		echo "there are no documents"
		cat "$work/documents.txt"
		return 1
	fi
}

create_database()
{
	"$bindir/createdb" documents &&
		sql -c "CREATE EXTENSION simhash" -c "
			CREATE TABLE docs (
				id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
				name text NOT NULL,
				body text NOT NULL,
				fp simhash GENERATED ALWAYS AS (minhash(body)) STORED,
				keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED)"
}

load_documents()
{
	local load

	sql -c "\\copy docs (name, body) FROM '$work/documents.copy'" &
	load=$!
	while [ -t 3 ] && sleep 1 && kill -0 $load 2>/dev/null; do
		# PostgreSQL 13 has no such view
		printf '\e[s  %s documents\e[u' \
			"$(sql -At -c "SELECT tuples_processed FROM pg_stat_progress_copy" 2>/dev/null)" >&3
	done
	[ ! -t 3 ] || printf '\e[K' >&3
	wait $load
}

# The licences of this machine. Links to other licences are left out.
load_licences()
{
	local source=/usr/share/common-licenses encoding=

	sql -c "CREATE TABLE licences (name text, body text)" || return 1
	[ -d $source ] || return 0
	read_documents >"$work/licences.copy" &&
		sql -c "\\copy licences FROM '$work/licences.copy'"
}

# Groups are connected components: two documents are in one group if a chain of
# near-duplicates connects them. Equal fingerprints are one node.
find_groups()
{
	sql -c "
		CREATE TABLE nodes AS
			SELECT fp, count(*) AS members, row_number() OVER (ORDER BY fp) AS node
			FROM docs WHERE fp IS NOT NULL GROUP BY fp;
		CREATE INDEX ON nodes USING $method (fp);
		ANALYZE nodes;
		CREATE TABLE edges AS
			SELECT a.node AS a, b.node AS b, a.fp <-> b.fp AS distance,
				a.members * b.members AS pairs
			FROM nodes a JOIN nodes b ON a.fp <-> b.fp <= 8 AND a.node <> b.node;
		ANALYZE edges;
		CREATE TABLE labels AS
			SELECT k, id AS node, cluster AS label
			FROM unnest(ARRAY[5, 8]) k, simhash_clusters('SELECT node, fp FROM nodes', NULL::bigint, k)"
}

# Sets the variables of the report
read_figures()
{
	IFS='|' read -r documents megabytes empty pairs5 pairs8 < <(sql -At -c "
		SELECT count(*), round(sum(octet_length(body)) / 1e6, 1),
			count(*) - count(fp),
			(SELECT sum(members * (members - 1) / 2) FROM nodes)
				+ (SELECT coalesce(sum(pairs), 0) FROM edges WHERE a < b AND distance <= 5),
			(SELECT sum(members * (members - 1) / 2) FROM nodes)
				+ (SELECT coalesce(sum(pairs), 0) FROM edges WHERE a < b)
		FROM docs")
}

############################################################################
# The report
############################################################################

show_groups()
{
	sql -c "
		WITH groups AS (
			SELECT k, label, sum(members) AS size
			FROM labels JOIN nodes USING (node)
			GROUP BY k, label)
		SELECT 'within ' || k AS distance,
			CASE k WHEN 5 THEN $pairs5 ELSE $pairs8 END AS pairs,
			count(*) FILTER (WHERE size > 1) AS groups,
			coalesce(sum(size) FILTER (WHERE size > 1), 0) AS \"documents in groups\",
			max(size) AS \"largest group\"
		FROM groups GROUP BY k ORDER BY k" | indent
}

# Prints one pair for each distance. If possible, its documents are in no other pair.
show_pairs()
{
	sql -c "
		SELECT distance, left(a.name, 36) AS document, left(b.name, 36) AS \"near-duplicate\"
		FROM (
			(SELECT 0 AS distance, fp AS afp, fp AS bfp FROM nodes
			WHERE members > 1 ORDER BY members, node LIMIT 1)
			UNION ALL
			(SELECT DISTINCT ON (distance) distance, x.fp, y.fp
			FROM edges JOIN nodes x ON x.node = a JOIN nodes y ON y.node = b
			WHERE a < b ORDER BY distance, pairs, hashint8(a * 1000003 + b))) p
			CROSS JOIN LATERAL
				(SELECT id, name FROM docs WHERE fp = afp ORDER BY id LIMIT 1) a
			CROSS JOIN LATERAL
				(SELECT name FROM docs WHERE fp = bfp AND id <> a.id ORDER BY id LIMIT 1) b
		ORDER BY distance" | indent
}

# Changes every 40th word of a document of some hundred words, or one word if there are
# fewer. The document has near-duplicates if possible.
lookup_changed_document()
{
	sql <<'END' >"$work/lookup.out" || return 1
\t on
SELECT id AS picked, name AS picked_name, pattern, changed_body
FROM (SELECT id, name, body, fp, EXISTS (SELECT FROM edges e WHERE e.a = n.node) AS has_near
	FROM docs JOIN nodes n USING (fp)
	ORDER BY length(body) BETWEEN 2000 AND 20000 DESC, 5 DESC, members, id LIMIT 200) d
	CROSS JOIN LATERAL
		(SELECT format('((?:\S+\s+){%s})\S+', least(count(*), 40) - 1) AS pattern
		FROM regexp_matches(body, '\S+', 'g')) p
	CROSS JOIN LATERAL regexp_replace(body, pattern, '\1CHANGED', 'g') AS changed_body
ORDER BY fp <-> minhash(changed_body) BETWEEN 1 AND 5 DESC NULLS LAST, has_near DESC, id
LIMIT 1 \gset
SELECT count(*) AS changed
FROM docs, regexp_matches(body, :'pattern', 'g') WHERE id = :picked \gset
PREPARE lookup(text) AS
	SELECT id, name, fp <-> minhash($1) AS distance
	FROM docs WHERE fp <-> minhash($1) <= 5
	ORDER BY distance, id LIMIT 10;
PREPARE nearest(text) AS
	SELECT id, name, fp <-> minhash($1) AS distance
	FROM docs ORDER BY fp <-> minhash($1) LIMIT 5;
\qecho 'The parameter $1, of type text: document' :picked '(':picked_name')' with :changed of its words changed.
\qecho
\qecho 'SELECT id, name, fp <-> minhash($1) AS distance FROM docs'
\qecho 'WHERE fp <-> minhash($1) <= 5 ORDER BY distance, id LIMIT 10;'
\qecho
\t off
EXECUTE lookup(:'changed_body');
\t on
EXPLAIN (ANALYZE, COSTS OFF, SUMMARY) EXECUTE lookup(:'changed_body');
\qecho
\qecho 'The five nearest documents at any distance:'
\qecho
\qecho 'SELECT id, name, fp <-> minhash($1) AS distance FROM docs'
\qecho 'ORDER BY fp <-> minhash($1) LIMIT 5;'
\qecho
\t off
EXECUTE nearest(:'changed_body');
\t on
EXPLAIN (ANALYZE, COSTS OFF, SUMMARY) EXECUTE nearest(:'changed_body');
END
	indent <"$work/lookup.out"
}

# Prints for each licence the number of documents that contain at least half of it, and
# for one licence the documents and where it is in them.
show_licences()
{
	cat <<-'END' | indent
		SELECT l.name, d.id FROM licences l JOIN docs d ON d.keys && simhash_passage_keys(l.body)
		WHERE simhash_containment(l.body, d.body) >= 0.5;

	END
	sql <<'END' >"$work/licences.out" || return 1
\timing on
CREATE TEMP TABLE contained AS
	WITH l AS MATERIALIZED (SELECT name, body, simhash_passage_keys(body) AS keys FROM licences)
	SELECT l.name AS licence, d.id, simhash_containment(l.body, d.body) AS share
	FROM l JOIN docs d ON d.keys && l.keys
	WHERE simhash_containment(l.body, d.body) >= 0.5;
\timing off
SELECT name AS licence, count(id) AS documents, max(share) FILTER (WHERE share = 1) IS NOT NULL AS "one has all of it"
FROM licences LEFT JOIN contained ON licence = name GROUP BY name ORDER BY documents DESC, name;
\qecho 'Where: characters of the document, for the licence in fewest documents'
\qecho
SELECT c.licence, left(d.name, 28) AS document, p.a_start AS start, p.a_length AS length, p.words,
	regexp_replace(left(substr(d.body, p.a_start, p.a_length), 32), '\s+', ' ', 'g') AS beginning
FROM contained c JOIN licences l ON l.name = c.licence JOIN docs d USING (id),
	LATERAL (SELECT * FROM simhash_passages(d.body, l.body) LIMIT 1) p
WHERE c.licence = (SELECT licence FROM contained GROUP BY licence ORDER BY count(*), licence LIMIT 1)
ORDER BY c.share DESC, d.name LIMIT 8;
END
	indent <"$work/licences.out"
}

make_work_folder
heading "simhash quickstart: near-duplicate search in PostgreSQL"
prepare_machine || exit 1
{
	step "Copying the sources" copy_sources &&
	step "Building" build &&
	step "Installing into PostgreSQL ${pg_version%% *}" install_extension &&
	step "Starting a private server" start_server "shared_buffers = 256MB" &&
	step "Creating database, extension and table" create_database &&
	step "Reading the documents" read_documents_to_file &&
	step "Loading and fingerprinting them" load_documents &&
	step "Creating the index (USING $method)" sql -c "CREATE INDEX ON docs USING $method (fp)" &&
	step "Creating the index of passages (USING gin)" sql -c "CREATE INDEX ON docs USING gin (keys)" &&
	step "Loading the licences of this machine" load_licences &&
	step "Collecting statistics (ANALYZE)" sql -c "ANALYZE docs" -c "ANALYZE licences" &&
	step "Finding all pairs within 8, and their groups" find_groups &&
	read_figures
} || exit 1

heading "Documents"
printf '  %s documents of %s, %s MB of text' "$documents" \
	"${source:-/usr/share/doc/*/copyright}" "$megabytes"
[ "$empty" = 0 ] || printf '; %s documents have no words and so no fingerprint' "$empty"
echo
sed 's/^/  /' "$work/documents.txt"

if [ "$documents" = "$empty" ]; then
	echo "  There is nothing to compare."
	exit 1
fi

heading "Near-duplicates: fingerprints that differ in few of their 64 bits"
show_groups

if [ "$pairs8" -gt 0 ]; then
	heading "Some pairs"
	show_pairs
fi

if [ "$pairs5" -le 5000000 ]; then
	heading "All pairs, by a join in SQL"
	ask "SELECT count(*) FROM docs a JOIN docs b
  ON a.fp <-> b.fp <= 5 AND a.id < b.id;" || exit 1
fi

heading "One changed document, looked up"
lookup_changed_document || exit 1

if [ "$(sql -At -c "SELECT count(*) FROM licences")" -gt 0 ]; then
	heading "Which documents contain this licence, and where"
	show_licences || exit 1
fi

if [ -n "$keep" ]; then
	sql -c "DROP TABLE labels, edges, nodes"
	heading "The server is still running"
	echo "  connect: $bindir/psql -h $PGHOST -p $PGPORT -U postgres documents"
	if [ "$(id -u)" = 0 ]; then
		echo "  remove:  setpriv --reuid $server_user --clear-groups $bindir/pg_ctl -D $work/data stop && rm -r $work"
	else
		echo "  remove:  $bindir/pg_ctl -D $work/data stop && rm -r $work"
	fi
	rm -rf "$work/simhash" "$work"/*.copy "$work"/*.txt "$work"/*.log "$work"/*.out
	trap - EXIT
else
	echo
	echo "  The private server has been removed. With --keep it continues to run."
fi
