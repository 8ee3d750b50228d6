#include "opcat/resolve/classic/requirement.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/value.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/resolve/classic/go_json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::classic {

// The value of an olm.constraint property.
// What was given; of several kinds the first counts: gvk, package, all, any, not, cel.
struct ConstraintValue {
    std::string_view failure_message;
    bool has_gvk = false, has_package = false, has_all = false, has_any = false, has_not = false,
         has_cel = false;
    std::string_view group, version, kind;
    std::string_view package, range;
    std::string_view rule;
    std::vector<ConstraintValue> all, any, none;
};

// The error is what Go's strict decoder says about the first thing that does not fit.
Result<ConstraintValue, std::string> read_constraint(const Value& value);

namespace {

using Converted = Result<Predicate, std::string>;

Predicate api_predicate(const Gvk& gvk) {
    Predicate predicate;
    predicate.kind = Predicate::Kind::api;
    predicate.gvk = gvk;
    predicate.text = fmt::format("providing an API with group: {}, version: {}, kind: {}", gvk.group,
                                 gvk.version, gvk.kind);
    return predicate;
}

Converted package_predicate(std::string_view package, std::string_view range) {
    auto parsed = semver::BlangRange::parse(range);
    if (!parsed) return parsed.error().message;
    Predicate predicate;
    predicate.kind = Predicate::Kind::package;
    predicate.package = package;
    predicate.range = *std::move(parsed);
    predicate.text = fmt::format("with package: {} and with version in range: {}", package, range);
    return predicate;
}

Converted cel_predicate(std::string_view rule, std::string_view failure_message) {
    static const std::vector<cel::Variable> variables = {
        {"properties", cel::Type::list(cel::Type::map(cel::TypeKind::string, cel::TypeKind::any))}};
    auto program = cel::Program::compile(rule, variables);
    if (!program) return program.error();
    if (program->type().kind() != cel::TypeKind::boolean)
        return std::string("cel expressions must have type Bool");
    Predicate predicate;
    predicate.kind = Predicate::Kind::cel;
    predicate.program = *std::move(program);
    predicate.text =
        fmt::format("with constraint: {} and message: {}", go_quote(rule), go_quote(failure_message));
    return predicate;
}

Converted convert(const ConstraintValue& constraint);

Converted compound(Predicate::Kind kind, std::string_view separator,
                   const std::vector<ConstraintValue>& members) {
    Predicate predicate;
    predicate.kind = kind;
    for (const ConstraintValue& member : members) {
        Converted converted = convert(member);
        if (!converted) return converted;
        if (!predicate.members.empty()) predicate.text += separator;
        predicate.text += converted->text;
        predicate.members.push_back(*std::move(converted));
    }
    return predicate;
}

Converted convert(const ConstraintValue& constraint) {
    if (constraint.has_gvk) return api_predicate({constraint.group, constraint.version, constraint.kind});
    if (constraint.has_package) return package_predicate(constraint.package, constraint.range);
    if (constraint.has_all) return compound(Predicate::Kind::all, " and ", constraint.all);
    if (constraint.has_any) return compound(Predicate::Kind::any, " or ", constraint.any);
    if (constraint.has_not) return compound(Predicate::Kind::none, " and not ", constraint.none);
    if (constraint.has_cel) return cel_predicate(constraint.rule, constraint.failure_message);
    return std::string("constraint is empty");
}

using Found = Result<Requirement, std::string>;

Found constraint_requirement(const EntryProperty& property) {
    if (constraint_size(property) > max_constraint_size)
        return fmt::format(
            "parse olm.constraint: olm.constraint value is greater than max constraint size {} bytes",
            max_constraint_size);
    const auto constraint = read_constraint(property.value);
    if (!constraint) return "parse olm.constraint: " + constraint.error();
    Converted predicate = convert(*constraint);
    if (!predicate) return "convert olm.constraint to resolver predicate: " + predicate.error();
    // OLM's text about an expression has the message already.
    const bool told = predicate->kind == Predicate::Kind::cel;
    return Requirement{&property, *std::move(predicate),
                       told ? std::string() : std::string(constraint->failure_message)};
}

Found api_requirement(const EntryProperty& property) {
    Gvk gvk;
    const std::array<StringField, 3> fields = {
        {{"group", &gvk.group}, {"version", &gvk.version}, {"kind", &gvk.kind}}};
    auto error = read_strings(property.value, fields, "",
                              R"(struct { Group string "json:\"group\""; Version string "json:\"version\""; )"
                              R"(Kind string "json:\"kind\"" })");
    if (!error.empty()) return error;
    return Requirement{&property, api_predicate(gvk), {}};
}

