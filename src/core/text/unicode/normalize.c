/*-------------------------------------------------------------------------
 *
 * normalize.c
 *		Normalisation of any text; see normalize.h.
 *
 *-------------------------------------------------------------------------
 */
#include "normalize.h"
#include "numerals.h"
#include "unicode.h"

/*
 * Longest run of combining marks that is ordered in place, by insertion.  Text in
 * real languages has runs of up to four or so.
 */
#define SHORT_RUN 30

/* A batch has room for a short run and the characters of any one code point. */
#define BATCH_FULL (NORM_BATCH - SHORT_RUN - UNICODE_LONGEST_MAPPING)

#define NORM_CHAR(cp, kind) ((NormChar) (cp) | (NormChar) (kind) << 21)

/*
 * The mark that case folding turns into a letter, and the letter.  The mark is
 * folded after canonical ordering, which puts it last: no other mark has its
 * class, and no class is higher.
 */
#define YPOGEGRAMMENI_CCC 240
#define IOTA NORM_CHAR(0x03B9, CHAR_WORD)

#define IDEOGRAPHIC_ZERO 0x3007

#define NOT_UTF8 ' '			/* what a byte that is not UTF-8 counts as */

#define HANGUL_BASE 0xAC00
#define HANGUL_L_BASE 0x1100
#define HANGUL_V_BASE 0x1161
#define HANGUL_T_BASE 0x11A7
#define HANGUL_V_COUNT 21
#define HANGUL_T_COUNT 28

/* Continue to read at another place. */
static inline void
rewind_to(Normalizer *norm, const uint8_t *p)
{
	norm->checked = p;
	check_interrupts(norm->env);
}

/*
 * The characters of a code point with this value in the trie.  The function returns
 * their number and points *chars at them, either in the tables or in room, which
 * has 3 places.
 */
static inline int
expand(uint32_t cp, uint32_t value, const NormChar **chars, NormChar *room)
{
	int			kind = value & 7;

	*chars = room;
	switch (kind)
	{
		case CHAR_IGNORED:
			return 0;

		case CHAR_MAPPED:
			{
				const uint16_t *mapping = &unicode_mapping[value >> 3];

				*chars = &unicode_mapped[mapping[0]];
				return mapping[1] - mapping[0];
			}

		case CHAR_HANGUL:
			if (value != CHAR_HANGUL)
			{
				room[0] = NORM_CHAR(cp, CHAR_HANGUL);
				return 1;
			}
			else
			{
				uint32_t	s = cp - HANGUL_BASE;
				uint32_t	t = s % HANGUL_T_COUNT;
				uint32_t	lv = s / HANGUL_T_COUNT;

				room[0] = NORM_CHAR(HANGUL_L_BASE + lv / HANGUL_V_COUNT, CHAR_HANGUL);
				room[1] = NORM_CHAR(HANGUL_V_BASE + lv % HANGUL_V_COUNT, CHAR_HANGUL);
				room[2] = NORM_CHAR(HANGUL_T_BASE + t, CHAR_HANGUL);
				return t == 0 ? 2 : 3;
			}

		default:
			/* the class of a mark is in bits 8-15 */
			room[0] = NORM_CHAR(cp, kind) | value >> 8 << 24;
			return 1;
	}
}

/*
 * Return the character of a code point with this value in the trie, or 0 if it has none, several, or
 * a mark.  Most code points have one.
 */
static inline NormChar
single_character(uint32_t cp, uint32_t value)
{
	if (value < CHAR_MARK)
		return NORM_CHAR(cp, value);
	if ((value & 7) == CHAR_MAPPED)
	{
		const uint16_t *mapping = &unicode_mapping[value >> 3];
		NormChar	c = unicode_mapped[mapping[0]];

		if (mapping[1] - mapping[0] == 1 && NORM_CCC(c) == 0 && NORM_KIND(c) != CHAR_MARK)
			return c;
	}
	return 0;
}

/*
 * Decode the code point at p, before the end, and look it up.  Return its length in
 * bytes.
 */
static inline int
decode(const Normalizer *norm, const uint8_t *p, uint32_t *cp, uint32_t *value)
{
	int			length = utf8_decode(p, norm->end, cp);

	if (length == 0)
	{
		*cp = NOT_UTF8;
		*value = CHAR_SEPARATOR;
		return 1;
	}
	*value = unicode_value(norm->form, *cp);
	return length;
}

