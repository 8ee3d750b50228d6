// Every blob of every catalog is checked, so checking a valid one must not allocate memory.
#include "../count_allocations.hpp"
#include "opcat/cue/schema.hpp"
#include "opcat/document/json_reader.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::cue;

TEST_CASE("checking a valid document allocates nothing") {
    Diagnostics problems;
    const auto schema = Schema::compile(std::make_shared<SourceFile>("test.cue", R"(
import "strings"
import "list"
#X: {
	name: =~"^[a-z]+$" & strings.MinRunes(2)
	kind: *"small" | "large"
	items: [...#Item] & list.MinItems(1) & list.UniqueItems()
	labels?: [string]: string
	labels?: [=~"^x-"]: !=""
	n: int & >=1 & <=3
}
#Item: {type: "a", value: int} | {type: "b", value: [...string]} | {type: "c", [=~"^v"]: _}
)"),
                                        problems);
    REQUIRE(schema);
    const SourceFile file("test.json", R"({"name": "abc", "n": 2, "labels": {"x-a": "b", "c": ""},
        "items": [{"type": "a", "value": 1}, {"type": "b", "value": ["x", "y"]}, {"type": "c", "value": null}]})");
    Arena arena;
    Diagnostic problem;
    uint32_t end = 0;
    const auto value = read_json(file, 0, arena, end, problem);
    REQUIRE(value);
    const Definition& definition = *schema->find("#X");
    // RE2 builds its automata at first use.
    REQUIRE(schema->check(definition, *value).state == State::complete);
    const size_t before = allocations;
    REQUIRE(before > 0);
    const Outcome outcome = schema->check(definition, *value);
    const size_t after = allocations;
    CHECK(after == before);
    CHECK(outcome.state == State::complete);
}
