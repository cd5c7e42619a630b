# Section dedupe of bench.sh, which sources this file: the command of client/, in memory and in files

# Writes MEGABYTES of JSON Lines: texts of 400 random words, a tenth of them copies and edited versions of
# earlier ones, and 15,000 texts of one template for each 500 MB
make_corpus()
{
	perl -MPOSIX -e '
		srand 1;
		my ($megabytes, $file) = @ARGV;
		open my $out, ">", $file or die "$file: $!";
		my @words = map { join "", map { chr 97 + rand 26 } 1 .. 2 + rand 8 } 1 .. 30000;
		my $form = join " ", map { $words[rand @words] } 1 .. 300;
		my ($n, $size, @kept) = (0, 0);
		while ($size < $megabytes * 1e6)
		{
			my ($kind, $text) = (rand);
			if ($kind < 0.06) { $text = "Form $n. $form" }
			elsif ($kind < 0.16 && @kept) { $text = $kept[rand @kept]; $text =~ s/ (\w+)$/ $words[rand @words]/ if $kind < 0.11 }
			else { $kept[$n % 20000] = $text = join " ", map { $words[rand @words] } 1 .. 400 }
			my $line = sprintf qq({"id":%d,"body":"%s"}\n), $n++, $text;
			print $out $line;
			$size += length $line;
		}' "$1" "$2"
}

# dedupe_row WHAT [OPTION...]: a row with the CPU seconds and the memory of a run
dedupe_row()
{
	local what=$1
	shift
	TMPDIR=$work /usr/bin/time -f '%U %S %M' -o "$work/dedupe.time" \
		$pin "$work/client/pgsimhash" dedupe --field body --remove copies,revisions "$@" "$work/corpus.jsonl" >"$work/clean.jsonl" 2>"$work/dedupe.log" ||
		die "dedupe failed: $(cat "$work/dedupe.log")"
	row "$what" "$(awk '{ printf "%.1f | %.1f", $1 + $2, $3 / 1e6 }' "$work/dedupe.time")"
	sed -n 's/^pgsimhash: read/Read/p' "$work/dedupe.log" >"$work/dedupe.found"
}

section_dedupe()
{
	local megabytes=${MEGABYTES:-500}

	[ -x /usr/bin/time ] || die "section dedupe needs the program time"
	step "Building the command" make -C "$root/client" BUILD="$work/client" >&2 || die "the command failed"
	step "Writing a corpus" make_corpus "$megabytes" "$work/corpus.jsonl" >&2 || die "the corpus failed"
	echo "### pgsimhash dedupe, $megabytes MB of JSON Lines"
	echo
	row "" "CPU, s" "memory, GB"
	row "---" "---" "---"
	dedupe_row "in memory"
	dedupe_row "\`--memory 256\`" --memory 256
	echo
	cat "$work/dedupe.found"
}
