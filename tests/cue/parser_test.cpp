#include "opcat/cue/parser.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

using namespace opcat;
using namespace opcat::cue;

namespace {

std::string show(const Expression& expression);

std::string show(const StructLiteral& body) {
    std::string out = "{";
    for (const Declaration& d : body.declarations) {
        if (out.size() > 1) out += ", ";
        const std::string mark = d.presence == Presence::optional   ? "?"
                                 : d.presence == Presence::required ? "!"
                                                                    : "";
        switch (d.kind) {
        case Declaration::Kind::field:
            out += fmt::format("\"{}\"{}: ", d.name, mark);
            break;
        case Declaration::Kind::definition:
            out += fmt::format("{}{}: ", d.name, mark);
            break;
        case Declaration::Kind::pattern:
            out += fmt::format("[{}]: ", show(*d.label));
            break;
        case Declaration::Kind::embedding:
            break;
        }
        out += show(d.value);
    }
    return out + (body.open ? out.size() > 1 ? ", ...}" : "...}" : "}");
}

std::string show(const std::vector<Expression>& parts, std::string_view separator) {
    std::string out;
    for (const Expression& part : parts) out += (out.empty() ? "" : std::string(separator)) + show(part);
    return out;
}

struct Show {
    std::string operator()(const Top&) const { return "_"; }
    std::string operator()(const Bottom&) const { return "_|_"; }
    std::string operator()(const Constant& c) const { return to_string(c); }
    std::string operator()(const Name& name) const { return name.text; }
    std::string operator()(const Selector& s) const { return show(*s.base) + "." + s.name; }
    std::string operator()(const Bound& b) const {
        return std::string(to_string(b.relation)) + to_string(b.operand);
    }
    std::string operator()(const Conjunction& c) const { return "(" + show(c.parts, " & ") + ")"; }
    std::string operator()(const Disjunction& d) const {
        std::string out;
        for (size_t i = 0; i < d.parts.size(); ++i)
            out += (i > 0 ? " | " : "(") + std::string(d.defaults[i] ? "*" : "") + show(d.parts[i]);
        return out + ")";
    }
    std::string operator()(const Call& c) const {
        return show(*c.function) + "(" + show(c.arguments, ", ") + ")";
    }
    std::string operator()(const ListLiteral& list) const {
        std::string out = "[" + show(list.items, ", ");
        if (list.open) out += std::string(list.items.empty() ? "" : ", ") + "...";
        if (list.rest) out += show(*list.rest);
        return out + "]";
    }
    std::string operator()(const StructLiteral& body) const { return show(body); }
};

std::string show(const Expression& expression) {
    return std::visit(Show{}, expression.content);
}

// The tree of a file's body, or its error with the place.
std::string parsed(const std::string& text) {
    const SourceFile file("test.cue", text);
    const auto result = parse(file);
    if (result) return show(result->body);
    const Diagnostic& problem = result.error();
    const Position at = file.position(problem.where.offset);
    return fmt::format("{}:{}: {}", at.line, at.column, problem.message);
}

std::string value_of(const std::string& text) {
    const std::string whole = parsed("x: " + text);
    const std::string prefix = "{\"x\": ";
    if (!whole.starts_with(prefix)) return whole;
    return whole.substr(prefix.size(), whole.size() - prefix.size() - 1);
}

} // namespace

TEST_CASE("operators bind as in CUE") {
    CHECK(value_of("int & >=1 & <10 | *\"a\" | null") == "((int & >=1 & <10) | *\"a\" | null)");
    CHECK(value_of("(int | string) & _") == "((int | string) & _)");
    CHECK(value_of("=~\"^a\" & !~'b' | _|_").find("=~") == std::string::npos);
    CHECK(value_of("=~\"^a\" & !~\"b\" | _|_") == "((=~\"^a\" & !~\"b\") | _|_)");
    CHECK(value_of("!=null") == "!=null");
    CHECK(value_of("-1 | +2 | >-1.5") == "(-1 | 2 | >-1.5)");
    CHECK(value_of("#A.#B.c & strings.MinRunes(3)") == "(#A.#B.c & strings.MinRunes(3))");
}

