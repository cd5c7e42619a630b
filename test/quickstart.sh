#!/bin/bash
# Find the near-duplicates among real documents, from nothing:
#   bash test/quickstart.sh [--keep] [--passages] [--review FILE] [--encoding NAME] [--field NAME] [FOLDER | FILE]
#   bash test/quickstart.sh --remove [--force]
#
# Installs what is missing (Debian and Ubuntu, as root or with sudo), builds and installs the
# extension, starts a private server, loads documents, and shows which of them are copies, revisions
# and siblings, what differs in one revision, and how long a lookup takes. Siblings are different
# documents of the same template. To tell them from revisions, the texts must begin with their titles.
# The documents are
#   without argument   every /usr/share/doc/*/copyright of this machine, or, if it has few of them,
#                      examples/sample.csv: articles, invoices, offers and titles
#   FOLDER             every regular file in it and in the folders below
#   FILE.jsonl         every record of it: the field --field, or else the string that is longest in the first
#   FILE.csv           1,000 records, with the field title, subject or headline in front of it
#   another FILE       every line of it
# Bytes that are not UTF-8 become U+FFFD. With --encoding, texts that are not valid UTF-8 are read in
# that encoding: latin1, gbk, shiftjis or another name that Perl's module Encode knows. A file with a
# byte order mark of UTF-16 is read as UTF-16, and a file that gzip has compressed is decompressed.
# Other binary files are skipped, and the report counts them. So are texts of more than 100 MB.
#
#   --review FILE   write the HTML page that shows what differs into FILE, not into the folder ~/.cache. Others cannot
#                   read it
#   --passages      also show which documents contain a licence of /usr/share/common-licenses, and where
#   --keep          keep the server running, and print how to connect to it and how to remove it
#   --remove        remove the extension and the page, and say which packages were installed. If a database has the
#                   extension, or a server cannot be asked, nothing is removed, unless there is --force
#
# PG_CONFIG chooses among several installations of PostgreSQL.

method=bitblock	# of the index
keep=
passages=
encoding=
field=	# of records
remove=
force=
source=
review=
option=	# whose value comes next

. "$(dirname "$0")/lib.sh"

# misused MESSAGE
misused()
{
	printf '%s\n' "$1" | clean >&2
	exit 2
}

for argument; do
	[ -z "$option" ] || argument=$option=$argument option=
	case $argument in
		--keep) keep=1 ;;
		--passages) passages=1 ;;
		--remove) remove=1 ;;
		--force) force=1 ;;
		--encoding=*) encoding=${argument#*=} ;;
		--field=?*) field=${argument#*=} ;;
		--review=?*) review=${argument#*=} ;;
		--encoding | --field | --review) option=$argument ;;
		-h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
		-*) misused "unknown option $argument; --help lists them" ;;
		*) source=$argument ;;
	esac
done
if [ "$option" = --review ]; then
	misused "--review: no name of a file"
fi
if [ "$option" = --field ]; then
	misused "--field: no name of a field"
fi
if [ "$option" = --encoding ] ||
	{ [ -n "$encoding" ] && ! perl -MEncode -e 'exit !find_encoding($ARGV[0])' -- "$encoding"; }; then
	misused "--encoding: ${encoding:-no name of an encoding}${encoding:+ is not an encoding that Perl knows}
perl -MEncode -e 'print \"@{[Encode->encodings(q(:all))]}\n\"' lists the encodings; gbk reads most texts of GB18030"
fi
if [ -n "$source" ] && [ ! -r "$source" ]; then
	misused "$source: no such folder or file, or not readable"
fi
[ -z "$source" ] || source=$(readlink -f "$source")
format=	# of records
if [ -f "$source" ]; then
	case ${source%.gz} in
		*.jsonl | *.ndjson) format=jsonl ;;
		*.csv) format=csv ;;
	esac
fi
if [ -n "$field" ] && [ -z "$format" ]; then
	misused "--field: only a .jsonl or .csv file has fields"
fi
if [ -n "$review" ] && [ "$review" -ef "$source" ]; then
	misused "--review: $review would overwrite the documents"
fi
if [ -n "$review" ] && ! { [ ! -d "$review" ] && (umask 077 && touch "$review"); } 2>/dev/null; then
	misused "--review: $review cannot be written"
fi
exec </dev/null

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
	printf '\n%s%s%s\n\n' "$bold" "$(printf '%s' "$1" | clean)" "$plain"
}

# Indents the output of psql
indent()
{
	cat -s | sed 's/^/  /; s/ *$//' | clean
}

# number N NOUN [NOUNS]: "1 file", "2 files"
number()
{
	[ "$1" = 1 ] && echo "1 $2" || echo "$1 ${3:-$2s}"
}

# ask QUERY: show the query, its result and its time.
ask()
{
	printf '%s;\n\n' "$1" | indent
	sql <<<"\\timing on"$'\n'"$1;" >"$work/answer.out" || return 1
	indent <"$work/answer.out"
}

