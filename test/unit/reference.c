/*
 * The reference implementation; see reference.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "reference.h"

#define CODE_POINTS 0x110000
#define LONGEST 18

typedef struct Mapping
{
	int			n;				/* 0: no mapping */
	uint32_t	to[LONGEST];
} Mapping;

typedef struct Text
{
	uint32_t   *cp;
	size_t		n;
	size_t		room;
} Text;

static char category[CODE_POINTS][3];
static unsigned char combining_class[CODE_POINTS];
static bool ignorable[CODE_POINTS];
static bool complex_context[CODE_POINTS];	/* line break class SA */
static bool with_diacritics[CODE_POINTS];	/* letters of Latin, Greek and
											 * Cyrillic */
static bool hangul[CODE_POINTS];	/* letters of this script */
static unsigned char decimal[CODE_POINTS];	/* values of digits */
static Mapping *decomposition;
static Mapping *folding;
static Mapping *spelling;		/* what is written in two ways, in one of them */
static Mapping *circled;		/* digits that Unicode does not decompose */
static bool own_number[CODE_POINTS];	/* superscript digits and fractions */

/* A bit of characters that are a number of their own */
#define NUMBER 0x200000
#define PLAIN(cp) ((cp) & (NUMBER - 1))

/* Lists of characters */
enum
{
	APOSTROPHE = 1,
	WHITE_SPACE = 2,
	POINT = 4,					/* marks of Hebrew, Arabic and Syriac, but for
								 * hamza; nuktas */
	HAMZA = 8,
	DIACRITIC = 16,
	INVISIBLE = 32,
	STRETCHER = 64
};
static unsigned char lists[CODE_POINTS];

/* Add characters and ranges, in hexadecimal */
static void
add_to_list(int list, const char *characters)
{
	while (*characters != '\0')
	{
		char	   *end;
		uint32_t	first = (uint32_t) strtoul(characters, &end, 16);
		uint32_t	last = *end == '-' ? (uint32_t) strtoul(end + 1, &end, 16) : first;

		for (; first <= last; first++)
			lists[first] |= list;
		characters = end;
	}
}

/* ---------- the database ---------- */

static FILE *
open_file(const char *dir, const char *name)
{
	char		path[1000];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fopen(path, "r");
}

static void
parse_mapping(const char *s, Mapping *mapping)
{
	char	   *end;

	mapping->n = 0;
	for (;;)
	{
		unsigned long cp = strtoul(s, &end, 16);

		if (end == s)
			break;
		mapping->to[mapping->n++] = (uint32_t) cp;
		s = end;
	}
}

/* Split a line at its semicolons and return the number of fields */
static int
split(char *line, char **fields, int most)
{
	int			n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (;;)
	{
		fields[n++] = line;
		line = strchr(line, ';');
		if (line == NULL || n == most)
			return n;
		*line++ = '\0';
		while (*line == ' ')
			line++;
	}
}

/* Spellings and what they are folded to, in hexadecimal */
static void
add_spellings(void)
{
	static const char *const spellings[] = {
		"649 64A", "6CC 64A", "6A9 643", "629 647", "6C1 647", "6C3 647", "6D5 647", "671 627",
		"6AB 6AF", "6AC 6AF", "762 6AF", "5F0 5D5 5D5", "5F1 5D5 5D9", "5F2 5D9 5D9",
		"131 69", "E6 61 65", "153 6F 65", "1DD 65", "259 65", "25B 65", "254 6F", "275 6F",
		"14B 6E", "263 67", "269 69", "28A 75", "289 75", "292 7A", "F0 64", "FE 74 68",
		"4D9 430", "4E9 43E", "4BB 445", "4AF 443", "4B1 443", "4A1 43A",
		"9CE 9A4 9CD", "D7A D23 D4D", "D7B D28 D4D", "D7C D30 D4D", "D4E D30 D4D", "D7D D32 D4D",
		"D7E D33 D4D", "D7F D15 D4D", "D54 D2E D4D", "D55 D2F D4D", "D56 D34 D4D",
		"C5D C28 C4D", "CDD CA8 CCD", "972 905 945", "986 985 9BE", "A86 A85 ABE",
		"A8F A85 AC7", "A93 A85 ACB", "B06 B05 B3E", "BD7 BB3", "BB6 BB8",
		"6BE 647", "4D5 430 435", "E41 E40 E40", "EC1 EC0 EC0", "A70 A02", "D57 D46 D57"
	};

	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		parse_mapping(strchr(spellings[i], ' '), &spelling[strtoul(spellings[i], NULL, 16)]);
}

