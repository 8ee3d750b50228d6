#include "opcat/admission/admission.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;

namespace {

std::string refusals_of_schema(const std::string& schema, const std::string& more = {}) {
    const kube::Object crd = kube::parse_object(
        R"({"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":)" + schema + "}" + more + "}]}}",
        "the crd");
    std::string all;
    for (const admission::Refusal& refusal : admission::schema_refusals(crd))
        all += (all.empty() ? "" : "; ") + refusal.to_string();
    return all;
}

// A schema with one property.
std::string with_property(const std::string& schema) {
    return R"({"type":"object","properties":{"spec":)" + schema + "}}";
}

} // namespace

TEST_CASE("schemas that are not structural are refused") {
    const std::string at = "spec.validation.openAPIV3Schema.properties[spec]";
    const std::pair<std::string, std::string> cases[] = {
        {R"({"type":"object"})", ""},
        {with_property(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})"), ""},
        {with_property(
             R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]})"),
         ""},
        {with_property(R"({"type":"array","items":{"type":"string"},"uniqueItems":true})"),
         at + ".uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity "
              "becomes quadratic"},
        {with_property(R"({"type":"array","items":{"type":"string"},"uniqueItems":false})"), ""},
        {with_property("{}"), at + ".type: Required value: must not be empty for specified object fields"},
        {with_property(R"({"type":"array"})"), at + ".items: Required value: must be specified"},
        {with_property(R"({"type":"array","items":{}})"),
         at + ".items.type: Required value: must not be empty for specified array items"},
        {R"({"type":"string"})",
         R"(spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root)"},
        {"{}", "spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root"},
        {R"({"type":"object","additionalProperties":{"type":"string"}})",
         "spec.validation.openAPIV3Schema.additionalProperties: Forbidden: must not be used at the root"},
        {with_property(R"({"type":"file"})"),
         at +
             R"(.type: Unsupported value: "file": supported values: "array", "boolean", "integer", "number", "object", "string")"},
        {with_property(R"({"type":"object","$ref":"#/x"})"), at + ".$ref: Forbidden: $ref is not supported"},
        {with_property(
             R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false})"),
         at + ".additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"},
        {with_property(R"({"type":"string","pattern":"("})"),
         "must be a valid regular expression, but isn't"},
        {with_property(R"({"type":"integer","default":"x"})"), at + R"(.default: Invalid value: "x")"},
        {with_property(R"({"type":"object","anyOf":[{"type":"object"}]})"),
         at + ".anyOf[0].type: Forbidden: must be empty to be structural"},
        {with_property(R"({"type":"object","anyOf":[{"properties":{"a":{"minLength":1}}}]})"),
         at + ".properties[a]: Required value: because it is defined in " + at + ".anyOf[0].properties[a]"},
        {with_property(
             R"({"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]}]})"),
         ""},
        {with_property(R"({"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"set"})"),
         "must be atomic as item of a list with x-kubernetes-list-type=set"},
        {with_property(R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"],
                           "items":{"type":"object","properties":{"a":{"type":"string"}}}})"),
         "so it must have a default or be a required property"},
        {R"({"type":"object","properties":{"metadata":{"type":"object","properties":{"labels":{"type":"object"}}}}})",
         "must not specify anything other than name and generateName"},
        {R"({"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":9}}}}})",
         ""},
        {R"({"type":"object","properties":{"metadata":{"type":"string"}}})",
         R"(properties[metadata].type: Invalid value: "string": must be object)"},
        {with_property(R"({"type":"object","x-kubernetes-validations":[{"rule":""}]})"),
         "rule is not specified"},
    };
    for (const auto& [schema, words] : cases) {
        CAPTURE(schema);
        const std::string found = refusals_of_schema(schema);
        if (words.empty())
            CHECK(found == "");
        else
            CHECK_MESSAGE(found.find(words) != found.npos, found << " lacks " << words);
    }
}

TEST_CASE("a subresource restricts the root of a schema and needs paths below .status") {
    CHECK(refusals_of_schema(R"({"type":"object","anyOf":[{"required":["spec"]}]})",
                             R"(,"subresources":{"status":{}})")
              .find("fields are allowed at the root of the schema if the status subresource is enabled") !=
          std::string::npos);
    CHECK(refusals_of_schema(R"({"type":"object"})",
                             R"(,"subresources":{"scale":{"specReplicasPath":".spec.r"}})") ==
          "spec.subresources.scale.statusReplicasPath: Required value");
}
