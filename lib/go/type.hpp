// The Go types that JSON is decoded into. If opm, OLM or Kubernetes' libraries decode into a struct, a field
// of another type is an error, even if the field is not used.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::go {

struct Type;

struct Field {
    std::string_view name;
    bool omit_empty = false;
    const Type* type = nullptr;
};

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
        map,
        structure,
        // Of JSON schemas in custom resource definitions:
        schema_or_list,
        schema_or_boolean,
        schema_or_strings,
    };

    Kind kind = Kind::any;
    std::string_view name;         // of structures: "declcfg.Channel"; empty if the table has none
    const Type* element = nullptr; // of lists and maps; the schema type of the last three
    std::vector<Field> fields;     // of structures

    // Of a structure with one field: the type of that field.
    const Type& only_field() const { return *fields.front().type; }

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

// Types by name, in one text: "Name(field …)" on one line, or with more indented lines. A field is "name" for
// a string or "name:type", with a "?" after the name for "omitempty"; a type is a basic one, "[]type",
// "<>type" (a map from strings), another type's name or "(field …)".
class Types {
public:
    // `text` is trusted, and outlives the object.
    explicit Types(std::string_view text);
    Types(const Types&) = delete;
    Types& operator=(const Types&) = delete;

    // Parses a definition, and those that it refers to, on first use: most runs need few of them.
    const Type& operator[](std::string_view name) const;

private:
    class Parser;
    struct Definition {
        std::string_view text; // "(field …)"
        Type type;
        bool is_read = false;
        std::atomic<bool> is_complete = false; // with all that it refers to
    };

    mutable std::mutex reading_;
    mutable std::map<std::string_view, Definition> definitions_;
    mutable std::deque<Type> unnamed_;
};

// A type of the table in type_table.cpp, which has all types that opcat uses.
const Type& type_named(std::string_view name);

} // namespace opcat::go
