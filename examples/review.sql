-- A page of a table's near-duplicates, as one HTML file: each original, the row that is marked as
-- its duplicate, and the words between them.  The least certain pair comes first.  This command
-- makes the page for the marks in the column duplicate_of:
--
--   psql -XAtq -v pairs="SELECT d.id, d.title, concat_ws(' ', d.title, d.body), o.id, o.title,
--     concat_ws(' ', o.title, o.body) FROM docs d JOIN docs o ON o.id = d.duplicate_of" -f review.sql >review.html
--
-- pairs is a query of six columns: id, name and text of the marked row, then those of its original.
-- The name should be the title, so that equal names mean the same document: pairs whose names differ
-- come first.  The name may be any expression, such as d.name || ' ' || d.release.  But such names
-- differ in all pairs, and the page then does not sort by them.  A name that is NULL is shown as its
-- id.  The text begins with the title, as simhash_first_change expects it.
-- The page counts all pairs and shows 1000, some of each section; -v limit=5000 shows more.
\set ON_ERROR_STOP 1
\encoding UTF8
\if :{?limit}
\else
\set limit 1000
\endif
-- Compiling the query takes longer than running it.
SET jit = off;
-- Characters that a page must not contain, or that turn the text around them
SELECT CASE getdatabaseencoding() WHEN 'UTF8' THEN '[\u0001-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff'
         || (SELECT string_agg(format('\U%1$sfffe\U%1$sffff', lpad(to_hex(plane), 4, '0')), '') FROM generate_series(1, 16) plane) || ']'
       ELSE '[\u0001-\u001f\u007f]' END AS control \gset

WITH kinds (rank, kind, title, explanation) AS (VALUES
  (1, 'name', 'Other names', 'The names differ: perhaps another document.'),
  (2, 'sibling', 'Siblings?', 'The first word that differs appears again, as a name does: perhaps another document of the same template.'),
  (3, 'signs', 'Other signs', 'Signs differ, as in -500 and 500, or the form of a character, such as a raised 2. The words and numbers are the same otherwise.'),
  (4, 'words', 'Revisions', 'Words differ: the document was edited.'),
  (5, 'number', 'Only numbers differ', 'Perhaps another document of the same form, such as another invoice.'),
  (6, 'punctuation', 'Other punctuation', 'Full stops, commas, quotation marks, brackets or dashes differ, and nothing else.'),
  (7, 'copy', 'Copies', 'Only whitespace and case differ.')),
marked AS MATERIALIZED (
  SELECT row_number() OVER () AS pair, d.id::text, d.name::text, coalesce(d.body::text, '') AS body,
         d.original::text, d.original_name::text, coalesce(d.original_body::text, '') AS original_body
  FROM (:pairs) AS d (id, name, body, original, original_name, original_body)),
-- NULL if a name is not given.  If all names differ, as ids do, they are no titles.
names AS MATERIALIZED (
  SELECT pair, other_name AND NOT bool_and(other_name) OVER () AS other_name
  FROM (SELECT m.pair, min(n.name) <> max(n.name) AND count(n.name) = 2 AS other_name
        FROM marked m, LATERAL (
          SELECT nullif(lower(btrim(regexp_replace(v.name COLLATE "default", '\s+', ' ', 'g'))), '') AS name
          FROM (VALUES (m.name), (m.original_name)) AS v (name)) n GROUP BY m.pair) n),
measured AS MATERIALIZED (
  SELECT m.pair, f.first_change, c.word, c.in_original, c.times, c.characters,
         strpos(lower(CASE WHEN c.in_original THEN m.body ELSE m.original_body END COLLATE "C"), lower(c.word COLLATE "C")) = 0 AS only_there,
         CASE WHEN c.changes = 0 THEN 'copy' WHEN n.other_name THEN 'name' WHEN f.first_change > 1 THEN 'sibling' WHEN c.words THEN 'words' WHEN c.numbers THEN 'number'
              WHEN c.signs THEN 'signs' ELSE 'punctuation' END AS kind
  FROM marked m JOIN names n USING (pair), LATERAL (SELECT simhash_first_change(m.original_body, m.body) AS first_change) f,
    LATERAL (SELECT count(*) AS changes, bool_or(c.kind IN ('insert', 'delete', 'replace')) AS words,
                    bool_or(c.kind = 'number') AS numbers, bool_or(c.kind IN ('signs', 'form')) AS signs,
                    -- The word that decides: the first one that differs, of the original if it has one there
                    (array_agg(nullif(btrim(substring(CASE c.a_length WHEN 0 THEN c.b_text ELSE c.a_text END FROM '\S{1,60}'), '.,;:!?()[]"'), '') ORDER BY c.change)
                      FILTER (WHERE c.kind IN ('insert', 'delete', 'replace', 'number')))[1] AS word,
                    (array_agg(c.a_length > 0 ORDER BY c.change)
                      FILTER (WHERE c.kind IN ('insert', 'delete', 'replace', 'number')))[1] AS in_original,
                    max(c.times) FILTER (WHERE c.kind IN ('insert', 'delete', 'replace')) AS times,
                    sum(c.a_length + c.b_length) FILTER (WHERE c.kind IN ('insert', 'delete', 'replace', 'number')) AS characters
             FROM simhash_changes(m.original_body, m.body) c) c),
