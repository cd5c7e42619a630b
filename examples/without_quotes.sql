-- without_quotes(mail): what the writer of a mail has added. It removes
--
-- - headers at the beginning, up to the first empty line
-- - quoted lines, which begin with ">", and the lines before them that end with a colon ("On Tuesday Anna wrote:"): one
--   line, or up to three if the first has an address, a time or a year
-- - lines that begin with ")", "#", ":", "|", "}" or "%", if such a line follows "wrote:" or an address and a colon
-- - the signature below a line "-- ", and everything below a line "-----Original Message-----" or the lines "From:",
--   "Sent:", "To:" of Outlook
--
-- It does not know which lines are quoted if nothing marks them. Add the words of other languages to the patterns.
\set ON_ERROR_STOP on

CREATE FUNCTION without_quotes(mail text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT regexp_replace(regexp_replace(regexp_replace(body,
    '^(.*(@|\d:\d\d|\m(19|20)\d\d\M)(.*[^.!?:\s])?[ \t]*\n(.*[^.!?:\s][ \t]*\n)?)?.*[:：][ \t]*\n(?=[ \t\n]*' || quote || ')', '', 'gn'),
    '^[ \t]*' || quote || '.*$', '', 'gn'),
    '(^|\n)(-- ?|-{3,} ?(Original Message|Forwarded message) ?-{3,}[ \t]*|(_{5,}[ \t]*\n\s*)?'
      '\*?(From|Von|De|Da|Van|Från|Fra|Od|От|Kimden|发件人|寄件者|差出人|보낸 사람) ?[:：][^\n]*(\n[^\n:：]{2,25}[:：][^\n]*){2,})(\n.*|$)', '')
  FROM regexp_replace(replace(mail, E'\r', ''), '^(From |((Return-Path|Received|Delivered-To|Message-ID|Date|From|To|Cc|Subject|'
      'Reply-To|Organization|Newsgroups|Path|Xref|MIME-Version|Content-Type|X-[A-Za-z-]+): ))[^\n]*\n([^\n]+\n)*', '', 'i') body,
    LATERAL (SELECT '([)#:|}%<]?>' || coalesce('|[' || string_agg(DISTINCT sign[2], '') || ']', '') || ')' FROM regexp_matches(body,
      '(@|wrote|writes|said|schrieb|schreibt|écrit|escribió|scritto|escreveu|schreef|skrev|пишет|написал|写道|書きました)'
      '[^\n]*[:：][ \t]*\n[ \t\n]*([)#:|}%])', 'g') sign) q (quote);
END;
