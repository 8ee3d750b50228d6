// Covers lib/document/yaml_text.cpp.
#include "opcat/document/normalise.hpp"
#include "opcat/document/yaml_scalar.hpp"
#include "opcat/document/yaml_writer.hpp"
#include "random_value.hpp"
#include "reading.hpp"

#include <doctest/doctest.h>
#include <yaml.h>

using namespace opcat;

namespace {

std::string as_yaml(const Value& value) {
    std::string text;
    const Value* const unwritable = append_yaml(text, value);
    return unwritable ? "unwritable" : text;
}

std::string as_yaml(std::string_view json) {
    const auto read = read_as_json(json);
    REQUIRE(read->good);
    return as_yaml(read->value);
}

// libyaml's own emitter with yaml.v2's settings.
class Emitter {
public:
    Emitter() {
        yaml_emitter_initialize(&emitter_);
        yaml_emitter_set_output(&emitter_, append, &text_);
        yaml_emitter_set_unicode(&emitter_, 1);
        yaml_emitter_set_width(&emitter_, 80);
    }
    ~Emitter() { yaml_emitter_delete(&emitter_); }
    Emitter(const Emitter&) = delete;
    Emitter& operator=(const Emitter&) = delete;

    // Objects with one member and lists of strings are enough to see every kind of place.
    std::string write(const Value& root) {
        yaml_event_t event;
        yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
        emit(event);
        yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1);
        emit(event);
        write_value(root);
        yaml_document_end_event_initialize(&event, 1);
        emit(event);
        yaml_stream_end_event_initialize(&event);
        emit(event);
        // Later versions of libyaml than the one that yaml.v2 was made from end a text with blank lines so.
        if (text_.ends_with("\n...\n")) text_.resize(text_.size() - 4);
        return text_;
    }

private:
    static int append(void* text, unsigned char* bytes, size_t size) {
        static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), size);
        return 1;
    }
    void emit(yaml_event_t& event) { REQUIRE(yaml_emitter_emit(&emitter_, &event) == 1); }

    void write_value(const Value& value) {
        yaml_event_t event;
        if (value.is_object()) {
            yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE);
            emit(event);
            for (const Member& member : value.members()) {
                write_value(member.key);
                write_value(member.value);
            }
            yaml_mapping_end_event_initialize(&event);
        } else if (value.is_array()) {
            yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE);
            emit(event);
            for (const Value& item : value.items()) write_value(item);
            yaml_sequence_end_event_initialize(&event);
        } else {
            const std::string_view text = value.string();
            const auto style = text.find('\n') != text.npos    ? YAML_LITERAL_SCALAR_STYLE
                               : reads_as_something_else(text) ? YAML_DOUBLE_QUOTED_SCALAR_STYLE
                                                               : YAML_PLAIN_SCALAR_STYLE;
            yaml_scalar_event_initialize(
                &event, nullptr, nullptr,
                reinterpret_cast<const unsigned char*>(text.empty() ? "" : text.data()),
                static_cast<int>(text.size()), 1, 1, style);
        }
        emit(event);
    }

    yaml_emitter_t emitter_{};
    std::string text_;
};

// Later versions of libyaml than yaml.v2's put another line break after a separator at the end of a quoted
// text, and none escapes all that is after a byte order mark.
std::string_view string_as_libyaml_has_it(RandomValues& random) {
    while (true) {
        const std::string_view text = random.string();
        if (!text.ends_with("\u2028") && !text.ends_with("\u2029") && !text.starts_with("\ufeff"))
            return text;
    }
}

} // namespace

TEST_CASE("YAML is written in opm's form") {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {R"({"a":"b"})", "a: b\n"},
        {R"({"b":1,"a":{"y":[1,[2,3],{"z":null}],"x":{}},"c":[]})",
         "a:\n  x: {}\n  \"y\":\n  - 1\n  - - 2\n    - 3\n  - z: null\nb: 1\nc: []\n"},
        {R"({"a":"one\ntwo\n","b":"one\ntwo","c":"x\n\n"})",
         "a: |\n  one\n  two\nb: |-\n  one\n  two\nc: |+\n  x\n\n"},
        {R"({"a":"yes","b":"1.0","c":"","d":"null","e":"2021-01-01"})",
         "a: \"yes\"\nb: \"1.0\"\nc: \"\"\nd: \"null\"\ne: \"2021-01-01\"\n"},
        {R"({"a":": x","b":"#","c":" x","d":"it's"})", "a: ': x'\nb: '#'\nc: ' x'\nd: it's\n"},
        {R"({"a":true,"b":null,"c":1.5,"d":-0,"e":1e20,"f":1.0,"g":1234567.5})",
         "a: true\nb: null\nc: 1.5\nd: 0\ne: 1e+20\nf: 1\ng: 1.2345675e+06\n"},
        {R"({"a":18446744073709551615,"b":-5})", "a: 18446744073709551615\nb: -5\n"},
        {R"({"a":"\u0000\u0007\b\t\u000b\f\r\u001b\"\\"})", "a: \"\\0\\a\\b\\t\\v\\f\\r\\e\\\"\\\\\"\n"},
        {"{\"a\":\"tab\\there\",\"b\":\"😀\"}", "a: \"tab\\there\"\nb: \"\\U0001F600\"\n"},
    };
    for (const auto& [json, yaml] : cases) {
        CAPTURE(json);
        CHECK(as_yaml(json) == yaml);
    }
}

