# Arguments of test/quickstart.sh that end the script before it builds anything, the progress
# that it shows, and its report on a folder: it runs against a server of this test, with the
# extension that is installed

use Encode;
use SimhashPage;
use SimhashTest;

sub quickstart
{
	my ($out, $err);

	IPC::Run::run([ 'bash', 'test/quickstart.sh', @_ ], '>', \$out, '2>', \$err);
	return ($? >> 8, $out, $err);
}

my ($status, $help) = quickstart('--help');
is($status, 0, '--help');
my ($names) = $help =~ /read in that encoding: (.*?) or another name/s;
for my $name (split /, /, $names)
{
	ok(Encode::find_encoding($name), "Perl knows the encoding $name");
}

my $err;
($status, undef, $err) = quickstart('--encoding=gb18030', '.');
is($status, 2, 'an encoding that Perl does not know');
my ($command) = $err =~ /^(perl .*?) lists the encodings/m;
like(`$command`, qr/\bcp936\b/, 'the error names a command that lists the encodings');
($status, undef, $err) = quickstart('no such folder');
like($err, qr/^no such folder: no such folder or file/, 'a folder that does not exist');
is($status, 2, 'and its status');
($status, undef, $err) = quickstart('--review', 'no such folder/review.html', '.');
like($err, qr/^--review: no such folder\/review\.html cannot be written/, 'a page that cannot be written');
is($status, 2, 'and its status');
($status, undef, $err) = quickstart('.', '--review');
like($err, qr/^--review: no name of a file/, 'a page without a name');
is($status, 2, 'and its status');

# The private server trusts every connection
my $modes = `bash -c '. test/lib.sh; trap remove_work_folder EXIT; make_work_folder; bindir=\$(pg_config --bindir)
	chmod 711 "\$work"; start_server >&2 && stat -c %a "\$work/socket" "\$work/data"' 2>/dev/null`;
is($modes, "700\n700\n", 'only its account can connect to it');

# Runs a script with these commands in front of its last part, which comes after all functions.
sub changed_script
{
	my ($file, $commands, @arguments) = @_;
	my $script = slurp_file($file);
	my ($out, $err);

	$script =~ s/^(?=make_work_folder$)/$commands\n/m or die 'no last part';
	IPC::Run::run([ 'bash', '-c', $script, $file, @arguments ], '>', \$out, '2>', \$err);
	return ($? >> 8, $out, $err);
}

sub changed_quickstart { return changed_script('test/quickstart.sh', @_) }

# Progress without a terminal
my $steps = q{
	make_work_folder
	progress=show_progress progress_interval=1
	: >"$work/compiled"
	fetch()
	{
		echo 'Get:7 http://deb.example/debian bookworm/main amd64 libllvm14 amd64 1:14.0-1 [22.1 MB]'
		sleep 4
	}
	pgxs() { printf 'gcc -Wall -c -o %s.o %s.c\n' a a b b; }
	build() { echo 'gcc -Wall -c -o a.o a.c'; sleep 4; }
	apt_install()
	{
		echo 'After this operation, 400 MB of additional disk space will be used.'
		printf "'http://deb.example/%s.deb' %s.deb 1500000 MD5Sum:0\n" a a b b
	}
	step Fetching fetch
	step Building build_with_progress
	step Failing false
	packages=(a)
	describe_packages
	exit 7
};
my $out;
($status, $out) = changed_quickstart($steps);
is($status, 7, 'steps');
like($out, qr/^  Fetching *\n    \d s  fetching file 7: libllvm14 \[22\.1 MB\] */m, 'what is fetched');
like($out, qr/^    \d s  fetching file 7: .*  [4-9]\.\d s$/m, 'and the time that it took');
like($out, qr/^    \d s  compiled 1 of 2 files */m, 'how much is compiled');
like($out, qr/^  Failing  *FAILED$/m, 'a step that fails');
like($out, qr/^  Packages: a\n  to fetch, with what they need: 2 files of 3\.0 MB, 400 MB on disk$/m, 'what is to be fetched');

