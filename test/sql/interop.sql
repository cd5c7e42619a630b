-- Values of other programs; see examples/interop.sql for where they come from.  interop_1.out is that of a database
-- with the locale C, in which lower() changes ASCII only.
\set ECHO none
\i examples/interop.sql
\set ECHO all
-- Python: simhash
SELECT simhash_from_features(ARRAY[md5_low('aaa'), md5_low('bbb')])::numeric = 57087923692560392 AS published;
SELECT python_simhash('How are you? I AM fine. Thanks. And you?')::numeric = 13831624873712969754 AS text,
       python_simhash('How are you? I Am fine. ablar ablar xyz blar blar blar blar blar blar blar Thanks.')::numeric = 17591554865737636986 AS repeated,
       python_simhash('你好　世界！　　呼噜。')::numeric = 15820109506574984036 AS chinese, python_simhash('aa')::numeric = 607744856545708306 AS short,
       python_simhash('Dès Noël, la la la: où un ZÉPHYR')::numeric = 6562893578321713271 AS accents;
SELECT simhash_from_features(ARRAY[md5_low('apple'), md5_low('pear'), md5_low('plum')], ARRAY[3, 1, 60])::numeric = 17204836707302027444 AS weights,
       simhash_from_features(ARRAY[md5_low('apple'), md5_low('pear'), md5_low('plum')], ARRAY[0.5, 1.25, 0.125])::numeric = 12356473792682631867 AS fractions;
-- characters of words: numbers, marks, letter case; computed by the package's definition in Python
SELECT name, python_simhash(body)::numeric = value AS same FROM (VALUES
  ('superscript', 'Area in m², volume in m³', 14531589390597263087),
  ('fraction', 'Take ½ cup and ¾ spoon', 7043885085265440176),
  ('circled', 'See ① and ② below', 14318176053201116298),
  ('letters in circles', 'Grade Ⓐ and ⓑ here', 16772078292411819102),
  ('hindi', 'सभी मनुष्यों को गौरव', 9002642522925048191),
  ('arabic', 'يُولَدُ جَمِيعُ النَّاسِ', 5575546812259383430),
  ('dotted', 'İSTANBUL ve İZMİR', 9676899077736697857),
  ('sigma', 'ΟΔΟΣ ΣΟΦΙΑΣ', 16641401752175601767),
  ('numeral', 'Kapitel Ⅻ, 〇〇七', 3236719331071043111)) v(name, body, value);
-- f = 128, and f = 256 with sha256
SELECT simhash_bits_from_features(ARRAY[md5_bits('aaa'), md5_bits('bbb')]) = bit_from_hex('00b8e0060c40010000cad12a04a8e008') AS given,
       python_simhash_128('How are you? I AM fine. Thanks. And you?') = bit_from_hex('dba05dd58a01dc01bff3cd8a201e681a') AS text, python_simhash_128('你好　世界！　　呼噜。') = bit_from_hex('6d356c71b9e2e4e1db8c51c7172ea364') AS chinese,
       python_simhash_128('aa') = bit_from_hex('4124bc0a9335c27f086f24ba207a4912') AS short, python_simhash_256('How are you? I AM fine. Thanks. And you?') = bit_from_hex('750d5b1d500bc0b49dbb633692629486d5e20f8d7f1a93b84c0a7b6b23fa6049') AS sha256;
SELECT simhash_bits_from_features(ARRAY[md5_bits('apple'), md5_bits('pear'), md5_bits('plum')], ARRAY[3, 1, 60]) = bit_from_hex('3e042037287d6871eec3dbd48556b0b4') AS weights,
       simhash_bits_from_features(ARRAY[md5_bits('apple'), md5_bits('pear'), md5_bits('plum')], ARRAY[0.5, 1.25, 0.125]) = bit_from_hex('8893dc16b1b2534bab7b03727145a2bb') AS fractions;
-- Python: memosstilvi/simhash: its code run by Python 2.7, and translated by 2to3 and run by Python 3
SELECT memosstilvi_simhash('The quick, brown fox; jumps over the lazy dog the END') = 1140603112621958863::numeric::simhash::bit(64) || 2955324537966857047::numeric::simhash::bit(64) AS text,
       memosstilvi_simhash('a b c a') = 630879674803795624::numeric::simhash::bit(64) || 3585877276621997601::numeric::simhash::bit(64) AS repeated;