TEST_CASE("structs have fields of all kinds") {
    CHECK(
        parsed("a: 1, b?: 2\nc!: 3\n\"d e\"?: 4\n#F: 5\n_g: 6\n_#h: 7\n[string]: 8\n[=~\"x\"]: 9\n#F\n...") ==
        "{\"a\": 1, \"b\"?: 2, \"c\"!: 3, \"d e\"?: 4, #F: 5, _g: 6, _#h: 7, [string]: 8, [=~\"x\"]: 9, #F, "
        "...}");
    CHECK(parsed("a: b: c?: int") == "{\"a\": {\"b\": {\"c\"?: int}}}");
    CHECK(parsed("a: [string]: int") == "{\"a\": {[string]: int}}");
    CHECK(parsed("a: {\n}\nb: {c: 1,}") == "{\"a\": {}, \"b\": {\"c\": 1}}");
    CHECK(parsed("// nothing\n\n") == "{}");
    CHECK(parsed("package p\nimport \"strings\"\nimport (\n\t\"list\"\n\tre \"regexp\"\n)\na: re.Match") ==
          "{\"a\": re.Match}");
    CHECK(parsed("if: 1\nimport: 2\nnull: 3") == "{\"if\": 1, \"import\": 2, \"null\": 3}");
}

TEST_CASE("lists are closed, or open with a type") {
    CHECK(value_of("[]") == "[]");
    CHECK(value_of("[...]") == "[...]");
    CHECK(value_of("[int, string]") == "[int, string]");
    CHECK(value_of("[\n\tint,\n\t...string\n]") == "[int, ...string]");
    CHECK(value_of("[int, {a: 1}, ...,]") == "[int, {\"a\": 1}, ...]");
}

TEST_CASE("numbers are read exactly") {
    const std::pair<const char*, const char*> cases[] = {
        {"0", "0"},
        {"1_000", "1000"},
        {"0x1F", "31"},
        {"0o17", "15"},
        {"0b101", "5"},
        {"1K", "1000"},
        {"1.5K", "1500"},
        {"4Gi", "4294967296"},
        {".5", "0.5"},
        {"1.", "1.0"},
        {"1e3", "1000.0"},
        {"1.5E-2", "0.015"},
        {"2.50", "2.5"},
        {"1_000.2_5", "1000.25"},
        {"1_0.2_5K", "10250"},
        {"18446744073709551615", "18446744073709551615"},
        {"-9223372036854775808", "-9223372036854775808"},
        {".5Ki", "512"},
        {"0.25M", "250000"},
    };
    for (const auto& [text, value] : cases) {
        CAPTURE(text);
        CHECK(value_of(text) == value);
    }
    for (const char* wrong :
         {"18446744073709551616", "012", "1__0", "1_", "0x", "0b2", "1.2.3", "1e", "9a", "9z", "0xg", "1_.5",
          "1._5", "1.5_", "1_.5K", "1.00001K", "-18446744073709551615", "99999999P"})
        CHECK_MESSAGE(value_of(wrong).starts_with("1:"), std::string(wrong));
}