Found package_requirement(const EntryProperty& property) {
    std::string_view package;
    std::string_view range;
    const std::array<StringField, 2> fields = {{{"packageName", &package}, {"versionRange", &range}}};
    auto error = read_strings(
        property.value, fields, "",
        R"(struct { PackageName string "json:\"packageName\""; VersionRange string "json:\"versionRange\"" })");
    if (!error.empty()) return error;
    Converted predicate = package_predicate(package, range);
    if (!predicate) return predicate.error();
    return Requirement{&property, *std::move(predicate), {}};
}

Found label_requirement(const EntryProperty& property) {
    Predicate predicate;
    predicate.kind = Predicate::Kind::label;
    const StringField field{"label", &predicate.label};
    auto error = read_strings(property.value, {&field, 1}, "", R"(struct { Label string "json:\"label\"" })");
    if (!error.empty()) return error;
    predicate.text = fmt::format("with label: {}", predicate.label);
    return Requirement{&property, std::move(predicate), {}};
}

using Reader = Found (*)(const EntryProperty&);

Reader reader_of(std::string_view type) {
    return type == property_type::gvk_required       ? api_requirement
           : type == property_type::package_required ? package_requirement
           : type == property_type::label_required   ? label_requirement
           : type == property_type::constraint       ? constraint_requirement
                                                     : nullptr;
}

bool holds_package(const Predicate& predicate, const Entry& entry) {
    const auto& packages = entry.facts->packages;
    const bool named = entry.package == predicate.package ||
                       std::any_of(packages.begin(), packages.end(),
                                   [&](const PackageProperty& p) { return p.name == predicate.package; });
    if (!named) return false;
    if (entry.version && predicate.range->contains(*entry.version)) return true;
    return std::any_of(packages.begin(), packages.end(), [&](const PackageProperty& p) {
        return p.version && predicate.range->contains(*p.version);
    });
}

} // namespace

size_t constraint_size(const EntryProperty& property) {
    std::string text;
    append_compact_json(text, property.value);
    return text.size();
}

bool is_requirement(std::string_view type) {
    return reader_of(type) != nullptr;
}

std::optional<Result<Requirement, std::string>> requirement_of(const EntryProperty& property) {
    const Reader read = reader_of(property.type);
    return read ? std::optional(read(property)) : std::nullopt;
}

Result<std::vector<Requirement>, BadRequirement> requirements_of(const Facts& facts) {
    std::vector<Requirement> requirements;
    for (const EntryProperty& property : facts.properties) {
        auto requirement = requirement_of(property);
        if (!requirement) continue;
        if (!*requirement) return BadRequirement{requirement->error(), &property};
        requirements.push_back(**std::move(requirement));
    }
    return requirements;
}

bool Tester::holds(const Predicate& predicate, const Entry& entry) {
    const auto each = [&](const Predicate& member) { return holds(member, entry); };
    const auto& members = predicate.members;
    switch (predicate.kind) {
    case Predicate::Kind::api: {
        const auto& gvks = entry.facts->gvks;
        return std::find(gvks.begin(), gvks.end(), predicate.gvk) != gvks.end();
    }
    case Predicate::Kind::package:
        return holds_package(predicate, entry);
    case Predicate::Kind::label: {
        const auto& labels = entry.facts->labels;
        return std::find(labels.begin(), labels.end(), predicate.label) != labels.end();
    }
    case Predicate::Kind::all:
        return std::all_of(members.begin(), members.end(), each);
    case Predicate::Kind::any:
        return std::any_of(members.begin(), members.end(), each);
    case Predicate::Kind::none:
        return std::none_of(members.begin(), members.end(), each);
    case Predicate::Kind::cel:
        return holds(*predicate.program, entry);
    }
    return false;
}

bool Tester::holds(const cel::Program& program, const Entry& entry) {
    auto [found, fresh] = values_.try_emplace(entry.facts.get());
    if (fresh) {
        cel::List properties;
        for (const EntryProperty& property : entry.facts->properties) {
            cel::Map map;
            map.emplace(std::string("type"), cel::Value::of_string(std::string(property.type)));
            map.emplace(std::string("value"), cel::from_json(property.value));
            properties.push_back(cel::Value::of_map(std::move(map)));
        }
        found->second = cel::Value::of_list(std::move(properties));
    }
    const std::array<cel::Binding, 1> bindings = {{{"properties", found->second}}};
    const uint64_t allowed = std::min(left_, max_cost_of_one);
    cel::Budget budget(allowed);
    const auto result = program.evaluate(bindings, budget);
    left_ -= allowed - budget.left();
    gave_up_ = gave_up_ || budget.exhausted();
    return result && result->is_true();
}

namespace {

// Go's decoder goes on after a mistake, but tells only the first.
class ConstraintReader {
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
    ConstraintReader reader;
    ConstraintValue constraint = reader.read(value, {}, {});
    if (!reader.error.empty()) return std::move(reader.error);
    return constraint;
}

} // namespace opcat::classic
