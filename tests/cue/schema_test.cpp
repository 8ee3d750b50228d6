// Covers lib/cue.
#include "opcat/cue/parser.hpp"
#include "opcat/cue/schema.hpp"
#include "opcat/document/json_reader.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <fstream>
#include <sstream>
#include <string>

using namespace opcat;
using namespace opcat::cue;

namespace {

struct Compiling {
    std::shared_ptr<const SourceFile> file;
    std::optional<Schema> schema;
    Diagnostics problems;
};

Compiling compiled(const std::string& text) {
    Compiling result;
    result.file = std::make_shared<SourceFile>("test.cue", text);
    result.schema = Schema::compile(result.file, result.problems);
    return result;
}

std::string problem_of(const std::string& text) {
    const Compiling result = compiled(text);
    if (result.problems.empty()) return "none";
    const Diagnostic& problem = result.problems.front();
    const Position at = problem.where.file->position(problem.where.offset);
    return fmt::format("{}:{}: {}", at.line, at.column, problem.message);
}

struct Document {
    explicit Document(const std::string& json) : file("test.json", json) {
        Diagnostic problem;
        uint32_t end = 0;
        value = read_json(file, 0, arena, end, problem).value();
    }
    SourceFile file;
    Arena arena;
    Value value;
};

// "ok", "bad", or why there is no schema. The violations must agree.
std::string verdict(const std::string& schema, const std::string& json) {
    const Compiling result = compiled(schema);
    if (!result.schema) return problem_of(schema);
    const Document document(json);
    const Definition& definition = *result.schema->find("X");
    const Outcome outcome = result.schema->check(definition, document.value);
    REQUIRE(!outcome.gave_up);
    const bool good = outcome.state == State::complete;
    CHECK_MESSAGE(good == result.schema->violations(definition, document.value).empty(), schema << json);
    return good ? "ok" : "bad";
}

std::string violations(const std::string& schema, const std::string& json) {
    const Compiling result = compiled(schema);
    if (!result.schema) return problem_of(schema);
    const Document document(json);
    std::string out;
    for (const Violation& violation : result.schema->violations(*result.schema->find("X"), document.value)) {
        const std::string_view wanted = result.schema->source().bytes().substr(
            violation.schema.begin, violation.schema.end - violation.schema.begin);
        out += fmt::format("{}: {} {} [{}]", violation.value->offset(),
                           violation.path.empty() ? "it" : violation.path, violation.message, wanted);
        if (!violation.help.empty()) out += fmt::format(" ({})", violation.help);
        if (violation.alternatives > 0) out += fmt::format(" of {}", violation.alternatives);
        out += '\n';
    }
    return out;
}

} // namespace

TEST_CASE("verdicts are those of CUE") {
    std::ifstream cases(OPCAT_VET_CASES);
    std::string schema;
    bool in_schema = false;
    size_t count = 0;
    for (std::string line; std::getline(cases, line);) {
        if (line.starts_with("# ") && !in_schema && schema.empty()) continue;
        if (line == "---") {
            schema.clear();
            in_schema = true;
        } else if (line.starts_with("ok  ") || line.starts_with("bad ")) {
            in_schema = false;
            ++count;
            const std::string wanted = line.substr(0, line.find(' '));
            std::string got = verdict(schema, line.substr(4));
            // Nothing fits a contradictory schema.
            if (got.find("nothing can be") != std::string::npos) got = "bad";
            CHECK_MESSAGE(got == wanted, schema << line);
        } else {
            schema += line + "\n";
        }
    }
    CHECK(count > 250);
}

TEST_CASE("a required field must be present, even if the schema fixes its value") {
    const std::string schema = "#X: {a!: \"x\", b: \"y\"}";
    CHECK(verdict(schema, R"({"a": "x"})") == "ok");
    CHECK(verdict(schema, R"({"b": "y"})") == "bad");
    CHECK(verdict("#X: {a!: int} & {a: 1}", "{}") == "bad");
    CHECK(verdict("#X: {a!: int} & {a?: 1}", R"({"a": 1})") == "ok");
}

TEST_CASE("a list may grow to the length that a validator requires") {
    const std::string schema = "import \"list\"\n#X: {a: [...string] & list.MinItems(1)}";
    CHECK(verdict(schema, R"({"a": ["x"]})") == "ok");
    CHECK(verdict(schema, R"({"a": []})") == "bad");
    CHECK(verdict(schema, R"({})") == "bad");
}