# For `step`: what a step says in its file, or the last line of its log
show_progress()
{
	if [ -s "$work/progress" ]; then
		cat "$work/progress"
	elif [ "$(wc -l <"$work/compiled")" -gt 0 ]; then
		echo "compiled $(grep -c -- ' -c -o ' "$work/step.log") of $(wc -l <"$work/compiled") files"
	else
		tail -n 1 "$work/step.log" | sed -E 's,^Get:([0-9]+) \S+ \S+ \S+ (\S+) .*\[,fetching file \1: \2 [,'
	fi
}

build_with_progress()
{
	pgxs -n | grep -- ' -c -o ' >"$work/compiled"
	build
	local status=$?
	: >"$work/compiled"
	return $status
}

# Builds and installs the extension, unless that or check.sh was done with the same sources
build_and_install()
{
	if installed_is_of_sources; then
		printf '  The installed extension is of these sources.\n'
		return 0
	fi
	[ -w "$("$PG_CONFIG" --pkglibdir)" ] || ask_for_root "To install the extension" || return 1
	step "Copying the sources" copy_sources &&
		step "Building" build_with_progress &&
		step "Installing into PostgreSQL ${pg_version%% *}" install_extension || return 1
	remember_installed
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
		use IO::Handle;

		my ($source, $encoding, $report, $progress, $format, $field, $chosen) = @ARGV;
		my $most = 100_000_000;	# bytes of a text
		my (@remarks, @left_out, %reasons);
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

		my $string = qr/"(?:[^"\\\x00-\x1f]++|\\.)*+"/s;
		my $nested = qr/(?<nested>[\[{](?:[^"\[\]{}]++|$string|(?&nested))*+[\]}])/s;
		my %control = (b => "\b", f => "\f", n => "\n", r => "\r", t => "\t");

		# The characters of a string of JSON
		sub unescaped
		{
			my ($text) = @_;
			$text =~ s{\\u(d[89ab]..)\\u(d[c-f]..)|\\u(....)|\\(.)}{
				defined $4 ? $control{$4} // $4
				: Encode::encode("UTF-8", defined $1 ? chr(0x10000 + ((hex($1) & 0x3ff) << 10) + (hex($2) & 0x3ff))
					: hex($3) >> 11 == 0x1b ? "\x{fffd}" : chr(hex $3))}gies;
			return $text;
		}

		# The strings of the next object, by their names, and the names of all fields; or why there are none
		sub json_record
		{
			my ($line) = @_;
			my (%strings, @names);
			return "not JSON" if $line !~ /\A\s*\{/gc;
			while ($line =~ /\G\s*($string)\s*:\s*(?:($string)|[^\s,"\[\]{}]++|$nested)\s*(?:,|(?=\}))/gc)
			{
				my ($name, $value) = ($1, $2);
				push @names, $name = unescaped(substr $name, 1, -1);
				$strings{$name} = substr $value, 1, -1 if defined $value;
			}
			return $line =~ /\G\s*\}\s*\z/ ? (\%strings, \@names) : "not JSON";
		}

		# The same of a record of CSV, whose columns the first record names
		my ($columns, $separator);
		sub csv_record
		{
			my ($record) = @_;
			my @values;
			if (!$columns)
			{
				my %count;
				for my $candidate (",", ";", "\t")
				{
					$count{$candidate} = () = $record =~ /$candidate/g;
					$separator = $candidate if !defined $separator || $count{$candidate} > $count{$separator};
				}
			}
			while ($record =~ /\G(?:"((?:[^"]++|"")*+)"|([^"$separator\r\n][^$separator\r\n]*|))/gc)
			{
				push @values, defined $1 ? $1 =~ s/""/"/gr : $2;
				last if $record !~ /\G$separator/gc;
			}
			return $record =~ tr/"// % 2 ? "with a quote that is not closed" : "not CSV" if $record !~ /\G\s*\z/;
			if (!$columns)
			{
				$columns = \@values;
				return;
			}
			return "with " . @values . " columns instead of " . @$columns if @values != @$columns;
			my %strings;
			@strings{@$columns} = @values;
			return (\%strings, $columns);
		}

		sub left_out
		{
			my ($name, $reason) = @_;
			$reasons{$reason}++;
			push @left_out, "$name: $reason" if @left_out < 5;
		}

		sub number
		{
			my ($n, $noun) = @_;
			return "$n $noun" . ($n == 1 ? "" : "s");
		}

		# Each second, into the file that the step shows
		sub progress
		{
			return if time == $last;
			$last = time;
			open my $file, ">", $progress or return;
			printf $file "%s, %.0f MB\n", number($read, "document"), $bytes / 1e6;
			close $file;
		}

		# The text of a file, decompressed; undef and the reason if there is none
		sub read_file
		{
			my ($name) = @_;
			return (undef, "larger than 100 MB") if -s $name > $most;
			open my $file, "<:raw", $name or return (undef, "not readable");
			local $/;
			my $text = <$file>;
			return (undef, "not readable") if !defined $text;
			if ($text =~ /\A\x1f\x8b/)
			{
				eval { require IO::Uncompress::Gunzip } or return (undef, "compressed");
				my $compressed = IO::Uncompress::Gunzip->new(\$text, MultiStream => 1);
				my ($plain, $status) = ("", 0);
				$status = $compressed->read($plain, 1_000_000, length $plain)
				  while $compressed && ($status > 0 || $plain eq "") && !$compressed->eof && length $plain <= $most;
				return (undef, "damaged") if !$compressed || $status < 0 || $compressed->error;
				return (undef, "larger than 100 MB") if length $plain > $most;
				$text = $plain;
			}
			return (undef, "binary") if $text !~ /\A(?:\xff\xfe|\xfe\xff)/ && substr($text, 0, 8000) =~ /\0/;
			return $text;
		}

		# The next line of the source. A few bytes of gzip can be any number of them, so there are limits.
		my ($buffer, $bytes_read) = ("", 0);
		sub next_line
		{
			my ($file) = @_;
			my ($searched, $end) = (0);
			while (($end = index $buffer, "\n", $searched) < 0)
			{
				$searched = length $buffer;
				die "$source: a line has more than 100 MB\n" if $searched > $most;
				my $n = $file->read($buffer, 1_000_000, $searched);
				die "$source: damaged\n" if !defined $n || $n < 0;
				$bytes_read += $n;
				die "$source: decompressed it has more than 200 times as many bytes\n" if $bytes_read > $most && $bytes_read / 200 > -s $source;
				next if $n > 0;
				return if $searched == 0;
				$end = $searched - 1;
				last;
			}
			return substr $buffer, 0, $end + 1, "";
		}

		# The longest string of the first records, unless there is --field, and a title
		sub choose_fields
		{
			my (@first) = @_;
			my (%length, @names, %known);
			for my $record (@first)
			{
				my ($name, $strings, $its_names) = @$record;
				$known{$_}++ or push @names, $_ for @$its_names;
				$length{$_} += length $strings->{$_} for keys %$strings;
			}
			my $text = $field;
			($text) = sort { $length{$b} <=> $length{$a} || $a cmp $b } keys %length if $text eq "";
			die "$source has no records with a text\n" if !defined $text || !@first;
			die "the first records have no string $text; their fields are: @names\n" if !defined $length{$text};
			open my $file, ">:raw", $chosen or die "$chosen: $!\n";
			print $file $text;
			close $file or die "$chosen: $!\n";
			my ($title) = grep { defined $length{$_} && $_ ne $text && /\A(?:title|subject|headline)\z/i } @names;
			push @remarks, "the text is the field $text" . (defined $title ? " behind the field $title" : "")
			  . ", of " . join(", ", @names) . ($field eq "" ? "; --field NAME chooses another one" : "");
			return ($text, $title);
		}

		sub read_records
		{
			my ($file, $base) = @_;
			my ($number, @first, $text, $title, $read_all) = (0);
			my $write = sub {
				my ($name, $strings) = @{ $_[0] };
				my ($heading, $body) = map { defined $_ && defined $strings->{$_} ? $format eq "jsonl" ? unescaped($strings->{$_}) : $strings->{$_} : "" } $title, $text;
				my $document = join(". ", grep { /\S/ } $heading, $body);
				return left_out($name, "without text") if $document eq "";
				$read++;
				$bytes += length $document;
				print name_of($heading =~ /\S/ ? $heading : $name), "\t", escaped($document), "\n";
				progress() if $read % 1000 == 0;
			};
			while (!$read_all)
			{
				my $record = next_line($file);
				if (defined $record)
				{
					my $more;
					$record =~ s/\A\xef\xbb\xbf// if !$columns && !@first;
					my $quotes = $format eq "csv" ? $record =~ tr/"// : 0;
					while ($quotes % 2 && defined($more = next_line($file)))
					{
						$record .= $more;
						$quotes += $more =~ tr/"//;
						die "$source: a quote in record " . ($number + 1) . " is not closed within 100 MB\n" if length $record > $most;
					}
					$number++ if $format eq "jsonl" || $columns && $record =~ /\S/;
					next if $record !~ /\S/;
					my ($strings, $names) = $format eq "jsonl" ? json_record($record) : csv_record($record);
					next if !defined $strings;
					if (!ref $strings)
					{
						left_out("$base:$number", $strings);
						next;
					}
					push @first, [ "$base:$number", $strings, $names ];
				}
				else { $read_all = 1 }
				next if !defined $text && @first < 1000 && !$read_all;
				($text, $title) = choose_fields(@first) if !defined $text;
				$write->($_) for splice @first;
			}
		}

		sub finish
		{
			unlink $progress;
			open my $file, ">", $report or die "$report: $!\n";
			my $sum = 0;
			$sum += $_ for values %reasons;
			print $file $_, "\n" for @remarks;
			print $file "left out ", number($sum, $format ne "" ? "record" : "file"), ": ", join(", ", map { "$reasons{$_} $_" } sort keys %reasons), "\n" if $sum;
			print $file "  $_\n" for @left_out;
			print $file "  ...\n" if $sum > @left_out;
			print $file "not UTF-8, read in ", $encoding ne "" ? "$encoding or UTF-16" : "UTF-16", ": ", number($decoded, "document"), "\n" if $decoded;
			print $file "not UTF-8, other bytes became U+FFFD: ", number($invalid, "document"), "; --encoding=NAME reads another encoding\n" if $invalid;
			close $file or die "$report: $!\n";
			exit 0;
		}

		binmode STDOUT;
		if (-f $source)
		{
			(my $base = $source) =~ s,.*/,,;
			open my $file, "<:raw", $source or die "$source: $!\n";
			my $number = 0;
			read $file, my $magic, 2;
			seek $file, 0, 0;
			if ($magic eq "\x1f\x8b")
			{
				require IO::Uncompress::Gunzip;
				$file = IO::Uncompress::Gunzip->new($file, MultiStream => 1) or die "$source: damaged\n";
			}
			if ($format ne "")
			{
				read_records($file, $base);
				finish();
			}
			while (defined(my $line = next_line($file)))
			{
				$number++;
				chomp $line;
				next if $line !~ /\S/;
				$read++;
				$bytes += length $line;
				print name_of("$base:$number"), "\t", escaped($line), "\n";
				progress() if $read % 1000 == 0;
			}
			finish();
		}
		local $/ = "\0";
		while (my $name = <STDIN>)
		{
			chomp $name;
			if (!-e $name)
			{
				left_out($name, "not found") if $source ne "";
				next;
			}
			next if !-f $name;
			my ($text, $reason) = read_file($name);
			if (!defined $text)
			{
				left_out($name, $reason);
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
		perl -e "$program" "$source" "$encoding" "$work/report.txt" "$work/progress" "$format" "$field" "$work/field.txt"
	else
		list_files | perl -e "$program" "$source" "$encoding" "$work/report.txt" "$work/progress" "" ""
	fi
}

# Is there nothing to see among the documents of this machine?
has_few_documents()
{
	[ "$(list_files | tr -cd '\0' | wc -c)" -lt 500 ]
}

read_documents_to_file()
{
	read_documents >"$work/documents.copy" || return 1
	mv "$work/report.txt" "$work/documents.txt" || return 1
	if [ -s "$work/find.txt" ]; then
		echo "left out $(number "$(wc -l <"$work/find.txt")" folder): not readable" >>"$work/documents.txt"
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
			-- names that differ often differ at their ends: a long one is cut in the middle
			CREATE FUNCTION shown(name text, n integer) RETURNS text LANGUAGE sql IMMUTABLE AS \$\$
				SELECT CASE WHEN length(name) <= n THEN name
					ELSE left(name, (n - 3) / 2) || '...' || right(name, n - 3 - (n - 3) / 2) END \$\$" -c "
			CREATE TABLE docs (
				id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
				name text,
				body text NOT NULL,
				fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED,
				duplicate_of bigint)"
}

load_sample()
{
	sql -c "CREATE TEMP TABLE sample (id int, title text, body text, kind text, original int)" \
		-c "\\copy sample FROM '$root/examples/sample.csv' CSV HEADER" \
		-c "INSERT INTO docs (name, body) SELECT title, concat_ws('. ', title, body) FROM sample ORDER BY id"
}

load_documents()
{
	local load

	sql -c "\\copy docs (name, body) FROM '$work/documents.copy'" &
	load=$!
	while sleep 1 && kill -0 $load 2>/dev/null; do
		sql -At -c "SELECT tuples_processed || ' documents' FROM pg_stat_progress_copy" >"$work/progress"
	done
	rm -f "$work/progress"
	wait $load
}

# The licences of this machine except for links to others, and the passages of the documents
load_licences()
{
	local source=/usr/share/common-licenses encoding=

	sql -c "CREATE TABLE licences (name text, body text,
		keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED)" -c "
		ALTER TABLE docs ADD keys bigint[] GENERATED ALWAYS AS (simhash_passage_keys(body)) STORED" -c "
		CREATE INDEX ON docs USING gin (keys)" -c "ANALYZE docs" || return 1
	[ -d $source ] || return 0
	read_documents >"$work/licences.copy" &&
		sql -c "\\copy licences (name, body) FROM '$work/licences.copy'"
}

# Marks copies and revisions with their originals. The table near has these documents, and each
# document that may be a sibling with the nearest other one. The file notices has what the server says.
find_near()
{
	sql -c "
		CREATE TABLE near AS SELECT * FROM simhash_duplicates('SELECT id, fp, body FROM docs')" -c "
		UPDATE docs SET duplicate_of = n.original FROM near n WHERE docs.id = n.id" -c "
		UPDATE near n SET kind = 'other punctuation'
		FROM docs d, docs o
		WHERE n.kind = 'revision' AND d.id = n.id AND o.id = n.original
			AND NOT EXISTS (SELECT FROM simhash_changes(o.body, d.body) c WHERE c.kind <> 'punctuation')" -c "
		INSERT INTO near (id, original, distance, kind)
			SELECT DISTINCT ON (b) b, a, distance, 'sibling'
			FROM simhash_pairs('SELECT id, fp FROM docs WHERE duplicate_of IS NULL')
			ORDER BY b, distance, a" -c "ANALYZE near" 2>"$work/notices" || {
		cat "$work/notices" >&2
		return 1
	}
}

# Sets the variables of the report
read_figures()
{
	IFS='|' read -r documents megabytes empty near marked copies < <(sql -At -c "
		SELECT count(*), round(sum(octet_length(body)) / 1e6, 1),
			count(*) - count(fp), (SELECT count(*) FROM near), count(duplicate_of),
			(SELECT count(*) FROM near WHERE kind = 'copy')
		FROM docs")
}

############################################################################
# The report
############################################################################

# Prints for each kind the number of near-duplicates, and an example
show_near()
{
	sql <<-'END' >"$work/near.out" || return 1
		SELECT kind, count(*) AS documents,
			(array_agg(shown(d.name, 36) ORDER BY n.distance DESC, d.id))[1] AS "for example",
			(array_agg(shown(o.name, 36) ORDER BY n.distance DESC, d.id))[1] AS "near to"
		FROM near n JOIN docs d USING (id) JOIN docs o ON o.id = n.original
		GROUP BY kind ORDER BY array_position('{copy, other punctuation, revision, sibling}', kind);
	END
	indent <"$work/near.out"
	show_siblings || return 1
	sed -n '/in numbers only/ { s/^.*NOTICE: *\(.*\)/\1./p; n; s/^HINT: *//p }' "$work/notices" | indent
}

# Prints some siblings, and for each the word that decided: a number that is replaced, the first word that differs if its
# text repeats it, or else the first of many changes
show_siblings()
{
	sql <<-'END' >"$work/siblings.out" || return 1
		SELECT shown(d.name, 36) AS sibling, shown(o.name, 36) AS "near to", decided AS "decided by"
		FROM (SELECT * FROM near WHERE kind = 'sibling' ORDER BY distance DESC, id LIMIT 5) n
			JOIN docs d USING (id) JOIN docs o ON o.id = n.original,
			LATERAL (SELECT simhash_first_change(o.body, d.body) AS first) f,
			LATERAL (SELECT concat(CASE WHEN a_text = '' THEN '' ELSE shown(a_text, 24) || ' ' END, CASE WHEN a_text = '' THEN ''
						WHEN b_text = '' THEN 'is missing' ELSE 'becomes ' END, shown(b_text, 24), CASE WHEN a_text = '' THEN ' is inserted' END,
						CASE WHEN times > 1 THEN ', ' || times || ' times' END) AS decided
				FROM simhash_changes(o.body, d.body)
				WHERE kind IN ('number', 'replace', 'insert', 'delete', 'signs')
				ORDER BY CASE WHEN a_text ~ '\d' AND b_text ~ '\d' THEN 0 WHEN f.first > 1 AND kind <> 'signs' THEN 1
					WHEN kind = 'replace' THEN 2 ELSE 3 END, change LIMIT 1) c
		ORDER BY n.distance DESC, n.id;
	END
	# the heads and the line below them are there without rows, too
	[ "$(wc -l <"$work/siblings.out")" -gt 3 ] || return 0
	indent <"$work/siblings.out"
	printf '  %s\n' "A sibling is a different document of the same template: a number is replaced, or the first word" \
		"that differs is repeated, as a name is, or many words are replaced. Siblings are not marked."
}

# Prints what differs between a revision and its original: of those with few changes the one with most
show_changes()
{
	local id original names query

	IFS='|' read -r id original names < <(sql -At -c "
		SELECT n.id, n.original, shown(d.name, 36) || CASE d.name WHEN o.name THEN '' ELSE ' and its original ' || shown(o.name, 36) END
		FROM (SELECT * FROM near WHERE kind = 'revision' ORDER BY id LIMIT 100) n JOIN docs d USING (id) JOIN docs o ON o.id = n.original,
			LATERAL (SELECT count(*), sum(a_length + b_length) AS size FROM simhash_changes(o.body, d.body)) c
		ORDER BY count <= 5 AND size <= 200 DESC, count DESC, n.id LIMIT 1")
	[ -n "$id" ] || return 0
	heading "What differs in a revision: $names"
	query="SELECT c.kind, c.a_text, c.b_text FROM docs a, docs b, simhash_changes(a.body, b.body) c
WHERE a.id = $original AND b.id = $id LIMIT 5"
	printf '%s;\n\n' "$query" | indent
	sql <<<"SELECT kind, shown(a_text, 50) AS a_text, shown(b_text, 50) AS b_text FROM ($query) c;" >"$work/changes.out" || return 1
	sed '$d' "$work/changes.out" | indent
}

show_commands()
{
	cat <<-'END' | indent
		Mark copies and revisions:
		UPDATE docs SET duplicate_of = d.original
		FROM simhash_duplicates('SELECT id, fp, body FROM docs') d WHERE docs.id = d.id;

		See what changed:
		SELECT d.name, o.name AS original, c.a_text, c.b_text, c.kind, c.times
		FROM docs d JOIN docs o ON o.id = d.duplicate_of, simhash_changes(o.body, d.body) c;

	END
	cat <<-END | indent
		Delete the copies, here $(number "$copies" document), and keep one of each:
		DELETE FROM docs
		USING simhash_duplicates('SELECT id, fp, body FROM docs') d
		WHERE docs.id = d.id AND d.kind = 'copy';
	END
}

# The page of the near-duplicates
write_review()
{
	if [ -z "$review" ]; then
		# Others must not read the texts.
		{ mkdir -p "${review_file%/*}" && (umask 077 && : >"$review_file") && chmod 600 "$review_file"; } 2>/dev/null &&
			review=$review_file || review=$(mktemp "${TMPDIR:-/tmp}/simhash-review.XXXXXX.html") || return 1
	fi
	[ ! -f "$review" ] || chmod 600 "$review" || return 1
	cat "$root/examples/review.html" >"$review" && sql -At -f "$root/examples/review.sql" -v pairs='
		SELECT d.id, d.name, d.body, o.id, o.name, o.body FROM near JOIN docs d USING (id) JOIN docs o ON o.id = near.original' >>"$review"
}

# Changes every 40th word of a document of some hundred words, or one word if there are
# fewer. The document has near-duplicates if possible.
change_document()
{
	sql -c "
		CREATE TABLE changed AS
		SELECT d.id, d.name, regexp_replace(body, pattern, '\\1CHANGED', 'g') AS body,
			(SELECT count(*) FROM regexp_matches(body, pattern, 'g')) AS words
		FROM (SELECT d.id, d.name, body FROM docs d LEFT JOIN near n ON n.original = d.id
				WHERE fp IS NOT NULL GROUP BY d.id
				ORDER BY length(body) BETWEEN 2000 AND 20000 DESC, count(n.id) BETWEEN 1 AND 5 DESC, d.id LIMIT 1) d,
			LATERAL (SELECT format('((?:\\S+\\s+){%s})\\S+', least(count(*), 40) - 1) AS pattern
				FROM regexp_matches(body, '\\S+', 'g')) p"
}

# Prints the documents near the changed one, and the time of the query with and without the index
show_lookup()
{
	local query="SELECT id, name, fp <-> minhash_bits(\$1) AS distance FROM docs
WHERE fp % minhash_bits(\$1) ORDER BY distance, id LIMIT 5"

	sql -At -c "SELECT format('\$1 is the text of %s with %s changed.', shown(name, 40),
		CASE words WHEN 1 THEN 'one word' ELSE words || ' words' END) FROM changed" | indent
	printf '\n%s;\n\n' "$query" | indent
	sql -v query="$query" -v work="$work" <<-'END' >"$work/lookup.out" || return 1
		SELECT minhash_bits(body) AS fp, body FROM changed \gset
		PREPARE lookup(text) AS :query;
		EXECUTE lookup(:'body');
		\t on
		\o :work/index.out
		EXPLAIN (ANALYZE, TIMING OFF) SELECT id FROM docs WHERE fp % :'fp'::bit(256);
		EXPLAIN (ANALYZE, TIMING OFF) SELECT id FROM docs WHERE fp % :'fp'::bit(256);
		SET enable_indexscan = off; SET enable_bitmapscan = off;
		\o :work/scan.out
		EXPLAIN (ANALYZE, TIMING OFF) SELECT id FROM docs WHERE fp % :'fp'::bit(256);
		EXPLAIN (ANALYZE, TIMING OFF) SELECT id FROM docs WHERE fp % :'fp'::bit(256);
	END
	indent <"$work/lookup.out"
	printf '  The search takes %s ms with the index, and %s ms without.\n' \
		"$(sed -n 's/.*Execution Time: \([0-9.]*\) ms.*/\1/p' "$work/index.out" | tail -n 1)" \
		"$(sed -n 's/.*Execution Time: \([0-9.]*\) ms.*/\1/p' "$work/scan.out" | tail -n 1)"
}

# Prints for each licence the number of documents that contain at least half of it, and
# for one licence the documents and where it is in them.
show_licences()
{
	ask "CREATE TABLE contained AS
SELECT l.name AS licence, d.id, simhash_containment(l.body, d.body) AS share
FROM licences l JOIN docs d ON d.keys && l.keys
WHERE simhash_containment(l.body, d.body) >= 0.5" || return 1
	sql <<'END' >"$work/licences.out" || return 1
SELECT name AS licence, count(id) AS documents, max(share) FILTER (WHERE share = 1) IS NOT NULL AS "one has all of it"
FROM licences LEFT JOIN contained ON licence = name GROUP BY name ORDER BY documents DESC, name;
\qecho 'Where: characters of the document, for the licence in fewest documents'
\qecho
SELECT c.licence, shown(d.name, 28) AS document, p.a_start AS start, p.a_length AS length, p.words,
	regexp_replace(left(substr(d.body, p.a_start, p.a_length), 32), '\s+', ' ', 'g') AS beginning
FROM contained c JOIN licences l ON l.name = c.licence JOIN docs d USING (id),
	LATERAL (SELECT * FROM simhash_passages(d.body, l.body) LIMIT 1) p
WHERE c.licence = (SELECT licence FROM contained GROUP BY licence ORDER BY count(*), licence LIMIT 1)
ORDER BY c.share DESC, d.name LIMIT 8;
END
	indent <"$work/licences.out"
}

# Says how to remove what was installed
show_removal()
{
	heading "Remove what was installed"
	printf '  %-44s%s\n' "bash test/quickstart.sh --remove" "the extension in PostgreSQL ${pg_version%% *}, and the page. First run" \
		"" "DROP EXTENSION simhash CASCADE in your databases that have it"
	show_packages
}

show_packages()
{
	[ ! -s "$installed_packages_file" ] || printf '  %s%s\n' "$([ "$(id -u)" = 0 ] || echo 'sudo ')" \
		"apt-get remove --autoremove $(sort -u "$installed_packages_file" | paste -s -d ' ')"
}

# as_account ACCOUNT COMMAND...
as_account()
{
	if [ "$(id -un)" = "$1" ]; then
		"${@:2}"
	else
		as_root setpriv --reuid "$1" --regid "$(id -g "$1")" --init-groups "${@:2}"
	fi
}

# Prints the process of each running server of this PostgreSQL. Its current folder is that of its data. In another
# container the file has another number. Without root only the name of the program of another account is known
list_servers()
{
	local as=as_root program='
		for process in /proc/[0-9]*; do
			if exe=$(readlink "$process/exe"); then
				case $exe in
					"$1" | "$1 (deleted)") [ "$(head -n 1 "$process/cwd/postmaster.pid")" = "${process#/proc/}" ] ;;
					*) false ;;
				esac
			else
				read -r -d "" exe <"$process/cmdline"
				[ "$exe" = "$1" ]
			fi && echo "${process#/proc/}"
		done'

	[ ! -w "$("$PG_CONFIG" --pkglibdir)" ] || as=
	$as bash -c "$program" bash "$(readlink -f "$bindir/postgres")" 2>/dev/null
}

# ask_server DATABASE QUERY: by a superuser, who has the name of the server's account. The records of the answer end in a
# zero byte
ask_server()
{
	as_account "$account" env PGDATABASE="$1" PGCONNECT_TIMEOUT=10 PGOPTIONS='-c statement_timeout=10s -c search_path=pg_catalog' \
		"$bindir/psql" -X -w -q -At -0 -h "${host:-localhost}" -p "$port" -U "$account" -c "$2" </dev/null 2>"$work/answer.txt"
}

# Prints a line for each database that has the extension, and for each server or database that cannot be asked
list_users()
{
	local pid data account port host name version=${pg_version%%[!0-9]*}

	for pid in $(list_servers); do
		account=$(stat -c %U "/proc/$pid")
		data= port= host=
		{ read -r _; read -r data; read -r _; read -r port; read -r host; } 2>/dev/null \
			< <(as_account "$account" cat "/proc/$pid/cwd/postmaster.pid" 2>/dev/null)
		data=${data:-process $pid of $account}
		if ! ask_server template1 "SELECT datname FROM pg_database WHERE datname <> 'template0'" >"$work/names.txt"; then
			echo "the server of $data cannot be asked: $(tail -n 1 "$work/answer.txt")"
			continue
		fi
		while IFS= read -r -d '' name; do
			if ! ask_server "$name" "SELECT 1 FROM pg_extension WHERE extname = 'simhash'" >"$work/has_it.txt"; then
				echo "the database $name in the server of $data cannot be asked: $(tail -n 1 "$work/answer.txt")"
			elif [ -s "$work/has_it.txt" ]; then
				echo "the database $name in the server of $data, port $port, has it"
			fi
		done <"$work/names.txt"
	done
	[ "$bindir" != "/usr/lib/postgresql/$version/bin" ] || ! command -v pg_lsclusters >/dev/null ||
		pg_lsclusters -h | awk -v version="$version" '$1 == version && $4 !~ /^online/ {
			print "the cluster " $1 "/" $2 " cannot be asked: it does not run; to start it: pg_ctlcluster " $1 " " $2 " start" }'
}

