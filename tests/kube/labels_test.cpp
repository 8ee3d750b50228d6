#include "opcat/kube/labels.hpp"

#include <doctest/doctest.h>

using namespace opcat::kube;

TEST_CASE("requirements hold as in Kubernetes") {
    const Labels labels = {{"env", "prod"}, {"empty", ""}};
    struct Case {
        LabelSelectorSpec spec;
        std::string failing;
    };
    const Case cases[] = {
        {{}, ""},
        {{{{"env", "prod"}}, {}}, ""},
        {{{{"env", "dev"}}, {}}, "env in (dev)"},
        {{{{"no", ""}}, {}}, "no in ()"},
        {{{{"empty", ""}}, {}}, ""},
        {{{}, {{"env", "In", {"dev", "prod"}}}}, ""},
        {{{}, {{"env", "NotIn", {"dev", "prod"}}}}, "env notin (dev, prod)"},
        {{{}, {{"no", "NotIn", {"dev"}}}}, ""},
        {{{}, {{"env", "Exists", {}}}}, ""},
        {{{}, {{"no", "Exists", {}}}}, "no"},
        {{{}, {{"env", "DoesNotExist", {}}}}, "!env"},
        {{{}, {{"no", "DoesNotExist", {}}}}, ""},
        {{{{"env", "prod"}}, {{"no", "Exists", {}}}}, "no"},
    };
    for (const Case& c : cases) {
        const auto selector = LabelSelector::compile(c.spec);
        REQUIRE(selector);
        CHECK(selector->first_failing(labels) == c.failing);
        CHECK(selector->matches(labels) == c.failing.empty());
    }
}

TEST_CASE("errors are those of Kubernetes") {
    const std::string key_rule =
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and "
        "end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex "
        "used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    struct Case {
        LabelSelectorSpec spec;
        std::string error;
    };
    const Case cases[] = {
        {{{}, {{"env", "Bogus", {"x"}}}}, "\"Bogus\" is not a valid label selector operator"},
        {{{}, {{"env", "in", {"x"}}}}, "\"in\" is not a valid label selector operator"},
        {{{}, {{"env", "In", {}}}},
         "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"},
        {{{}, {{"env", "Exists", {"a", "b"}}}},
         "values: Invalid value: [\"a\",\"b\"]: values set must be empty for exists and does not exist"},
        {{{{"bad key!", "x"}}, {}}, "key: Invalid value: \"bad key!\": " + key_rule},
        {{{{"", "x"}}, {}}, "key: Invalid value: \"\": name part must be non-empty; " + key_rule},
        {{{{"/x", "x"}}, {}}, "key: Invalid value: \"/x\": prefix part must be non-empty"},
        {{{{"a/b/c", "x"}}, {}},
         "key: Invalid value: \"a/b/c\": a qualified name must consist of alphanumeric characters, '-', '_' "
         "or "
         "'.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
         "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an "
         "optional "
         "DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"},
        {{{{"env", std::string(64, 'a')}}, {}},
         "values[0][env]: Invalid value: \"" + std::string(64, 'a') + "\": must be no more than 63 bytes"},
        {{{{"a!", "x"}}, {{"env", "Bogus", {}}}}, "key: Invalid value: \"a!\": " + key_rule},
        {{{}, {{"a!", "In", {}}}},
         "[key: Invalid value: \"a!\": " + key_rule +
             ", values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty]"},
    };
    for (const Case& c : cases) {
        const auto selector = LabelSelector::compile(c.spec);
        REQUIRE_FALSE(selector);
        CHECK(selector.error() == c.error);
    }
}
