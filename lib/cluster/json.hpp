// Objects of a cluster, as JSON. Members keep their order, so that what is printed reads as people write it.
//
// Everything a cluster says is optional until it is there: a new object has no status, conditions come late
// and vanish. Hence the readers here, which answer "nothing" for whatever is missing or of another type.
#pragma once

#include "document/value.hpp"

#include <nlohmann/json_fwd.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

using Json = nlohmann::ordered_json;
using Path = std::initializer_list<std::string_view>;

// One JSON value, nothing behind it. Throws Error ("cannot read WHAT: …") if the text is none, or is nested
// deeper than anything that Kubernetes stores.
Json parse_json(std::string_view text, std::string_view what);

// On one line; bytes that are not UTF-8 become U+FFFD.
std::string to_text(const Json& json);
// As a block document, without a "---". Throws Error for text that YAML cannot hold.
std::string to_yaml(const Json& json);

// The same as a value without a place in a file. Its texts and collections are in the arena; bytes that are
// not UTF-8 become U+FFFD.
Value to_value(const Json& json, Arena& arena);

// The member at a path of keys: nullptr if there is none, or it is null. What it gives is part of `json`,
// which must therefore stay.
const Json* find(const Json& json, Path path);
const Json* find(Json&& json, Path path) = delete;
// The string there; empty if there is none.
std::string text(const Json& json, Path path);
bool flag(const Json& json, Path path);
int64_t number(const Json& json, Path path, int64_t otherwise = 0);
// The items of the array there, the strings among them; none if there is no array.
const Json& array(const Json& json, Path path);
const Json& array(Json&& json, Path path) = delete;
std::vector<std::string> strings(const Json& json, Path path);

std::string kind_of(const Json& object);
std::string name_of(const Json& object);
std::string namespace_of(const Json& object);
std::string label(const Json& object, std::string_view key);
// "Deployment shop/controller", "Namespace shop".
std::string describe(const Json& object);
// The group of its apiVersion; empty for the core group.
std::string group_of(const Json& object);
// Whether it is being deleted.
bool is_terminating(const Json& object);

// A condition of the object's status, by its type: their order means nothing. What is missing is empty, and a
// missing condition is "False" in all but name.
struct Condition {
    std::string status;
    std::string reason;
    std::string message;
    int64_t observed_generation = 0;
    bool is_true() const { return status == "True"; }
};
Condition condition(const Json& object, std::string_view type);

// Whether `object` has everything that `wanted` says: members of objects as far as they are named, arrays
// whole. What the server adds (defaults, status) makes no difference.
bool satisfies(const Json& object, const Json& wanted);

// Whether two objects differ in nothing but what the API server notes about them.
bool says_the_same(Json one, Json other);

} // namespace opcat::cluster