SELECT name, memosstilvi_simhash(body) = bit_from_hex(folded) AS python3, memosstilvi_simhash(body, false) = bit_from_hex(kept) AS case_kept, memosstilvi_simhash(body, python2 => true) = bit_from_hex(bytes) AS python2
FROM (VALUES
  ('ascii', 'The quick, brown fox; jumps over the lazy dog the END', '0fd43c7cdd8966cf29036c0261828b57', '0ff43cf8cd8b264c2d03672230c8db1f', '0fd43c7cdd8966cf29036c0261828b57'),
  ('letters', U&'\00C9T\00C9 \00E9t\00E9 \00C9t\00E9,a\00A0B \0391\03A3;\0130 A\3000b', '9eeb7fbed6b2a6e872c39ce6633556c3', 'deed773ee6732cc811031dff6a3c1769', '5db1eb0f02712ccc42250addf9045205'),
  ('U+3000', U&'\4F60\597D\3000\4E16\754C\3000\4F60\597D\FF0C\518D\89C1', '548e7b94891b0ffa9fac6a275ee0cb53', '548e7b94891b0ffa9fac6a275ee0cb53', '882c99cdbdfb0ff6c2cb35f635388790'),
  ('U+0085', U&'one\0085two\0085two', 'b8a9f715dbb64fd5c56e7783c6820a61', 'b8a9f715dbb64fd5c56e7783c6820a61', '6cc7879417a10396ae643ea2d550a263'),
  ('U+001C', U&'a\001Cb\001Db\001Ec\001Fc', '0acb5df8c4b7b7ac31c7987261335723', '0acb5df8c4b7b7ac31c7987261335723', '4c7e25097267efb224f67df7445be60b'),
  ('U+2028', U&'p\2028q\2029q\202Fr\205Fr', '4387b4a66316249c8c9d909997bdc039', '4387b4a66316249c8c9d909997bdc039', '28a29186638193417ac3e795bcee4f40'),
  ('no space', U&'zero\200Bwidth \FEFFbom\180Ea', '0069a4158002b6081a01042040003002', '0069a4158002b6081a01042040003002', '0069a4158002b6081a01042040003002'),
  ('sigma', 'ΟΔΟΣ ΣΟΦΙΑΣ ΟΔΟΣ, Σ', '1822065c4aae2732203133a182496943', '212c402414052563e9007d3040b849f0', '212c402414052563e9007d3040b849f0'),
  ('dotted', U&'\0130STANBUL \0130zmir', '43070c0018411020002d40800804480a', '400851a0800111000004243102011004', '4010152085833210c10c24b119011024'),
  ('separators', ' ;,', repeat('0', 32), repeat('0', 32), repeat('0', 32)),
  ('spaces', U&'\3000\0085', repeat('0', 32), repeat('0', 32), '525fdf544aef2191645fc3a84471eb0d')) v(name, body, folded, kept, bytes);
-- 300 texts of all white space and some letters
SELECT md5(string_agg(bit_to_hex(memosstilvi_simhash(body)), '' ORDER BY n)) = '0dc157ff00fc2d2952cc86c6f05962bc' AS python3, md5(string_agg(bit_to_hex(memosstilvi_simhash(body, false)), '' ORDER BY n)) = 'c22cb3d7c24bf316e865a4ec8b90f27f' AS case_kept,
       md5(string_agg(bit_to_hex(memosstilvi_simhash(body, python2 => true)), '' ORDER BY n)) = 'a8acd529a561a7355bc318bb8b56d423' AS python2
FROM (SELECT n, string_agg(substr(letters, (n * i * 7919 + i * i * 31 + n) % length(letters) + 1, 1), '' ORDER BY i) AS body
      FROM generate_series(1, 300) n, generate_series(1, 40) i,
           (VALUES (U&'\0009\000A\000B\000C\000D\001C\001D\001E\001F\0020\0085\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000abcABC\00E9\00C9\4E2D\6587\00DF\03A9\+01F418,;\200B\FEFF')) l(letters)
      GROUP BY n) t;
-- Hash of Python 2: the bit set if the sum is >= 0, if it is > 0, weights
SELECT python2_hash('This')::simhash::numeric = 16941889635240049352 AS hash, python2_hash('人人') = 2579727462609182998 AS chinese, python2_hash('a') = 12416037344 AS one, python2_hash('') = 0 AS empty;
SELECT right(bit_to_hex(python2_hash_256('This')), 32) = '0000000022bdf3e6eb1daedc7c5afac8' AS hash_128, right(bit_to_hex(python2_hash_256('人人')), 32) = '000000000000000023cd08759223e116' AS chinese, right(bit_to_hex(python2_hash_256('a')), 32) = '000000000000000000000002e40db1e0' AS one, python2_hash_256('') = 0::bit(256) AS empty,
       python2_simhash_128('{This,is,a,test}') = bit_from_hex('0000000022b82006201dafbeecdcf7e8') AS words, python2_simhash_128(string_to_array('This is a test string for testing', ' ')) = bit_from_hex('0000000020302202800d8e90e45cc488') AS odd;
