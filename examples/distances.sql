-- A plot of the distances of a table's fingerprints, as SVG.  measurements.md says how to read
-- it.  This command makes it:
--
--   psql -XAtq -v fps='SELECT fp FROM docs ORDER BY random() LIMIT 20000' -f distances.sql >distances.svg
--
-- fps is a query of fingerprints of type simhash.  For bit strings add -v calibrate=bit_calibrate.
\set ON_ERROR_STOP 1
\if :{?calibrate}
\else
\set calibrate simhash_calibrate
\endif

-- The axis of pairs is logarithmic and begins at half a pair.
WITH counts AS (SELECT distance, pairs, expected,
                       log(greatest(2 * pairs, 1)) AS height, log(greatest(2 * expected, 1)) AS expected_height
                FROM :calibrate(ARRAY(:fps))),
plot AS (
  SELECT 640.0 / (max(distance) + 1) AS step, max(distance) AS bits, sum(pairs) AS all_pairs,
         greatest(log(greatest(2 * max(greatest(pairs, expected)), 1)), 1) AS decades
  FROM counts)
SELECT '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 350" font-family="sans-serif" font-size="12">'
       '<rect width="740" height="350" fill="white"/>'
UNION ALL
SELECT format('<text x="70" y="20">pairs at each distance (%s in all); line: random fingerprints</text>', all_pairs) FROM plot
UNION ALL
SELECT format('<path d="M70 %s H710" stroke="#ddd"/><text x="62" y="%s" text-anchor="end">%s</text>',
              round((300 - 260 / decades * log(2 * 10.0 ^ n))::numeric, 1), round((304 - 260 / decades * log(2 * 10.0 ^ n))::numeric, 1),
              (10::numeric ^ n)::bigint)
FROM plot, generate_series(0, decades::integer) n WHERE log(2 * 10.0 ^ n) <= decades
UNION ALL
SELECT format('<rect x="%s" y="%s" width="%s" height="%s" fill="#1f77b4"/>', round((70 + step * distance)::numeric, 1),
              round((300 - 260 / decades * height)::numeric, 1), round((step * 0.8)::numeric, 1), round((260 / decades * height)::numeric, 1))
FROM counts, plot WHERE pairs > 0
UNION ALL
SELECT format('<polyline fill="none" stroke="#ff7f0e" stroke-width="1.5" points="%s"/>',
              string_agg(format('%s,%s', round((70 + step * (distance + 0.4))::numeric, 1),
                                round((300 - 260 / decades * expected_height)::numeric, 1)), ' ' ORDER BY distance))
FROM counts, plot
UNION ALL
SELECT format('<text x="%s" y="318" text-anchor="middle">%s</text>', round((70 + step * (n + 0.4))::numeric, 1), n)
FROM plot, generate_series(0, bits, bits / 16) n
UNION ALL
SELECT '<path d="M70 300 H710" stroke="black"/><text x="390" y="340" text-anchor="middle">distance</text></svg>';
