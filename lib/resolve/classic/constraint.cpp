#include "resolve/classic/constraint.hpp"

#include "base/go_quote.hpp"
#include "go/fields.hpp"
#include "resolve/classic/go_json.hpp"

namespace opcat::classic {
namespace {

// Go's decoder goes on after a mistake, but tells only the first.
class Reader {
public:
    std::string error;

    ConstraintValue read(const Value& value, const std::string& path, std::string_view in_struct) {
        ConstraintValue constraint;
        if (value.is_null()) return constraint;
        if (!value.is_object()) {
            mismatch(value, in_struct, path, "constraints.Constraint");
            return constraint;
        }
        for (const Member& member : value.members()) {
            const std::string_view key = member.key.string();
            if (means_field(key, "failureMessage"))
                text(member.value, "Constraint", join(path, "failureMessage"), constraint.failure_message);
            else if (means_field(key, "cel"))
                constraint.has_cel =
                    strings(member.value, join(path, "cel"), "Cel", {{"rule", &constraint.rule}});
            else if (means_field(key, "package"))
                constraint.has_package =
                    strings(member.value, join(path, "package"), "PackageConstraint",
                            {{"packageName", &constraint.package}, {"versionRange", &constraint.range}});
            else if (means_field(key, "gvk"))
                constraint.has_gvk = strings(member.value, join(path, "gvk"), "GVKConstraint",
                                             {{"group", &constraint.group},
                                              {"kind", &constraint.kind},
                                              {"version", &constraint.version}});
            else if (means_field(key, "all"))
                constraint.has_all = compound(member.value, join(path, "all"), constraint.all);
            else if (means_field(key, "any"))
                constraint.has_any = compound(member.value, join(path, "any"), constraint.any);
            else if (means_field(key, "not"))
                constraint.has_not = compound(member.value, join(path, "not"), constraint.none);
            else
                unknown(key);
        }
        return constraint;
    }

private:
    static std::string join(const std::string& path, std::string_view field) {
        return path.empty() ? std::string(field) : path + '.' + std::string(field);
    }
    void fail(std::string why) {
        if (error.empty()) error = std::move(why);
    }
    void mismatch(const Value& value, std::string_view in_struct, std::string_view path,
                  std::string_view type) {
        fail(json_mismatch(value, in_struct, path, type));
    }
    void unknown(std::string_view key) { fail("json: unknown field " + go_quote(key)); }

    void text(const Value& value, std::string_view in_struct, const std::string& path,
              std::string_view& out) {
        if (value.is_string())
            out = value.string();
        else if (!value.is_null())
            mismatch(value, in_struct, path, "string");
    }

    // Whether there is an object of this kind; a wrong type leaves one that is empty, and an error anyway.
    bool strings(const Value& value, const std::string& path, std::string_view go_struct,
                 std::initializer_list<StringField> fields) {
        if (value.is_null()) return false;
        if (!value.is_object()) {
            mismatch(value, "Constraint", path, "constraints." + std::string(go_struct));
            return true;
        }
        for (const Member& member : value.members()) {
            const StringField* found = nullptr;
            for (const StringField& field : fields)
                if (means_field(member.key.string(), field.name)) found = &field;
            if (found)
                text(member.value, go_struct, join(path, found->name), *found->value);
            else
                unknown(member.key.string());
        }
        return true;
    }

    bool compound(const Value& value, const std::string& path, std::vector<ConstraintValue>& out) {
        if (value.is_null()) return false;
        if (!value.is_object()) {
            mismatch(value, "Constraint", path, "constraints.CompoundConstraint");
            return true;
        }
        for (const Member& member : value.members()) {
            if (!means_field(member.key.string(), "constraints")) {
                unknown(member.key.string());
                continue;
            }
            const std::string inner = join(path, "constraints");
            out.clear();
            if (member.value.is_null()) continue;
            if (!member.value.is_array()) {
                mismatch(member.value, "CompoundConstraint", inner, "[]constraints.Constraint");
                continue;
            }
            for (const Value& item : member.value.items())
                out.push_back(read(item, inner, "CompoundConstraint"));
        }
        return true;
    }
};

} // namespace

Result<ConstraintValue, std::string> read_constraint(const Value& value) {
    Reader reader;
    ConstraintValue constraint = reader.read(value, {}, {});
    if (!reader.error.empty()) return std::move(reader.error);
    return constraint;
}

} // namespace opcat::classic