TEST_CASE("keys come in yaml.v2's order: signs, numbers by value, letters by code") {
    CHECK(
        as_yaml(
            R"({"a10":1,"a9":1,"b":1,"B":1,"a":1,"a.1":1,"é":1,"-":1,"10":1,"9":1,"a01":1,"a1":1,"a1b":1,"a1.b":1})") ==
        "'-': 1\n\"9\": 1\n\"10\": 1\nB: 1\na: 1\na.1: 1\na1: 1\na1.b: 1\na01: 1\na9: 1\na10: 1\na1b: 1\nb: "
        "1\né: 1\n");
    CHECK(as_yaml(R"({"a":1,"É":1,"°":1,"½":1,"x2":1,"xª":1,"x٣":1,"x-":1})") ==
          "°: 1\n½: 1\na: 1\nx-: 1\nx2: 1\nx٣: 1\nxª: 1\nÉ: 1\n");
}

TEST_CASE("after a byte order mark everything is escaped") {
    CHECK(as_yaml("{\"a\":\"\xef\xbb\xbfx y\xc2\xa0\\n\"}") == "a: \"\\uFEFF\\x78\\x20\\x79\\_\\n\"\n");
    CHECK(as_yaml("{\"a\":\"x\xef\xbb\xbf y\"}") == "a: \"x\\uFEFF y\"\n");
}

TEST_CASE("keys with overflowing numbers are sorted like yaml.v2 sorts them") {
    RandomValues random(5);
    for (int round = 0; round < 200; ++round) {
        std::string json = "{";
        for (int i = 0; i < 60; ++i) {
            std::string digits;
            for (size_t n = random.below(24); n > 0; --n) digits += static_cast<char>('0' + random.below(10));
            json += fmt::format("{}\"{}{}\":1", i ? "," : "", random.below(2) ? "1" : "",
                                digits + std::string(random.below(3), '0'));
        }
        const auto read = read_as_json(json + "}");
        Arena arena;
        CHECK(as_yaml(normalised(read->value, arena)) != "");
    }
}

TEST_CASE("text that opm damages by its conversion to JSON is refused, or damaged equally") {
    CHECK(as_yaml("{\"a\":\"x\x7f\"}") == "unwritable");
    CHECK(as_yaml("{\"a\":\"x\xc2\x9f\"}") == "unwritable");
    CHECK(as_yaml("{\"a\":\"x\xef\xbf\xbe\"}") == "unwritable");
    CHECK(as_yaml("{\"" + std::string(1023, 'k') + "\":1}") == "unwritable");
    CHECK(as_yaml("{\"x\xc2\x85y\":1}") == "unwritable");
    CHECK(as_yaml("{\"a\":\"x\xc2\x85--- y\"}") == "unwritable");
    CHECK(as_yaml("{\"a\":\"x\xc2\x85...y\"}") == "a: x ...y\n");
    CHECK(as_yaml("{\"" + std::string(1022, 'k') + "\":1}") == "? " + std::string(1022, 'k') + "\n: 1\n");
    CHECK(as_yaml("{\"a\":\"x \xc2\x85 y\"}") == "a: x y\n"); // a line break in a quoted text is folded
    CHECK(as_yaml("{\"a\":\"x\xc2\x85 \xc2\x85y\"}") == "a: |-\n  x\n  y\n"); // of two, one is a line break
}

TEST_CASE("the deepest nesting is written without the stack") {
    std::string json;
    for (int i = 0; i < 9'999; ++i) json += "[";
    for (int i = 0; i < 9'999; ++i) json += "]";
    CHECK(as_yaml("{\"a\":" + json + "}").starts_with("a:\n- - - - -"));
}

TEST_CASE("random values written as YAML are read back the same") {
    RandomValues random(17);
    for (int i = 0; i < 3'000; ++i) {
        Arena arena;
        const Value value = normalised(random.object(4), arena);
        const std::string yaml = as_yaml(value);
        std::string json;
        append_compact_json(json, value);
        CAPTURE(json);
        CAPTURE(yaml);
        // opm ends the last line with a line break, even where a line separator has ended it.
        if (!yaml.ends_with('\n')) continue;
        const auto read = read_as_yaml(yaml);
        REQUIRE(read->good);
        std::string again;
        append_compact_json(again, normalised(read->value, arena));
        REQUIRE(again == json);
    }
}

TEST_CASE("the bytes are those of libyaml's emitter") {
    RandomValues random(23);
    for (int i = 0; i < 20'000; ++i) {
        const Value text = Value::of(string_as_libyaml_has_it(random));
        const Value list =
            Value::of(std::span<const Value>(random.arena().copy(std::span<const Value>(&text, 1))));
        const Value values[] = {text, list};
        for (const Value& value : values) {
            const Member member{
                Value::of(i % 2 == 0 ? std::string_view("key") : string_as_libyaml_has_it(random)), value};
            const Value object = Value::of(std::span<const Member>(&member, 1));
            std::string json;
            append_compact_json(json, object);
            CAPTURE(json);
            REQUIRE(as_yaml(object) == Emitter().write(object));
        }
    }
}