TEST_CASE("long lists are searched for equal items of all kinds") {
    const std::string schema = "import \"list\"\n#X: {a: list.UniqueItems()}";
    const std::string different =
        R"(null, true, false, 1, 1.5, -1, "1", "", [], {}, [1], [[1]], {"a": 1}, {"b": 1}, {"a": 2}, )"
        R"({"a": 1, "b": 2}, 18446744073709551616, [1, 2], [2, 1])";
    CHECK(verdict(schema, "{\"a\": [" + different + "]}") == "ok");
    for (const char* const again : {"null", "true", "1", "1.5", R"("1")", "[]", "{}", "[[1]]", R"({"a": 2})",
                                    R"({"b": 2, "a": 1})", "18446744073709551616", "[2, 1]"}) {
        CAPTURE(std::string(again));
        CHECK(verdict(schema, "{\"a\": [" + different + ", " + again + "]}") == "bad");
    }
}

TEST_CASE("numbers are compared exactly") {
    CHECK(verdict("#X: <=9223372036854775807", "9223372036854775807") == "ok");
    CHECK(verdict("#X: <=9223372036854775807", "9223372036854775808") == "bad");
    CHECK(verdict("#X: <9007199254740993", "9007199254740992") == "ok");
    CHECK(verdict("#X: >9007199254740992.0", "9007199254740993") == "ok");
    CHECK(verdict("#X: uint64", "18446744073709551615") == "ok");
    CHECK(verdict("#X: int64", "-9223372036854775808") == "ok");
    CHECK(verdict("#X: int8", "-129") == "bad");
}

TEST_CASE("unknown names are errors at their place") {
    const std::pair<const char*, const char*> cases[] = {
        {"#X: strng", "1:5: there is no strng"},
        {"#X: #Y", "1:5: there is no #Y"},
        {"#X: {a: int, b: a}",
         "1:17: a reference to \"a\", a field whose value comes with the data, is outside of the "
         "subset of CUE that opcat has"},
        {"#X: strings.MinRunes(1)", "1:5: the package strings is not imported"},
        {"import \"strings\"\n#X: strings.ToUpper(\"a\")",
         "2:5: strings.ToUpper is outside of the subset of CUE that opcat has"},
        {"import \"strings\"\n#X: strings", "2:5: the package strings is not a value"},
        {"import \"strings\"\n#X: strings.MinRunes(-1)", "2:22: strings.MinRunes needs an integer from 0"},
        {"import \"strings\"\n#X: strings.MinRunes(\"a\", 1)",
         "2:5: strings.MinRunes needs one argument here"},
        {"#X: len(\"a\")", "1:5: len is outside of the subset of CUE that opcat has"},
        {"#X: =~\"(\"", "1:5: not a regular expression: missing ): ("},
        {"#X: #Y.b\n#Y: {a: 1}", "1:5: there is no b in what it is selected from"},
        {"{#X: int}", "1:1: only definitions and fields may be at the top of a file"},
        {"[string]: int", "1:1: only definitions and fields may be at the top of a file"},
        {"#X: #Y.b\n#Y: {b?: 1}", "1:5: b may be absent, so that nothing can refer to it"},
        {"#X: #Y.b\n#Y: {b: 1} & 1", "1:5: there is no b in a contradiction"},
        {"#X: #Y.b\n#Y: {b: 1} | {b: 2}",
         "1:5: b is selected from a disjunction, which is outside of the subset of CUE that opcat has"},
        {"#X: #X.a", "1:5: a refers to itself, with no field and no list between"},
        {"#X: {a: close}", "1:9: the function close is not a value"},
        {"#X: close()", "1:5: close needs one argument, a struct"},
        {"#X: close({a: 1}, 2)", "1:5: close needs one argument, a struct"},
        {"import \"list\"\n#X: list.Sort", "2:5: list.Sort is outside of the subset of CUE that opcat has"},
        {"import \"regexp\"\n#X: regexp.Match(1)", "2:18: regexp.Match needs a string"},
        {"#X: {", "1:6: a struct without an end"},
        {"#X: #X", "1:5: #X refers to itself, with no field and no list between"},
        {"#X: {a: #X}", "1:1: nothing can be #X: it must contain itself without end"},
        {"#X: {a: #Y}\n#Y: {b: #X}", "1:1: nothing can be #X: it must contain itself without end"},
        {"#X: {a: [int] & [int, int]}", "1:1: nothing can be #X: no list has both 1 and 2 items"},
        {"#X: {a: true & !=true}", "1:1: nothing can be #X: true is not !=true"},
        {"#X: {a: true & !=false}", "none"},
        {"#X: {[#L]: int}\n#L: {[string]: int}", "2:6: the label of a pattern is a string, not a struct"},
        {"#X: {a: string & int}", "1:1: nothing can be #X: nothing is both a string and an integer"},
        {"#X: {[1]: int}", "1:6: the label of a pattern is not a string"},
        {"#X: #A & {b: 1}\n#A: {a: 1}",
         "1:1: nothing can be #X: field b is not allowed by a definition that it is combined with"},
        {"#X: {[=~\"a\"]: 1, [=~\"b\"]: 1, [=~\"c\"]: 1, [=~\"d\"]: 1, [=~\"e\"]: 1, [=~\"f\"]: 1, "
         "[=~\"g\"]: 1}",
         "1:78: more than 6 patterns in one struct"},
    };
    for (const auto& [text, message] : cases) CHECK(problem_of(text) == message);
    CHECK(compiled("#X: {a: strin, b: #Y, c: nul}").problems.size() == 3);
    CHECK(compiled("#Package: int\n#X: #Pakage").problems.front().help == "did you mean #Package?");
}

