/*
 * A reader of JSON objects; see json_reader.h.
 */
#include "json_reader.h"

#include <charconv>
#include <new>
#include <simdjson.h>
#include <string_view>

using namespace simdjson;

static_assert(SIMDJSON_VERSION_MAJOR >= 3, "older versions take half a surrogate pair for a character");
static_assert(JSON_PADDING >= SIMDJSON_PADDING, "simdjson reads more bytes");

/*
 * The interface "dom" reads the whole object by the instructions of this machine.  The interface
 * "ondemand" is compiled for the oldest machine.
 */
struct JsonReader
{
	dom::parser parser;
	char		digits[24];		/* of an id that is a number */
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

const char *
json_reader_read(JsonReader *reader, const char *bytes, size_t length,
				 const char *text_name, JsonField *text, const char *id_name, JsonField *id)
{
	dom::object object;
	error_code	error = reader->parser.parse(bytes, length, false).get(object);

	text->kind = id->kind = JSON_MISSING;
	switch (error)
	{
		case SUCCESS:
			break;
		case INCORRECT_TYPE:
			return "the line is not a JSON object";
		case UTF8_ERROR:
			return "text is not UTF-8";
		case MEMALLOC:
			return "out of memory";
		default:
			return "the line is not JSON";
	}
	for (auto field : object)
	{
		if (text_name != nullptr && field.key == text_name)
			read_value(reader, field.value, text);
		if (field.key == id_name)
			read_value(reader, field.value, id);
	}
	return nullptr;
}