-- the Java class: all widths, characters beyond the first plane
SELECT nr, substring(fp FROM 241) = bit_from_hex(h16) AS "16", substring(fp FROM 225) = bit_from_hex(h32) AS "32", substring(fp FROM 193) = bit_from_hex(h64) AS "64", substring(fp FROM 161) = bit_from_hex(h96) AS "96",
       python2_simhash_128(string_to_array(words, ' '), utf16 => true) = bit_from_hex(right(h256, 32)) AS "128", fp = bit_from_hex(h256) AS "256"
FROM (VALUES
  (1, 'This is a test string for testing', 'c488', 'e45cc488', '800d8e90e45cc488', '20302202800d8e90e45cc488', '000000000000000000000000000000000000000020302202800d8e90e45cc488'),
  (2, '🐘 elephant 大象 𠮷野家 👩‍👩‍👧 plain', 'd9ef', '4fc8d9ef', '79dd73f74fc8d9ef', '7150005079dd73f74fc8d9ef', '00000000000000000000000000000000000040507150005079dd73f74fc8d9ef'),
  (3, 'cz字中𠮷字b字a y文xx🐘中文ß 中é𠮷ßcx𠮷cß é🐘a𠮷𝄞bc𝄞字', '7ef7', 'efed7ef7', 'd07ff5d9efed7ef7', '87dbd57dd07ff5d9efed7ef7', '0001622c80a64d1af73ebddf75faedfa73fe7d5587dbd57dd07ff5d9efed7ef7'),
  (4, '𝄞aßßy', '98dc', '55c298dc', '7a6bc68f55c298dc', '62d216417a6bc68f55c298dc', '00000000000000000000000000005153fa6e1e6d62d216417a6bc68f55c298dc')) v(nr, words, h16, h32, h64, h96, h256),
  python2_simhash_256(string_to_array(words, ' '), utf16 => true) fp ORDER BY nr;
SELECT md5(string_agg(bit_to_hex(python2_simhash_128(words, utf16 => true)), '' ORDER BY n)) = 'bb0b6a83dcb3881845418ed07ee63094' AS hashbits_128, md5(string_agg(bit_to_hex(python2_simhash_256(words, utf16 => true)), '' ORDER BY n)) = '90d3ab47f76df2451bca11d63047f2a3' AS hashbits_256
FROM (SELECT n, regexp_split_to_array(btrim(string_agg(substr(letters, (n * i * 7919 + i * i * 31 + n) % length(letters) + 1, 1), '' ORDER BY i)), ' +') AS words
      FROM generate_series(1, 100) n, generate_series(1, 30) i, (VALUES ('abcxyzé中文字𠮷🐘𝄞ß   ')) l(letters) GROUP BY n) t;
-- strSimHash, and subByDistance for the distances 3, 4 and 1: a block that reaches beyond the highest set bit is missing
SELECT value, reverse(fp::bit(64)::text) = str AS str_sim_hash, reverse(str)::simhash = fp AS back,
       (SELECT array_agg(substring(str FROM i FOR 16)::bit(16)::integer ORDER BY i) FROM generate_series(1, length(rtrim(str, '0')) - 15, 16) i) = by_3 AS "3",
       (SELECT array_agg(substring(str FROM i FOR 12)::bit(12)::integer ORDER BY i) FROM generate_series(1, length(rtrim(str, '0')) - 11, 12) i) = by_4 AS "4",
       (SELECT array_agg(substring(str FROM i FOR 32)::bit(32)::bigint ORDER BY i) FROM generate_series(1, length(rtrim(str, '0')) - 31, 32) i) = by_1 AS "1"
FROM (VALUES
  (9227187964509734024, '0001000100100011001110100010011100001001011100011011000000000001', '{4387,14887,2417,45057}'::int[], '{274,826,624,2417,2816}'::int[], '{287521319,158445569}'::bigint[]),
  (8781302354475014639, '1111011110011011000100111111001011101111110011101011101110011110', '{63387,5106,61390}', '{3961,2835,3886,4046,3001}', '{4154135538}'),
  (18530022950632927, '1111101110111111011001011101010010101111001010111000001000000000', '{64447,26068,44843}', '{4027,3941,3402,3883}', '{4223624660}')) v(value, str, by_3, by_4, by_1),
  LATERAL (SELECT value::numeric::simhash) f(fp);