TEST_CASE("a schema has up to a thousand definitions") {
    std::string text;
    for (int i = 0; i < 1'000; ++i) text += fmt::format("#A{}: int\n", i);
    CHECK(problem_of(text + "#A0: >1\n") == "none");
    CHECK(problem_of(text + "#B: int\n") == "1001:1: more than 1000 definitions in a file");
}

TEST_CASE("a schema that grows exponentially is refused in time") {
    std::string many = "#X: {";
    for (int i = 0; i < 20; ++i) many += fmt::format("a{0}: int\n", i);
    std::string product = "#X: ";
    for (int i = 0; i < 40; ++i)
        product += fmt::format("{}({{a?: {}}} | {{b?: {}}})", i > 0 ? " & " : "", i, i);
    CHECK(problem_of(product).find("alternatives in one place") != std::string::npos);
    CHECK(problem_of("#P: {p?: [...#P]}\n#P: {p?: [...#P], q?: int}\n#X: #P").find("too large") !=
          std::string::npos);
    std::string doubling = "#A0: {x?: int}\n";
    for (int i = 1; i < 60; ++i)
        doubling += fmt::format("#A{0}: {{a?: #A{1}, b?: #A{1} & {{c{0}?: #A{1}}}}}\n", i, i - 1);
    const std::string problem = problem_of(doubling + "#X: #A59\n");
    CHECK((problem == "none" || problem.find("too large") != std::string::npos));
}

TEST_CASE("a document that is too deep or branches too often is refused") {
    const Compiling deep = compiled("#X: [...#X] | int");
    REQUIRE(deep.schema);
    const Document document(std::string(2000, '[') + std::string(2000, ']'));
    CHECK(deep.schema->check(*deep.schema->find("X"), document.value).gave_up);

    const Compiling branching = compiled("#X: {a?: #X, b?: 1} | {a?: #X, c?: 1} | {a?: #X, d?: 1}");
    REQUIRE(branching.schema);
    std::string json = "1";
    for (int i = 0; i < 60; ++i) json = "{\"a\": " + json + "}";
    const Document branched(json);
    CHECK(branching.schema->check(*branching.schema->find("X"), branched.value).gave_up);
    const auto found = branching.schema->violations(*branching.schema->find("X"), branched.value);
    REQUIRE(found.size() == 1);
    CHECK(found[0].message == "does not fit, and is too large to say why");
}

TEST_CASE("a violation names the field, what it must be, and what in the schema requires it") {
    const std::string schema = "#X: {\n"
                               "  name: string & !=\"\"\n"
                               "  tags?: [...string]\n"
                               "  kind?: \"small\" | \"large\"\n"
                               "  port?: int & >0 & <=65535\n"
                               "  \"a b\"?: {c: =~\"^x\"}\n"
                               "}\n";
    CHECK(violations(schema, R"({"name": "", "tags": ["x", 1]})") ==
          "9: name must not be empty [!=\"\"]\n"
          "27: tags[1] must be a string, not a number [string] (put it in quotes)\n");
    CHECK(violations(schema, R"({"nam": "x"})") ==
          "1: nam is not allowed: the schema has no such field [{\n" + schema.substr(6, schema.size() - 7) +
              "] (did you mean name?)\n0: name is missing: it must be a string [name: string & !=\"\"]\n");
    CHECK(violations(schema, R"({"name": "x", "kind": "smal"})") ==
          "22: kind must be \"small\" or \"large\", not \"smal\" [kind?: \"small\" | \"large\"] (did you "
          "mean small?)\n");
    CHECK(violations(schema, R"({"name": "x", "port": 70000})") ==
          "22: port must be <=65535, not 70000 [<=65535]\n");
    CHECK(violations(schema, R"({"name": "x", "port": 1.5})") ==
          "22: port must be an integer, not 1.5 [int]\n");
    CHECK(violations(schema, R"({"name": "x", "a b": {"c": "y"}})") ==
          "27: [\"a b\"].c must match the regular expression \"^x\", which \"y\" does not [=~\"^x\"]\n");
    CHECK(violations(schema, "[]").find("0: it must be an object, not a list") == 0);
    CHECK(violations("#X: true", "false") == "0: it must be true, not false [true]\n");
    CHECK(violations("#X: {a?: {_b: 1 & 2}}", R"({"a": {}})") ==
          "6: a cannot be right: the schema contradicts itself here [_b]\n");
    const std::string long_text(59, 'x');
    CHECK(violations("#X: =~\"^a\"", "\"" + long_text + "yz\"") ==
          "0: it must match the regular expression \"^a\", which \"" + long_text +
              "y…\" does not [=~\"^a\"]\n");
    CHECK(violations("#X: 1 | true | \"a\"", "false") == "0: it must be 1, true or \"a\", not false [#X]\n");
    CHECK(violations("#X: 1|2|3|4|5|6|7|8|9|10|11|12|13|14", "\"" + long_text + "é\"")
              .find("0: it must be 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 or 2 others, not \"" + long_text +
                    "…\"") == 0);
    CHECK(violations("import \"strings\"\n#X: strings.MaxRunes(1)", "\"ab\"") ==
          "0: it must have at most 1 character [strings.MaxRunes(1)]\n");
}

TEST_CASE("the nearest alternative of a disjunction is reported") {
    const std::string schema = "#X: #A | #B | null\n"
                               "#A: {type: \"a\", value: {x: int, y: int}}\n"
                               "#B: {type: \"b\", value: {z: string}}\n";
    CHECK(violations(schema, R"({"type": "a", "value": {"x": 1}})") ==
          "23: value.y is missing: it must be an integer [y: int]\n");
    CHECK(violations(schema, R"({"type": "b", "value": {"x": 1, "y": 1}})").find("value.z is missing") !=
          std::string::npos);
    const std::string lists = "#X: [...int] | [string, string] | [string, int, int]\n";
    CHECK(violations(lists, R"(["a", 1])") == "0: it must have 3 items, not 2 [[string, int, int]] of 3\n");
    CHECK(violations(lists, R"(["a", 1, "b"])") == "9: [2] must be an integer, not a string [int] of 3\n");
    CHECK(violations(lists, R"([1, 2, 3, "b", 5, 6])") ==
          "10: [3] must be an integer, not a string [int] of 3\n");
    CHECK(violations(schema, "1").find("0: it must be an object or null, not a number") == 0);
    CHECK(
        violations("#X: {a: int} | {a: int, b?: int}", R"({"a": 1})").find("matches several alternatives") !=
        std::string::npos);
}

TEST_CASE("there are never more than a hundred violations") {
    const Compiling result = compiled("#X: [...string]");
    std::string json = "[1";
    for (int i = 0; i < 1000; ++i) json += ",1";
    const Document document(json + "]");
    CHECK(result.schema->violations(*result.schema->find("X"), document.value).size() == 100);
}

TEST_CASE("large files are read or refused in time") {
    const auto repeated = [](const std::string& begin, std::string_view part, const std::string& end) {
        std::string text = begin;
        while (text.size() + part.size() + end.size() < max_file_size) text += part;
        return text + end;
    };
    CHECK(problem_of(repeated("#X: {", "a:int,", "}")) == "none");
    CHECK(problem_of(repeated("#X: >1", "&>1", "")) == "none");
    CHECK(problem_of(repeated("#A: int, #X: {", "a:#A,", "}")) == "none");
    CHECK(problem_of(repeated("#X: (>1&>2&>3) & (1", "|1", ")")).find("too large") != std::string::npos);
    CHECK(problem_of("#X: " + repeated("(>1", "&>1", ")").substr(0, 300'000) + ") & (" +
                     repeated("1", "|1", "").substr(0, 300'001) + ")")
              .find("too large") != std::string::npos);
    std::string fields = "#X: {";
    for (int i = 0; fields.size() < max_file_size - 20; ++i) fields += fmt::format("a{}:int,", i);
    CHECK(problem_of(fields + "}").find("too large") != std::string::npos);
    std::string expressions = "#X: string";
    for (int i = 0; i < 300; ++i) expressions += fmt::format(" & =~\"a{}\"", i);
    CHECK(problem_of(expressions).find("more than 250 regular expressions") != std::string::npos);
}
