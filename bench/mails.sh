#!/bin/bash
# Which mails simhash_duplicates marks, after without_quotes.sql has removed what they quote: bash bench/mails.sh FOLDER...
#
# Prints the table of "Mails" in bench/results/quality.md. Each folder has mails with headers, one a file, such as those of
# https://github.com/stdlib-js/datasets-spam-assassin (data/easy-ham-1 and data/easy-ham-2: mailing lists of 2002) or
# of 20 Newsgroups (20news-bydate: Usenet of 1993). A mail of several parts is left out. A mark is wrong if the original has
# another sender.

. "$(dirname "$0")/../test/lib.sh"
trap remove_work_folder EXIT
trap 'exit 130' INT TERM HUP

# Lines of COPY: sender, subject, mail
mails()
{
	find "$@" -type f ! -name '.*' ! -name '*.json' -print0 | sort -z | xargs -0 perl -MEncode -0777 -ne '
		tr/\0//d;
		$_ = decode("latin1", $_) unless utf8::decode($_);
		my ($head) = /\A(.*?)(?:\n\n|\z)/s;
		next if $head =~ /^Content-Type: *(?!text\/plain)\S|^Content-Transfer-Encoding: *base64/im;
		my ($from) = $head =~ /^From: *(.*)/im;
		my ($subject) = $head =~ /^Subject: *(.*(?:\n[ \t].*)*)/im;
		my $sender = $from // "";
		$sender = $1 if $sender =~ /([\w.+=-]+\@[\w.-]+)/;
		my $mail = $_;
		print encode_utf8(join("\t", map { s/\\/\\\\/gr =~ s/\t/\\t/gr =~ s/\r/\\r/gr =~ s/\n/\\n/gr }
			lc $sender, ($subject // "") =~ s/\s+/ /gr, $mail) . "\n")'
}

[ $# -gt 0 ] || { sed -n '2s/.*: //p' "$0" >&2; exit 2; }
start_benchmark "jit = off" "work_mem = 256MB" "shared_buffers = 512MB" || exit 1
mails "$@" >"$work/mails" || exit 1
sql -At -v ON_ERROR_STOP=1 <<SQL
SET client_min_messages = warning;
\\i $root/examples/without_quotes.sql
CREATE TABLE mails (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sender text, subject text, body text);
\\copy mails (sender, subject, body) FROM '$work/mails'
CREATE TABLE prepared AS
SELECT id, sender, regexp_replace(subject, '^((re|fwd?|aw|wg): *)+', '', 'i') AS subject, without_quotes(body) AS own FROM mails;
SELECT format(E'Revisions that are marked among %s mails, and those with an original by another sender\n', count(*)) FROM mails;
SELECT E'| title | marked | wrong |\n|---|---|---|';
SELECT format('| %s | %s | %s |', v.title, count(*), count(*) FILTER (WHERE m.sender <> o.sender))
FROM (VALUES ('subject'), ('sender || '' '' || subject')) v (title),
  LATERAL simhash_duplicates(format('SELECT id, %s, own FROM prepared WHERE octet_length(own) >= 60', v.title), NULL::int) x
  JOIN mails m USING (id) JOIN mails o ON o.id = x.original
WHERE x.kind = 'revision' GROUP BY v.title ORDER BY v.title DESC;
SQL
