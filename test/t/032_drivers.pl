# The programs of doc/drivers.md: each language inserts, searches and loads with the program
# that the page shows.  A language is skipped unless its driver is installed.  Node.js finds its
# packages by NODE_PATH.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Digest::MD5;
use IPC::Run;
use PostgreSQL::Test::Utils;
use SimhashPage;
use Test::More;

my $page = slurp_file('doc/drivers.md');
my %program;
while ($page =~ /^### ([^\n]*)\n\n```\w+\n(.*?)^```/gms)
{
	$program{$1} = $2;
}
my ($tables) = map { $_->{sql} } sql_blocks('doc/drivers.md');

my $node = start_node('drivers', "listen_addresses = '127.0.0.1'");
my $user = $node->safe_psql('postgres', 'SELECT current_user');
my $port = $node->port;
my $dir = PostgreSQL::Test::Utils::tempdir();
$ENV{PGHOST} = '127.0.0.1';
$ENV{PGPORT} = $port;
$ENV{PGUSER} = $user;
$ENV{PGDATABASE} = 'postgres';
delete $ENV{PGAPPNAME};

my $common = "postgresql://$user\@127.0.0.1:$port/postgres";
my $body = "The harbour master's pier \\ tab\there, new\nline";
my @texts = ("a text with a \\ and a tab\t", "another\ntext, with an emoji \x{1F418}");
my $fp = '-3331903254836119800';

# The values as literals of languages with the escapes of C
sub quoted
{
	my ($text) = @_;
	$text =~ s/([\\"])/\\$1/g;
	$text =~ s/\t/\\t/g;
	$text =~ s/\n/\\n/g;
	utf8::encode($text);
	return "\"$text\"";
}
my ($q, $list) = (quoted($body), join(', ', map { quoted($_) } @texts));

my $python = "body, texts, fp = $q, [$list], $fp\n";
my @languages = (
	{ name => 'psycopg 3', file => 'a.py', have => [ 'python3', '-c', 'import psycopg' ], run => ['python3'],
		before => "import psycopg\n${python}conn = psycopg.connect()\n",
		number => 'n = conn.execute("SELECT fp::bigint FROM imported").fetchone()[0]; print(type(n).__name__, n, n % 2**64)' },
	{ name => 'SQLAlchemy', file => 'b.py', have => [ 'python3', '-c', 'import sqlalchemy, psycopg2; assert sqlalchemy.__version__ >= "1.4"' ], run => ['python3'],
		before => "from io import BytesIO, StringIO\nfrom struct import pack\nfrom sqlalchemy import *\nfrom sqlalchemy.sql import column, table\n"
		  . "${python}engine = create_engine('postgresql+psycopg2://')\ntransaction = engine.begin()\nconn = transaction.__enter__()\n",
		number => "n = conn.exec_driver_sql('SELECT fp::bigint FROM imported').scalar(); print(type(n).__name__, n, n % 2**64)\ntransaction.__exit__(None, None, None)" },
	{ name => 'Django', file => 'c.py', have => [ 'python3', '-c', 'import django, psycopg2' ], run => ['python3'],
		before => "from io import BytesIO, StringIO\nfrom struct import pack\nimport django\nfrom django.conf import settings\n"
		  . "settings.configure(DATABASES={'default': {'ENGINE': 'django.db.backends.postgresql', 'NAME': 'postgres', 'USER': '$user', 'HOST': '127.0.0.1', 'PORT': '$port'}},\n"
		  . "    DEFAULT_AUTO_FIELD='django.db.models.BigAutoField')\ndjango.setup()\n"
		  . "from django.db import connection, models\nfrom django.db.models.expressions import RawSQL\n$python",
		number => "with connection.cursor() as cursor:\n    cursor.execute('SELECT fp::bigint FROM imported')\n    n = cursor.fetchone()[0]\n    print(type(n).__name__, n, n % 2**64)" },
	{ name => 'node-postgres', file => 'd.js', have => [ 'node', '-e', "require('pg'); require('pg-copy-streams')" ], run => ['node'],
		before => "const { Client } = require('pg');\nconst { from: copyFrom } = require('pg-copy-streams');\nconst { Readable } = require('stream');\n"
		  . "const { pipeline } = require('stream/promises');\nconst body = $q, texts = [$list], fp = ${fp}n;\n(async () => {\nconst client = new Client();\nawait client.connect();\n",
		number => "const n = (await client.query('SELECT fp::bigint AS n FROM imported')).rows[0].n; console.log(typeof n, n, String(BigInt.asUintN(64, BigInt(n))));\n"
		  . "await client.end();\n})().catch(e => { console.error(e); process.exit(1); });" },
	{ name => 'JDBC', file => 'Drivers.java', have => [ 'sh', '-c', 'javac -version && test -f /usr/share/java/postgresql.jar' ],
		run => [ 'java', '-cp', '/usr/share/java/postgresql.jar' ],
		before => "import java.io.*;\nimport java.nio.ByteBuffer;\nimport java.nio.charset.StandardCharsets;\nimport java.sql.*;\nimport org.postgresql.PGConnection;\nimport org.postgresql.copy.CopyManager;\n"
		  . "public class Drivers {\npublic static void main(String[] args) throws Exception {\nString body = $q;\nString[] texts = {$list};\nlong fp = ${fp}L;\n"
		  . "Connection c = DriverManager.getConnection(\"jdbc:postgresql://127.0.0.1:$port/postgres\", \"$user\", \"\");\n",
		number => "ResultSet r = c.createStatement().executeQuery(\"SELECT fp::bigint FROM imported\");\nr.next();\n"
		  . "System.out.println(r.getObject(1).getClass().getSimpleName() + \" \" + r.getLong(1) + \" \" + Long.toUnsignedString(r.getLong(1)));\n}\n}" },
	{ name => 'pgx', file => 'f.go', have => [ 'sh', '-c', 'go version && test -d /usr/share/gocode/src/github.com/jackc/pgx/v4' ], run => [ 'go', 'run' ],
		before => "package main\nimport (\n\"context\"\n\"fmt\"\n\"strings\"\n\"github.com/jackc/pgx/v4\"\n)\nfunc check(err error) {\nif err != nil {\npanic(err)\n}\n}\nfunc main() {\n"
		  . "ctx := context.Background()\nbody, texts := $q, []string{$list}\nvar fp int64 = $fp\nconn, err := pgx.Connect(ctx, \"$common\")\ncheck(err)\n",
		number => "var n interface{}\ncheck(conn.QueryRow(ctx, \"SELECT fp::bigint FROM imported\").Scan(&n))\nfmt.Printf(\"%T %v %v\\n\", n, n, uint64(n.(int64)))\n}" },
	{ name => 'ActiveRecord', file => 'g.rb', have => [ 'ruby', '-e', 'require "active_record"; require "pg"' ], run => ['ruby'],
		before => "require 'active_record'\nbody, texts, fp = $q, [$list], $fp\nActiveRecord::Base.establish_connection(adapter: 'postgresql', host: '127.0.0.1', port: $port, username: '$user', database: 'postgres')\n",
		number => "n = Doc.connection.select_value('SELECT fp::bigint FROM imported')\nputs \"#{n.class} #{n} #{n % 2**64}\"" },
	{ name => 'PDO', file => 'h.php', have => [ 'php', '-r', 'exit(extension_loaded("pdo_pgsql") ? 0 : 1);' ], run => ['php'],
		before => "<?php\n\$body = $q;\n\$texts = [$list];\n\$fp = $fp;\n\$pdo = new PDO('pgsql:host=127.0.0.1;port=$port;dbname=postgres', '$user', '', [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);\n",
		number => "\$n = \$pdo->query('SELECT fp::bigint FROM imported')->fetchColumn();\necho gettype(\$n), ' ', \$n, ' ', sprintf('%u', \$n), \"\\n\";" },
	{ name => 'DBD::Pg', file => 'i.pl', have => [ 'perl', '-MDBD::Pg', '-e1' ], run => ['perl'],
		before => "use strict;\nuse warnings;\nuse utf8;\nuse DBI;\nmy (\$body, \@texts) = ($q, $list);\nmy \$fp = $fp;\nmy \$dbh = DBI->connect('dbi:Pg:', undef, undef, { RaiseError => 1 });\n",
		number => "my (\$n) = \$dbh->selectrow_array('SELECT fp::bigint FROM imported');\nprintf \"scalar %s %u\\n\", \$n, \$n;" });

$ENV{GO111MODULE} = 'off';
$ENV{GOPATH} = "$dir/go:/usr/share/gocode";
$ENV{GOCACHE} = "$dir/gocache";
$ENV{GOFLAGS} = '-p=1';
my %number_type = (
	'psycopg 3' => 'int', SQLAlchemy => 'int', Django => 'int', 'node-postgres' => 'string', JDBC => 'Long',
	pgx => 'int64', ActiveRecord => 'Integer', PDO => 'integer', 'DBD::Pg' => 'scalar');

$node->safe_psql('postgres', 'CREATE EXTENSION simhash');
for my $language (@languages)
{
	my $name = $language->{name};

	ok(defined $program{$name}, "$name: the page has a program");
  SKIP:
	{
		my ($out, $err);
		my $installed = eval { IPC::Run::run($language->{have}, '>', \$out, '2>', \$err) };
		skip "$name: no driver", 1 unless $installed;

		# with each function that makes fingerprints of a parameter
		for my $function ('minhash', 'to_simhash')
		{
			my $text = $program{$name} =~ s/minhash\(/$function(/gr;
			my $file = "$dir/$language->{file}";
			my $sql = $tables =~ s/minhash\(/$function(/r;

			$node->safe_psql('postgres', "SET client_min_messages = error; DROP TABLE IF EXISTS docs, imported; $sql");
			open my $handle, '>:raw', $file or die "$file: $!";
			print $handle $language->{before}, $text, "\n", $language->{number}, "\n";
			close $handle;
			my $status = IPC::Run::run([ @{ $language->{run} }, $file ], '>', \$out, '2>', \$err);
			ok($status, "$name, $function: runs") or diag($err);
			my $digits = $node->safe_psql('postgres', 'SELECT fp FROM docs WHERE id = 1');
			is($out, "1 $digits 0\n$number_type{$name} $fp 15114840818873431816\n", "$name, $function: what comes back");
			is( $node->safe_psql('postgres', "SELECT string_agg(md5(body), ',' ORDER BY id) FROM docs"),
				join(',', map { my $t = $_; utf8::encode($t); Digest::MD5::md5_hex($t) } $body, @texts),
				"$name, $function: texts are loaded");
			is($node->safe_psql('postgres', 'SELECT id, fp FROM imported'), '1|d1c2b3a495867708', "$name, $function: a fingerprint is loaded");
		}
	}
}

links_exist('doc/drivers.md');

$node->stop;
done_testing();
