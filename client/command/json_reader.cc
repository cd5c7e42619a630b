/*
 * A reader of JSON objects; see json_reader.h.
 */
#include "json_reader.h"

#include <charconv>
#include <new>
#include <simdjson.h>
#include <string_view>

using namespace simdjson;

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

static void
set_field(JsonField *field, JsonKind kind, std::string_view bytes)
{
	field->kind = kind;
	field->bytes = bytes.data();
	field->length = bytes.size();
}

static void
read_value(JsonReader *reader, dom::element value, JsonField *field)
{
	char	   *digits = reader->digits;
	char	   *end = digits + sizeof(reader->digits);

	switch (value.type())
	{
		case dom::element_type::STRING:
			set_field(field, JSON_STRING, value.get_string().value_unsafe());
			break;
		case dom::element_type::INT64:
			end = std::to_chars(digits, end, value.get_int64().value_unsafe()).ptr;
			set_field(field, JSON_INTEGER, std::string_view(digits, (size_t) (end - digits)));
			break;
		case dom::element_type::UINT64:
			end = std::to_chars(digits, end, value.get_uint64().value_unsafe()).ptr;
			set_field(field, JSON_INTEGER, std::string_view(digits, (size_t) (end - digits)));
			break;
		case dom::element_type::NULL_VALUE:
			field->kind = JSON_NULL;
			break;
		default:
			field->kind = JSON_OTHER;
			break;
	}
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
		if (field.key == text_name)
			read_value(reader, field.value, text);
		if (field.key == id_name)
			read_value(reader, field.value, id);
	}
	return nullptr;
}
