#include "opcat/resolve/classic/requirement.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/value.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::classic {

Result<cel::Program, std::string> compile_rule(std::string_view rule) {
    static const std::vector<cel::Variable> variables = {
        {"properties", cel::Type::list(cel::Type::map(cel::TypeKind::string, cel::TypeKind::any))}};
    auto program = cel::Program::compile(rule, variables);
    if (program && program->type().kind() != cel::TypeKind::boolean)
        return std::string("cel expressions must have type Bool");
    return program;
}
namespace {

using go::Route;

using Converted = Result<Predicate, std::string>;

Predicate api_predicate(const Gvk& gvk) {
    Predicate predicate;
    predicate.kind = Predicate::Kind::api;
    predicate.gvk = gvk;
    predicate.text = fmt::format("providing an API with group: {}, version: {}, kind: {}", gvk.group,
                                 gvk.version, gvk.kind);
    return predicate;
}

Converted package_predicate(const Value& value) {
    const std::string_view package = field_text(value, "packageName", Route::text);
    const std::string_view range = field_text(value, "versionRange", Route::text);
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
    auto program = compile_rule(rule);
    if (!program) return program.error();
    Predicate predicate;
    predicate.kind = Predicate::Kind::cel;
    predicate.program = *std::move(program);
    predicate.text =
        fmt::format("with constraint: {} and message: {}", go_quote(rule), go_quote(failure_message));
    return predicate;
}

Converted convert(const Value& constraint);

Converted compound(Predicate::Kind kind, std::string_view separator, const Value& value) {
    Predicate predicate;
    predicate.kind = kind;
    for (const Value& member : items_of(find_pointer_field(value, "constraints", Route::text))) {
        Converted converted = convert(member);
        if (!converted) return converted;
        if (!predicate.members.empty()) predicate.text += separator;
        predicate.text += converted->text;
        predicate.members.push_back(*std::move(converted));
    }
    return predicate;
}

// The value of an olm.constraint property. Of several kinds the first counts, in this order.
Converted convert(const Value& constraint) {
    const auto field = [&](std::string_view kind) {
        return find_pointer_field(constraint, kind, Route::text);
    };
    if (const Value* const gvk = field("gvk")) return api_predicate(gvk_of(*gvk));
    if (const Value* const package = field("package")) return package_predicate(*package);
    if (const Value* const all = field("all")) return compound(Predicate::Kind::all, " and ", *all);
    if (const Value* const any = field("any")) return compound(Predicate::Kind::any, " or ", *any);
    if (const Value* const none = field("not")) return compound(Predicate::Kind::none, " and not ", *none);
    if (const Value* const cel = field("cel"))
        return cel_predicate(field_text(*cel, "rule", Route::text),
                             field_text(constraint, "failureMessage", Route::text));
    return std::string("constraint is empty");
}

using Found = Result<Requirement, std::string>;

std::string error_in(const EntryProperty& property, std::string_view type) {
    return go::decode_error(property.value, go::type_named(type), Route::text);
}

Found constraint_requirement(const EntryProperty& property) {
    if (constraint_size(property) > max_constraint_size)
        return fmt::format(
            "parse olm.constraint: olm.constraint value is greater than max constraint size {} bytes",
            max_constraint_size);
    const std::string error = go::decode_error(property.value, go::type_named("constraints.Constraint"),
                                               Route::text, go::UnknownKeys::refuse);
    if (!error.empty()) return "parse olm.constraint: " + error;
    Converted predicate = convert(property.value);
    if (!predicate) return "convert olm.constraint to resolver predicate: " + predicate.error();
    // OLM's text about an expression has the message already.
    const bool is_included = predicate->kind == Predicate::Kind::cel;
    return Requirement{&property, *std::move(predicate),
                       is_included ? std::string()
                                   : std::string(field_text(property.value, "failureMessage", Route::text))};
}

Found api_requirement(const EntryProperty& property) {
    if (auto error = error_in(property, "required_api"); !error.empty()) return error;
    return Requirement{&property, api_predicate(gvk_of(property.value)), {}};
}

Found package_requirement(const EntryProperty& property) {
    if (auto error = error_in(property, "required_package"); !error.empty()) return error;
    Converted predicate = package_predicate(property.value);
    if (!predicate) return predicate.error();
    return Requirement{&property, *std::move(predicate), {}};
}

Found label_requirement(const EntryProperty& property) {
    if (auto error = error_in(property, "label"); !error.empty()) return error;
    Predicate predicate;
    predicate.kind = Predicate::Kind::label;
    predicate.label = field_text(property.value, "label", Route::text);
    predicate.text = fmt::format("with label: {}", predicate.label);
    return Requirement{&property, std::move(predicate), {}};
}

using ReadRequirement = Found (*)(const EntryProperty&);

ReadRequirement reader_of(std::string_view type) {
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
    const ReadRequirement read = reader_of(property.type);
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

} // namespace opcat::classic
