-- Values of other programs; see doc/interop.md for where they come from.
\set ECHO none
\i doc/interop.sql
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
-- Python: memosstilvi/simhash
SELECT memosstilvi_simhash('The quick, brown fox; jumps over the lazy dog the END') = 1140603112621958863::numeric::simhash::bit(64) || 2955324537966857047::numeric::simhash::bit(64) AS text,
       memosstilvi_simhash('a b c a') = 630879674803795624::numeric::simhash::bit(64) || 3585877276621997601::numeric::simhash::bit(64) AS repeated;
SELECT memosstilvi_simhash('The quick, brown fox; jumps over the lazy dog the END', fold_case => false) = bit_from_hex('0ff43cf8cd8b264c2d03672230c8db1f') AS letter_case, bit_to_hex(memosstilvi_simhash(' ;,')) AS empty,
       memosstilvi_simhash(U&'\00C9T\00C9 \00E9t\00E9 \00C9t\00E9,a\00A0B \0391\03A3;\0130 A\3000b') = bit_from_hex('5db1eb0f02712ccc42250addf9045205') AS bytes;
-- Hash of Python 2: the bit set if the sum is >= 0, if it is > 0, weights
SELECT python2_hash('This')::simhash::numeric = 16941889635240049352 AS hash, python2_hash('人人') = 2579727462609182998 AS chinese, python2_hash('a') = 12416037344 AS one, python2_hash('') = 0 AS empty;
SELECT python2_hash_128('This') = bit_from_hex('0000000022bdf3e6eb1daedc7c5afac8') AS hash_128, python2_hash_128('人人') = bit_from_hex('000000000000000023cd08759223e116') AS chinese, python2_hash_128('a') = bit_from_hex('000000000000000000000002e40db1e0') AS one,
       python2_simhash_128('{This,is,a,test}') = bit_from_hex('0000000022b82006201dafbeecdcf7e8') AS words, python2_simhash_128(string_to_array('This is a test string for testing', ' ')) = bit_from_hex('0000000020302202800d8e90e45cc488') AS odd;
SELECT utf16_units('a🐘人') = '{97,55357,56344,20154}' AS units, python2_hash('🐘 elephant', utf16 => true) = -3327653168740599915 AS java, python2_hash('🐘 elephant') = 2430786965642302877 AS characters, python2_hash('This', utf16 => true) = python2_hash('This') AS plain;
SELECT (~simhash_agg(python2_hash(w), -1))::numeric = 2314199018090854376 AS java, simhash_agg(python2_hash(w))::numeric = 3710303667265928 AS python FROM unnest(ARRAY['This', 'is', 'a', 'test']) w;
SELECT simhash_agg(python2_hash(w), trunc(weight * 20)::float8)::numeric = 4257049574928391693 AS weights FROM (VALUES ('人人', 0.73), ('自由', 1.31), ('平等', 0.4)) v(w, weight);
SELECT '1000010010101101111111100000101011010001001111100001001011001011'::simhash <-> '1000010010101101011111100000101011010001001111100001101010001011' AS published_pair;
-- C++ and Go: yanyiwu/simhash
SELECT bool_and(jenkins_hash(s)::simhash::numeric = h) AS hash
FROM (VALUES ('', 16045690984833335023), ('a', 6401452390262130604), ('keyword', 3909247194947719712), ('twelve bytes', 6447910906373180544), ('thirteen byte', 5681031415966718438),
             ('人权', 3289381791573261584), ('a string of some thirty bytes.', 11754306851609006120)) v(s, h);
SELECT simhash_agg(jenkins_hash(w), weight)::numeric = 5807419016437874343 AS keywords FROM (VALUES ('自由', 11.7392), ('平等', 8.0021), ('尊严', 7.5), ('权利', 6.25), ('人人生而', 3.1)) v(w, weight);
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
DROP FUNCTION md5_low, md5_bits, python_word_characters, utf16_units, python_features, python_simhash, python_simhash_128, python_simhash_256, memosstilvi_simhash, python2_hash, python2_hash_128, python2_simhash_128, jenkins_hash, clickhouse_hash, clickhouse_ngram_simhash, clickhouse_ngram_simhash_utf8, clickhouse_word_simhash;
