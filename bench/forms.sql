-- Which documents of one form the rule takes for one document, and which revisions it keeps.  quality.sh runs this
-- script.  Documents are made by rule: 200 of each form, and four revisions of each document.
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
  ('statements', 'Account statement', format('Account %s of %s. The balance on the last day of the month was %s.%s EUR after %s bookings. This statement was made by a machine and is valid without a signature. Please check it and inform your branch within six weeks if something is wrong, because afterwards it counts as accepted. Deposits are protected by the scheme of the German banks up to the legal limit.', 400000 + n * 7, person('s' || n), number(10, 9000, 's' || n), number(10, 99, 't' || n), number(2, 60, 's' || n)))
) f (form, title, body);

-- Revisions: two letters exchanged, .5 % other characters as a scan has them, a sentence more, a word changed
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
SELECT form, bool, count(*) AS n FROM (SELECT DISTINCT form FROM form_texts) f, (VALUES (true), (false)) v (bool),
  LATERAL simhash_duplicates(CASE WHEN bool THEN format('SELECT id, title, body FROM form_texts WHERE form = %L', form) ELSE format('SELECT id, minhash_bits(body), whole(title, body) FROM form_texts WHERE form = %L', form) END) d WHERE d.kind = 'revision' GROUP BY 1, 2;
\t on
\pset format unaligned
SELECT E'\n## Forms\n\nOf 200 documents of each form: near pairs of different documents, documents that are marked as a revision of another one (also with the titles as a column), and the share of revisions that the rule takes for the same document\n';
SELECT '| form | near pairs | marked | with titles | two letters exchanged | scan | a sentence more | a word changed |' || E'\n|---|---|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s | %s | %s |', form, (SELECT count(*) FROM form_texts a JOIN form_texts b ON a.form = b.form AND a.id < b.id AND minhash_bits(a.body) % minhash_bits(b.body) WHERE a.form = f.form),
  coalesce((SELECT n FROM marked m WHERE m.form = f.form AND NOT bool), 0), coalesce((SELECT n FROM marked m WHERE m.form = f.form AND bool), 0),
  (SELECT string_agg(to_char(share, 'FM0.00'), ' | ' ORDER BY nr) FROM (SELECT array_position(ARRAY['two letters exchanged', 'scan', 'a sentence more', 'a word changed'], kind) AS nr, avg(simhash_same_document(whole(title, body), whole(title, revised))::int) AS share FROM form_revisions r WHERE r.form = f.form AND revised <> body GROUP BY 1) s))
FROM (SELECT DISTINCT form FROM form_texts) f ORDER BY form;
