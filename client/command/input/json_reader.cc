/*
 * A reader of JSON objects; see json_reader.h.
 */
#include "json_reader.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <new>
#include <simdjson.h>
#include <string_view>
#include <type_traits>

using namespace simdjson;

static_assert(SIMDJSON_VERSION_MAJOR >= 3, "older versions take half a surrogate pair for a character");
#define JSON_DEPTH "1024"		/* with the object */
static_assert(DEFAULT_MAX_DEPTH == 1024, "the message names another limit");
static_assert(JSON_PADDING >= SIMDJSON_PADDING, "simdjson reads more bytes");

/*
 * The interface "dom" reads the whole object by the instructions of this machine.  The interface
 * "ondemand" is compiled for the oldest machine.
 */
struct JsonReader
{
	dom::parser parser;
	char		digits[24];		/* of an id that is a number */
	char		error[40];
};

JsonReader *
json_reader_new(void)
{
	return new (std::nothrow) JsonReader;
}

void
json_reader_free(JsonReader *reader)
{
	delete reader;
}

/* Digits of a number */
template<typename Number>
static void
set_digits(JsonReader *reader, JsonField *field, Number number)
{
	char	   *digits = reader->digits;

	field->kind = JSON_INTEGER;
	field->bytes = digits;
	field->length = (size_t) (std::to_chars(digits, digits + sizeof(reader->digits), number).ptr - digits);
}

static void
read_value(JsonReader *reader, dom::element value, JsonField *field)
{
	std::string_view string;
	int64_t		number;
	uint64_t	large;

	field->kind = JSON_OTHER;
	if (value.is_null())
		field->kind = JSON_NULL;
	else if (value.get(string) == SUCCESS)
	{
		field->kind = JSON_STRING;
		field->bytes = string.data();
		field->length = string.size();
	}
	else if (value.get(number) == SUCCESS)
		set_digits(reader, field, number);
	else if (value.get(large) == SUCCESS)
		set_digits(reader, field, large);
}

/* The number of an escape sequence such as \u0061, or less than 0 */
static int
escaped_number(const char *bytes, const char *end)
{
	int			number = -1;

	if (end - bytes < 6 || memcmp(bytes, "\\u", 2) != 0 ||
		std::from_chars(bytes + 2, bytes + 6, number, 16).ptr != bytes + 6)
		return -1;
	return number;
}

/* Describe the first wrong escape sequence.  What stands before it is JSON. */
static const char *
describe_wrong_escape(JsonReader *reader, const char *bytes, const char *end)
{
	while ((bytes = (const char *) memchr(bytes, '\\', (size_t) (end - bytes))) != nullptr)
	{
		int			number = escaped_number(bytes, end);
		int			second = escaped_number(bytes + 6 < end ? bytes + 6 : end, end);
		bool		is_pair = number >> 10 == 0xD800 >> 10 && second >> 10 == 0xDC00 >> 10;

		if (number < 0 && (end - bytes < 2 || memchr("\"\\/bfnrt", bytes[1], 8) == nullptr))
			return "a string has an invalid escape sequence";
		if (number >> 11 == 0xD800 >> 11 && !is_pair)
		{
			snprintf(reader->error, sizeof(reader->error), "a string has the lone surrogate %.6s", bytes);
			return reader->error;
		}
		bytes += number < 0 ? 2 : is_pair ? 12 : 6;
	}
	return "the line is not JSON";
}

/* The error for integers of more than 64 bits, which old versions of simdjson do not have */
template <typename Errors, typename = void>
struct BigInteger
{
	static constexpr int error = -1;
};
template <typename Errors>
struct BigInteger<Errors, std::void_t<decltype(Errors::BIGINT_ERROR)>>
{
	static constexpr int error = Errors::BIGINT_ERROR;
};

const char *
json_reader_read(JsonReader *reader, const char *bytes, size_t length,
				 const char *const *names, JsonField *fields)
{
	dom::object object;
	error_code	error = reader->parser.parse(bytes, length, false).get(object);

	for (int i = 0; i < JSON_FIELDS; i++)
		fields[i].kind = JSON_MISSING;
	switch (error)
	{
		case SUCCESS:
			break;
		case INCORRECT_TYPE:
			return "the line is not a JSON object";
		case UTF8_ERROR:
			return "text is not UTF-8";
		case DEPTH_ERROR:
			return "JSON is nested more than " JSON_DEPTH " levels deep";
		case CAPACITY:
			return "the line has more than 4 GB";
		case NUMBER_ERROR:
			return "a number is invalid or out of range";
		case STRING_ERROR:
			return describe_wrong_escape(reader, bytes, bytes + length);
		case MEMALLOC:
			return "out of memory";
		default:
			return error == BigInteger<error_code>::error ? "a number is invalid or out of range" : "the line is not JSON";
	}
	for (auto field : object)
	{
		for (int i = 0; i < JSON_FIELDS; i++)
			if (names[i] != nullptr && field.key == names[i])
				read_value(reader, field.value, &fields[i]);
	}
	return nullptr;
}