/*
 * A letter whose name has another letter's name before WITH, such as "LATIN SMALL LETTER B
 * WITH HOOK", is that letter, if Unicode does not decompose it.
 */
static void
add_letters_with_strokes(char **names)
{
	for (uint32_t cp = 0; cp < CODE_POINTS; cp++)
	{
		char	   *with = names[cp] != NULL ? strstr(names[cp], " WITH ") : NULL;

		if (with == NULL || decomposition[cp].n > 0)
			continue;
		for (uint32_t other = 0; other < CODE_POINTS; other++)
		{
			const char *letter = names[other];

			if (letter == NULL || strlen(letter) != (size_t) (with - names[cp]) ||
				strncmp(letter, names[cp], strlen(letter)) != 0)
				continue;
			letter = strstr(letter, "LETTER ") + 7;
			if (strchr(letter, ' ') != NULL || strchr(letter, '-') != NULL ||
				(names[cp][0] == 'L' && letter[1] != '\0'))
				continue;
			spelling[cp].n = 1;
			spelling[cp].to[0] = other;
			if (spelling[other].n > 0)
				spelling[cp] = spelling[other];
		}
	}
}

static void
parse_range(const char *s, uint32_t *first, uint32_t *last)
{
	char	   *end;

	*first = (uint32_t) strtoul(s, &end, 16);
	*last = *first;
	if (end[0] == '.')
		*last = (uint32_t) strtoul(end + 2, NULL, 16);
}

bool
reference_load(const char *dir)
{
	FILE	   *unicode_data = open_file(dir, "UnicodeData.txt");
	FILE	   *case_folding = open_file(dir, "CaseFolding.txt");
	FILE	   *properties = open_file(dir, "DerivedCoreProperties.txt");
	FILE	   *line_break = open_file(dir, "LineBreak.txt");
	FILE	   *scripts = open_file(dir, "Scripts.txt");
	char		line[2000];
	char	   *f[20];
	char	  **names;			/* of small letters of Latin and Cyrillic */
	uint32_t	first = 0;
	uint32_t	last;

	add_to_list(APOSTROPHE, "2B9-2BF 2C8 2EE A78B A78C 7F4 7F5 AA BA");
	add_to_list(WHITE_SPACE, "9-D 20 85 A0 1680 2000-200A 2028 2029 202F 205F 2800 3000");
	add_to_list(POINT, "591-5C7 FB1E 610-652 656-6ED 730-74A 898-8FF 10EFD-10EFF");
	add_to_list(POINT, "93C 9BC A3C ABC B3C C3C CBC");
	add_to_list(HAMZA, "653-655");
	add_to_list(DIACRITIC, "300-344 346-362");
	add_to_list(INVISIBLE, "20DD-20E0 20E2-20E4 FFF9-FFFC 13430-1343F");
	add_to_list(STRETCHER, "640 7FA");
	if (!unicode_data || !case_folding || !properties || !line_break || !scripts)
		return false;
	if (!fgets(line, sizeof(line), case_folding) ||
		strcmp(line, "# CaseFolding-" UNICODE_VERSION ".txt\n") != 0)
		return false;
	decomposition = calloc(CODE_POINTS, sizeof(Mapping));
	folding = calloc(CODE_POINTS, sizeof(Mapping));
	spelling = calloc(CODE_POINTS, sizeof(Mapping));
	circled = calloc(CODE_POINTS, sizeof(Mapping));
	names = calloc(CODE_POINTS, sizeof(char *));

	for (uint32_t cp = 0; cp < CODE_POINTS; cp++)
		strcpy(category[cp], "Cn");
	while (fgets(line, sizeof(line), unicode_data))
	{
		split(line, f, 20);
		last = (uint32_t) strtoul(f[0], NULL, 16);
		if (strstr(f[1], ", Last>") == NULL)
			first = last;
		if (strstr(f[1], ", First>") != NULL)
			continue;
		for (uint32_t cp = first; cp <= last; cp++)
		{
			strncpy(category[cp], f[2], 2);
			combining_class[cp] = (unsigned char) atoi(f[3]);
			decimal[cp] = (unsigned char) atoi(f[6]);
		}
		own_number[last] = strncmp(f[5], "<fraction>", 10) == 0 ||
			(strncmp(f[5], "<super> 003", 11) == 0 && strlen(f[5]) == 12 && f[5][11] <= '9');
		if (f[5][0] == '<')
			f[5] = strchr(f[5], '>') + 1;
		parse_mapping(f[5], &decomposition[last]);
		if (strncmp(f[1], "LATIN SMALL LETTER ", 19) == 0 ||
			strncmp(f[1], "CYRILLIC SMALL LETTER ", 22) == 0)
		{
			names[last] = malloc(strlen(f[1]) + 1);
			strcpy(names[last], f[1]);
		}
		if (f[5][0] == '\0' && strstr(f[1], "CIRCLED ") != NULL &&
			(strstr(f[1], "DIGIT ") != NULL || strstr(f[1], "NUMBER ") != NULL))
			for (const char *digit = f[8]; *digit != '\0'; digit++)
				circled[last].to[circled[last].n++] = (uint32_t) *digit;
	}
	add_spellings();
	add_letters_with_strokes(names);
	for (uint32_t cp = 0; cp < CODE_POINTS; cp++)
		free(names[cp]);
	free(names);
	while (fgets(line, sizeof(line), case_folding))
	{
		if (line[0] == '#' || split(line, f, 20) < 3)
			continue;
		if (f[1][0] == 'C' || f[1][0] == 'F')
			parse_mapping(f[2], &folding[strtoul(f[0], NULL, 16)]);
	}
	while (fgets(line, sizeof(line), properties))
	{
		if (line[0] == '#' || split(line, f, 20) < 2)
			continue;
		if (strncmp(f[1], "Default_Ignorable_Code_Point", 28) == 0)
		{
			parse_range(f[0], &first, &last);
			for (uint32_t cp = first; cp <= last; cp++)
				ignorable[cp] = true;
		}
	}
	while (fgets(line, sizeof(line), line_break))
	{
		if (line[0] == '#' || split(line, f, 20) < 2)
			continue;
		if (strncmp(f[1], "SA", 2) == 0)
		{
			parse_range(f[0], &first, &last);
			for (uint32_t cp = first; cp <= last; cp++)
				complex_context[cp] = true;
		}
	}
	while (fgets(line, sizeof(line), scripts))
	{
		if (line[0] == '#' || split(line, f, 20) < 2)
			continue;
		parse_range(f[0], &first, &last);
		for (uint32_t cp = first; cp <= last; cp++)
		{
			if (strncmp(f[1], "Latin ", 6) == 0 || strncmp(f[1], "Greek ", 6) == 0 ||
				strncmp(f[1], "Cyrillic ", 9) == 0)
				with_diacritics[cp] = category[cp][0] == 'L' && !(lists[cp] & APOSTROPHE);
			hangul[cp] |= strncmp(f[1], "Hangul ", 7) == 0;
		}
	}
	fclose(scripts);
	fclose(unicode_data);
	fclose(case_folding);
	fclose(properties);
	fclose(line_break);
	return true;
}

