# The programs of doc/drivers.md and of the examples that it names: each inserts, finds near-duplicates and searches, twice, and
# the constraint refuses the second insert.  A program is skipped unless its driver is installed.  Node.js finds its packages
# by NODE_PATH; Prisma's client is generated.

use SimhashPage;
use SimhashTest;

# The program of a section of the page or of an example
my $page = slurp_file('doc/drivers.md');
my ($answer) = $page =~ /\n\n```\n(.*?)^```/ms;
my %program = map { /^([^\n]*)\n.*?^```(?!sql)\w+\n(.*?)^```/ms } split /^## /m, $page;
my $heads = '';
for my $file ($page =~ m{\]\(\.\./(examples/[^)]*)\)}g)
{
	$program{$file} = slurp_file($file) =~ s/\A<\?php\n//r;
	$heads .= "$1\n" if $program{$file} =~ m{\A((?:(?:#|//)[^\n]*\n)+)};
}

# What the head of an example writes in backticks, from these words on
sub in_line
{
	my ($words) = @_;
	my ($code) = $heads =~ /`(\Q$words\E[^`]*)`/;
	return $code // die "no example has $words";
}
my ($table) = map { $_->{sql} } sql_blocks('doc/drivers.md');

my $node = start_node('drivers', "listen_addresses = '127.0.0.1'", 'enable_seqscan = off', 'autovacuum = off');
my $user = $node->safe_psql('postgres', 'SELECT current_user');
my $port = $node->port;
my $dir = PostgreSQL::Test::Utils::tempdir();
$ENV{PGHOST} = '127.0.0.1';
$ENV{PGPORT} = $port;
$ENV{PGUSER} = $user;
$ENV{PGDATABASE} = 'postgres';
delete $ENV{PGAPPNAME};

my $url = "postgresql://$user\@127.0.0.1:$port/postgres";
my $body = "The harbour master's pier \\ tab\there, new\nline, 100% of it: did he say \"closed\"?";

# The body as a literal of languages with the escapes of C
my $q = $body =~ s/([\\"])/\\$1/gr;
$q =~ s/\t/\\t/g;
$q =~ s/\n/\\n/g;
$q = "\"$q\"";

# After its program each driver prints the type of a fingerprint, whether features as the table of
# the page says make the same fingerprint as in SQL, and a simhash, also as an unsigned number.
my $fp = 'SELECT fp FROM docs WHERE id = 1';
my $same = "= minhash_bits_from_features(ARRAY['a,b', 'c\\\"d']))::integer";
my $features = "SELECT (minhash_bits_from_features(?::text[]) $same";
my $simhash = "SELECT 'd1c2b3a495867708'::simhash";

sub with_parameter
{
	my ($parameter) = @_;
	return $features =~ s/\?/$parameter/r;
}

my $cursor = "def one(query, *parameters):\n    cur.execute(query, parameters)\n    return cur.fetchone()[0]\n"
  . "n = one(\"$simhash\::bigint\")\n"
  . "print(type(one('$fp')).__name__, one(\"@{[ with_parameter('%s') ]}\", ['a,b', 'c\"d']), one(\"$simhash\"), n % 2**64)\n";

# JavaScript: the program has a function one(query, parameters)
sub javascript
{
	my ($parameter, $number) = @_;
	return "const n = await one(\"$simhash\::bigint AS x\");\n"
	  . "console.log(typeof await one('@{[ $fp =~ s/fp/fp AS x/r ]}'), await one(\"@{[ with_parameter($parameter) ]} AS x\", ['a,b', 'c\"d']),\n"
	  . "  await one(\"$simhash AS x\"), String(BigInt.asUintN(64, BigInt(n))));\n"
	  . "process.exit(0);\n})().catch(e => { console.error(e); process.exit(1); });";
}

sub node_with
{
	my (@packages) = @_;
	return [ 'node', '-e', join('; ', map { "require('$_')" } @packages) ];
}
my $js = "const body = $q;\n(async () => {\n";
my $pg = "const { Client } = require('pg');\nconst client = new Client();\nawait client.connect();\n";
my $one_of_pg = "const one = async (query, features) => (await client.query(query, features && [features])).rows[0].x;\n";
my $js_end = javascript('$1');
my $options = "host: '127.0.0.1', port: $port, username: '$user', database: 'postgres'";

# Go: both drivers run the same program
my ($pgx) = grep { -d "/usr/share/gocode/src/github.com/jackc/pgx/$_" } 'v5', 'v4';
$pgx //= 'v5';
my $go_start = "func check(err error) {\nif err != nil {\npanic(err)\n}\n}\nfunc main() {\nbody := $q\n";

sub go_end
{
	my ($call, $array) = @_;
	return "var value interface{}\nvar same int\nvar digits string\nvar n int64\n"
	  . "check($call\"$fp\").Scan(&value))\n"
	  . "check($call\"@{[ with_parameter('$1') ]}\", $array).Scan(&same))\n"
	  . "check($call\"$simhash\").Scan(&digits))\n"
	  . "check($call\"$simhash\::bigint\").Scan(&n))\n"
	  . "fmt.Printf(\"%T %d %s %d\\n\", value, same, digits, uint64(n))\n}\n";
}

# A Python in PATH that has no driver is not asked.
mkdir "$dir/bin";
append_to_file("$dir/bin/python3", "#!/bin/sh\nexit 1\n");
chmod 0755, "$dir/bin/python3";
$ENV{PATH} = "$dir/bin:$ENV{PATH}";

my @drivers = (
	{ name => 'psycopg 3', section => 'Python', file => 'a.py', type => 'str',
		have => [ python(), '-c', 'import psycopg' ],
		before => "import psycopg\nbody = $q\nconn = psycopg.connect()\n",
		after => $cursor },
	{ name => 'psycopg2', section => 'Python', file => 'b.py', type => 'str',
		have => [ python(), '-c', 'import psycopg2' ],
		before => "import psycopg2\nbody = $q\nconn = psycopg2.connect('')\n",
		after => $cursor },
	{ name => 'node-postgres', section => 'Node.js', file => 'f.js', type => 'string', have => node_with('pg'),
		before => "$js$pg",
		# also fingerprints as BigInt
		after => "{ const client = new Client();\nawait client.connect();\n$program{'examples/bigint.js'}"
		  . "const { rows: [row] } = await client.query('SELECT fp, minhash(body) AS s FROM docs WHERE id = 1');\n"
		  . "const found = await client.query('SELECT fp FROM docs WHERE fp <-> \$1 <= 0 AND minhash(body) <-> \$2 <= 0', [parameter(row.fp, 256), parameter(row.s, 64)]);\n"
		  . "if (row.s !== row.fp >> 192n || found.rows[0].fp !== row.fp) throw Error('BigInt');\nawait client.end(); }\n$one_of_pg$js_end" },
	{ name => 'postgres.js', section => 'examples/postgres.js', file => 'g.js', type => 'string', have => node_with('postgres'),
		before => "${js}const sql = require('postgres')({ $options, onnotice() {} });\n",
		after => "const one = async (query, features) => (await sql.unsafe(query, features && [features]))[0].x;\n"
		  . "const features = ['a,b', 'c\"d'];\nif ((await sql`@{[ with_parameter('${features}') ]} AS x`)[0].x != 1) throw Error('features');\n$js_end" },
	{ name => 'Knex', section => 'examples/knex.js', file => 'h.js', type => 'string', have => node_with('knex', 'pg'),
		before => "${js}const knex = require('knex')({ client: 'pg', connection: '$url' });\n",
		# also the table of a migration
		after => "await knex.schema.dropTableIfExists('own');\nawait knex.schema.createTable('own', t => { t.text('body'); @{[ in_line('t.specificType') ]}; });\n"
		  . "await @{[ in_line('knex.raw') =~ s/TABLE docs/TABLE own/r ]};\n"
		  . "const one = async (query, features) => (await knex.raw(query, features ? [features] : [])).rows[0].x;\n"
		  . javascript('?') },
	{ name => 'Sequelize', section => 'examples/sequelize.js', file => 'i.js', type => 'string', creates => 1, have => node_with('sequelize', 'pg'),
		before => "${js}const { Sequelize, DataTypes, QueryTypes, literal } = require('sequelize');\nconst sequelize = new Sequelize('$url', { logging: false });\n",
		after => "const one = async (query, features) => (await sequelize.query(query, { bind: features && [features], type: QueryTypes.SELECT }))[0].x;\n$js_end" },
	{ name => 'TypeORM', section => 'examples/typeorm.js', file => 'j.js', type => 'string', creates => 1, have => node_with('reflect-metadata', 'typeorm', 'pg'),
		before => "${js}require('reflect-metadata');\nconst { DataSource, EntitySchema } = require('typeorm');\nconst options = { type: 'postgres', $options };\n",
		# also a table with the type simhash, and an index that stays
		after => "const Own = new EntitySchema({ name: 'Own', tableName: 'own', columns: { id: { type: 'bigint', primary: true, generated: 'identity' },\n"
		  . "  fp: { type: 'simhash', nullable: true } }, @{[ in_line('indices:') ]} });\n"
		  . "await source.query('DROP TABLE IF EXISTS own');\n"
		  . "const refused = await new DataSource({ ...options, entities: [Own] }).initialize().then(() => '', e => e.message);\n"
		  . "if (!/^Data type \"simhash\" .* is not supported/.test(refused)) throw Error('not refused: ' + refused);\n"
		  . "const second = new DataSource({ ...options, entities: [Own] });\n@{[ in_line('source.driver') =~ s/source/second/r ]};\nawait second.initialize();\nawait second.synchronize();\n"
		  . "await second.query('CREATE INDEX docs_fp ON own USING bitblock (fp)');\nawait second.synchronize();\n"
		  . "if ((await second.query(\"SELECT to_regclass('docs_fp') AS x\"))[0].x != 'docs_fp') throw Error('index is gone');\n"
		  . "const one = async (query, features) => (await source.query(query, features && [features]))[0].x;\n$js_end" },
	{ name => 'Drizzle', section => 'examples/drizzle.js', file => 'k.js', type => 'string', have => node_with('drizzle-orm/node-postgres', 'pg'),
		before => "${js}${pg}const { drizzle } = require('drizzle-orm/node-postgres');\nconst { sql } = require('drizzle-orm');\n"
		  . "const { pgTable, bigint, text, bit, customType } = require('drizzle-orm/pg-core');\nconst db = drizzle(client);\n",
		after => "const features = sql.param(['a,b', 'c\"d']);\nif ((await db.execute(sql`@{[ with_parameter('${features}') ]} AS x`)).rows[0].x != 1) throw Error('features');\n"
		  # also a column of the type simhash
		  . "await client.query('DROP TABLE IF EXISTS own; CREATE TABLE own (fp simhash)');\nconst own = pgTable('own', { fp: @{[ in_line('customType') ]}() });\n"
		  . "await db.insert(own).values({ fp: 5n });\nif ((await db.select().from(own))[0].fp !== 5n) throw Error('simhash');\n"
		  . "$one_of_pg$js_end" },
	{ name => 'Prisma', section => 'examples/postgres.js', file => 'l.js',
		change => sub { s/sql`INSERT/prisma.\$executeRaw`INSERT/r =~ s/sql`/prisma.\$queryRaw`/gr },
		type => 'string',
		have => [ 'node', '-e', "const { PrismaPg } = require('\@prisma/adapter-pg'); new (require('\@prisma/client').PrismaClient)({ adapter: new PrismaPg({}) })" ],
		before => "${js}const { PrismaPg } = require('\@prisma/adapter-pg');\nconst { PrismaClient } = require('\@prisma/client');\n"
		  . "const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: '$url' }) });\n",
		after => "const one = async (query, features) => (await prisma.\$queryRawUnsafe(query, ...(features ? [features] : [])))[0].x;\n$js_end" },
	{ name => 'JDBC', section => 'Java', file => 'Drivers.java', type => 'PGobject',
		have => [ 'sh', '-c', 'javac -version && test -f /usr/share/java/postgresql.jar' ],
		run => [ 'java', '-cp', '/usr/share/java/postgresql.jar' ],
		before => "import java.sql.*;\npublic class Drivers {\npublic static void main(String[] args) throws Exception {\nString body = $q;\n"
		  . "Connection c = DriverManager.getConnection(\"jdbc:postgresql://127.0.0.1:$port/postgres\", \"$user\", \"\");\n",
		after => "r = c.createStatement().executeQuery(\"SELECT fp, $simhash, $simhash\::bigint FROM docs WHERE id = 1\");\n" =~ s/SELECT '/'/gr
		  . "r.next();\nPreparedStatement s = c.prepareStatement(\"$features\");\ns.setArray(1, c.createArrayOf(\"text\", new String[] {\"a,b\", \"c\\\"d\"}));\n"
		  . "ResultSet same = s.executeQuery();\nsame.next();\n"
		  . "System.out.println(r.getObject(1).getClass().getSimpleName() + \" \" + same.getInt(1) + \" \" + r.getString(2) + \" \" + Long.toUnsignedString(r.getLong(3)));\n}\n}\n" },
	{ name => 'lib/pq', section => 'Go', file => 'm.go', type => '[]uint8', run => [ 'go', 'run' ],
		have => [ 'sh', '-c', 'go version && test -d /usr/share/gocode/src/github.com/lib/pq' ],
		before => "package main\nimport (\n\"database/sql\"\n\"fmt\"\n\"github.com/lib/pq\"\n)\n${go_start}db, err := sql.Open(\"postgres\", \"sslmode=disable\")\ncheck(err)\n",
		after => go_end('db.QueryRow(', 'pq.Array([]string{"a,b", "c\"d"})') },
	{ name => 'pgx', section => 'Go', file => 'n.go', type => $pgx eq 'v4' ? 'pgtype.Varbit' : 'pgtype.Bits', run => [ 'go', 'run' ],
		have => [ 'sh', '-c', "go version && test -d /usr/share/gocode/src/github.com/jackc/pgx/$pgx" ],
		# the functions of pgx itself, with a context
		change => sub { s/\bdb\.(\w+)\(/conn.$1(ctx, /gr },
		before => "package main\nimport (\n\"context\"\n\"fmt\"\n\"github.com/jackc/pgx/$pgx\"\n)\n${go_start}ctx := context.Background()\nconn, err := pgx.Connect(ctx, \"$url\")\ncheck(err)\n",
		after => go_end('conn.QueryRow(ctx, ', '[]string{"a,b", "c\"d"}') =~ s/(check\(\S+ ctx, "$simhash"\))/$1/r },
	{ name => 'ActiveRecord', section => 'examples/active_record.rb', file => 'o.rb', type => 'String', run => ['ruby'],
		have => [ 'ruby', '-e', 'require "active_record"; require "pg"' ],
		before => "require 'active_record'\nbody = $q\nActiveRecord::Base.establish_connection(adapter: 'postgresql', host: '127.0.0.1', port: $port, username: '$user', database: 'postgres')\n",
		# also the column of a migration, and the driver pg without ActiveRecord
		after => "c = Doc.connection\nsame = c.select_value(Doc.sanitize_sql([\"@{[ with_parameter('ARRAY[?]') ]}\", ['a,b', 'c\"d']]))\n"
		  . "array = PG::TextEncoder::Array.new.encode(['a,b', 'c\"d'])\nraise 'pg' unless c.raw_connection.exec_params(\"@{[ with_parameter('$1') ]}\", [array]).getvalue(0, 0).to_i == 1\n"
		  . "ActiveRecord::Schema.verbose = false\nActiveRecord::Schema.define { create_table(:own, force: true) { |t| t.text :body; @{[ in_line('t.column') ]} } }\n"
		  . "puts \"#{Doc.first.fp.class} #{same} #{c.select_value(\"$simhash\")} #{c.select_value(\"$simhash\::bigint\") % 2**64}\"\n" },
	{ name => 'PDO', section => 'examples/pdo.php', file => 'p.php', type => 'string', run => ['php'],
		have => [ 'php', '-r', 'exit(extension_loaded("pdo_pgsql") ? 0 : 1);' ],
		before => "<?php\n\$body = $q;\n\$pdo = new PDO('pgsql:host=127.0.0.1;port=$port;dbname=postgres', '$user', '', [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);\n",
		after => "\$one = fn (\$query) => \$pdo->query(\$query)->fetchColumn();\n\$same = \$pdo->prepare(\"$features\");\n\$same->execute(['{\"a,b\",\"c\\\\\"d\"}']);\n"
		  . "echo gettype(\$one('$fp')), ' ', \$same->fetchColumn(), ' ', \$one(\"$simhash\"), ' ', sprintf('%u', \$one(\"$simhash\::bigint\")), \"\\n\";\n" },
	{ name => 'DBD::Pg', section => 'examples/dbd_pg.pl', file => 'q.pl', type => 'SCALAR', run => ['perl'],
		have => [ 'perl', '-MDBD::Pg', '-e1' ],
		before => "use strict;\nuse warnings;\nuse DBI;\nmy \$body = @{[ $q =~ s/([%@\$])/\\$1/gr ]};\nmy \$dbh = DBI->connect('dbi:Pg:', undef, undef, { RaiseError => 1 });\n",
		after => "sub one { return scalar \$dbh->selectrow_array(shift, undef, \@_) }\n"
		  . "print ref(\\one('$fp')), ' ', one(\"$features\", ['a,b', 'c\"d']), ' ', one(\"$simhash\"), ' ', sprintf('%u', one(\"$simhash\::bigint\")), \"\\n\";\n" });

$ENV{GO111MODULE} = 'off';
$ENV{GOPATH} = "$dir/go:/usr/share/gocode";
$ENV{GOCACHE} = "$dir/gocache";
$ENV{GOFLAGS} = '-p=1';

$node->safe_psql('postgres', 'CREATE EXTENSION simhash');
my %sections = ('examples/bigint.js' => 1);    # runs with node-postgres
for my $driver (@drivers)
{
	my $name = $driver->{name};
	my $section = $driver->{section} // $name;
	my $run = $driver->{run} // [ $driver->{file} =~ /py$/ ? python() : 'node' ];

	$sections{$section} = 1;
	ok(defined $program{$section}, "$name: there is a program") or next;
  SKIP:
	{
		my ($out, $err);
		my $installed = eval { IPC::Run::run($driver->{have}, '>', \$out, '2>', \$err) };
		skip "$name: no driver", 1 unless $installed;

		my $file = "$dir/$driver->{file}";
		my $text = $program{$section};
		$text =~ s/^(?=.)/$driver->{indent}/mg if $driver->{indent};
		($text) = map { $driver->{change}->() } $text if $driver->{change};
		open my $handle, '>:raw', $file or die "$file: $!";
		print $handle $driver->{before}, $text, "\n", $driver->{after};
		close $handle;

		$node->safe_psql('postgres', 'SET client_min_messages = error; DROP TABLE IF EXISTS docs, own');
		$node->safe_psql('postgres', $table) unless $driver->{creates};
		for my $time ('first', 'again')
		{
			$node->safe_psql('postgres', 'SELECT pg_stat_reset()');
			my $status = IPC::Run::run([ @$run, $file ], '>', \$out, '2>', \$err);

			ok($status, "$name, $time: runs") or do { diag($err); last SKIP };
			is($out, "$answer$driver->{type} 1 d1c2b3a495867708 15114840818873431816\n", "$name, $time: answers");

			# tools that have no constraint get it by a migration
			$node->safe_psql('postgres', 'ALTER TABLE docs ADD EXCLUDE USING bitblock (fp WITH %)')
			  unless $node->safe_psql('postgres', q{SELECT count(*) FROM pg_constraint WHERE conrelid = 'docs'::regclass AND contype = 'x'});
		}
		is($node->safe_psql('postgres', q{SELECT seq_scan FROM pg_stat_user_tables WHERE relid = 'docs'::regclass}),
			0, "$name: the index serves the searches");
		my $quoted = $body =~ s/'/''/gr;
		is($node->safe_psql('postgres', qq{SELECT count(*), bool_and(body = '$quoted' AND fp = minhash_bits(body)) FROM docs}),
			'1|t', "$name: one row, with the text and its fingerprint");
		is($node->safe_psql('postgres', q{SELECT format_type(atttypid, atttypmod), attgenerated FROM pg_attribute
			WHERE attrelid = 'docs'::regclass AND attname = 'fp'}), 'bit(256)|s', "$name: the column");
		is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_constraint WHERE conrelid = 'docs'::regclass AND contype = 'x'}),
			1, "$name: one constraint");
	}
}
is_deeply([ grep { !$sections{$_} } sort keys %program ], [], 'each program is run');

# An array without a type is an error, not the fingerprint of its text
my (undef, undef, $untyped) = $node->psql('postgres', 'PREPARE p AS SELECT minhash_bits_from_features($1)');
like($untyped, qr/is not unique/, 'an array needs its type');

links_exist('doc/drivers.md');

$node->stop;
done_testing();
