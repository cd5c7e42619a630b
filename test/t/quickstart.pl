# Arguments of test/quickstart.sh that end the script before it builds anything, the progress
# that it shows, and its report on a folder: it runs against a server of this test, with the
# extension that is installed

use Digest::MD5 qw(md5_hex);
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

# check.sh names the packages that it installs for optional tests
my ($optional) = slurp_file('test/lib.sh') =~ /^optional_packages=\((.*?)\)/ms;
my ($named) = `bash test/check.sh --help` =~ /installs the packages (.*?), if the distribution/s;
is(join(' ', $named =~ /([\w-]+)/g), join(' ', map { $_ eq 'python3-distributed' ? ('and', $_) : $_ } split ' ', $optional), 'optional packages of check.sh');

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

($status, undef, $err) = quickstart('--field', 'body', '.');
like($err, qr/^--field: only a \.jsonl or \.csv file has fields/, 'a field of a folder');
is($status, 2, 'and its status');
($status, undef, $err) = quickstart('.', '--field');
like($err, qr/^--field: no name of a field/, 'a field without a name');
is($status, 2, 'and its status');

# The private server trusts every connection
my $modes = `bash -c '. test/lib.sh; trap remove_work_folder EXIT; make_work_folder; bindir=\$(pg_config --bindir)
	chmod 711 "\$work"; start_server >&2 && stat -c %a "\$work/socket" "\$work/data"' 2>/dev/null`;
is($modes, "700\n700\n", 'only its account can connect to it');

# As root: the work folder stays root's, because a link in a folder of the server's account leads root to any file
my $as_root = q{
	id() { echo 0; }
	chown() { echo "chown $*" >&3; }
	as_server() { echo "as_server $1" >&3; "$@"; }
	server_user=server
};
my $owners = `bash -c '. test/lib.sh; trap remove_work_folder EXIT; $as_root make_work_folder; stat -c %a "\$work" >&3; bindir=\$(pg_config --bindir)
	mkdir "\$work/simhash"; start_server >&2; hand_over_sources; find_leaks >&2; stop_server' 3>&1 2>/dev/null >&2`;
chomp(my $bin = `pg_config --bindir`);
is($owners, join("\n", 711, 'chown -R server data socket', (map { "as_server $_" } "$bin/initdb", 'tee', "$bin/pg_ctl", 'head'),
		'chown -R server simhash', 'as_server grep', "as_server $bin/pg_ctl", ''), 'root gives the account its folders only, and reads nothing there');

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
		sleep 12
	}
	pgxs() { printf 'gcc -Wall -c -o %s.o %s.c\n' a a b b; }
	build() { echo 'gcc -Wall -c -o a.o a.c'; sleep 12; }
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
like($out, qr/^  Fetching *\n    \d+ s  fetching file 7: libllvm14 \[22\.1 MB\] */m, 'what is fetched');
like($out, qr/^    \d+ s  fetching file 7: .*  \d+\.\d s$/m, 'and the time that it took');
like($out, qr/^    \d+ s  compiled 1 of 2 files */m, 'how much is compiled');
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

(undef, my $read) = changed_script('test/check.sh', "exec 3>&1\n$as_root" . q{
	make_work_folder
	mkdir "$work/data" "$work/simhash"
	echo 'PANIC:  a' | tee "$work/data/server.log" >"$work/simhash/regression.diffs"
	show "$work/simhash/regression.diffs"
	show_crashes
	(regression_tests)
	finished=1 passed=1
	exit 0
});
is(join(', ', $read =~ /^as_server (\w+)$/mg), 'tail, grep, tail, make', 'check.sh reads and makes there as the account');

# The password is asked for before the build, and not by root
my $installs = q{
	id() { echo $user; }
	sudo() { [ "$1" != -n ] && echo "sudo $*"; }
	PG_CONFIG=folder_of
	folder_of() { echo /proc; }
	installed_is_of_sources() { false; }
	copy_sources() { :; }
	build_with_progress() { :; }
	install_extension() { :; }
	build_and_install
	exit
};
for my $user (0, 1000)
{
	($status, $out) = changed_quickstart("user=$user\n" . 'make_work_folder' . $installs);
	is($status, 0, "installation by $user");
	like($out, $user ? qr/\A  To install the extension, sudo may ask for your password\.\nsudo -v\n  Copying the sources .*\n  Building / : qr/\A  Copying the sources /,
		"when $user is asked for a password");
}
($status, undef, $err) = changed_quickstart("user=1000\nmake_work_folder" . $installs =~ s/sudo\(\).*\n/command() { [ "\$2" != sudo ]; }\n/r);
is($status, 1, 'without sudo nothing is built');
is($err, "To install the extension, root or sudo is needed\n", 'and the error says why');

