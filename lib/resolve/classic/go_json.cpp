#include "opcat/resolve/classic/go_json.hpp"

#include "opcat/go/fields.hpp"

namespace opcat::classic {

std::string read_strings(const Value& object, std::span<const StringField> fields, std::string_view go_struct,
                         std::string_view go_type) {
    if (object.is_null()) return {};
    if (!object.is_object()) return json_mismatch(object, go_struct, {}, go_type);
    std::string error;
    for (const Member& member : object.members()) {
        for (const StringField& field : fields) {
            if (!means_field(member.key.string(), field.name)) continue;
            if (member.value.is_string())
                *field.value = member.value.string();
            else if (!member.value.is_null() && error.empty())
                error = json_mismatch(member.value, go_struct, field.name, "string");
        }
    }
    return error;
}

} // namespace opcat::classic