/* The marks that vanish after this character, as bits of unicode_bases. */
static uint32_t
vanishing_after(uint32_t base)
{
	size_t		n = sizeof(unicode_bases) / sizeof(unicode_bases[0]);
	size_t		i = 0;

	if (is_white_space(base))
		return UNICODE_AFTER_SPACE;
	while (i < n && base > unicode_bases[i].last)
		i++;
	return i < n && base >= unicode_bases[i].first ? unicode_bases[i].bits : 0;
}

/* Does the mark with this value in the trie vanish after this character? */
static inline bool
vanishes(uint32_t value, uint32_t base)
{
	uint32_t	bits;

	if ((value & 7) != CHAR_MARK)
		return false;
	bits = unicode_mark_bits[value >> 3 & 31];
	return (bits & UNICODE_VANISHES) != 0 || (bits & vanishing_after(base)) != 0;
}

/* Do the n characters of a code point with this value begin with a mark that vanishes somewhere? */
static inline bool
may_vanish(uint32_t value, const NormChar *chars, int n)
{
	return (value & 7) == CHAR_MARK ? (value >> 3 & 31) != 0 : n > 0 && NORM_CCC(chars[0]) != 0;
}

/*
 * Remove the marks that vanish after "base" from the beginning of the n characters of a code
 * point with this value.  Return the number of the others.
 */
static inline int
without_vanishing(const Normalizer *norm, uint32_t value, uint32_t base,
				  const NormChar **chars, int n, NormChar *room)
{
	int			n_left = 0;

	if ((value & 7) == CHAR_MARK)
		return vanishes(value, base) ? 0 : n;
	/* the few mappings that begin with a mark are marks, and are short */
	for (int i = 0; i < n; i++)
	{
		NormChar	c = (*chars)[i];

		if (!vanishes(unicode_value(norm->form, NORM_CODE_POINT(c)), base))
			room[n_left++] = c;
	}
	*chars = room;
	return n_left;
}

/* Are these the characters of a circle: a separator and the zero? */
static inline bool
is_circle(const NormChar *chars, int n)
{
	return n == 2 && NORM_CODE_POINT(chars[1]) == IDEOGRAPHIC_ZERO;
}

/*
 * Is the circle from p to "end" a zero?  Only white space and what vanishes may be between it and the
 * numeral.
 */
static bool
is_zero(Normalizer *norm, const uint8_t *p, const uint8_t *end)
{
	bool		found = p == norm->zero_end;
	size_t		steps = 0;

	while (!found && p > norm->start)
	{
		const uint8_t *behind = p;
		const NormChar *chars;
		NormChar	room[NORM_ROOM];
		uint32_t	cp = NOT_UTF8;
		int			n;

		for (p--; p > norm->start && behind - p < 4 && (*p & 0xC0) == 0x80; p--)
			;
		if (p + utf8_decode(p, behind, &cp) != behind)
		{
			cp = NOT_UTF8;
			p = behind - 1;
		}
		n = expand(cp, unicode_value(norm->form, cp), &chars, room);
		if (n > 0 && !is_white_space(cp))
		{
			if (!is_chinese_numeral(NORM_CODE_POINT(chars[n - 1])) || is_circle(chars, n))
				return false;
			found = true;
		}
		found = found || p == norm->zero_end;
		count_steps(norm->env, &steps, 1);
	}
	if (found)
		norm->zero_end = end;
	return found;
}

/* Of the two characters of a circle, leave the one that it is. */
static inline int
choose_zero(Normalizer *norm, const uint8_t *p, const uint8_t *end, const NormChar **chars)
{
	*chars += is_zero(norm, p, end);
	return 1;
}

/* Decode and expand the code point at *p, which follows "base", and advance *p. */
static int
next_expanded(const Normalizer *norm, const uint8_t **p, uint32_t base,
			  const NormChar **chars, NormChar *room)
{
	uint32_t	cp;
	uint32_t	value;
	int			n;

	*p += decode(norm, *p, &cp, &value);
	n = expand(cp, value, chars, room);
	if (may_vanish(value, *chars, n))
		n = without_vanishing(norm, value, base, chars, n, room);
	return n;
}

/* The last of n characters with combining class 0, or "base" if there is none. */
static inline uint32_t
last_base(const NormChar *chars, int n, uint32_t base)
{
	while (n > 0 && NORM_CCC(chars[n - 1]) != 0)
		n--;
	return n > 0 ? NORM_CODE_POINT(chars[n - 1]) : base;
}

/*
 * The last character with combining class 0 before norm->p.  A caller that has advanced
 * norm->p has read ASCII, Chinese and Japanese characters and separators, but no marks.
 */