/* ---------- normalisation ---------- */

static void
push(Text *text, uint32_t cp)
{
	if (text->n == text->room)
	{
		text->room = text->room * 2 + 64;
		text->cp = realloc(text->cp, text->room * sizeof(uint32_t));
	}
	text->cp[text->n++] = cp;
}

/*
 * Well-formed sequences as in table 3-7 of the standard.  Other bytes become
 * spaces.
 */
static void
decode(const unsigned char *s, size_t len, Text *out)
{
	size_t		i = 0;

	while (i < len)
	{
		int			more = -1;
		unsigned	low = 0x80;
		unsigned	high = 0xBF;
		uint32_t	cp = s[i];

		if (cp < 0x80)
			more = 0;
		else if (cp >= 0xC2 && cp <= 0xDF)
			more = 1;
		else if (cp >= 0xE0 && cp <= 0xEF)
			more = 2;
		else if (cp >= 0xF0 && cp <= 0xF4)
			more = 3;
		if (cp == 0xE0)
			low = 0xA0;
		if (cp == 0xED)
			high = 0x9F;
		if (cp == 0xF0)
			low = 0x90;
		if (cp == 0xF4)
			high = 0x8F;
		if (more > 0)
			cp &= 0x3Fu >> more;
		for (int k = 1; k <= more; k++)
		{
			if (i + k >= len || s[i + k] < low || s[i + k] > high)
			{
				more = -1;
				break;
			}
			cp = cp << 6 | (s[i + k] & 0x3F);
			low = 0x80;
			high = 0xBF;
		}
		if (more < 0)
		{
			push(out, ' ');
			i++;
		}
		else
		{
			push(out, cp);
			i += (size_t) more + 1;
		}
	}
}

