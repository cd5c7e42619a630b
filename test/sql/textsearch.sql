-- Text search as the analyser: the lexemes are features.  Fingerprints are stored in people's tables:
-- never change a value here (those of the lexemes, not the dictionaries').
SELECT minhash_from_features(tsvector_to_array('fox:2A,5 jump:3B over')) AS min, simhash_from_features(tsvector_to_array('fox:2A,5 jump:3B over')) AS once,
       (SELECT simhash_weighted_agg(lexeme, coalesce(cardinality(positions), 1)) FROM unnest('fox:2A,5 jump:3B over'::tsvector)) AS frequency, minhash_from_features(tsvector_to_array('')) IS NULL AS empty;
CREATE TABLE stems (body text, fp bit(256) GENERATED ALWAYS AS (minhash_bits_from_features(tsvector_to_array(to_tsvector('english', body)))) STORED);
CREATE INDEX ON stems USING bitblock (fp);
INSERT INTO stems VALUES ('some words of text'), ('other words'), ('the of');
SET enable_seqscan = off;
SELECT body FROM stems WHERE fp % minhash_bits_from_features(tsvector_to_array(to_tsvector('english', 'Some word in texts')));
SELECT body FROM stems WHERE fp IS NULL;
RESET enable_seqscan;
DROP TABLE stems;
