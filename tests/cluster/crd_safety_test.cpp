#include "opcat/cluster/objects.hpp"
#include "opcat/kube/crd.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace opcat::cluster;
using opcat::kube::unsafe_changes;

namespace {

Object crd(const char* scope, const char* version, Json schema) {
    return object_of({{"spec",
                       {{"scope", scope},
                        {"versions", Json::array({{{"name", version},
                                                   {"schema", {{"openAPIV3Schema", std::move(schema)}}}}})}}},
                      {"status", {{"storedVersions", {"v1"}}}}});
}

Json object_with(Json properties) {
    return {{"type", "object"}, {"properties", std::move(properties)}};
}

} // namespace

TEST_CASE("changes of a CustomResourceDefinition that OLM v1 refuses are found, in its words") {
    const Json before = object_with(
        {{"spec", object_with({{"size", {{"type", "integer"}}}})}, {"status", {{"type", "object"}}}});
    const Object current = crd("Namespaced", "v1", before);
    using Words = std::vector<std::string>;
    CHECK(unsafe_changes(current, current).empty());
    // More fields do no harm.
    Json more = before;
    more["properties"]["spec"]["properties"]["colour"] = {{"type", "string"}};
    CHECK(unsafe_changes(current, crd("Namespaced", "v1", more)).empty());

    Json removed = before;
    removed["properties"].erase("status");
    CHECK(unsafe_changes(current, crd("Namespaced", "v1", removed)) ==
          Words{"existingFieldRemoval: removed field : v1.^.status"});
    CHECK(unsafe_changes(current, crd("Cluster", "v1", before)) ==
          Words{"scope: scope changed : \"Namespaced\" -> \"Cluster\""});
    CHECK(unsafe_changes(current, crd("Namespaced", "v2", before)) ==
          Words{"storedVersionRemoval: stored versions removed : [v1]"});

    Json stricter = before;
    stricter["properties"]["spec"]["required"] = {"colour"};
    stricter["properties"]["spec"]["properties"]["size"]["maximum"] = 5;
    CHECK(unsafe_changes(current, crd("Namespaced", "v1", stricter)) ==
          Words{"v1: ^.spec.size: maximum: maximum constraint added when there was none previously : 5",
                "v1: ^.spec: required: new required fields: [colour]"});

    const auto with_colours = [&](Json colours) {
        Json schema = more;
        if (!colours.empty())
            schema["properties"]["spec"]["properties"]["colour"]["enum"] = std::move(colours);
        return crd("Namespaced", "v1", schema);
    };
    const Object two = with_colours({"red", "blue"});
    CHECK(unsafe_changes(two, with_colours({"blue", "green", "red"})).empty());
    CHECK(unsafe_changes(two, with_colours({})).empty());
    CHECK(unsafe_changes(two, with_colours({"red"})) ==
          Words{"v1: ^.spec.colour: enum: allowed enum value removed : \"blue\""});
    CHECK(unsafe_changes(with_colours({}), with_colours({"red"})) ==
          Words{"v1: ^.spec.colour: enum: enum constraint added when there was none previously : [\"red\"]"});
}