/*
 * One step of decomposition, folding and removal.  Return true if anything
 * changed.
 */
static bool
rewrite(Text *text, const TextOptions *options)
{
	Text		out = {0};
	bool		changed = false;

	for (size_t i = 0; i < text->n; i++)
	{
		uint32_t	number = text->cp[i] & NUMBER;
		uint32_t	cp = PLAIN(text->cp[i]);
		const Mapping *to = NULL;

		if (options->normalize && ignorable[cp])
		{
			changed = true;
			continue;
		}
		if (options->normalize && cp >= 0xAC00 && cp < 0xAC00 + 11172)
		{
			uint32_t	t = (cp - 0xAC00) % 28;

			push(&out, 0x1100 + (cp - 0xAC00) / (21 * 28));
			push(&out, 0x1161 + (cp - 0xAC00) / 28 % 21);
			if (t != 0)
				push(&out, 0x11A7 + t);
			changed = true;
			continue;
		}
		if (options->normalize && decomposition[cp].n > 0 && cp != 0xAA && cp != 0xBA)
			to = &decomposition[cp];
		else if (options->fold && folding[cp].n > 0 &&
				 (cp != 0x345 || !options->normalize))
			to = &folding[cp];
		if (to == NULL)
		{
			push(&out, cp | number);
			continue;
		}
		for (int k = 0; k < to->n; k++)
			push(&out, to->to[k] | number);
		changed = true;
	}
	free(text->cp);
	*text = out;
	return changed;
}

/* ---------- spellings ---------- */

/* May a writer leave out this mark after this letter?  After a space it is an apostrophe. */
static bool
may_be_left_out(uint32_t mark, uint32_t letter, TextFold fold)
{
	letter = PLAIN(letter);
	if (category[mark][0] != 'M')
		return false;
	if ((lists[letter] & WHITE_SPACE) && (lists[mark] & (POINT | HAMZA | DIACRITIC)))
		return true;
	if (fold != FOLD_ALL)
		return false;
	if (lists[mark] & POINT)
		return true;
	if (lists[mark] & HAMZA)
		return letter == 0x627 || letter == 0x647;
	return (lists[mark] & DIACRITIC) && with_diacritics[letter] &&
		!(letter == 0x438 && mark == 0x306) && !(letter == 0x456 && mark == 0x308);
}

/* The class that orders a mark.  Some marks of Malayalam, Thai and Lao are typed in any order. */
static int
class_of(uint32_t cp, TextFold fold)
{
	cp = PLAIN(cp);
	if (fold == FOLD_ALL)
	{
		switch (cp)
		{
			case 0xD46:
				return 2;
			case 0xD57:
				return 3;
			case 0xD3E:
				return 4;
			case 0xE31:
			case 0xE34:
			case 0xE35:
			case 0xE36:
			case 0xE37:
				return 103;
			case 0xE4D:
				return 108;
			case 0xEB1:
			case 0xEB4:
			case 0xEB5:
			case 0xEB6:
			case 0xEB7:
			case 0xEBB:
				return 118;
			case 0xECD:
				return 123;
		}
	}
	return combining_class[cp];
}

/* Does the run of marks at the end of the text have this mark? */
static bool
run_has(const Text *text, uint32_t mark, TextFold fold)
{
	for (size_t i = text->n; i > 0 && class_of(text->cp[i - 1], fold) != 0; i--)
	{
		if (text->cp[i - 1] == mark)
			return true;
	}
	return false;
}

/* What is written in two ways, in one of them */
static void
fold_spellings(Text *text, const TextOptions *options)
{
	Text		out = {0};
	uint32_t	letter = ' ';

	for (size_t i = 0; i < text->n; i++)
	{
		uint32_t	number = text->cp[i] & NUMBER;
		uint32_t	cp = PLAIN(text->cp[i]);
		Mapping		to = {1, {cp}};

		if (strcmp(category[cp], "Nd") == 0)
			to.to[0] = '0' + decimal[cp];
		else if (cp == 0x66B || cp == 0x66C)
			to.to[0] = cp == 0x66B ? '.' : ',';
		else if (circled[cp].n > 0)
			to = circled[cp];
		if ((lists[cp] & INVISIBLE) || (options->fold != FOLD_NOTHING && (lists[cp] & STRETCHER)))
			continue;
		if (may_be_left_out(cp, class_of(cp, options->fold) != 0 ? letter : 0, options->fold))
			continue;
		if (options->fold == FOLD_ALL)
		{
			if (spelling[cp].n > 0)
				to = spelling[cp];
			/* the vowel am is a nasal sign and a letter */
			if ((cp == 0xE32 && run_has(&out, 0xE4D, FOLD_ALL)) ||
				(cp == 0xEB2 && run_has(&out, 0xECD, FOLD_ALL)))
				continue;
		}
		for (int k = 0; k < to.n; k++)
		{
			push(&out, to.to[k] | number);
			if (class_of(to.to[k], options->fold) == 0)
				letter = to.to[k];
		}
	}
	free(text->cp);
	*text = out;
}

