// CustomResourceDefinitions: their versions, and objects that violate their schemas.
#pragma once

#include "opcat/base/work.hpp"
#include "opcat/kube/object.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::kube {

struct CrdVersion {
    bool served = true;
    Fields schema; // openAPIV3Schema
};
using CrdVersions = std::map<std::string_view, CrdVersion>;

// Returns the versions of a definition: of v1, and of v1beta1 with its single version and common schema.
CrdVersions versions_of(const Fields& crd);

// The versions in which the cluster stores objects, and which `wanted` no longer has.
std::vector<std::string_view> removed_stored_versions(const Fields& current, const CrdVersions& wanted);

// Comparing an object with a schema costs up to the product of their sizes: it takes about 10 steps of the
// work for a value and a schema. The answer is nothing if so many steps are not left.

// The object as the API server completes it before it looks for violations: with the defaults of the schema,
// and without null where the schema does not allow it. Refers to both. Nothing, too, if there are more than a
// million defaults.
std::optional<Value> with_defaults(const Value& object, const Value& schema, Arena& arena, Work& work);

struct SchemaViolation {
    std::string path; // "spec.size"
    std::string what;
    uint32_t offset = 0; // in the object's file
};

// Returns how an object violates openAPIV3Schema, at most `most` messages: types, required fields,
// enumerations, bounds, patterns, lengths and combinations. Formats and CEL rules are not checked.
std::optional<std::vector<SchemaViolation>> violations(const Value& object, const Value& schema, Work& work,
                                                       size_t most = 10);

// The fields of an object that a schema does not contain ("spec.volume"), at most `most`: the API server
// drops them when it reads or stores the object.
std::optional<std::vector<std::string>> pruned_fields(const Value& object, const Value& schema, Work& work,
                                                      size_t most = 10);

} // namespace opcat::kube