# Is the extension used? If so, says where, and what to do.
is_in_use()
{
	list_users | clean >"$work/users.txt"
	[ -s "$work/users.txt" ] || return 1
	sed 's/^/  /' "$work/users.txt"
	[ -z "$force" ] || return 1
	cat <<-'END' | indent
		The extension stays, because without it queries, DROP EXTENSION and pg_dump fail in a database that has it.
		In each one run DROP EXTENSION simhash CASCADE, which also drops the columns and indexes that need the extension,
		and start the servers that do not run. Then run this command again.
		--force removes the extension now. To heal the databases afterwards, install it again: make && make install
	END
}

# What --remove does. Another build of the extension is not ours to remove.
remove_installed()
{
	if ! find_postgres || ! [ -e "$("$PG_CONFIG" --sharedir)/extension/simhash.control" ]; then
		echo "  The extension is not installed."
	elif ! installed_is_of_sources; then
		echo "  The installed extension is not of these sources, so it stays: make uninstall PG_CONFIG=$PG_CONFIG removes it."
		return 1
	else
		[ -w "$("$PG_CONFIG" --pkglibdir)" ] || ask_for_root "To remove the extension" || return 1
		bindir=$("$PG_CONFIG" --bindir)
		pg_version=$("$PG_CONFIG" --version)
		pg_version=${pg_version#PostgreSQL }
		! is_in_use || return 1
		step "Copying the sources" copy_sources &&
			step "Removing the extension" uninstall_extension || return 1
	fi
	rm -f "$installed_state_file" "$review_file"
	if [ -s "$installed_packages_file" ]; then
		echo "  The packages stay, because other programs may need them by now. This command removes them:"
		show_packages
		rm -f "$installed_packages_file"
	fi
}

make_work_folder
: >"$work/compiled"
if [ -n "$remove" ]; then
	heading "simhash quickstart: remove what was installed"
	remove_installed
	exit
fi
progress=show_progress	# of the function step
heading "simhash quickstart: near-duplicate search in PostgreSQL"
prepare_machine || exit 1
{
	build_and_install &&
	# what is written from here on has the texts
	umask 077 && rm -f "$work/step.log" &&
	step "Starting a private server" start_server "shared_buffers = 256MB" &&
	step "Creating database, extension and table" create_database &&
	if [ -z "$source" ] && has_few_documents; then
		source=examples/sample.csv
		step "Loading and fingerprinting the sample" load_sample
	else
		step "Reading the documents" read_documents_to_file &&
			step "Loading and fingerprinting them" load_documents
	fi &&
	step "Collecting statistics (ANALYZE)" sql -c "ANALYZE docs" &&
	step "Marking near-duplicates, comparing texts" find_near &&
	step "Creating the index (USING $method)" sql -c "CREATE INDEX ON docs USING $method (fp)" &&
	change_document &&
	{ [ -z "$passages" ] || step "Loading the licences of this machine" load_licences; } &&
	read_figures
} || exit 1

heading "Documents"
printf '  %s of %s, %s MB of text' "$(number "$documents" document)" \
	"${source:-/usr/share/doc/*/copyright}" "$megabytes" | clean
[ "$empty" = 0 ] || printf '; without words and so without a fingerprint: %s' "$empty"
echo
[ ! -e "$work/documents.txt" ] || sed 's/^/  /' "$work/documents.txt" | clean

if [ "$documents" = "$empty" ]; then
	echo "  There is nothing to compare."
	exit 1
fi

heading "Near-duplicates: at most 20 of 256 bits differ, or 40 in a revision"
if [ "$near" = 0 ]; then
	echo "  There are none."
else
	show_near && show_changes || exit 1
fi

heading "Look up a text"
show_lookup || exit 1

if [ -n "$passages" ]; then
	show_licences >"$work/report_licences.txt" || exit 1
	heading "Which documents contain a licence, and where"
	cat "$work/report_licences.txt"
fi

if [ "$marked" != 0 ]; then
	heading "Go on"
	show_commands
fi

if [ -n "$keep" ]; then
	heading "The server is still running"
	echo "  connect: $bindir/psql -h $PGHOST -p $PGPORT -U postgres documents"
	if [ "$format" = csv ]; then
		what=
	elif [ -n "$format" ]; then
		field=$(sql -At -v field="$(cat "$work/field.txt")" <<<"SELECT quote_literal(:'field')")
		clean <<-END
			  load:    INSERT INTO docs (name, body) SELECT 'FILE:' || n, line::jsonb ->> $field
			           FROM regexp_split_to_table(pg_read_file('/FILE'), '\n') WITH ORDINALITY l(line, n) WHERE line ~ '\S';
		END
		what='the records of another file'
	elif [ -f "$source" ]; then
		cat <<-'END'
			  load:    INSERT INTO docs (name, body) SELECT 'FILE:' || n, line
			           FROM regexp_split_to_table(pg_read_file('/FILE'), '\n') WITH ORDINALITY l(line, n) WHERE line ~ '\S';
		END
		what='the lines of another file'
	else
		cat <<-'END'
			  load:    INSERT INTO docs (name, body) SELECT name, pg_read_file('/FOLDER/' || name) FROM pg_ls_dir('/FOLDER') name
			           WHERE NOT (pg_stat_file('/FOLDER/' || name)).isdir;
		END
		what='another folder of texts'
	fi
	[ -z "$what" ] || echo "           loads $what, if the server's account${server_user:+ $server_user} can read it"
	if [ "$(id -u)" = 0 ]; then
		echo "  remove:  setpriv --reuid $server_user --clear-groups $bindir/pg_ctl -D $work/data stop && rm -r $work"
	else
		echo "  remove:  $bindir/pg_ctl -D $work/data stop && rm -r $work"
	fi
	rm -rf "$work/simhash" "$work"/*.copy "$work"/*.txt "$work"/*.log "$work"/*.out
fi

heading "A page that shows what differs, the least certain pairs first"
write_review || exit 1
if [ -n "$keep" ]; then
	sql -c "DROP TABLE near, changed" -c "DROP FUNCTION shown"
	trap - EXIT
else
	echo "  The private server is removed now. With --keep it stays for the commands above."
fi
echo "  $review" | clean
show_removal