/* A mark that follows itself counts once */
static void
remove_repeated_marks(Text *text)
{
	size_t		n = 0;

	for (size_t i = 0; i < text->n; i++)
	{
		if (n == 0 || text->cp[i] != text->cp[n - 1] || class_of(text->cp[i], FOLD_ALL) == 0)
			text->cp[n++] = text->cp[i];
	}
	text->n = n;
}

/* Is it a Chinese numeral, or a form of one? */
static bool
is_chinese_numeral(uint32_t cp)
{
	static const uint32_t numerals[] = {
		0x3007, 0x4E00, 0x4E03, 0x4E07, 0x4E09, 0x4E24, 0x4E5D, 0x4E8C, 0x4E94, 0x4EBF,
		0x4EDF, 0x4F0D, 0x4F70, 0x5104, 0x5146, 0x5169, 0x516B, 0x516D, 0x5341, 0x5343,
		0x5345, 0x53C1, 0x53C2, 0x53C3, 0x53C4, 0x56DB, 0x58F1, 0x58F9, 0x5EFF, 0x5F0D,
		0x5F10, 0x62FE, 0x634C, 0x67D2, 0x7396, 0x767E, 0x8086, 0x842C, 0x8CB3, 0x8D30,
		0x9646, 0x9678, 0x96F6
	};

	while (decomposition[cp].n > 0)
		cp = decomposition[cp].to[decomposition[cp].n - 1];
	for (size_t i = 0; i < sizeof(numerals) / sizeof(numerals[0]); i++)
		if (cp == numerals[i])
			return true;
	return false;
}

/* A circle behind a numeral is a zero, and superscript digits and fractions are numbers */
static void
find_numbers(Text *text, const TextOptions *options)
{
	for (size_t i = 0; i < text->n; i++)
	{
		uint32_t	cp = text->cp[i];
		size_t		before = i;

		if (own_number[cp])
			text->cp[i] |= NUMBER;
		if ((cp != 0x25CB && cp != 0x25EF && cp != 0xFFEE) || options->fold != FOLD_ALL || !options->normalize)
			continue;
		while (before > 0 && (lists[PLAIN(text->cp[before - 1])] & (WHITE_SPACE | INVISIBLE) ||
							  ignorable[PLAIN(text->cp[before - 1])]))
			before--;
		if (before > 0 && is_chinese_numeral(PLAIN(text->cp[before - 1])))
			text->cp[i] = 0x3007;
	}
}

static void
normalize(Text *text, const TextOptions *options)
{
	size_t		k;

	find_numbers(text, options);
	while (rewrite(text, options))
		;
	if (!options->normalize)
		return;
	fold_spellings(text, options);
	for (size_t i = 1; i < text->n; i++)
	{
		uint32_t	cp = text->cp[i];

		if (class_of(cp, options->fold) == 0)
			continue;
		for (k = i; k > 0 && class_of(text->cp[k - 1], options->fold) > class_of(cp, options->fold); k--)
			text->cp[k] = text->cp[k - 1];
		text->cp[k] = cp;
	}
	if (options->fold == FOLD_ALL)
		remove_repeated_marks(text);
	for (size_t i = 0; i < text->n; i++)
	{
		if (text->cp[i] == 0x345)
			text->cp[i] = 0x3B9;
	}
}

/* ---------- tokens ---------- */

/* m: mark, c: Chinese and Japanese, s: written without spaces, h: Hangul, n: a number of its
 * own, w: other word character, space: separator */