SELECT utf16_units('a🐘人') = '{97,55357,56344,20154}' AS units, python2_hash('🐘 elephant', utf16 => true) = -3327653168740599915 AS java, python2_hash('🐘 elephant') = 2430786965642302877 AS characters, python2_hash('This', utf16 => true) = python2_hash('This') AS plain;
SELECT (~ simhash_weighted_agg(python2_hash(w), -1)::bit(64))::simhash::numeric = 2314199018090854376 AS java, simhash_agg(python2_hash(w))::numeric = 3710303667265928 AS python FROM unnest(ARRAY['This', 'is', 'a', 'test']) w;
SELECT simhash_weighted_agg(python2_hash(w), trunc(weight * 20)::float8)::numeric = 4257049574928391693 AS weights FROM (VALUES ('人人', 0.73), ('自由', 1.31), ('平等', 0.4)) v(w, weight);
SELECT '1000010010101101111111100000101011010001001111100001001011001011'::simhash <-> '1000010010101101011111100000101011010001001111100001101010001011' AS published_pair;
-- C++ and Go: yanyiwu/simhash
SELECT bool_and(jenkins_hash(s)::simhash::numeric = h) AS hash
FROM (VALUES ('', 16045690984833335023), ('a', 6401452390262130604), ('keyword', 3909247194947719712), ('twelve bytes', 6447910906373180544), ('thirteen byte', 5681031415966718438),
             ('人权', 3289381791573261584), ('a string of some thirty bytes.', 11754306851609006120)) v(s, h);
SELECT simhash_weighted_agg(jenkins_hash(w), weight)::numeric = 5807419016437874343 AS keywords FROM (VALUES ('自由', 11.7392), ('平等', 8.0021), ('尊严', 7.5), ('权利', 6.25), ('人人生而', 3.1)) v(w, weight);
SELECT simhash_from_features(ARRAY[15142046212652221781::numeric::simhash::bigint, 2117559126361955906, 14814508906697812479::numeric::simhash::bigint, 13004687738940023035::numeric::simhash::bigint, 18264030747823598625::numeric::simhash::bigint],
  ARRAY[318.452, 151.001, 140.87, 106.978, 103.739])::numeric = 15286165794479097173 AS published;
-- C++: seomoz/simhash-cpp
SELECT simhash_from_features(ARRAY['0123456789abcdef'::simhash::bigint, 'fedcba9876543210'::simhash::bigint, 'aaaaaaaaaaaaaaaa'::simhash::bigint])::numeric = 12297829382473034410 AS hashes, simhash_from_features('{1,2,3,4}'::bigint[])::numeric = 0 AS ties;
-- ClickHouse
SELECT clickhouse_ngram_simhash('what a cute cat.')::numeric = 130877626 AS published, clickhouse_ngram_simhash('')::numeric = 18446744073709551615 AS empty,
       clickhouse_hash('123456789') # 4294967295 = 3808858755 AS crc32c_check_value;
-- the examples of its documentation
\set t '''ClickHouse® is a column-oriented database management system (DBMS) for online analytical processing of queries (OLAP).'''
SELECT clickhouse_ngram_simhash('ClickHouse')::numeric = 1627567969 AS ngram, clickhouse_ngram_simhash('ClickHouse', fold => true)::numeric = 562180645 AS ngram_folded,
       clickhouse_ngram_simhash_utf8('ClickHouse')::numeric = 1628157797 AS utf8, clickhouse_ngram_simhash_utf8('ClickHouse', fold => true)::numeric = 1636742693 AS utf8_folded;
SELECT clickhouse_word_simhash(:t)::numeric = 2328277067 AS words, clickhouse_word_simhash(:t, fold => true)::numeric = 2194812424 AS words_folded,
       clickhouse_word_simhash('a, b') AS no_words, clickhouse_ngram_simhash_utf8('abc') AS one_ngram;
DROP FUNCTION md5_low, md5_bits, python_lower, python_word_characters, utf16_units, python_features, python_simhash, python_simhash_128, python_simhash_256, memosstilvi_simhash, python2_hash, python2_hash_256, python2_simhash_256, python2_simhash_128, jenkins_hash, clickhouse_hash, clickhouse_ngram_simhash, clickhouse_ngram_simhash_utf8, clickhouse_word_simhash;
