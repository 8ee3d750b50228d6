// The Go types that JSON is decoded into. If opm, OLM or Kubernetes' libraries decode into a struct, a field
// of another type is an error, even if the field is not used. All types are tables that the compiler reads:
// lib/go/types.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace opcat::go {

// When Go writes a field.
enum class Written : uint8_t {
    always,
    unless_empty, // "omitempty"
    never,        // it is only read
};

struct Field;

struct Type {
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
        version,       // a semantic version, parsed leniently
        release,
        list,
        map, // from strings
        structure,
        // For JSON schemas in custom resource definitions:
        schema_or_list,
        schema_or_boolean,
        schema_or_strings,
    };

    Kind kind = Kind::any;
    std::string_view name = {};    // of structures: "declcfg.Channel"; empty for most
    std::string_view title = {};   // of objects of a catalog, in messages: "olm.channel", "a channel entry"
    const Type* element = nullptr; // of lists and maps; the schema type of the last three
    std::span<const Field> fields = {}; // of structures, in the order in which Go writes them

    // Returns the type of the field, for a structure with one field.
    const Type& only_field() const;

    // The field of a structure that a key matches, in any letter case or only exactly; nullptr if there is
    // none.
    const Field* field_in_any_case(std::string_view key) const;
    const Field* field(std::string_view key) const;

    // As in Go's messages: "[]declcfg.ChannelEntry", "int32"; a structure without a package's name is written
    // out: "struct { Label string "json:\"label\"" }".
    std::string go_name() const;
    // "ChannelEntry"; empty for a structure without a package's name.
    std::string_view struct_name() const;

    // "a 32-bit integer", for our messages.
    std::string_view description() const;
};

namespace types {

using Kind = Type::Kind;
using enum Written;

inline constexpr Type string{.kind = Kind::string};
inline constexpr Type boolean{.kind = Kind::boolean};
inline constexpr Type int32{.kind = Kind::int32};
inline constexpr Type int64{.kind = Kind::int64};
inline constexpr Type real{.kind = Kind::real};
inline constexpr Type any{.kind = Kind::any};
inline constexpr Type base64{.kind = Kind::base64};
inline constexpr Type time{.kind = Kind::time};
inline constexpr Type quantity{.kind = Kind::quantity};
inline constexpr Type int_or_string{.kind = Kind::int_or_string};
inline constexpr Type version{.kind = Kind::version};
inline constexpr Type release{.kind = Kind::release};

template <const auto& element>
inline constexpr Type list_of{.kind = Kind::list, .element = &element};
template <const auto& element>
inline constexpr Type map_of{.kind = Kind::map, .element = &element};

} // namespace types

struct Field {
    std::string_view name; // in JSON
    const Type* type = &types::string;
    Written written = Written::always;
    std::string_view meaning = {}; // a sentence for those who write the field by hand; may be empty

    constexpr Field() = default;
    // The type outlives the field.
    constexpr Field(std::string_view json_name, const Type& go_type = types::string,
                    Written when = Written::always, std::string_view sentence = {})
        : name(json_name), type(&go_type), written(when), meaning(sentence) {}
};

// A structure with its fields: a row for each, as in types/catalog.hpp.
template <size_t count>
struct Structure : Type {
    using Rows = const Field (&)[count];

    constexpr explicit Structure(Rows rows) : Structure({}, {}, rows) {}
    constexpr Structure(std::string_view type_name, Rows rows) : Structure(type_name, {}, rows) {}
    constexpr Structure(std::string_view type_name, std::string_view type_title, Rows rows)
        : Type{.kind = Kind::structure, .name = type_name, .title = type_title} {
        std::copy(std::begin(rows), std::end(rows), rows_.begin());
        fields = rows_;
    }
    Structure(const Structure&) = delete;
    Structure& operator=(const Structure&) = delete;

private:
    std::array<Field, count> rows_;
};

inline const Type& Type::only_field() const {
    return *fields.front().type;
}

// A type of the tables by its name.
const Type& type_named(std::string_view name);

} // namespace opcat::go
