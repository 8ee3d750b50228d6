// Go types as JSON decodes into them: what opm reads with a struct of Kubernetes' or OLM's API is an error
// when a field has another type there, however little that field matters.
#pragma once

#include "document/value.hpp"

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::manifest {

struct GoType;

struct GoField {
    std::string_view name;
    bool omit_empty = false;
    const GoType* type = nullptr;
};

struct GoType {
    enum class Kind : uint8_t {
        string,
        boolean,
        int32,
        int64,
        real,
        any,
        base64,
        time,          // RFC 3339
        quantity,      // "100m", 2, "1Gi"
        int_or_string, // a port's number or name
        version,       // a semver, leniently read
        release,
        list,
        map,
        structure,
        // Of JSON schemas in custom resource definitions:
        schema_or_list,
        schema_or_boolean,
        schema_or_strings,
    };

    Kind kind = Kind::any;
    const GoType* element = nullptr; // of lists and maps; the schema type of the last three
    std::vector<GoField> fields;     // of structures

    // Of a structure with one field: what the field holds.
    const GoType& only_field() const { return *fields.front().type; }
};

// Types by name, written down as one text: "Name(field …)", where a field is "name" for a string or
// "name:type", with a "?" behind the name if Go leaves it out when empty, and a type is a basic one,
// "[]type", "<>type" (a map from strings), another type's name or "(field …)".
class GoTypes {
public:
    // `text` is trusted, and outlives the object.
    explicit GoTypes(std::string_view text);
    GoTypes(const GoTypes&) = delete;
    GoTypes& operator=(const GoTypes&) = delete;

    const GoType& operator[](std::string_view name) const;

private:
    class Parser;

    std::deque<GoType> types_;
    std::map<std::string_view, GoType*> by_name_;
};

// How keys find their fields: Go's encoding/json does not care for letter case, Kubernetes' readers do.
enum class KeyMatch : uint8_t { any_case, exact };

// The first value that does not fit.
struct Misfit {
    uint32_t offset = 0;
    std::string
        message; // "spec.install.spec.deployments[0].spec.replicas must be a 32-bit integer, not a string"
};

// Whether Go decodes `value` into `type`: null fits everywhere, keys without a field are skipped. The message
// begins with `path`.
std::optional<Misfit> find_misfit(const Value& value, const GoType& type, KeyMatch match,
                                  std::string path = {});

// Empty where there is no list.
std::span<const Value> items_of(const Value* list);

// The field that a key of a structure means; nullptr if it means none.
const GoField* find_field(const GoType& type, std::string_view key, KeyMatch match = KeyMatch::any_case);

// What Go writes when it has decoded `value` and encodes it again: only fields of the type, under their
// names, without those that are empty and may be left out. `value` has no misfit. All text is copied into the
// arena.
Value recode(const Value& value, const GoType& type, Arena& arena);

// The value with the keys of the type's fields written as Go writes them; all else stays. Refers to `value`.
Value with_field_names(const Value& value, const GoType& type, Arena& arena);

} // namespace opcat::manifest
