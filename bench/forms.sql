-- Which documents of one form simhash_duplicates takes for one document, and which edits it finds.  quality.sh runs this
-- script, after it has loaded the table documents (release, kind, lang, document, body).  The other documents are made by
-- rule: 200 of each form with four revisions of each, articles with the furniture of web pages, and short texts.
\set ON_ERROR_STOP 1
\pset footer off
SET client_min_messages = warning;

CREATE FUNCTION pick(what text, seed text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT words[1 + (chance(seed) * cardinality(words))::int % cardinality(words)] FROM string_to_array(what, '|') words $$;
CREATE FUNCTION number(low int, high int, seed text) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT low + (chance(seed) * (high - low))::int $$;
CREATE FUNCTION person(seed text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT pick('Anna|Bela|Carlo|Dora|Emil|Frida|Georg|Hanna|Ines|Jonas|Karla|Lukas|Mona|Nils|Olga|Paul', seed || 'p') || ' ' || pick('Alt|Neu|Ober|Unter|Wald|See|Birk|Tal', seed || 'r') || pick('berg|hof|mann|egger|bach|haus|huber|stein|rode|keller|furt|meyer|kamp|ort|burg|roth', seed || 'q') $$;
CREATE FUNCTION city(seed text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT pick('Aachen|Basel|Cork|Dresden|Essen|Faro|Genoa|Halle|Innsbruck|Jena|Kiel|Linz|Mainz|Nice|Oslo|Porto|Riga|Split|Trier|Ulm|Vigo|Worms|York|Zug', seed || 'c') $$;
CREATE FUNCTION employer(seed text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT pick('Amber|Brook|Cedar|Dune|Ember|Falcon|Granite|Heron|Iris|Juniper|Kestrel|Lumen|Maple|Nettle|Orchid|Pebble', seed || 'e') || pick('point|works|soft|line|field|gate|stone|care|tech|wood|way|bridge', seed || 'f') $$;
CREATE FUNCTION thing(seed text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT pick('old|new|small|large|northern|famous|damaged|local|wooden|quiet|second|empty|public|modern|narrow|former|expensive|private|broken|green', seed || 'a') || ' ' ||
  pick('harbour|school|theatre|bridge|museum|market|orchard|library|station|factory|council|garden|hospital|lighthouse|ferry|bakery|stadium|tunnel|vineyard|castle|workshop|cinema|chapel|railway|mill|hotel|farm|brewery|courthouse|kitchen', seed || 'n') $$;
CREATE FUNCTION sentence(seed text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT format('%s the %s %s the %s %s the %s.', pick('Yesterday|This week|In spring|After the storm|Since Monday|For years|According to the mayor|Without notice|At night|In the end|To the surprise of many|Next month', seed || 's'), thing(seed || 1),
  pick('bought|sold|replaced|repaired|visited|closed|opened|described|rented|praised|overlooked|surrounded|supplied|rebuilt|threatened|honoured|helped|copied', seed || 'v'), thing(seed || 2), pick('behind|near|instead of|because of|together with|opposite|without|above|before', seed || 'b'), thing(seed || 3)) $$;
CREATE FUNCTION prose(sentences int, seed text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT string_agg(sentence(seed || i), ' ' ORDER BY i) FROM generate_series(1, sentences) i $$;

CREATE TABLE form_texts AS
SELECT row_number() OVER (ORDER BY form, n)::int AS id, form, n, title, body
FROM generate_series(1, 200) n, LATERAL (VALUES
  ('invoices, the number is the title', 'Invoice ' || 10000 + n, format('Dear %s, for our services of the last month we charge you %s.%s EUR, of which %s.00 EUR are taxes. Please pay the sum within two weeks to our account at the savings bank. If you have questions about this invoice, write to the address below or call us during office hours. Thank you for your order. With kind regards, your accounting department.', person('i' || n), number(100, 9000, 'i' || n), number(10, 99, 'j' || n), number(10, 99, 'k' || n))),
  ('invoices titled "Invoice"', 'Invoice', format('Invoice number %s. Dear %s, for our services of the last month we charge you %s.%s EUR. Please pay the sum within two weeks to our account at the savings bank. If you have questions about this invoice, write to the address below or call us during office hours. Thank you for your order. With kind regards, your accounting department.', 10000 + n, person('a' || n), number(100, 9000, 'a' || n), number(10, 99, 'b' || n))),
  ('notes of a day', NULL, format('Patient %s seen on the ward on 12 May. Blood pressure %s/%s, pulse %s, temperature %s.%s. Sleeps well, eats normally, no pain, wound dry and closed. Continue with the present medication, mobilise with physiotherapy, next control of the blood count on Monday. Discharge is planned if the values stay as they are.', person('n' || n), number(100, 160, 'n' || n), number(60, 95, 'o' || n), number(55, 99, 'p' || n), number(36, 38, 'q' || n), number(0, 9, 'r' || n))),
  ('weather reports', 'Weather in ' || city('w' || n), format('In %s it will be %s today with a high of %s degrees and %s winds from the %s. The night stays dry with a low of %s degrees. Tomorrow brings little change, and the outlook for the rest of the week is friendly with some clouds over the hills in the afternoon. Drivers should expect fog in the valleys before sunrise.', city('w' || n), pick('sunny|cloudy|rainy|foggy', 'w' || n), number(8, 30, 'w' || n), pick('light|fresh|strong', 'x' || n), pick('north|south|east|west', 'y' || n), number(0, 12, 'z' || n))),
  ('offers at one price', 'Offer for ' || person('o' || n), format('Dear %s, thank you for your interest in our solar panels. We are glad to offer you a complete set with ten panels, an inverter and the installation on your roof in %s at the price of 9900 EUR. The offer holds for four weeks. Our engineers visit you beforehand to measure the roof, and the work itself takes two days. We look forward to your order.', person('o' || n), city('o' || n))),
  ('job teasers', pick('Nurse|Driver|Cook|Engineer|Teacher|Painter|Plumber|Baker|Clerk|Analyst|Gardener|Welder', 'j' || n) || ' in ' || city('j' || n), 'We are a company with a long tradition and flat hierarchies. We offer you a permanent position, thirty days of holiday, a pension plan, free drinks and fruit, modern equipment and a friendly team. You have finished your training, like to work with people, and speak German and English well. Send us your application with your documents by mail. We look forward to meeting you.'),
  ('mails with a footer', pick('Meeting|Lunch|Report|Budget|Travel|Holiday|Printer|Parking', 'm' || n) || ' ' || pick('tomorrow|next week|on Friday|again|as discussed|for review', 'l' || n), 'Please see above. This message may contain confidential information and is intended for the addressee only. If you have received it in error, please inform the sender and delete it. Any unauthorised copying or forwarding of this message is not permitted. We check all messages for viruses, but do not accept any liability for damage that they may cause. Please consider the environment before printing.'),
  ('orders of a court', format('%s v. %s', person('u' || n), person('v' || n)), 'The petition for a writ of certiorari is granted. The judgment is vacated, and the case is remanded to the court of appeals for further consideration in light of the decision of this term. The motion of the petitioner for leave to proceed in forma pauperis is granted. The chief justice took no part in the consideration or decision of this petition. It is so ordered.'),
  ('product lines', format('%s %s %s mm', pick('Acme|Bolt|Corvo|Delta|Edel|Forte', 'd' || n), pick('cable tie|hose clamp|wall plug|wood screw', 'e' || n), number(2, 90, 'd' || n)), format('%s, made of %s, pack of %s, for indoor and outdoor use', pick('black|white|grey|blue', 'f' || n), pick('nylon|steel|brass', 'g' || n), number(1, 20, 'f' || n) * 10)),
  ('statements', 'Account statement', format('Account %s of %s. The balance on the last day of the month was %s.%s EUR after %s bookings. This statement was made by a machine and is valid without a signature. Please check it and inform your branch within six weeks if something is wrong, because afterwards it counts as accepted. Deposits are protected by the scheme of the German banks up to the legal limit.', 400000 + n * 7, person('s' || n), number(10, 9000, 's' || n), number(10, 99, 't' || n), number(2, 60, 's' || n))),
  ('certificates', NULL, format('Certificate for %s. We hereby confirm that the person named above has taken part in the course "%s" and has passed the final test. The course covers the basics, the daily work, the tools and a project of your own. We wish you all the best for your future and would be glad to see you again in one of our courses.', person('k' || n), pick('Welding|First aid|Baking|Sailing|Bookkeeping|Gardening|Photography|Carpentry', 'k' || n) || pick(' for beginners| at sea| in practice| step by step| for experts| at home', 'l' || n))),
  ('adverts, the employer at the end', pick('Accountant|Nurse|Driver|Cook', 'b' || n) || ' in ' || pick('Bonn|Cork|Linz', 'b' || n), format('We care about people. For our site in the centre we need a reliable colleague, full time or part time. Your tasks include planning your day, advising customers and documenting your work. You bring some years of experience, a driving licence and a good command of the language. In return you get fair pay, flexible hours and fresh fruit. Apply to %1$s at jobs@%2$s.example today. %1$s is an equal opportunity employer.', employer('b' || n), lower(employer('b' || n)))),
  ('mails and replies that quote them', CASE WHEN n % 5 > 0 THEN 'Re: ' ELSE '' END || thing('q' || n / 5), CASE n % 5 WHEN 0 THEN prose(6, 'q' || n / 5) ELSE format(E'%s\n\nOn Tuesday, %s wrote:\n> %s', sentence('r' || n), person('q' || n / 5), replace(prose(6, 'q' || n / 5), '. ', E'.\n> ')) END),
  ('articles under a cookie banner', thing('h' || n), 'We and our partners use cookies to store and read information on your device, to show you advertisements that suit you, to count the visits of our pages and to improve our services. You can accept all cookies, refuse those that are not needed, or change your choice at any time at the bottom of each page. Our statement on privacy explains what we store, how long we keep it, and how you object. Accept all. Settings. ' || prose(1 + n % 2, 'h' || n)),
  ('code of one template', lower(employer('c' || n)) || '.py', format(E'# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0\n# Unless required by applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.\nimport logging\nfrom plugins import Plugin, register\n\nlog = logging.getLogger(__name__)\n\n@register\nclass %1$s(Plugin):\n    """Plugin for %1$s."""\n    name = "%2$s"\n\n    def start(self, config):\n        log.info("start %%s", self.name)\n        self.client = self.connect(config)\n\n    def stop(self):\n        self.client.close()\n', employer('c' || n), lower(employer('c' || n)))),
  ('away mails', 'Automatic reply', format('Thank you for your message. I am out of the office until %s and read my mails only now and then. In urgent cases please write to my colleague %s in our office in %s, who knows about all running projects. Otherwise I will answer your message when I am back. Your message is not forwarded. With best regards, %s', pick('Monday|Tuesday|Wednesday|Thursday|Friday|next week|the end of the month', 'a' || n), person('g' || n), city('g' || n), person('h' || n))),
  ('parcels', 'Your parcel', format('Dear customer, your parcel %s has left our store and will arrive within two working days. You may follow it on our page at any time with the number above. If nobody is at home, the driver will leave a card, and you can fetch the parcel from the shop named on it. We thank you for your order.', 70000 + n * 13)),
  ('codes by mail', 'Your code', format('Your code is %s. Enter it on the page that asked for it within ten minutes. Never tell the code to anybody, and do not forward this message. Our staff will never ask you for a code, neither by mail nor by telephone. If you have not tried to log in, somebody else knows your password: please change it now and inform us.', 100000 + number(0, 899999, 'e' || n))),
  ('translations of a program', NULL, format('Office is a complete suite of programs for texts, tables, drawings and presentations, which reads and writes the files of other suites. This package contains the translation into %s. It contains the menus, the messages, the templates and the help. Install it beside the package of the program, and choose the language in the settings.', pick('Afrikaans|Albanian|Basque|Breton|Catalan|Danish|Dutch|Estonian|Finnish|Frisian|Galician|Greek|Irish|Icelandic|Italian|Latvian|Maltese|Norwegian|Polish|Romanian|Serbian|Slovak|Sorbian|Swedish|Turkish|Welsh', 'tr' || n) || pick('| of the north| of the south| without accents| in old letters| for schools| for courts| for children', 'ts' || n))),
  ('entries of a catalogue', NULL, format('%s, %s. Found in the cellar of the %s in %s and given to the museum by %s. %s, shown in the second room.', initcap(pick('jug|bowl|plate|vase|lamp|coin|brooch|comb|ring|key|cup|tile', 'ca' || n)), pick('stoneware|bronze|silver|glass|clay|bone|iron|wood', 'cb' || n), thing('ca' || n), city('ca' || n), person('ca' || n), pick('Complete|Broken|Repaired|In pieces', 'cc' || n)))
) f (form, title, body);

-- Revisions: two letters exchanged, .5% other characters as a scan has them, a sentence more, a word changed
CREATE TABLE form_revisions AS
SELECT id, form, n, title, body, kind, CASE kind
  WHEN 'two letters exchanged' THEN overlay(body PLACING reverse(substr(body, place, 2)) FROM place FOR 2)
  WHEN 'scan' THEN (SELECT string_agg(CASE WHEN c ~ '[a-z]' AND chance(id || 's' || i) < .005 THEN translate(c, 'abcdefghijklmnopqrstuvwxyz', 'obeclfqnljkimnopqcstuvvvxyz') ELSE c END, '' ORDER BY i) FROM regexp_split_to_table(body, '') WITH ORDINALITY x (c, i))
  WHEN 'a sentence more' THEN body || ' Please note that our office is closed between the holidays.'
  ELSE regexp_replace(body, '\m(and|or|with|the)\M', 'plus') END AS revised
FROM form_texts, (VALUES ('two letters exchanged'), ('scan'), ('a sentence more'), ('a word changed')) k (kind),
  LATERAL (SELECT number(2, length(body) - 2, form || n || kind) AS place) w;

CREATE FUNCTION whole(title text, body text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT coalesce(title || ' ', '') || body $$;
CREATE TABLE marked AS
SELECT form, titles, numbers, d.id
FROM (SELECT DISTINCT form FROM form_texts) f, (VALUES (true), (false)) v (titles), (VALUES (true), (false)) w (numbers),
  LATERAL simhash_duplicates(format('SELECT id, %s FROM form_texts WHERE form = %L', CASE WHEN titles THEN 'title, body' ELSE 'minhash_bits(body), whole(title, body)' END, form), NULL::int, numbers => numbers) d
WHERE d.kind = 'revision';
\t on
\pset format unaligned
SELECT E'\n## Forms\n\nOf 200 documents of each form: near pairs of different documents, documents that are marked as a revision of another one (also with the titles as a column, and with numbers => false), and the share of revisions that the rule takes for the same document\n';
SELECT '| form | near pairs | marked | with titles | numbers => false | with titles | two letters exchanged | scan | a sentence more | a word changed |' || E'\n|---|---|---|---|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s | %s |', form, (SELECT count(*) FROM form_texts a JOIN form_texts b ON a.form = b.form AND a.id < b.id AND minhash_bits(a.body) % minhash_bits(b.body) WHERE a.form = f.form),
  (SELECT string_agg((SELECT count(*) FROM marked m WHERE (m.form, m.numbers, m.titles) = (f.form, n, t))::text, ' | ' ORDER BY n DESC, t) FROM (VALUES (true), (false)) v (n), (VALUES (true), (false)) w (t)),
  (SELECT string_agg(to_char(share, 'FM0.00'), ' | ' ORDER BY nr) FROM (SELECT array_position(ARRAY['two letters exchanged', 'scan', 'a sentence more', 'a word changed'], kind) AS nr, avg(simhash_same_document(whole(title, body), whole(title, revised))::int) AS share FROM form_revisions r WHERE r.form = f.form AND revised <> body GROUP BY 1) s))
FROM (SELECT DISTINCT form FROM form_texts) f ORDER BY form;

-- Articles with the furniture of a web page, in four versions
CREATE TABLE pages AS
SELECT row_number() OVER (ORDER BY v, n, furniture)::int AS id, furniture, n, v, replace(page, '@', prose(5, 'page' || n)) AS body
FROM generate_series(1, 200) n, generate_series(1, 4) v, LATERAL (SELECT n || '-' || v AS seed) s, LATERAL (VALUES
  ('time of an update', format(E'Published %s November 2026 08:05\nUpdated %s November 2026 %s:%s\n@', 1 + n % 28, 1 + n % 28, 8 + 3 * v, number(10, 59, seed))),
  ('counters', format(E'@\n%s,%s views · %s comments · %s hours ago', number(1, 9, seed), number(100, 999, seed || 1), number(3, 90, seed || 2), v * 4)),
  ('ids in a link', format(E'@\nShare: https://www.example.com/s?id=%s&utm_id=%s', 8000 + n, left(md5(seed), 8))),
  ('a token and a name', format(E'Dear %s,\n@\nUnsubscribe: https://example.org/u/%s', split_part(person(seed), ' ', 1), left(md5(seed), 10))),
  ('numbers of citations', format('@ [%s] [%s]', 8 + 2 * v, 9 + 2 * v)),
  ('a stamp', format(E'@\nACME%s', to_char(number(1, 9999999, seed), 'FM0000000'))),
  ('a price', format('@ Price: %s EUR', 900 + 10 * v + n % 7))) f (furniture, page);
CREATE TABLE page_marks AS
SELECT f.furniture, versions, numbers, d.id, x.n = y.n AS own
FROM (SELECT DISTINCT furniture FROM pages) f, (VALUES (2), (4)) v (versions), (VALUES (true), (false)) w (numbers),
  LATERAL simhash_duplicates(format('SELECT id, body FROM pages WHERE furniture = %L AND v <= %s', furniture, versions), NULL::int, numbers => numbers) d
  JOIN pages x ON x.id = d.id JOIN pages y ON y.id = d.original;
SELECT E'\n## Web furniture\n\nShare of the versions of 200 articles that are found, and marks of another article\n';
SELECT '| furniture | two versions | numbers => false | four versions | numbers => false | wrong |' || E'\n|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s |', furniture, (SELECT string_agg((SELECT to_char(count(*) / (200.0 * (k - 1)), 'FM0.00') FROM page_marks m WHERE (m.furniture, versions, numbers, own) = (f.furniture, k, b, true)), ' | ' ORDER BY k, b DESC)
                FROM (VALUES (2), (4)) v (k), (VALUES (true), (false)) w (b)), (SELECT count(*) FROM page_marks m WHERE m.furniture = f.furniture AND NOT own))
FROM (SELECT DISTINCT furniture FROM pages) f ORDER BY furniture;

-- Edits by rule: paragraphs of documents, cut to 100 and 400 words.  A call of simhash_duplicates has the texts and one
-- edited version of each.
CREATE TABLE paragraphs AS
SELECT document, nr, words FROM (SELECT document, nr, count(*) OVER (PARTITION BY paragraph) AS n, regexp_split_to_array(btrim(paragraph), '\s+') AS words
  FROM (SELECT DISTINCT ON (document) document, body FROM documents WHERE kind IN ('manual page', 'documentation') AND lang = 'en' ORDER BY document, release) d,
    regexp_split_to_table(body, '\n') WITH ORDINALITY p (paragraph, nr)
  WHERE paragraph ~ '^\s*[A-Z][a-z ].*[a-z]\.\s*$') p WHERE n = 1 AND cardinality(words) BETWEEN 20 AND 80;
CREATE TABLE words AS
SELECT size, text, row_number() OVER (PARTITION BY size, text ORDER BY nr, i)::int AS i, nr = first AS beginning, word
FROM (SELECT *, dense_rank() OVER (PARTITION BY size ORDER BY md5(document)) AS text, min(nr) OVER (PARTITION BY size, document) AS first
      FROM (SELECT size, document, nr, i, word, row_number() OVER (PARTITION BY size, document ORDER BY nr, i) AS place, count(*) OVER (PARTITION BY size, document) AS n
            FROM (VALUES (100), (400)) s (size), paragraphs, unnest(words) WITH ORDINALITY w (word, i)) w
      WHERE n >= size AND place <= size) w
WHERE text <= 200;
CREATE TABLE vocabulary AS SELECT word AS other, (row_number() OVER (ORDER BY word) - 1)::int AS nr FROM words WHERE word ~ '^[a-z]{4,}$' GROUP BY word;

CREATE TABLE edits AS
SELECT size, text, edit, string_agg(CASE WHEN beginning AND edit = 'the first paragraph moved' THEN NULL WHEN beginning AND edit = 'the first paragraph rewritten' THEN CASE i WHEN 1 THEN prose(4, 'p' || text) END
    WHEN size * share < place THEN word WHEN edit = 'replaced' THEN other WHEN edit = 'inserted' THEN word || ' ' || other
    WHEN edit = 'a sentence in front' AND i = 1 OR edit = 'a sentence in the middle' AND i = size / 2 THEN sentence('s' || text) || ' ' || word
    WHEN edit = 'a sentence at the end' AND i = size THEN word || ' ' || sentence('s' || text) WHEN share IS NULL THEN word END, ' ' ORDER BY i) ||
  CASE edit WHEN 'the first paragraph moved' THEN ' ' || string_agg(word, ' ' ORDER BY i) FILTER (WHERE beginning) ELSE '' END AS body, share
FROM (SELECT size, text, i, beginning, word, edit, share, row_number() OVER (PARTITION BY size, text, edit, share ORDER BY chance(text || edit || i)) AS place
      FROM words, (SELECT edit, share FROM unnest('{replaced,inserted,deleted}'::text[]) edit, unnest('{.01,.05,.1,.15,.25}'::float8[]) share
                   UNION ALL SELECT unnest('{a sentence in front,a sentence in the middle,a sentence at the end,the first paragraph moved,the first paragraph rewritten}'::text[]), NULL) e) w
  JOIN vocabulary v ON v.nr = floor(chance(edit || text || '-' || i) * (SELECT count(*) FROM vocabulary))::int
GROUP BY size, text, edit, share;
CREATE TABLE edit_texts AS SELECT size, text, string_agg(word, ' ' ORDER BY i) AS body FROM words GROUP BY size, text;
CREATE TABLE edit_shares AS
SELECT size, edit, share, (SELECT count(*) FROM simhash_duplicates(format('SELECT text, body FROM edit_texts WHERE size = %1$s UNION ALL SELECT 200 + text, body FROM edits WHERE (size, edit) = (%1$s, %2$L) AND share IS NOT DISTINCT FROM %3$L::float8', size, edit, share))
                           WHERE id = original + 200) / count(*)::float8 AS found
FROM edits GROUP BY size, edit, share;
SELECT E'\n## Edits by rule\n\nShare of edited texts that are found, by share of words\n\n| words | edit | 1% | 5% | 10% | 15% | 25% |\n|---|---|---|---|---|---|---|' WHERE EXISTS (SELECT FROM edits);
SELECT format('| %s | %s | %s |', size, edit, string_agg(to_char(found, 'FM0.00'), ' | ' ORDER BY share)) FROM edit_shares WHERE share IS NOT NULL GROUP BY size, edit ORDER BY size, edit DESC;
SELECT E'\n| edit | 100 words | 400 words |\n|---|---|---|' WHERE EXISTS (SELECT FROM edits);
SELECT format('| %s | %s |', edit, string_agg(to_char(found, 'FM0.00'), ' | ' ORDER BY size)) FROM edit_shares WHERE share IS NULL GROUP BY edit ORDER BY edit;

-- Short texts with one edit of a word
CREATE TABLE short_texts AS
SELECT kind, row_number() OVER (PARTITION BY kind ORDER BY body)::int AS n, body
FROM (SELECT DISTINCT kind, body FROM generate_series(1, 200) n, LATERAL (VALUES
        ('names', person('n' || n) || ', ' || person('m' || n) || ' and sons, ' || city('n' || n)),
        ('titles of products', format('%s %s %s for %s, %s, with %s and %s', employer('t' || n), pick('table|lamp|chair|sofa|shelf|bed|desk|mirror', 't' || n), pick('Nora|Olaf|Pia|Rolf|Sven|Tove|Ulla|Ylva', 'u' || n), pick('garden|kitchen|office|bedroom|balcony|hall', 'v' || n), pick('oak|beech|pine|steel|glass|cork|walnut', 'w' || n), pick('drawers|wheels|cushions|hooks|a cover', 'x' || n), pick('a guarantee|free delivery|spare parts|assembly', 'y' || n))),
        ('quotations', sentence('z' || n))) k (kind, body)
      UNION ALL
      (SELECT 'summaries', body FROM (SELECT DISTINCT ON (document) document, array_to_string(words, ' ') AS body FROM paragraphs WHERE cardinality(words) < 25 ORDER BY document, nr) p
       GROUP BY body ORDER BY md5(body) LIMIT 200)) t;
CREATE TABLE short_edits AS
SELECT kind, n, edit, array_to_string(words[:place - 1] || CASE edit WHEN 'a typo' THEN left(word, 1) || reverse(substr(word, 2, 2)) || substr(word, 4) WHEN 'a word replaced' THEN other ELSE word || ' ' || other END || words[place + 1:], ' ') AS body
FROM (SELECT *, split_part(thing(kind || n), ' ', 2) AS other, (SELECT i FROM unnest(words) WITH ORDINALITY w (word, i) WHERE word ~ '^[[:alpha:]]{4,}$' AND substr(word, 2, 1) <> substr(word, 3, 1) ORDER BY chance(kind || n || i) LIMIT 1)::int AS place
      FROM (SELECT *, string_to_array(body, ' ') AS words FROM short_texts) t) t, LATERAL (SELECT words[place] AS word) w, unnest('{a typo,a word replaced,a word inserted}'::text[]) edit
WHERE place > 0;
SELECT E'\n## Short texts\n\nShare of the edits that are the same document / that are found, and of different texts that are marked\n\n| texts | a typo | a word replaced | a word inserted | different |\n|---|---|---|---|---|';
SELECT format('| %s %s | %s | %s |', (SELECT count(*) FROM short_texts t WHERE t.kind = k.kind), kind, string_agg(same || ' / ' || found, ' | ' ORDER BY nr),
              (SELECT count(*) FROM simhash_duplicates(format('SELECT n, body FROM short_texts WHERE kind = %L', kind))))
FROM (SELECT kind, edit, array_position('{a typo,a word replaced,a word inserted}', edit) AS nr, to_char(avg(simhash_same_document(t.body, e.body)::int), 'FM0.00') AS same,
             to_char((SELECT count(*) FROM simhash_duplicates(format('SELECT n, body FROM short_texts WHERE kind = %1$L UNION ALL SELECT 200 + n, body FROM short_edits WHERE (kind, edit) = (%1$L, %2$L)', kind, edit))
                      WHERE id = original + 200) / count(*)::float8, 'FM0.00') AS found
      FROM short_texts t JOIN short_edits e USING (kind, n) GROUP BY kind, edit) k
GROUP BY kind ORDER BY kind;