static uint32_t
base_before(const Normalizer *norm)
{
	const uint8_t *p = norm->p;
	uint32_t	cp = NOT_UTF8;

	if (p == norm->known)
		return norm->base;
	for (p--; p > norm->known && norm->p - p < 4 && (*p & 0xC0) == 0x80; p--)
		;
	if (p + utf8_decode(p, norm->p, &cp) != norm->p)
		return NOT_UTF8;
	return cp >= 'A' && cp <= 'Z' ? cp | 0x20 : cp;
}

/*
 * The first code point of a run gives n characters.  Return how many of these n characters are
 * no marks of the run, but stand before it.  (All characters of the run's other code points
 * belong to the run: no mapping has a non-starter before a starter, unless the mapping begins
 * with a starter.)
 */
static int
before_run(const NormChar *chars, int n)
{
	while (n > 0 && NORM_CCC(chars[n - 1]) != 0)
		n--;
	return n;
}

static inline bool
has_class(const Normalizer *norm, int ccc)
{
	return (norm->run_classes[ccc >> 6] >> (ccc & 63) & 1) != 0;
}

/* Begin with a run of marks, whose first mark comes from the code point at "run". */
static void
start_long_run(Normalizer *norm, const uint8_t *run)
{
	const uint8_t *p = run;
	const uint8_t *next = run;
	uint32_t	nasals = 0;

	memset(norm->run_classes, 0, sizeof(norm->run_classes));
	while (p < norm->end)
	{
		const NormChar *chars;
		NormChar	room[NORM_ROOM];
		int			n = next_expanded(norm, &next, norm->base, &chars, room);
		int			i = 0;

		if (p == run)
			i = before_run(chars, n);
		else if (n > 0 && NORM_CCC(chars[0]) == 0)
		{
			if ((nasals & UNICODE_AFTER_NASAL(NORM_CODE_POINT(chars[0]))) == 0)
				break;
			n = 0;
		}
		for (; i < n; i++)
		{
			int			ccc = NORM_CCC(chars[i]);

			nasals |= UNICODE_NASAL(NORM_CODE_POINT(chars[i]));
			norm->run_classes[ccc >> 6] |= UINT64_C(1) << (ccc & 63);
		}
		p = next;
		normalizer_check(norm, p);
	}
	norm->run = run;
	norm->run_end = p;
	norm->run_p = run;
	norm->run_ccc = 1;
	norm->run_last = 0;
	rewind_to(norm, run);
	while (!has_class(norm, norm->run_ccc))
		norm->run_ccc++;
}

static size_t
continue_long_run(Normalizer *norm, NormChar *out)
{
	size_t		n_out = 0;

	for (;;)
	{
		while (norm->run_p < norm->run_end)
		{
			bool		first = norm->run_p == norm->run;
			const NormChar *chars;
			NormChar	room[NORM_ROOM];
			int			n;

			if (n_out > BATCH_FULL)
				return n_out;
			n = next_expanded(norm, &norm->run_p, norm->base, &chars, room);
			for (int i = first ? before_run(chars, n) : 0; i < n; i++)
			{
				if (NORM_CCC(chars[i]) != norm->run_ccc ||
					(chars[i] == norm->run_last && norm->form == UNICODE_FOLDED_NORMALIZED))
					continue;
				norm->run_last = chars[i];
				out[n_out++] = norm->run_ccc == YPOGEGRAMMENI_CCC ? IOTA : chars[i];
			}
			normalizer_check(norm, norm->run_p);
		}

		norm->run_p = norm->run;
		rewind_to(norm, norm->run);
		do
		{
			if (++norm->run_ccc > YPOGEGRAMMENI_CCC)
			{
				norm->p = norm->run_end;
				norm->known = norm->p;
				norm->run = NULL;
				rewind_to(norm, norm->p);
				return n_out;
			}
		} while (!has_class(norm, norm->run_ccc));
	}
}

/* Fold the ypogegrammenis, which are at the end of an ordered run. */
static inline void
finish_run(NormChar *out, size_t n, size_t run)
{
	while (run > 0 && NORM_CCC(out[n - 1]) == YPOGEGRAMMENI_CCC)
	{
		out[--n] = IOTA;
		run--;
	}
}

/* The non-starters at the end of the output. */
typedef struct MarkRun
{
	const uint8_t *start;		/* the code point that gives the first one */
	size_t		length;
	uint32_t	nasals;			/* bits of the nasal signs among them */
} MarkRun;

static inline void
end_run(MarkRun *run)
{
	run->length = 0;
	run->nasals = 0;
}

/* The character that a run at the end of the output follows; "before" is before the output. */
static inline uint32_t
run_base(const NormChar *out, size_t n_out, const MarkRun *run, uint32_t before)
{
	return n_out > run->length ? NORM_CODE_POINT(out[n_out - run->length - 1]) : before;
}

