#include "opcat/kube/object.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace opcat::kube;

TEST_CASE("what is not one JSON value is not an object") {
    for (const std::string_view text : {"", "no", "{\"kind\":", "{} {}", "{\"kind\":\"Pod\"} x"}) {
        CAPTURE(text);
        CHECK_THROWS_WITH_AS(parse_object(text, "the answer"), "cannot read the answer: it is not JSON",
                             std::runtime_error);
        CHECK_FALSE(parse_object(text));
    }
    CHECK(parse_object(" {\"kind\":\"Pod\"} \n").kind() == "Pod");
}

TEST_CASE("an object that is nested deeper than Kubernetes stores is refused") {
    const auto nested = [](int levels) { return std::string(levels, '[') + std::string(levels, ']'); };
    CHECK_NOTHROW(parse_object(nested(500), "the answer"));
    CHECK_THROWS_WITH_AS(parse_object(nested(501), "the answer"),
                         "cannot read the answer: it is nested too deep", std::runtime_error);
}