static char
kind_of(uint32_t cp)
{
	static const uint32_t cjk[][2] = {
		{0x3005, 0x3005}, {0x3007, 0x3007}, {0x3040, 0x30FF}, {0x31F0, 0x31FF},
		{0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0x20000, 0x3FFFF}
	};
	const char *gc = category[PLAIN(cp)];

	if (cp & NUMBER)
		return gc[0] == 'N' ? 'n' : ' ';
	/* letters that are used as apostrophes and signs */
	if (lists[cp] & APOSTROPHE)
		return ' ';
	if (gc[0] == 'M')
		return 'm';
	for (size_t i = 0; i < sizeof(cjk) / sizeof(cjk[0]); i++)
	{
		if (cp < cjk[i][0] || cp > cjk[i][1])
			continue;
		if (strchr("PSZ", gc[0]) || (gc[0] == 'C' && gc[1] != 'n'))
			return ' ';
		return 'c';
	}
	if (gc[0] == 'L')
		return complex_context[cp] ? 's' : hangul[cp] ? 'h' : 'w';
	if (gc[0] == 'N' || strcmp(gc, "Cn") == 0)
		return 'w';
	return ' ';
}

static uint64_t
hash_of(const uint32_t *cp, size_t n)
{
	unsigned char *utf8 = malloc(n * 4 + 1);
	size_t		len = 0;
	uint64_t	hash;

	for (size_t i = 0; i < n; i++)
	{
		uint32_t	c = PLAIN(cp[i]);
		int			more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
		static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};

		utf8[len++] = (unsigned char) (lead[more] | c >> (6 * more));
		for (int k = more - 1; k >= 0; k--)
			utf8[len++] = (unsigned char) (0x80 | (c >> (6 * k) & 0x3F));
	}
	hash = XXH3_64bits(utf8, len);
	free(utf8);
	return hash;
}

static bool
is_digit(uint32_t cp)
{
	return PLAIN(cp) >= '0' && PLAIN(cp) <= '9';
}

/* Store hashes of the characters with their marks, and of signs between two digits */
static size_t
characters(const Text *text, uint64_t *hashes)
{
	size_t		n = 0;
	size_t		i = 0;

	while (i < text->n)
	{
		size_t		start = i++;

		if (start > 0 && i < text->n && is_digit(text->cp[start - 1]) && is_digit(text->cp[i]) &&
			(text->cp[start] == '.' || text->cp[start] == ','))
			hashes[n++] = hash_of(text->cp + start, 1);
		if (kind_of(text->cp[start]) == ' ')
			continue;
		while (i < text->n && kind_of(text->cp[i]) == 'm')
			i++;
		hashes[n++] = hash_of(text->cp + start, i - start);
	}
	return n;
}

/* A jamo that belongs to the syllable of the one before it */
static bool
is_vowel_or_final(uint32_t cp)
{
	return (cp >= 0x1160 && cp < 0x1200) || (cp >= 0xD7B0 && cp < 0xD7FC);
}