/*
 * Add the n characters of the code point at p, each mark at its place in the run.  If "once" is
 * true, leave out a mark that is equal to the one before its place.
 * Return false if the run is too long for this function: see start_long_run.
 */
static inline bool
add_expanded(NormChar *out, size_t *n_out, MarkRun *run, const uint8_t *p,
			 const NormChar *chars, int n, bool once)
{
	for (int i = 0; i < n; i++)
	{
		NormChar	c = chars[i];
		size_t		at = *n_out;

		if (NORM_CCC(c) == 0)
		{
			finish_run(out, at, run->length);
			end_run(run);
		}
		else
		{
			size_t		start = at - run->length;

			if (run->length == 0)
				run->start = p;
			if (run->length == SHORT_RUN)
				return false;
			while (at > start && NORM_CCC(out[at - 1]) > NORM_CCC(c))
				at--;
			if (once && at > start && out[at - 1] == c)
				continue;
			run->length++;
			run->nasals |= UNICODE_NASAL(NORM_CODE_POINT(c));
			for (size_t k = *n_out; k > at; k--)
				out[k] = out[k - 1];
		}
		out[at] = c;
		(*n_out)++;
	}
	return true;
}

size_t
core_normalize(Normalizer *norm, NormChar *out)
{
	const uint8_t *p = norm->p;
	MarkRun		run = {p, 0, 0};
	size_t		n_out = 0;
	bool		once = norm->form == UNICODE_FOLDED_NORMALIZED;
	uint32_t	before;

	if (norm->run != NULL)
		return continue_long_run(norm, out);
	before = base_before(norm);

	while (p < norm->end)
	{
		const uint8_t *start = p;
		const NormChar *chars;
		NormChar	room[NORM_ROOM];
		uint32_t	cp;
		uint32_t	value;
		NormChar	single;
		int			n;

		if (p > norm->p &&
			(ascii_ahead(p, norm->end) || han_ahead(p, norm->end)))
			break;
		normalizer_check(norm, p);

		p += decode(norm, p, &cp, &value);
		if (run.nasals != 0 && (run.nasals & UNICODE_AFTER_NASAL(cp)) != 0)
			continue;
		single = single_character(cp, value);
		if (single != 0 && n_out <= BATCH_FULL)
		{
			if (run.length > 0)
			{
				finish_run(out, n_out, run.length);
				end_run(&run);
			}
			out[n_out++] = single;
			continue;
		}
		n = expand(cp, value, &chars, room);
		if (may_vanish(value, chars, n))
			n = without_vanishing(norm, value, run_base(out, n_out, &run, before), &chars, n, room);
		if (n > 0 && NORM_CCC(chars[0]) == 0 && n_out > BATCH_FULL)
		{
			p = start;
			break;
		}
		if (is_circle(chars, n))
			n = choose_zero(norm, start, p, &chars);
		if (!add_expanded(out, &n_out, &run, start, chars, n, once))
		{
			norm->base = run_base(out, n_out, &run, before);
			start_long_run(norm, run.start);
			return n_out - run.length;
		}
	}
	norm->base = run_base(out, n_out, &run, before);
	finish_run(out, n_out, run.length);
	norm->p = p;
	norm->known = p;
	return n_out;
}

int
core_expand_next(Normalizer *norm, const NormChar **chars, NormChar *room, bool *vanished)
{
	const uint8_t *p = norm->p;
	uint32_t	cp;
	uint32_t	value;
	uint32_t	base = base_before(norm);
	uint32_t	nasals = norm->p == norm->known ? norm->nasals : 0;
	int			n_all;
	int			n;

	normalizer_check(norm, p);
	norm->p += decode(norm, p, &cp, &value);
	n = n_all = expand(cp, value, chars, room);
	if ((nasals & UNICODE_AFTER_NASAL(cp)) != 0)
		n = 0;
	for (int i = 0; i < n; i++)
		nasals = NORM_CCC((*chars)[i]) == 0 ? 0 : nasals | UNICODE_NASAL(NORM_CODE_POINT((*chars)[i]));
	norm->nasals = nasals;
	if (may_vanish(value, *chars, n))
		n = without_vanishing(norm, value, base, chars, n, room);
	else if (is_circle(*chars, n))
		n = n_all = choose_zero(norm, p, norm->p, chars);
	*vanished = n < n_all || n == 0;
	norm->base = last_base(*chars, n, base);
	norm->known = norm->p;
	return n;
}

int
core_expand(uint32_t form, uint32_t cp, const NormChar **chars, NormChar *room)
{
	return expand(cp, unicode_value(form, cp), chars, room);
}
