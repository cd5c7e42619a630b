-- without_quotes(mail): what the writer of a mail has added. It removes
--
-- - headers at the beginning, up to the first empty line
-- - quoted lines, which begin with ">", and the line before them that ends with a colon ("On Tuesday Anna wrote:")
-- - the signature below a line "-- ", and everything below a line "-----Original Message-----"
--
-- Add the words of other languages to the last pattern.
\set ON_ERROR_STOP on

CREATE FUNCTION without_quotes(mail text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(replace(mail, E'\r', ''),
    '^(From |((Return-Path|Received|Delivered-To|Message-ID|Date|From|To|Subject|MIME-Version|X-[A-Za-z-]+): ))[^\n]*\n([^\n]+\n)*', '', 'i'),
    '^[^>]*:[ \t]*\n(?=[ \t\n]*>)', '', 'gn'),
    '^[ \t]*>.*$', '', 'gn'),
    '(^|\n)(-- ?|-{3,} ?(Original Message|Forwarded message) ?-{3,})\n.*', '')
$$;