# --remove
{
	my $folder = PostgreSQL::Test::Utils::tempdir;
	local $ENV{XDG_CACHE_HOME} = $folder;
	my $removes = q{
		find_postgres() { PG_CONFIG=folder_of; }
		folder_of() { echo "$XDG_CACHE_HOME"; }
		copy_sources() { :; }
		uninstall_extension() { rm "$XDG_CACHE_HOME/extension/simhash.control"; }
	};
	mkdir "$folder/extension";
	append_to_file("$folder/$_", '') for 'extension/simhash.control', 'simhash-review.html';
	append_to_file("$folder/simhash-packages", "make\ngcc\n");
	($status, $out) = changed_quickstart("$removes\ninstalled_is_of_sources() { false; }", '--remove');
	is($status, 1, 'an extension of other sources stays');
	like($out, qr/so it stays: make uninstall PG_CONFIG=folder_of removes it/, 'and the report says so');
	ok(-e "$folder/$_", "$_ stays, too") for 'extension/simhash.control', 'simhash-review.html', 'simhash-packages';
	($status, $out) = changed_quickstart("$removes\ninstalled_is_of_sources() { :; }", '--remove');
	is($status, 0, '--remove') or diag($out);
	like($out, qr/^  Removing the extension .*\n.* This command removes them:\n  (?:sudo )?apt-get remove --autoremove gcc make\n\z/m, 'and the packages that were installed');
	ok(!-e "$folder/$_", "$_ is removed") for 'extension/simhash.control', 'simhash-review.html', 'simhash-packages';
	($status, $out) = changed_quickstart($removes, '--remove');
	is($status, 0, '--remove again');
	like($out, qr/^  The extension is not installed\.\n\z/m, 'finds nothing');
}