counted AS (
  SELECT k.*, count(m.pair) AS pairs FROM kinds k LEFT JOIN measured m USING (kind) GROUP BY k.rank, k.kind, k.title, k.explanation),
placed AS (
  SELECT k.rank, m.*, row_number() OVER (PARTITION BY k.rank ORDER BY CASE m.kind WHEN 'words' THEN m.times END DESC NULLS LAST,
                                         m.first_change DESC, m.characters DESC NULLS LAST, m.pair) AS place
  FROM measured m JOIN kinds k USING (kind)),
-- Each section has its share of the limit.  The first sections have what others leave.
shown AS (
  SELECT * FROM placed
  ORDER BY place > :limit / (SELECT count(*) FROM counted WHERE pairs > 0), rank, place LIMIT :limit),
left_out (rank, note) AS (
  SELECT c.rank, to_char(count(s.pair), 'FM999,999,999,990') || to_char(c.pairs, '" of "FM999,999,999,999')
                 || format(' shown: -v limit=%s shows more', greatest(5 * :limit::bigint, 1000))
  FROM (SELECT rank, pairs FROM counted UNION ALL SELECT 0, sum(pairs) FROM counted) c LEFT JOIN shown s ON c.rank IN (0, s.rank)
  GROUP BY c.rank, c.pairs HAVING count(s.pair) < c.pairs),