static bool
is_letter(uint32_t cp)
{
	return (cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z');
}

/* The letters of a word that look like Greek or Cyrillic letters, if the word has one of those */
static bool
use_native_letters(uint32_t *word, size_t n)
{
	static const char *const latin[] = {"ABEHIKMNOPTXYZvu", "ABCEHIJKMOPSTXY"};
	static const uint32_t native[][16] = {
		{0x3B1, 0x3B2, 0x3B5, 0x3B7, 0x3B9, 0x3BA, 0x3BC, 0x3BD, 0x3BF, 0x3C1, 0x3C4, 0x3C7, 0x3C5, 0x3B6, 0x3BD, 0x3C5},
		{0x430, 0x432, 0x441, 0x435, 0x43D, 0x456, 0x458, 0x43A, 0x43C, 0x43E, 0x440, 0x455, 0x442, 0x445, 0x443}
	};
	size_t		bytes = 0;
	size_t		first = 0;
	int			script;

	while (first < n && !(word[first] >= 0x370 && word[first] < 0x530 && kind_of(word[first]) == 'w'))
	{
		bytes += word[first] < 0x80 ? 1 : word[first] < 0x800 ? 2 : word[first] < 0x10000 ? 3 : 4;
		first++;
	}
	if (first == n)
		return false;
	script = word[first] >= 0x400;
	for (size_t i = bytes <= 64 ? 0 : first; i < n; i++)
		for (size_t k = 0; latin[script][k] != '\0'; k++)
			if (word[i] == ((uint32_t) latin[script][k] | 0x20))
			{
				word[i] = native[script][k];
				break;
			}
	return true;
}

/* The signs + and # that belong to the word before a place */
static size_t
signs_at(const Text *text, size_t i)
{
	size_t		n = 0;

	while (i + n < text->n && (text->cp[i + n] == '+' || text->cp[i + n] == '#'))
		n++;
	if (n > 2 || (i + n < text->n && strchr("wm", kind_of(text->cp[i + n]))))
		return 0;
	return n;
}

/*
 * Store hashes of the tokens.  Their number is at most the number of the
 * text's characters.
 */
static size_t
tokenize(const Text *text, const TextOptions *options, uint64_t *hashes)
{
	size_t	   *letter = malloc((text->n + 2) * sizeof(size_t));
	size_t		n = 0;
	size_t		i = 0;

	while (i < text->n)
	{
		char		kind = kind_of(text->cp[i]);
		size_t		start = i;

		if (kind == ' ')
		{
			i++;
			continue;
		}
		if (kind == 'c')
		{
			for (i++; i < text->n && kind_of(text->cp[i]) == 'm';)
				i++;
			hashes[n++] = hash_of(text->cp + start, i - start);
		}
		else if (kind == 's' || kind == 'h')
		{
			Text		visible = {0};	/* separators do not count */
			const char	script = kind;
			const size_t together = kind == 's' ? 3 : 2;
			size_t		letters = 0;

			for (; i < text->n; i++)
			{
				kind = kind_of(text->cp[i]);
				if (kind == script && (letters == 0 || !is_vowel_or_final(text->cp[i])))
					letter[letters++] = visible.n;
				else if (kind == ' ')
					continue;
				else if (kind != script && kind != 'm')
					break;
				push(&visible, text->cp[i]);
			}
			letter[letters] = visible.n;
			if (letters <= together)
				hashes[n++] = hash_of(visible.cp, visible.n);
			else
			{
				for (size_t k = 0; k + together <= letters; k++)
					hashes[n++] = hash_of(visible.cp + letter[k],
										  letter[k + together] - letter[k]);
			}
			free(visible.cp);
		}
		else
		{
			/* a mark alone begins a word of letters */
			const char *together = kind == 'n' ? "nm" : "wm";

			while (i < text->n && strchr(together, kind_of(text->cp[i])))
				i++;
			if (options->fold == FOLD_ALL && options->normalize && kind != 'n' &&
				use_native_letters(text->cp + start, i - start))
				;
			else if (is_letter(text->cp[i - 1]))
				i += signs_at(text, i);
			hashes[n++] = hash_of(text->cp + start, i - start);
		}
	}
	free(letter);
	return n;
}

/* ---------- features and vote ---------- */

static uint64_t
pair(uint64_t a, uint64_t b)
{
	uint64_t	x = b;

	x += a * 11400714819323198485u;
	x ^= x >> 30;
	x *= 13787848793156543929u;
	x ^= x >> 27;
	x *= 10723151780598845931u;
	x ^= x >> 31;
	return x;
}

static int
compare(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

typedef struct Numbered
{
	uint64_t	hash;
	size_t		place;
} Numbered;

static int
compare_numbered(const void *a, const void *b)
{
	const Numbered *x = a;
	const Numbered *y = b;

	if (x->hash != y->hash)
		return x->hash > y->hash ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

/* A feature that counts again, and was there k times before, becomes the pair of itself and k */
static void
number_repeated(uint64_t *features, const bool *again, size_t n)
{
	Numbered   *sorted = malloc((n + 1) * sizeof(*sorted));
	uint64_t	k = 0;

	for (size_t i = 0; i < n; i++)
	{
		sorted[i].hash = features[i];
		sorted[i].place = i;
	}
	qsort(sorted, n, sizeof(*sorted), compare_numbered);
	for (size_t i = 1; i < n; i++)
	{
		k = sorted[i].hash == sorted[i - 1].hash ? k + 1 : 0;
		if (k > 0 && again[sorted[i].place])
			features[sorted[i].place] = pair(sorted[i].hash, k);
	}
	free(sorted);
}

/* Are all n characters digits and the signs between them, or are they several and the same? */
static bool
counts_again(const uint64_t *tokens, size_t n)
{
	bool		digits = true;
	bool		same = n > 1;

	for (size_t i = 0; i < n; i++)
	{
		bool		digit = false;

		for (const char *c = "0123456789.,"; *c != '\0'; c++)
		{
			uint32_t	sign = (uint32_t) *c;

			digit |= tokens[i] == hash_of(&sign, 1);
		}
		digits &= digit;
		same &= tokens[i] == tokens[0];
	}
	return digits || same;
}

/* Store the features, which the caller frees, and return their number */
static size_t
features_of(const unsigned char *s, size_t len, const TextOptions *options,
			uint64_t **features)
{
	Text		text = {0};
	uint64_t   *tokens;
	bool	   *again;
	size_t		n_tokens;
	size_t		n_shingle = (size_t) options->shingle;
	size_t		n = 0;

	decode(s, len, &text);
	normalize(&text, options);
	tokens = malloc((text.n + 1) * sizeof(uint64_t));
	*features = malloc((text.n + 1) * 2 * sizeof(uint64_t));
	again = malloc((text.n + 1) * 2 * sizeof(bool));
	if (options->tokens == TOKENS_CHARACTERS)
		n_tokens = characters(&text, tokens);
	else
		n_tokens = tokenize(&text, options, tokens);
	if (options->shingle == SINGLES_AND_PAIRS)
	{
		for (size_t i = 0; i < n_tokens; i++)
			(*features)[n++] = tokens[i];
		n_shingle = 2;
	}
	else if (n_tokens > 0 && n_tokens < n_shingle)
		n_shingle = n_tokens;
	for (size_t i = 0; i + n_shingle <= n_tokens; i++)
	{
		uint64_t	feature = tokens[i];

		for (size_t k = 1; k < n_shingle; k++)
			feature = feature * 11400714819323198485u + tokens[i + k];
		again[n] = options->tokens == TOKENS_CHARACTERS && counts_again(tokens + i, n_shingle);
		(*features)[n++] = n_shingle == 1 ? feature : pair(0, feature);
	}
	if (options->tokens == TOKENS_CHARACTERS && options->weight == WEIGHT_ONCE &&
		options->shingle != SINGLES_AND_PAIRS)
		number_repeated(*features, again, n);
	free(again);
	free(text.cp);
	free(tokens);
	return n;
}

bool
reference_text(const unsigned char *s, size_t len, const TextOptions *options,
			   int words, uint64_t *fingerprint)
{
	uint64_t   *features;
	size_t		n = features_of(s, len, options, &features);

	if (n > 0)
		qsort(features, n, sizeof(uint64_t), compare);
	for (int word = 0; word < words; word++)
	{
		long		sums[64] = {0};

		for (size_t i = 0; i < n; i++)
		{
			uint64_t	hash = features[i];

			if (options->weight == WEIGHT_ONCE && i > 0 && hash == features[i - 1])
				continue;
			if (word > 0)
				hash = pair(0, hash ^ pair((uint64_t) word, 0));
			for (int bit = 0; bit < 64; bit++)
				sums[bit] += (hash >> bit & 1) != 0 ? 1 : -1;
		}
		fingerprint[word] = 0;
		for (int bit = 0; bit < 64; bit++)
		{
			if (sums[bit] > 0)
				fingerprint[word] |= UINT64_C(1) << bit;
		}
	}
	free(features);
	return n > 0;
}

/* A word of the min-wise fingerprint of n > 0 features */
static uint64_t
minwise_word(const uint64_t *features, size_t n, uint64_t salt)
{
	uint64_t	smallest[64];
	bool		filled[64] = {false};
	uint64_t	bits = 0;
	unsigned int b;

	for (size_t i = 0; i < n; i++)
	{
		uint64_t	y = pair(0, features[i] ^ salt);
		uint64_t	rank = y % (UINT64_C(1) << 58);

		b = (unsigned int) (y / (UINT64_C(1) << 58));
		if (!filled[b] || rank < smallest[b])
			smallest[b] = rank;
		filled[b] = true;
	}
	for (b = 0; b < 64; b++)
	{
		unsigned int p = 1;
		unsigned int from = b;

		while (!filled[from])
		{
			from = b ^ p;
			p *= 2;
			if (p >= 64)
				p ^= 64 + 2 + 1;
		}
		if (pair(b, smallest[from] * 64) % 2 == 1)
			bits |= UINT64_C(1) << b;
	}
	return bits;
}

bool
reference_minwise_text(const unsigned char *s, size_t len,
					   const TextOptions *options, int words,
					   uint64_t *fingerprint)
{
	TextOptions once = *options;
	uint64_t   *features;
	size_t		n;

	once.weight = WEIGHT_ONCE;
	n = features_of(s, len, &once, &features);
	for (int word = 0; word < words && n > 0; word++)
		fingerprint[word] = minwise_word(features, n, pair((uint64_t) word, 0));
	free(features);
	return n > 0;
}