# --remove while databases have the extension
{
	my $node = start_node('used');
	my $strange = "o'dd = \"\e[31m\n";
	my $folder = PostgreSQL::Test::Utils::tempdir;
	local $ENV{XDG_CACHE_HOME} = $folder;
	my $state = sub { join ' ', grep { -e "$folder/$_" } 'removed', 'simhash-packages' };
	my $removes = q{
		find_postgres() { PG_CONFIG=installed; }
		installed() { [ "$1" = --pkglibdir ] && echo "$XDG_CACHE_HOME" || { [ "$1" = --sharedir ] && echo "$XDG_CACHE_HOME" || pg_config "$@"; }; }
		installed_is_of_sources() { :; }
		copy_sources() { :; }
		uninstall_extension() { : >"$XDG_CACHE_HOME/removed"; }
		pg_lsclusters() { :; }
	};
	# Only the server of this test: others may run beside it
	my $data = $node->data_dir;
	my $only = q{eval "all_$(declare -f list_servers)"; list_servers() { for pid in $(all_list_servers); do [ "$(readlink "/proc/$pid/cwd")" != "DATA" ] || echo "$pid"; done; }} =~ s/DATA/$data/r;
	mkdir "$folder/extension";
	append_to_file("$folder/$_", '') for 'extension/simhash.control', 'simhash-packages';
	$node->safe_psql('postgres', 'CREATE DATABASE used');
	$node->safe_psql('postgres', "CREATE DATABASE \"@{[ $strange =~ s/\"/\"\"/gr ]}\"");
	for my $database ('used', 'postgres')
	{
		$node->safe_psql($database, 'CREATE EXTENSION simhash');
		my ($status, $out) = changed_quickstart("$removes\n$only", '--remove');
		is($status, 1, "the extension stays: $database has it");
		like($out, qr/^  the database $database in the server of \Q$data\E, port @{[ $node->port ]}, has it$/m, 'the message says where');
		like($out, qr/DROP EXTENSION simhash CASCADE.*--force removes the extension now\. To heal the databases .*make install\n\z/s, 'how to go on, and how to heal');
		unlike($out, qr/o'dd/, 'and names no other database');
		is($state->(), 'simhash-packages', 'nothing is removed');
		$node->safe_psql($database, 'DROP EXTENSION simhash');
	}
	$node->safe_psql('postgres', qq(ALTER DATABASE "@{[ $strange =~ s/"/""/gr ]}" ALLOW_CONNECTIONS false));
	my ($status, $out) = changed_quickstart("$removes\n$only", '--remove');
	is($status, 1, 'it stays: a database cannot be asked');
	like($out, qr/the database o'dd = "\x{ef}\x{bf}\x{bd}\[31m\n.* cannot be asked: .*not currently accepting connections/, 'and the message says why, without control characters');
	$node->safe_psql('postgres', qq(ALTER DATABASE "@{[ $strange =~ s/"/""/gr ]}" ALLOW_CONNECTIONS true));
	($status, $out) = changed_quickstart("$removes\n$only\n" . 'as_account() { [ "$2" = cat ] && "${@:2}" || { echo "no password" >&2; false; }; }', '--remove');
	is($status, 1, 'it stays: the server cannot be asked');
	like($out, qr/^  the server of \Q$data\E cannot be asked: no password$/m, 'and the message says so');
	($status, $out) = changed_quickstart($removes . q{
		list_servers() { :; }
		pg_config() { echo /usr/lib/postgresql/15/bin; }
		pg_lsclusters() { printf '%s\n' '15 main 5432 down postgres /d /l' '15 other 5433 online postgres /d /l' '14 old 5434 down postgres /d /l'; }} .
		"\ninstalled() { case \$1 in --version) echo PostgreSQL 15.3 ;; --bindir) echo /usr/lib/postgresql/15/bin ;; *) echo \"\$XDG_CACHE_HOME\" ;; esac; }\n", '--remove');
	is($status, 1, 'it stays: a cluster does not run');
	is(join(', ', $out =~ m{the cluster (\S+) cannot be asked}g), '15/main', 'and the message says which');
	is($state->(), 'simhash-packages', 'nothing is removed');
	$node->safe_psql('used', 'CREATE EXTENSION simhash');
	($status, $out) = changed_quickstart("$removes\n$only", '--remove', '--force');
	is($status, 0, '--force') or diag($out);
	like($out, qr/^  the database used in .* has it$/m, 'says who has it, too');
	is($state->(), 'removed simhash-packages', 'and removes it');
	unlink "$folder/removed";
	$node->safe_psql('used', 'DROP EXTENSION simhash');
	($status, $out) = changed_quickstart("$removes\n$only", '--remove');
	is("$status " . $state->(), '0 removed simhash-packages', 'nobody has it') or diag($out);
	$node->stop;
}

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
		'letter1.txt' => 'Dear Anna, ' . $words->(7) . ' Please call us, Anna, if you have questions, Anna. Yours sincerely, Carla',
		'letter2.txt' => 'Dear Berta, ' . $words->(7) . ' Please call us, Berta, if you have questions, Berta. Yours sincerely, Dora',
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
ask_for_root() { :; }
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
	like($out, qr/^  10 documents of \Q$folder\E, /m, 'a compressed document, and no picture');
	like($out, qr/^  left out 1 file: 1 binary$/m, 'the picture is left out');
	like($out, qr/^   copy +\| +2 \| b2\.txt +\| a\.txt\n   other punctuation +\| +1 \| b\.txt +\| a\.txt
   revision +\| +1 \| d\.txt\.gz +\| a\.txt\n   sibling +\| +2 \| letter2\.txt +\| letter1\.txt$/m,
		'copies, revisions and siblings');
	like($out, qr/^ +sibling +\| +near to +\| +decided by *\n.*\n +letter2\.txt +\| letter1\.txt \| Anna becomes Berta, 3 times\n +sha512sum\.txt \| md5sum\.txt  \| MD5SUM becomes SHA512SUM, 4 times$/m,
		'the word that decided about a sibling');
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
	my $marked = 'b.txt a.txt, b2.txt a.txt, copy.txt a.txt, d.txt.gz a.txt';
	my ($update) = $out =~ /^( *UPDATE docs SET duplicate_of.*?;)$/ms;
	is($node->safe_psql('documents', $marks), $marked, 'marks');
	is($node->safe_psql('documents', "UPDATE docs SET duplicate_of = NULL; $update $marks"), $marked, 'the UPDATE marks the same');
	my ($select) = $out =~ /^( *SELECT d\.name, o\.name AS original, .*?;)$/ms;
	is($node->safe_psql('documents', "SELECT string_agg(concat_ws(' ', name, original, a_text, b_text), ', ' ORDER BY name) FROM (" . $select =~ s/;//r . ') s'),
		'b.txt a.txt  :, b2.txt a.txt  :, d.txt.gz a.txt  Otherwise', 'the SELECT that shows changes');
	my ($number) = $out =~ /Delete the copies, here (\d+) documents, and keep one of each:/;
	is($number, 2, 'a copy of an original and one of a marked document');
	my ($delete) = $out =~ /^( *DELETE FROM docs.*?;)$/ms;
	is($node->safe_psql('documents', $delete =~ s/;/ RETURNING docs.id) SELECT count(*) FROM deleted/r =~ s/^/WITH deleted AS (/r), $number,
		'the DELETE deletes as many documents as the report says');
	like($node->safe_psql('documents', q{SELECT string_agg(name, ' ' ORDER BY name) FROM docs}), qr/^a\.txt b2?\.txt c\.txt d\.txt\.gz letter1\.txt letter2\.txt md5sum\.txt sha512sum\.txt$/,
		'and keeps the others');
	for my $command ($update, $delete)
	{
		my ($word) = $command =~ /(\w+)/;

		like(slurp_file('README.md'), qr/^\Q${\($command =~ s{^  }{}mgr)}\E$/m, "the $word is that of README.md");
	}
	like($out, qr/\n  \Q$review\E\n\nRemove what was installed\n\n  bash test\/quickstart\.sh --remove  .*First run\n +DROP EXTENSION simhash CASCADE in your databases that have it\n\z/,
		'the last lines are the page and how to remove what was installed');
	my $page = slurp_file($review);
	like($page, qr/\A<!DOCTYPE html>.*"times":4,"before":"","a":"MD5SUM","b":"SHA512SUM".*^\]\}\n\z/ms, 'and the sibling on it');
	my $articles = () = $page =~ /^\{"class":/mg;
	is($articles, 6, 'and all the near-duplicates');

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
	like(slurp_file($review), qr/^\{"pairs": \{\}, "shown": \[\n\]\}\n\z/m, 'and the page has no pair');
	is($node->safe_psql('documents', q{SELECT string_agg(name || ' ' || left(body, 10), ', ' ORDER BY id) FROM docs WHERE id <= 3}),
		'lines.gz:1 word1 of 1, lines.gz:3 word1 of 2, lines.gz:5 word1 of 3', 'and its lines');
	my $lines_of = $node->safe_psql('documents', 'SELECT count(*) FROM docs');

	records_are_right($node, $commands, $folder, $review);

	# A machine with few documents
	$node->safe_psql('postgres', 'DROP DATABASE documents');
	$ENV{XDG_CACHE_HOME} = $cache;
	($status, my $sample, $err) = changed_quickstart("$commands\nlist_files() { :; }", '--review', $review);
	is($status, 0, 'the sample') or diag($sample, $err);
	like($sample, qr/^  289 documents of examples\/sample\.csv, 0\.1 MB of text\n\n/m, 'and its documents');
	like($sample, qr/^   copy +\| +35 \| .*\n   revision +\| +\d\d \| .*\n   sibling +\| +\d+ \| /m, 'and what is found');
	my @tables = ($sample =~ /^(Near-duplicates.*?)^Look up/ms)[0];
	like(slurp_file($review), qr/"kind":"replace"/, 'and its page');

	# The same as an argument
	$node->safe_psql('postgres', 'DROP DATABASE documents');
	($status, $sample) = changed_quickstart($commands, '--review', $review, 'examples/sample.csv');
	like($sample, qr/^  289 documents of .*sample\.csv, 0\.1 MB of text\n  the text is the field body behind the field title, of id, title, body, kind, original;/m,
		'records of CSV');
	push @tables, ($sample =~ /^(Near-duplicates.*?)^Look up/ms)[0];
	is($tables[1], $tables[0], 'and what is found');

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
	like($kept_out, qr/\n  \Q$cache\E\/simhash-review\.html\n\n/, 'without --review there is one page for all runs');
	my (undef, undef, $mode, undef, undef, undef, undef, $size) = stat "$cache/simhash-review.html";
	ok($size > 1000 && ($mode & 0777) == 0600, 'which others cannot read');

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

# The records of a file
sub records_are_right
{
	my ($node, $commands, $folder, $review) = @_;
	my ($status, $out, $err);
	my $record = sub {
		my ($n, $text) = @_;
		return qq({"id": "r$n", "url": "https://n.example/$n", "tags": ["a]", {"b": "}"}], "n": -1.5e3, "none": null, "headline": "Story $n", "text": "$text"}\n);
	};
	my @texts = map { my $n = $_; join(' ', map { 'w' . substr(md5_hex("$n $_"), 0, 5) } 1 .. 30) . ' \"caf\u00E9\" \ud83d\uDE00\n' } 1 .. 1800;
	my $lines = join '', (map { $record->($_, $texts[ $_ - 1 ]) } 1 .. 1800), (map { $record->($_, uc($texts[ $_ - 1 ]) =~ s/\\U/\\u/gr =~ s/\\N/ /gr) } 1 .. 200);

	append_to_file("$folder/records.jsonl", "\xef\xbb\xbf$lines\n{\"text\": 1}\n{\"text\": \"a\"\n");
	$node->safe_psql('postgres', 'DROP DATABASE documents');
	($status, $out, $err) = changed_quickstart($commands, '--review', $review, '--keep', "$folder/records.jsonl");
	is($status, 0, 'records of JSON') or diag($out, $err);
	like($out, qr/^  2000 documents of .*\n  the text is the field text behind the field headline, of id, url, tags, n, none, headline, text; --field NAME chooses another one
  left out 2 records: 1 not JSON, 1 without text\n    records\.jsonl:2002: without text\n    records\.jsonl:2003: not JSON$/m, 'and what is read of them');
	like($out, qr/^   copy +\| +200 \| [^\n]*\n\n\n/m, 'the copies, and no siblings');
	is($node->safe_psql('documents', q{SELECT name || ': ' || substr(body, 1, 15) || right(body, 10) || '.' FROM docs WHERE id = 2}),
		'Story 2: Story 2. w' . substr(md5_hex('2 1'), 0, 5) . qq( "caf\xc3\xa9" \xf0\x9f\x98\x80\n.), 'the first characters and the last ones of a record');
	my ($load) = $out =~ /^  load: +(INSERT INTO docs .*?;)\n/ms;
	append_to_file("$folder/more.jsonl", $record->(1, 'more'));
	is($node->safe_psql('documents', ($load =~ s!/FILE!$folder/more.jsonl!r) . q{ SELECT body FROM docs ORDER BY id DESC LIMIT 1}), 'more', 'the command that --keep prints');
	system('rm', '-r', $out =~ /&& rm -r (\S+)$/m);

	$node->safe_psql('postgres', 'DROP DATABASE documents');
	($status, $out, $err) = changed_quickstart($commands, '--review', $review, '--field', 'url', "$folder/more.jsonl");
	like($out, qr/^  the text is the field url behind the field headline, of id, .*, text$/m, '--field');
	$node->safe_psql('postgres', 'DROP DATABASE documents');
	($status, $out) = changed_quickstart($commands, '--review', $review, '--field', 'n', "$folder/more.jsonl");
	is($status, 1, 'a field that is not a string');
	like($out, qr/^the first records have no string n; their fields are: id url tags n none headline text$/m, 'and the fields that there are');

	# Names of fields and files
	my $name = "it's\e[31m, \\\x9b\xc2\x9b";
	my $shown = "it's\x{ef}\x{bf}\x{bd}[31m, \\" . "\x{ef}\x{bf}\x{bd}" x 2;
	my $strange = "$folder/$name.jsonl";
	append_to_file($strange, qq({"it's\\u001b[31m, \\\\": "a text of a field", "title": "t"}\n{"it's\\u001b[31m, \\\\": 1}\n));
	$node->safe_psql('postgres', 'DROP DATABASE documents');
	chmod 0644, $review;
	($status, $out, $err) = changed_quickstart($commands, '--review', $review, '--keep', $strange);
	is($status, 0, 'a strange name') or diag($out, $err);
	unlike("$out$err", qr/[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\xc2-\xf4\x80-\xbf])[\x80-\xbf]/, 'no control character is printed');
	like($out, qr/ documents? of \Q$folder\/$shown.jsonl\E, /, 'of the name of a file');
	like($out, qr/^  the text is the field it's\x{ef}\x{bf}\x{bd}\[31m, \\ behind the field title/m, 'nor of a field');
	($load) = $out =~ /^  load: +(INSERT INTO docs .*?;)\n/ms;
	like($load, qr/->> (?= ?E'it''s)/, 'the field is quoted in SQL');
	is((stat $review)[2] & 0777, 0600, 'others cannot read the page, although it existed');
	system('rm', '-r', $out =~ /&& rm -r (\S+)$/m);
	($status, undef, $err) = quickstart('--review', $strange, $strange);
	like($err, qr/^--review: \Q$folder\/$shown\E\.jsonl would overwrite the documents$/m, 'the page does not replace the documents');
	($status, undef, $err) = quickstart("$folder/$name");
	like($err, qr/^\Q$folder\/$shown\E: no such folder or file/, 'a strange name that does not exist');
	append_to_file("$folder/plain.jsonl", qq({"it's": "a text of a field"}\n));
	$node->safe_psql('postgres', 'DROP DATABASE documents');
	($status, $out) = changed_quickstart($commands, '--review', "$folder/new.html", '--keep', "$folder/plain.jsonl");
	($load) = $out =~ /^  load: +(INSERT INTO docs .*?;)\n/ms;
	is($node->safe_psql('documents', ($load =~ s!/FILE!$folder/plain.jsonl!r) . q{ SELECT body FROM docs ORDER BY id DESC LIMIT 1}), 'a text of a field', 'a field with a quote');
	is((stat "$folder/new.html")[2] & 0777, 0600, 'others cannot read a new page');
	system('rm', '-r', $out =~ /&& rm -r (\S+)$/m);

	# A quote that is not closed: with four times as many lines, the processor works four times as long, not sixteen
	my %seconds;
	for my $n (60_000, 240_000)
	{
		unlink "$folder/open.csv";
		append_to_file("$folder/open.csv", "id,text\n1,\"a\"\n2,\"" . "line\n" x $n);
		$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS documents');
		my $before = (times)[2];
		($status, $out) = changed_quickstart($commands, '--review', $review, "$folder/open.csv");
		$seconds{$n} = (times)[2] - $before;
		like($out, qr/^  left out 1 record: 1 with a quote that is not closed$/m, "a quote before $n lines");
	}
	cmp_ok($seconds{240_000}, '<', 2 + 8 * $seconds{60_000}, 'the time is not that of a square');

	# Many bytes from a few
	IO::Compress::Gzip::gzip(\(qq({"text": "a b"}\n) . (" " x 1000 . "\n") x 150_000) => "$folder/lines.jsonl.gz");
	IO::Compress::Gzip::gzip(\("a" x 101_000_000) => "$folder/bomb.gz");
	for my $case ([ 'lines.jsonl.gz', 'decompressed it has more than 200 times as many bytes' ], [ 'bomb.gz', '(?:a line has more than 100 MB|decompressed it has more than 200 times as many bytes)' ])
	{
		$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS documents');
		($status, $out) = changed_quickstart($commands, '--review', $review, "$folder/$case->[0]");
		is($status, 1, "a bomb: $case->[0]");
		like($out, qr/^\Q$folder\/$case->[0]\E: $case->[1]$/m, 'and the message says so');
	}

	# CSV: quotes, line breaks, another separator
	append_to_file("$folder/table.csv", qq(\xef\xbb\xbfid;"Text"\r\n1;"a ""b"" c;\r\nd"\r\n\r\n2;A "b" c\r\n3;x;y\r\n4;\r\n5;e f));
	$node->safe_psql('postgres', 'DROP DATABASE documents');
	($status, $out, $err) = changed_quickstart($commands, '--review', $review, "$folder/table.csv");
	is($status, 0, 'records of CSV') or diag($out, $err);
	is($node->safe_psql('documents', q{SELECT string_agg(name || ' ' || replace(body, E'\r\n', '|'), ', ' ORDER BY id) FROM docs}),
		'table.csv:1 a "b" c;|d, table.csv:2 A "b" c, table.csv:5 e f', 'and their texts');
	like($out, qr/^  left out 2 records: 1 with 3 columns instead of 2, 1 without text$/m, 'and those without');
	return;
}