TEST_CASE("strings have escapes, marks and several lines") {
    const std::pair<const char*, const char*> cases[] = {
        {R"("a\n\t\"\\\/é")", R"("a\n\t\"\\/é")"},
        {R"("\U0001F600")", "\"\U0001F600\""},
        {R"('\x61\101\'')", R"('aA\x27')"},
        {R"(#"a\n"b\#n"#)", R"("a\\n\"b\n")"},
        {"\"\"\"\n    a\n      b\n\n    c\n    \"\"\"", R"("a\n  b\n\nc")"},
        {"\"\"\"\r\n  a\r\n  b\r\n  \"\"\"", R"("a\nb")"},
        {"'''\n  a\n  '''", "'a'"},
        {"\"\"\"\n  \"\"\"", "\"\""},
        {"##\"a\"#b\"##", R"("a\"#b")"},
        {R"("// no comment")", R"("// no comment")"},
    };
    for (const auto& [text, value] : cases) {
        CAPTURE(text);
        CHECK(value_of(text) == value);
    }
}

TEST_CASE("text that is not CUE, or not in the subset, is an error at its place") {
    const std::pair<const char*, const char*> cases[] = {
        {"a: \"x\\(b)\"", "1:4: interpolation of strings is outside of the subset of CUE that opcat has"},
        {"a: 1 + 2", "1:6: the operator + is outside of the subset of CUE that opcat has"},
        {"a: b / 2", "1:6: the operator / is outside of the subset of CUE that opcat has"},
        {"a: b == 2", "1:6: the operator == is outside of the subset of CUE that opcat has"},
        {"a: !b", "1:4: the operator ! is outside of the subset of CUE that opcat has"},
        {"a: >b", "1:5: a bound that is not a constant is outside of the subset of CUE that opcat has"},
        {"a: [1][0]", "1:7: this index or call is outside of the subset of CUE that opcat has"},
        {"a: b[0]", "1:5: this index or call is outside of the subset of CUE that opcat has"},
        {"a: {b: 1}.b",
         "1:10: a selection from what is not a reference is outside of the subset of CUE that opcat has"},
        {"if true {a: 1}", "1:1: \"if\" here is outside of the subset of CUE that opcat has"},
        {"a: [for x in y {x}]", "1:5: \"for\" here is outside of the subset of CUE that opcat has"},
        {"let x = 1", "1:1: \"let\" here is outside of the subset of CUE that opcat has"},
        {"X=a: 1", "1:2: aliases are outside of the subset of CUE that opcat has"},
        {"a: X={b: 1}", "1:5: aliases are outside of the subset of CUE that opcat has"},
        {"[X=string]: 1", "1:3: aliases are outside of the subset of CUE that opcat has"},
        {"(a): 1", "1:4: a label that is computed is outside of the subset of CUE that opcat has"},
        {"a: 1 @go(A)", "1:6: attributes are outside of the subset of CUE that opcat has"},
        {"a: {...string}",
         "1:5: a type after ... in a struct is outside of the subset of CUE that opcat has"},
        {"import \"math\"", "1:8: the package \"math\" is outside of the subset of CUE that opcat has"},
        {"a: *1", "1:4: the mark * belongs to an alternative of a disjunction"},
        {"a: 1 & *2", "1:8: the mark * belongs to an alternative of a disjunction"},
        {"a: / 2", "1:4: the operator / is outside of the subset of CUE that opcat has"},
        {"a: @go(A)", "1:4: attributes are outside of the subset of CUE that opcat has"},
        {"import \"list\" (", "1:15: expected a comma or the end of the line, not '('"},
        {"a: =~1", "1:6: =~ needs a string, a regular expression"},
        {"a: >null", "1:5: > needs a number, a string or bytes"},
        {"a: \"b", "1:4: a string without an end"},
        {"a: \"\\q\"", "1:5: no escape that CUE knows"},
        {"a: \"\\u00g1\"", "1:5: an escape with invalid digits"},
        {"a: \"\\u00_1\"", "1:5: an escape with invalid digits"},
        {"a: \"\"\"\n  x\"\"\"", "2:1: the closing quotes of several lines are on a line of their own"},
        {"a: \"\\x41\"", "1:5: only bytes have the escape \\x"},
        {"a: \"\\ud800\"", "1:5: an escape that is not a Unicode character"},
        {"a: \"\"\"\n  x\n y\n  \"\"\"", "3:1: a line that is indented less than the closing quotes"},
        {"a: {b: 1", "1:9: a struct without an end"},
        {"a: [1, ...int, 2]", "1:16: \"...\" is the last item of a list"},
        {"a:", "1:3: expected a value, not the end of the file"},
        {"a: }", "1:4: expected a value, not '}'"},
        {"a: 1 b: 2", "1:6: expected a comma or the end of the line, not 'b'"},
        {"a: é", "1:4: 'é' is not a word of CUE"},
        {"_: 1", "1:1: a field needs another name than _"},
        {"#: 1", "1:1: \"#\" needs a name after it"},
        {"a: ;", "1:4: ';' is not a word of CUE"},
    };
    for (const auto& [text, message] : cases) CHECK(parsed(text) == message);
}

TEST_CASE("nesting and size are limited") {
    const std::string message = "nested more than 100 levels deep";
    for (const std::string& opening :
         {std::string("{a:"), std::string("["), std::string("("), std::string("a: ")}) {
        std::string text = "a: ";
        for (int i = 0; i < 100'000; ++i) text += opening;
        CHECK(parsed(text).find(message) != std::string::npos);
    }
    std::string selections = "a: b";
    for (int i = 0; i < 100'000; ++i) selections += ".c";
    CHECK(parsed(selections).find("more than 100 names in a row") != std::string::npos);
    CHECK(parsed(std::string(max_file_size + 1, ' ')) == "1:1: a schema of more than 1 MiB");
}

TEST_CASE("a declaration has the comment above it") {
    const SourceFile file("test.cue",
                          "// not\n\n// One\n// two\n#A: int // three\n#B: {\n\t// four\n\tc: 1\n}\n");
    const auto result = parse(file);
    REQUIRE(result);
    const auto text = [&](Range range) { return file.bytes().substr(range.begin, range.end - range.begin); };
    const Declaration& a = result->body.declarations.at(0);
    CHECK(text(a.documentation) == "// One\n// two");
    CHECK(text(a.range) == "#A: int");
    const Declaration& b = result->body.declarations.at(1);
    CHECK(text(b.documentation) == "");
    const auto& inner = std::get<StructLiteral>(b.value.content);
    CHECK(text(inner.declarations.at(0).documentation) == "// four");
}