-- The page is made of pieces: HTML, a text, HTML.  Here alone texts become HTML.
articles AS (
  SELECT s.rank, s.place, string_agg(p.before || regexp_replace(
           replace(replace(replace(replace(replace(regexp_replace(p.piece, '\s+', ' ', 'g'),
             '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;'),
           :'control', '&#xFFFD;', 'g') || p.after, '' ORDER BY p.part, p.change, p.n) AS html
  FROM shown s JOIN marked m USING (pair),
    LATERAL (SELECT m.body || '' COLLATE "C" AS body, m.original_body || '' COLLATE "C" AS original_body,
                    coalesce(nullif(m.name, ''), m.id, '-') COLLATE "C" AS name,
                    coalesce(nullif(m.original_name, ''), m.original, '-') COLLATE "C" AS original_name OFFSET 0) t,
    LATERAL (
      WITH changes AS MATERIALIZED (
        SELECT c.*, lag(c.b_end, 1, 1) OVER (ORDER BY c.change) AS previous,
               lead(c.b_start, 1, length(t.body) + 1) OVER (ORDER BY c.change) AS next,
               row_number() OVER (PARTITION BY simhash_copy_key(c.a_text), simhash_copy_key(c.b_text) ORDER BY c.change) AS nth
        FROM (SELECT c.*, c.b_start + c.b_length + w.skipped AS b_end, w.space_before,
                     w.space_after OR w.skipped > 0 AND NOT w.space_before AS space_after
              -- What is left out has the white space of the original around it.
              FROM simhash_changes(t.original_body, t.body) c,
                LATERAL (SELECT c.b_length = 0 AND substr(t.original_body, c.a_start - 1, 1) ~ '\s' AS space_before,
                                c.b_length = 0 AND substr(t.original_body, c.a_start + c.a_length, 1) ~ '\s' AS space_after,
                                CASE c.b_length WHEN 0 THEN length(substring(substr(t.body, c.b_start, 60) FROM '^\s*')) ELSE 0 END
                                  AS skipped) w) c),
      -- Changes with at most 120 characters between them stand in one place.
      places AS (
        SELECT c.*, count(*) FILTER (WHERE c.starts) OVER (ORDER BY c.change) AS place
        FROM (SELECT *, change % 8 = 1 OR b_start - previous > 120 AS starts,
                     change % 8 = 0 OR next - b_end > 120 OR lead(change) OVER (ORDER BY change) IS NULL AS ends
              FROM changes) c),
      -- A change that was shown before needs no place of its own.
      shown_places AS (
        SELECT p.*, dense_rank() OVER (ORDER BY p.place) AS rank
        FROM (SELECT *, bool_or(nth = 1) OVER (PARTITION BY place) AS new FROM places) p WHERE p.new),
      again AS (
        SELECT *, row_number() OVER (ORDER BY kind IN ('punctuation', 'signs', 'form'), times DESC, change) AS line
        FROM changes WHERE nth = 1 AND times > 1),
      figures AS (
        SELECT count(*) AS changes, count(*) FILTER (WHERE kind IN ('insert', 'delete', 'replace')) AS words,
               count(*) FILTER (WHERE kind = 'number') AS numbers, count(*) FILTER (WHERE kind = 'form') AS forms,
               count(*) FILTER (WHERE kind = 'signs') AS signs, count(*) FILTER (WHERE kind = 'punctuation') AS punctuation,
               (SELECT coalesce(max(rank), 0) FROM shown_places) AS places,
               (SELECT count(*) FROM again) AS again
        FROM changes)
      SELECT 0 AS part, 0::bigint AS change, v.*
      FROM (VALUES
        (1, CASE s.kind WHEN 'copy' THEN '<li><p class="names">' ELSE '<article><h3 class="names">' END
            || '<span class="original" dir="auto">', t.original_name, '</span>'),
        (2, ' <span class="to">&rarr;</span> <span class="other" dir="auto">', t.name,
            CASE s.kind WHEN 'copy' THEN '</span></p>' ELSE '</span></h3>' END),
        (3, '<p class="meta">original ', coalesce(m.original, '-'), ''),
        (4, ' &middot; other ', coalesce(m.id, '-'), ''),
        (5, CASE WHEN s.first_change = 0 OR s.word IS NULL THEN '' WHEN NOT s.only_there THEN ' &middot; first difference: &quot;'
                 WHEN s.in_original THEN ' &middot; only in the original: &quot;' ELSE ' &middot; only in the other: &quot;' END,
            CASE WHEN s.first_change > 0 THEN s.word END,
            CASE WHEN s.first_change = 0 OR s.word IS NULL THEN '' ELSE '&quot;' END
            || CASE WHEN s.first_change > 1 AND s.word IS NOT NULL
               THEN format(CASE WHEN s.only_there THEN ', %s times' ELSE ', %s times more often' END, s.first_change) ELSE '' END),
        (6, CASE s.kind WHEN 'copy' THEN '</p></li>' ELSE '</p>' END, '', ''))
        AS v (n, before, piece, after)
      UNION ALL  -- "MD5SUM becomes SHA512SUM, 6 times"
      SELECT 1, a.line, v.n, v.before, v.piece, v.after
      FROM again a, figures f, LATERAL (VALUES
        (1, CASE a.line WHEN 1 THEN '<ul class="again">' ELSE '' END || '<li>' || CASE WHEN a.a_length > 0 THEN '<del>' ELSE '' END,
            left(a.a_text, 80), CASE WHEN a.a_length > 80 THEN ' &hellip;' ELSE '' END || CASE WHEN a.a_length > 0 THEN '</del>' ELSE '' END),
        (2, CASE WHEN a.a_length = 0 THEN '<ins>' WHEN a.b_length = 0 THEN ' is left out' ELSE ' becomes <ins>' END, left(a.b_text, 80),
            CASE WHEN a.b_length > 80 THEN ' &hellip;' ELSE '' END || CASE WHEN a.b_length > 0 THEN '</ins>' ELSE '' END
            || CASE WHEN a.a_length = 0 THEN ' is added' ELSE '' END || format(', %s times</li>', a.times)
            || CASE a.line WHEN least(f.again, 4) THEN '</ul>' ELSE '' END)) AS v (n, before, piece, after)
      WHERE a.line <= 4
      UNION ALL
      SELECT 2, 0, 0, format('<details%s><summary>%s</summary>', CASE WHEN s.first_change > 1 THEN '' ELSE ' open' END,
               (SELECT CASE changes WHEN 1 THEN '1 change: ' ELSE changes || ' changes: ' END
                  || string_agg(k.name || CASE k.count WHEN changes THEN '' ELSE ' ' || k.count END, ', ' ORDER BY k.n)
                FROM (VALUES (1, 'words', words), (2, 'numbers', numbers), (3, 'forms of words', forms), (4, 'signs', signs),
                             (5, 'punctuation', punctuation)) AS k (n, name, count) WHERE k.count > 0)), '', ''
      FROM figures WHERE changes > 0
      UNION ALL
      SELECT 4, 0, 0, format('<details><summary>%s more</summary>', least(places, 24) - 6), '', '' FROM figures WHERE places > 6
      UNION ALL
      SELECT CASE WHEN c.rank <= 6 THEN 3 ELSE 5 END, c.change, v.n, v.before, v.piece, v.after
      FROM shown_places c,
        LATERAL (SELECT least(CASE WHEN c.starts THEN greatest(c.previous, c.b_start - 60) ELSE c.previous END, c.b_start) AS context,
                        c.next - c.b_end > 60 AS cut) x,
        LATERAL (VALUES
        (1, CASE WHEN c.starts THEN '<p class="place" dir="auto">' || CASE WHEN x.context > 1 THEN '&hellip; ' ELSE '' END ELSE '' END,
            regexp_replace(substr(t.body, x.context, c.b_start - x.context),
                           CASE WHEN c.starts AND x.context > c.previous THEN '^\S{0,20}\s+' ELSE '^\s+$' END,
                           CASE WHEN c.starts THEN '' ELSE ' ' END), ''),
        (2, CASE WHEN c.space_before THEN ' ' ELSE '' END || CASE WHEN c.a_length > 0 THEN '<del>' ELSE '' END, left(c.a_text, CASE WHEN c.a_length > 400 THEN 160 ELSE c.a_length END),
            CASE WHEN c.a_length > 400 THEN to_char(c.a_length - 240, '" <span>&hellip;" FM999,999,999,999 "characters &hellip;</span> "') ELSE '' END),
        (3, '', CASE WHEN c.a_length > 400 THEN right(c.a_text, 80) ELSE '' END,
            CASE WHEN c.a_length > 0 THEN '</del>' ELSE '' END || CASE WHEN c.space_after THEN ' ' ELSE '' END),
        (4, CASE WHEN c.b_length = 0 THEN '' WHEN c.a_length > 0 THEN ' <ins>' ELSE '<ins>' END, left(c.b_text, CASE WHEN c.b_length > 400 THEN 160 ELSE c.b_length END),
            CASE WHEN c.b_length > 400 THEN to_char(c.b_length - 240, '" <span>&hellip;" FM999,999,999,999 "characters &hellip;</span> "') ELSE '' END),
        (5, '', CASE WHEN c.b_length > 400 THEN right(c.b_text, 80) ELSE '' END, CASE WHEN c.b_length > 0 THEN '</ins>' ELSE '' END),
        (6, '', CASE WHEN NOT c.ends THEN '' WHEN x.cut THEN regexp_replace(substr(t.body, c.b_end, 60), '\s+\S{0,20}$', '')
                ELSE substr(t.body, c.b_end, greatest(c.next - c.b_end, 0)) END,
            CASE WHEN NOT c.ends THEN '' ELSE CASE WHEN c.next <= length(t.body) OR x.cut THEN ' &hellip;' ELSE '' END || '</p>' END))
        AS v (n, before, piece, after)
      WHERE c.rank <= 24
      UNION ALL
      SELECT 6, 0, 0, CASE WHEN places > 24 THEN format('<p>%s more are not shown.</p>', places - 24) ELSE '' END
               || CASE WHEN places > 6 THEN '</details>' ELSE '' END || '</details>', '', ''
      FROM figures WHERE changes > 0
      UNION ALL
      SELECT 7, 0, 0, '</article>', '', '' WHERE s.kind <> 'copy') p
  GROUP BY s.rank, s.place)
SELECT html FROM (
  SELECT 0 AS rank, 0 AS part, 0::bigint AS place, $html$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Near-duplicates</title>
<style>
:root {
  --page: #f6f7f9; --card: #fff; --line: #d5d9e0; --text: #1b1f24; --soft: #59636e; --focus: #0b57d0;
  --del: #ffe3e0; --del-text: #8a1212; --strike: #8a121290; --ins: #d8f5df; --ins-text: #0b5222;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1216; --card: #171b21; --line: #343b45; --text: #e4e8ed; --soft: #9aa5b1; --focus: #8ab4f8;
    --del: #4a1d20; --del-text: #ffb9b3; --strike: #ffb9b390; --ins: #143d24; --ins-text: #a3ecb8;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 56rem; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { margin: 0; font-size: 1.6rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 0; font-size: 1.2rem; }
h2 span { color: var(--soft); font-weight: normal; }
h3 { margin: 0; font-size: 1rem; }
p, ul { margin: .4rem 0 0; }
ul { padding: 0; list-style: none; }
header p, .note, .meta { color: var(--soft); }
.meta, summary { font-size: .875rem; }
fieldset {
  display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0 0; padding: 0; border: 0;
}
legend { padding: 0; margin-bottom: .4rem; color: var(--soft); font-size: .875rem; }
label {
  display: inline-flex; align-items: center; gap: .45rem; padding: .35rem .8rem; border: 1px solid var(--line);
  border-radius: 2rem; background: var(--card); cursor: pointer;
}
input { margin: 0; accent-color: var(--focus); }
:focus-visible, label:focus-within { outline: 2px solid var(--focus); outline-offset: 2px; }
article, .copies {
  margin-top: .75rem; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card);
}
article { content-visibility: auto; contain-intrinsic-size: auto 11rem; }
.copies li { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .8rem; }
.copies li + li { margin-top: .4rem; padding-top: .4rem; border-top: 1px solid var(--line); }
.names { margin: 0; font-weight: 600; }
.to { color: var(--soft); font-weight: normal; }
.original, .other, .place, del, ins { unicode-bidi: isolate; }
.meta { margin: 0; }
.again li { margin-top: .2rem; }
details { margin-top: .5rem; }
summary { color: var(--soft); cursor: pointer; width: fit-content; border-radius: .2rem; }
.place { margin-top: .5rem; padding-inline-start: .8rem; border-inline-start: 3px solid var(--line); }
del, ins { padding: .05em .25em; border-radius: .25em; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
del { background: var(--del); color: var(--del-text); text-decoration: line-through 1px var(--strike); }
ins { background: var(--ins); color: var(--ins-text); text-decoration: underline; text-underline-offset: .2em; }
del span, ins span { font-style: italic; }
del::before, ins::before { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
del::before { content: " only in the original: "; }
ins::before { content: " only in the other: "; }
$html$ || (SELECT string_agg(format('body:has(#show-%1$s:not(:checked)) .%1$s { display: none; }', kind), E'\n' ORDER BY rank) FROM kinds)
    || $html$
@media print { body { max-width: none; } fieldset { display: none; } }
</style>
</head>
<body>
<header>
<h1>Near-duplicates</h1>
$html$ || (SELECT format('<p>%s, each with its original first. The least certain come first.%s</p>',
             CASE sum(pairs) WHEN 1 THEN '1 pair' ELSE to_char(sum(pairs), 'FM999,999,999,999') || ' pairs' END,
             (SELECT ' ' || note || '.' FROM left_out WHERE rank = 0))
           FROM counted) || $html$
<p><del>Struck</del> is only in the original. <ins>Underlined</ins> is only in the other one, and is lost if that one is deleted.</p>
</header>
<fieldset>
<legend>Show</legend>
$html$ || (SELECT coalesce(string_agg(format('<label><input type="checkbox" id="show-%s" autocomplete="off" checked> %s %s</label>', kind,
             title, to_char(pairs, 'FM999,999,999,999')), E'\n' ORDER BY rank), '') FROM counted WHERE pairs > 0) || $html$
</fieldset>
<main>$html$ AS html
  UNION ALL
  SELECT rank, 1, 0, format(E'<section class="%s">\n<h2>%s <span>%s</span></h2>\n<p class="note">%s%s</p>%s', kind, title,
                            to_char(pairs, 'FM999,999,999,999'), explanation, ' ' || note || '.',
                            CASE WHEN kind = 'copy' AND rank IN (SELECT rank FROM shown) THEN E'\n<ul class="copies">' ELSE '' END)
  FROM counted LEFT JOIN left_out USING (rank) WHERE pairs > 0
  UNION ALL
  SELECT rank, 2, place, html FROM articles
  UNION ALL
  SELECT rank, 3, 0, CASE WHEN kind = 'copy' AND rank IN (SELECT rank FROM shown) THEN E'</ul>\n' ELSE '' END || '</section>'
  FROM counted WHERE pairs > 0
  UNION ALL
  SELECT 8, 0, 0, E'</main>\n</body>\n</html>') page
ORDER BY rank, part, place;
