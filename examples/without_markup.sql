-- without_markup(markup): a text without the signs of Markdown, BBCode and terminals, and without long blocks that have no
-- words. It removes
--
-- - the colours and other sequences of terminals
-- - data: URIs, and what is encoded in Base64 or hexadecimal digits: 60 and more letters, digits, "+" and "/" in a row
-- - images, and the addresses of links: ![pier](a.png) becomes nothing, and [the pier](a.html) the pier
-- - tags of BBCode, such as [b] and [url=...]. [quote], [code], [list], [*] and similar ones become a space
-- - at the beginning of lines, the signs of headings, lists and quotations; lines without words, such as those below
--   headings and between rows of a table
-- - **, ~~, `, and * and _ at the beginning or end of words. "|" becomes a space. 2*3 and a_b stay
--
-- Call it as without_tags(without_markup(body)) if the text contains HTML.
\set ON_ERROR_STOP on

CREATE FUNCTION without_markup(markup text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
  regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(markup,
    '\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\|$)|'
    'data:[a-z]+/[a-z0-9.+-]+[a-z0-9=;-]*,[a-z0-9+/=%._~!$&*-]*(\s+[a-z0-9+/]{60,})*(\s+[a-z0-9+/]+=+)?|'
    '[a-z0-9+/]{60,}=*(\s+[a-z0-9+/]{60,}=*)*(\s+[a-z0-9+/]+=+)?|'
    '\[/?(b|i|u|s|url|img|email|size|color|font|sub|sup|left|right|indent)([= ][^][\n]*)?\](?!\()', '', 'gi'),
    '\[/?(quote|code|list|\*|li|ul|ol|table|tr|td|th|center|spoiler|hr)([= ][^][\n]*)?\](?!\()|\|', ' ', 'gi'),
    '!\[[^][]*\](\([^()\n]*(\([^()\n]*\)[^()\n]*)*\)|\[[^][\n]*\])|^ {0,3}\[[^][\n^][^][\n]*\]:[ \t]+\S+.*$', '', 'gn'),
    '\[([^][]*)\](\([^()\n]*(\([^()\n]*\)[^()\n]*)*\)|\[[^][\n]*\])', '\1', 'g'),
    '^([ \t]*([-+*>•]|#{1,6}|\d{1,3}[.)])(?=\s))+|^[ \t]*(```|~~~).*$|^[-=*_: \t]{3,}$|'
    '\*\*(?!\d)|~~|`|(?<![\w*_])[*_]+(?=\w)|(?<=\S)[*_]+(?![\w*_])', '', 'gn');
