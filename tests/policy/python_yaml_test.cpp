// Covers lib/policy/python_scalars.cpp and lib/policy/python_value.cpp.
#include "opcat/policy/python_yaml.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::policy;

namespace {

// As Python prints the value, or the exception.
std::string loaded_by_python(std::string_view text) {
    const SourceFile file("f.yaml", text);
    try {
        return load_python_yaml(file, "f.yaml").repr();
    } catch (const PythonError& error) {
        return error.what();
    }
}

} // namespace

TEST_CASE("YAML is read as PyYAML reads it") {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"", "None"},
        {"[yes, Off, y, True, ~, null, '']", "[True, False, 'y', True, None, None, '']"},
        {"[1, -3, 012, 0o7, 0x1F, 0b11, 1_000, 1:30, 08]", "[1, -3, 10, '0o7', 31, 3, 1000, 90, '08']"},
        {"[1.5, 1e3, 1.0e+3, .5, -.5, 1.e+20, .inf, .nan, 1:30.5, 1_0.5]",
         "[1.5, '1e3', 1000.0, 0.5, '-.5', 1e+20, inf, nan, 90.5, 10.5]"},
        {"[123456789012345678901234567890]", "[123456789012345678901234567890]"},
        {"[2024-01-02, 2024-1-2, 2024-01-02T03:04:05Z]",
         "[datetime.date(2024, 1, 2), '2024-1-2', datetime.datetime(2024, 1, 2, 3, 4, 5, "
         "tzinfo=datetime.timezone.utc)]"},
        {"2024-01-02 03:04:00.25 -1:30", "datetime.datetime(2024, 1, 2, 3, 4, 0, 250000, "
                                         "tzinfo=datetime.timezone(datetime.timedelta(days=-1, "
                                         "seconds=81000)))"},
        {"2024-02-31", "ValueError: day is out of range for month"},
        {"{a: 1, a: 2, 1: x, 1.0: y, true: z}", "{'a': 2, 1: 'z'}"},
        {"{<<: {a: 1, b: 1}, b: 2, c: 3}", "{'a': 1, 'b': 2, 'c': 3}"},
        {"{<<: [{a: 1}, {a: 2}]}", "{'a': 1}"},
        {"a: &x [1]\nb: *x", "{'a': [1], 'b': [1]}"},
        {"[!!str 1, !!int '2', ! 3]", "['1', 2, '3']"},
        {"[\"it's\", 'a\"b', \"a'\\\"b\", \"\\n\\x07\"]", "[\"it's\", 'a\"b', 'a\\'\"b', '\\n\\x07']"},
        {"a: 1\n---\nb: [", "operatorcert.operator_repo.exceptions.OperatorRepoException: f.yaml contains "
                            "multiple yaml documents"},
        {"a: *y", "operatorcert.operator_repo.exceptions.OperatorRepoException: f.yaml contains multiple "
                  "yaml documents"},
        {"a: [",
         "operatorcert.operator_repo.exceptions.OperatorRepoException: f.yaml is not a valid yaml document"},
        {"a: b: c", "yaml.scanner.ScannerError: mapping values are not allowed here"},
        {"a:\n\t- b", "yaml.scanner.ScannerError: while scanning for the next token"},
        {"{{ x }}", "yaml.constructor.ConstructorError: while constructing a mapping"},
        {"=", "yaml.constructor.ConstructorError: could not determine a constructor for the tag "
              "'tag:yaml.org,2002:value'"},
        {"!x 1", "yaml.constructor.ConstructorError: could not determine a constructor for the tag '!x'"},
        {"\xff",
         "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"},
    };
    for (const auto& [text, expected] : cases) {
        CAPTURE(text);
        CHECK(loaded_by_python(text) == expected);
    }
}

TEST_CASE("a value that holds itself, or is nested deeply, ends") {
    CHECK(loaded_by_python("&a [1, *a]") == "[1, []]");
    CHECK(loaded_by_python(std::string(2000, '[') + std::string(2000, ']')) ==
          "RecursionError: maximum recursion depth exceeded");
    std::string text = "a0: &a0 [x, x]\n";
    for (int i = 1; i < 40; ++i)
        text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
                ", *a" + std::to_string(i - 1) + "]\n";
    CHECK(loaded_by_python(text).size() < 200'000); // it is cut
}

TEST_CASE("values fail as Python's do") {
    const SourceFile file("f.yaml", "{text: abc, list: [a, 1], none: null, number: 1, dict: {k: v}}");
    const PythonValue all = load_python_yaml(file, "f.yaml");
    const auto failure = [](auto&& act) -> std::string {
        try {
            act();
        } catch (const PythonError& error) {
            return error.what();
        }
        return "";
    };
    CHECK(failure([&] { all.item("list").get("k"); }) ==
          "AttributeError: 'list' object has no attribute 'get'");
    CHECK(failure([&] { all.item("none").item("k"); }) ==
          "TypeError: 'NoneType' object is not subscriptable");
    CHECK(failure([&] { all.item("text").item("k"); }) ==
          "TypeError: string indices must be integers, not 'str'");
    CHECK(failure([&] { all.item("x"); }) == "KeyError: 'x'");
    CHECK(failure([&] { all.item("number").each(); }) == "TypeError: 'int' object is not iterable");
    CHECK(failure([&] { all.item("number").contains("x"); }) ==
          "TypeError: argument of type 'int' is not iterable");
    CHECK(failure([&] { all.item("list").hashable(); }) == "TypeError: unhashable type: 'list'");
    CHECK(all.item("text").contains("bc"));
    CHECK(all.item("list").contains("a"));
    CHECK(all.item("dict").get("k").str() == "v");
    CHECK(all.item("text").each().size() == 3);
}
