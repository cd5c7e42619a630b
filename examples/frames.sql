-- Videos as sets of frames, clips of a video, and audio recordings, by the hashes of their parts.  A set may also be a
-- picture with its crops.  Store a row for each member: no index searches the elements of an array such as bit(256)[].
--
-- * A search takes as long as a lookup for each member of the set.
-- * Do not store members that most sets have, such as black frames and silence.
-- * To group the frames of all videos, use simhash_clusters with the method 'star', not pairs.
-- * For a set that is not stored, write unnest($1::bit(256)[]) WITH ORDINALITY q (hash, n) in the place of the table q.
\set ON_ERROR_STOP on

CREATE TABLE frames (video integer, n integer, hash bit(256));
CREATE INDEX ON frames USING bitblock (hash);
CREATE INDEX ON frames (video);

-- Black frames
DELETE FROM frames WHERE bit_count(hash) NOT BETWEEN 32 AND 224;

-- Find the videos that share at least 30 frames with video 1: how many frames of video 1, and how many of their own.
-- Without DISTINCT a still scene counts its frames times those of the other video.
SELECT f.video, count(DISTINCT q.n) AS of_this, count(DISTINCT f.n) AS of_that
FROM frames q JOIN frames f ON f.hash <-> q.hash <= 31
WHERE q.video = 1 AND f.video <> 1
GROUP BY f.video HAVING count(DISTINCT q.n) >= 30 ORDER BY of_this DESC;

-- The query above ignores the order of frames, so it also finds a video that runs backwards.  In a copy or a clip,
-- matching frames have the same offset: find the best offset of each video.
SELECT DISTINCT ON (f.video) f.video, f.n - q.n AS starts_at, count(*) AS frames
FROM frames q JOIN frames f ON f.hash <-> q.hash <= 31
WHERE q.video = 1 AND f.video <> 1
GROUP BY f.video, f.n - q.n HAVING count(*) >= 30 ORDER BY f.video, frames DESC;

-- Audio: Chromaprint (fpcalc -raw -signed) makes an array of 32-bit integers, about eight for each second.  Single
-- integers match by chance, so index three in a row, without silence, and search by offset as well.
CREATE TABLE recordings (id integer PRIMARY KEY, fp integer[] NOT NULL);
CREATE TABLE sounds (recording integer, n integer, hash bit(96));
INSERT INTO sounds
SELECT id, i, (fp[i]::bit(32) || fp[i + 1]::bit(32) || fp[i + 2]::bit(32))::bit(96)
FROM recordings, generate_series(1, cardinality(fp) - 2) i;
DELETE FROM sounds WHERE bit_count(hash) NOT BETWEEN 12 AND 84;
CREATE INDEX ON sounds USING bitblock (hash);
SELECT DISTINCT ON (s.recording) s.recording, s.n - q.n AS starts_at, count(*) AS sounds
FROM sounds q JOIN sounds s ON s.hash <-> q.hash <= 12
WHERE q.recording = 1 AND s.recording <> 1
GROUP BY s.recording, s.n - q.n HAVING count(*) >= 40 ORDER BY s.recording, sounds DESC;
