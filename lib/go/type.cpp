#include "opcat/go/type.hpp"

#include "opcat/go/fields.hpp"

#include <cctype>

namespace opcat::go {
namespace {

using Kind = Type::Kind;

struct BasicType {
    std::string_view name;
    Kind kind;
    std::string_view description;
};

constexpr BasicType basic_types[] = {
    {"string", Kind::string, "a string"},
    {"bool", Kind::boolean, "true or false"},
    {"int32", Kind::int32, "a 32-bit integer"},
    {"int64", Kind::int64, "a 64-bit integer"},
    {"float", Kind::real, "a number"},
    {"any", Kind::any, ""},
    {"base64", Kind::base64, "a string of base64"},
    {"time", Kind::time, "a time as in RFC 3339"},
    {"quantity", Kind::quantity, "a quantity"},
    {"int_or_string", Kind::int_or_string, "a 32-bit integer or a string"},
    {"version", Kind::version, "a semver version"},
    {"release", Kind::release, "a release"},
    {"schema_or_list", Kind::schema_or_list, "a schema"},
    {"schema_or_bool", Kind::schema_or_boolean, "a schema or a boolean"},
    {"schema_or_strings", Kind::schema_or_strings, "a schema or a list of strings"},
};

} // namespace

const Field* Type::field(std::string_view key) const {
    for (const Field& field : fields)
        if (field.name == key) return &field;
    return nullptr;
}

const Field* Type::field_in_any_case(std::string_view key) const {
    if (const Field* const found = field(key)) return found;
    for (const Field& field : fields)
        if (means_field(key, field.name)) return &field;
    return nullptr;
}

std::string_view Type::description() const {
    if (kind == Kind::list) return "a list";
    if (kind == Kind::map || kind == Kind::structure) return "an object";
    for (const BasicType& basic : basic_types)
        if (basic.kind == kind) return basic.description;
    return {};
}

std::string_view Type::struct_name() const {
    const size_t dot = name.rfind('.');
    return dot == name.npos ? std::string_view() : name.substr(dot + 1);
}

std::string Type::go_name() const {
    if (kind == Kind::list) return "[]" + element->go_name();
    if (kind == Kind::map) return "map[string]" + element->go_name();
    if (kind == Kind::base64) return "[]uint8";
    if (kind == Kind::any) return "interface {}";
    if (kind == Kind::structure) {
        if (!struct_name().empty()) return std::string(name);
        std::string text = "struct {";
        for (const Field& field : fields) {
            text += &field == fields.data() ? " " : "; ";
            std::string go_field(field.name);
            go_field[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(go_field[0])));
            text +=
                go_field + ' ' + field.type->go_name() + " \"json:\\\"" + std::string(field.name) + "\\\"\"";
        }
        return text + " }";
    }
    for (const BasicType& basic : basic_types)
        if (basic.kind == kind) return std::string(basic.name);
    return {};
}

} // namespace opcat::go