# Progress of check.sh
($status, $out) = changed_script('test/check.sh', q{
	make_work_folder
	printf 'gcc -Wall -O2 -I. \\\\\n\t-Werror -pthread -o join_test join_test.c \\\\\n\t-lm\n' >"$work/unit.log"
	running_in unit 0
	echo 'g++ -std=c++17 -c -o /tmp/build/reader.o reader.cc' >"$work/client.log"
	touch -d '1 minute ago' "$work/unit.log"
	running_in unit 0
	echo 'ok 5 - all pairs' >"$work/regress.log"
	running_in server 0
	finished=1 passed=1
	exit 0
});
is($out =~ s/\n\n.*//sr, "compiling join_test\ncompiling /tmp/build/reader.o\nok 5 - all pairs", 'what check.sh does');

# A report
SKIP:
{
	skip 'no IO::Compress::Gzip, or no cat -s', 1
	  unless eval { require IO::Compress::Gzip } && !system('cat -s </dev/null >/dev/null 2>&1');
	report_is_right();
}
done_testing();

sub report_is_right
{
	my $node = start_node('quickstart');
	my $folder = PostgreSQL::Test::Utils::tempdir;
	my $words = sub { my $n = shift; join(' ', map { "word$_ of " . ($_ * $n % 97) } 1 .. 200) . ' to the end' };
	my $template = sub { my $name = shift; "$name(1) - $name prints sums. $name reads, and $name writes. " . $words->(5) };
	my %files = (
		'a.txt' => $words->(2),
		'b.txt' => uc($words->(2)) =~ s/TO/TO:/r,
		'b2.txt' => $words->(2) =~ s/to/to:/r,
		'c.txt' => $words->(3),
		'copy.txt' => uc($words->(2)) =~ s/ /\n/gr,
		'md5sum.txt' => $template->('MD5SUM'),
		'sha512sum.txt' => $template->('SHA512SUM'),
		'picture.bin' => "\x89PNG\0\1\2" . $words->(2));

	for my $name (keys %files)
	{
		open my $file, '>', "$folder/$name" or die;
		print $file $files{$name};
		close $file;
	}
	IO::Compress::Gzip::gzip(\("Otherwise " . $words->(2)) => "$folder/d.txt.gz");

	my ($host, $port) = ($node->host, $node->port);
	my $user = $node->safe_psql('postgres', 'SELECT current_user');
	my $commands = <<"END";
prepare_machine()
{
	bindir=\$(pg_config --bindir) pg_version=0
}
copy_sources() { ln -s "\$root" "\$work/simhash"; }
pgxs() { :; }
install_extension() { :; }
start_server()
{
	export PGHOST='$host' PGPORT=$port PGUSER='$user'
}
stop_server() { :; }
END
	my $review = PostgreSQL::Test::Utils::tempdir . '/review <&>.html';
	local $ENV{XDG_CACHE_HOME} = PostgreSQL::Test::Utils::tempdir;
	($status, $out, $err) = changed_quickstart($commands, '--review', $review, $folder);
	is($status, 0, 'a folder') or diag($out, $err);
	like($out, qr/^  Building /m, 'the first run builds');
	like($out, qr/^  8 documents of \Q$folder\E, /m, 'a compressed document, and no picture');
	like($out, qr/^  left out 1 file: 1 binary$/m, 'the picture is left out');
	like($out, qr/^   copy +\| +2 \| b2\.txt +\| b\.txt\n   other punctuation +\| +1 \| b\.txt +\| a\.txt
   revision +\| +1 \| d\.txt\.gz +\| a\.txt\n   sibling\? +\| +1 \| sha512sum\.txt +\| md5sum\.txt$/m,
		'copies, revisions and siblings');
	like($out, qr/Siblings are not marked\.$/m, 'and what is not marked');
	like($out, qr/With --keep it stays for the commands above/, 'how to keep the server');
	my ($changes) = $out =~ /^What differs in a revision: d\.txt\.gz and its original a\.txt\n\n( *SELECT .*?);$/ms;
	is($node->safe_psql('documents', $changes), 'insert||Otherwise', 'what differs in a revision');
	like($out, qr/^   insert +\| +\| Otherwise$/m, 'and the report shows it');
	is($node->safe_psql('documents', q{SELECT body LIKE 'Otherwise word1 of%' FROM docs WHERE name = 'd.txt.gz'}),
		't', 'the text of a compressed document');
	like($out, qr/^  \$1 is the text of a\.txt with \d+ words changed\.\n\n  SELECT id, name, .* FROM docs\n  WHERE fp % minhash_bits\(\$1\) .*?^ +\d+ \| a\.txt +\| +\d+$/ms, 'a lookup');
	like($out, qr/^  The search takes [0-9.]+ ms with the index, and [0-9.]+ ms without\.$/m, 'and its time');
	unlike($out, qr/\b1 (?:files|documents|words)\b/, 'one file');

	# The commands that the report prints
	my $marks = q{SELECT string_agg(d.name || ' ' || o.name, ', ' ORDER BY d.name) FROM docs d JOIN docs o ON o.id = d.duplicate_of};
	my $marked = 'b.txt a.txt, b2.txt b.txt, copy.txt a.txt, d.txt.gz a.txt';
	my ($update) = $out =~ /^( *UPDATE docs SET duplicate_of.*?;)$/ms;
	is($node->safe_psql('documents', $marks), $marked, 'marks');
	is($node->safe_psql('documents', "UPDATE docs SET duplicate_of = NULL; $update $marks"), $marked, 'the UPDATE marks the same');
	my ($select) = $out =~ /^( *SELECT d\.name, o\.name AS keeper, .*?;)$/ms;
	is($node->safe_psql('documents', "SELECT string_agg(concat_ws(' ', name, keeper, a_text, b_text), ', ' ORDER BY name) FROM (" . $select =~ s/;//r . ') s'),
		'b.txt a.txt  :, d.txt.gz a.txt  Otherwise', 'the SELECT that shows changes');
	my ($number) = $out =~ /Delete the copies, here (\d+) documents, and keep one of each:/;
	is($number, 2, 'copies of an original and of a marked document');
	my ($delete) = $out =~ /^( *DELETE FROM docs.*?;)$/ms;
	is($node->safe_psql('documents', $delete =~ s/;/ RETURNING docs.id) SELECT count(*) FROM deleted/r =~ s/^/WITH deleted AS (/r), $number,
		'the DELETE deletes as many documents as the report says');
	like($node->safe_psql('documents', q{SELECT string_agg(name, ' ' ORDER BY name) FROM docs}), qr/^a\.txt b2?\.txt c\.txt d\.txt\.gz md5sum\.txt sha512sum\.txt$/,
		'and keeps the others');
	for my $command ($update, $delete)
	{
		my ($word) = $command =~ /(\w+)/;

		like(slurp_file('README.md'), qr/^\Q${\($command =~ s{^  }{}mgr)}\E$/m, "the $word is that of README.md");
	}
	like($out, qr/\n  \Q$review\E\n\z/, 'the last line is the page');
	my $page = slurp_file($review);
	like($page, qr/\A<!DOCTYPE html>.*MD5SUM<\/del> becomes <ins>SHA512SUM<\/ins>, 4 times.*<\/html>\n\z/s, 'and the sibling on it');
	my $articles = () = $page =~ /<article>|<li><p class="names">/g;
	is($articles, 5, 'and all the near-duplicates');

	unlike($out, qr/licence/, 'licences are not searched without --passages');
	is($node->safe_psql('documents', q{SELECT shown('a short name', 12) || ' ' || shown('a name of some more characters', 16)}),
		'a short name a name...racters', 'a long name is cut in the middle');

	# README.md on the table of the script
	my ($deduplicate) = slurp_file('README.md') =~ /^## Removing duplicates\n(.*?)^## /ms;
	$node->safe_psql('documents', q{ALTER TABLE docs DROP COLUMN duplicate_of;
		INSERT INTO docs (body) SELECT upper(body) FROM docs WHERE name = 'a.txt'});
	$node->safe_psql('documents', join '', $deduplicate =~ /^```sql\n(.*?)^```/msg);
	is($node->safe_psql('documents', 'SELECT count(*) FROM docs WHERE name IS NULL'), 0, 'README.md: the row without a name was a copy');

	# The lines of a file
	my ($licence) = grep { -f && !-l } glob('/usr/share/common-licenses/*');
	my $lines = join('', map { "$_\n\n" } (map { $words->($_) } 1 .. 3), defined $licence ? slurp_file($licence) =~ s/\s+/ /gr : ());
	IO::Compress::Gzip::gzip(\$lines => "$folder/lines.gz");
	$node->safe_psql('postgres', 'DROP DATABASE documents');

	# check.sh has installed the same sources
	my $cache = $ENV{XDG_CACHE_HOME};
	$ENV{XDG_CACHE_HOME} = PostgreSQL::Test::Utils::tempdir;
	($status, undef, $err) = changed_script('test/check.sh', $commands . <<'END', 'regress');
build() { :; }
build_few_tags() { :; }
hand_over_sources() { :; }
regression_tests() { passed=1; }
installed_is_ours() { :; }
END
	is($status, 0, 'check.sh without tests') or diag($err);
	($status, $out, $err) = changed_quickstart($commands, '--passages', '--review', $review, "$folder/lines.gz");
	is($status, 0, 'a compressed file') or diag($out, $err);
	like($out, qr/^  The installed extension is of these sources\.$/m, 'a run after check.sh says so');
	unlike($out, qr/^  Building /m, 'and does not build');
	like($out, qr/^  There are none\.$/m, 'no near-duplicates');
	like(slurp_file($review), qr/0 pairs, each/, 'and the page has no pair');
	is($node->safe_psql('documents', q{SELECT string_agg(name || ' ' || left(body, 10), ', ' ORDER BY id) FROM docs WHERE id <= 3}),
		'lines.gz:1 word1 of 1, lines.gz:3 word1 of 2, lines.gz:5 word1 of 3', 'and its lines');
	my $lines_of = $node->safe_psql('documents', 'SELECT count(*) FROM docs');

	# A machine with few documents
	$node->safe_psql('postgres', 'DROP DATABASE documents');
	$ENV{XDG_CACHE_HOME} = $cache;
	($status, my $sample, $err) = changed_quickstart("$commands\nlist_files() { :; }", '--review', $review);
	is($status, 0, 'the sample') or diag($sample, $err);
	like($sample, qr/^  289 documents of examples\/sample\.csv, 0\.1 MB of text\n\n/m, 'and its documents');
	like($sample, qr/^   copy +\| +35 \| .*\n   revision +\| +\d\d \| .*\n   sibling\? +\| +\d+ \| /m, 'and what is found');
	like(slurp_file($review), qr/<del>.*<ins>/, 'and its page');

	# The command that --keep prints
	$node->safe_psql('postgres', 'DROP DATABASE documents');
	append_to_file("$folder/lines", $lines);
	$ENV{XDG_CACHE_HOME} = $cache;
	my ($kept, $kept_out) = changed_quickstart($commands, '--keep', "$folder/lines");
	is($kept, 0, '--keep');
	like($kept_out, qr/^  The installed extension is of these sources\.$/m, 'a run after the first says so, too');
	my ($load) = $kept_out =~ /^  load: +(INSERT INTO docs .*?;)\n/ms;
	like($kept_out, qr/^ +loads the lines of another file, if/m, 'lines of a file, not files of a folder');
	is($node->safe_psql('documents', ($load =~ s!/FILE!$folder/lines!r) . ' SELECT count(*) FROM docs'), 2 * $lines_of, 'its command loads them');
	my ($left) = $kept_out =~ /&& rm -r (\S+)$/m;
	system('rm', '-r', $left);
	my ($temporary) = $kept_out =~ /\n  (\S+\.html)\n\z/;
	ok(defined $temporary && -s $temporary && unlink($temporary), 'without --review the page is a temporary file');

	SKIP:
	{
		my ($command) = $out =~ /^( *CREATE TABLE contained AS.*?;)$/ms;

		skip 'no licences', 2 unless defined $licence;
		like($out, qr/contain a licence, and where/, 'a document has a licence');
		like($out, qr/\Q$command\E\n\n  Time: /, 'the command that the report shows is the one that it times');
	}

	$node->stop;
	return;
}
