// The checks of sigs.k8s.io/crdify, as operator-controller 1.10 configures them: changes of descriptions and
// more values of an enumeration are allowed, and everything that it does not know is refused.
#include "opcat/kube/crd_changes.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/work.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/number.hpp"
#include "opcat/go/type.hpp"
#include "opcat/kube/crd.hpp"

#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace opcat::kube {
namespace {

const go::Type& schema_type() {
    static const go::Type& type = go::type_named("JSONSchemaProps");
    return type;
}

template <size_t count>
bool is_among(std::string_view name, const std::string_view (&names)[count]) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Fields of a schema that have a check of their own: they are not part of "unhandled changes".
bool has_own_check(std::string_view field) {
    static constexpr std::string_view names[] = {
        "default",       "description", "enum",     "items",      "maxItems",      "maxLength",
        "maxProperties", "maximum",     "minItems", "minLength",  "minProperties", "minimum",
        "nullable",      "oneOf",       "pattern",  "properties", "required",      "type"};
    return is_among(field, names);
}

// Fields that do not matter in an alternative of oneOf.
bool is_prose(std::string_view field) {
    static constexpr std::string_view names[] = {"description", "example", "externalDocs", "title"};
    return is_among(field, names);
}

enum class Form : uint8_t {
    value,   // a missing field is the same as false, "" and []
    pointer, // it is not
    schema,  // or a boolean
    schemas, // a list
    named,   // by name
};

Form form_of(const go::Field& field) {
    static constexpr std::string_view pointers[] = {"x-kubernetes-list-type", "x-kubernetes-map-type",
                                                    "x-kubernetes-preserve-unknown-fields"};
    using Kind = go::Type::Kind;
    const go::Type& schema = schema_type();
    const go::Type& type = *field.type;
    if (&type == &schema || type.kind == Kind::schema_or_list || type.kind == Kind::schema_or_boolean)
        return Form::schema;
    if (type.element == &schema) return type.kind == Kind::list ? Form::schemas : Form::named;
    const bool is_value = type.kind == Kind::string || type.kind == Kind::boolean || type.kind == Kind::list;
    return is_value && !is_among(field.name, pointers) ? Form::value : Form::pointer;
}

// The same as a missing one, in most of Go's types.
bool is_zero(const Value& value) {
    return value.is_null() || (value.is_boolean() && !value.boolean()) ||
           (value.is_string() && value.string().empty()) || (value.is_array() && value.items().empty());
}

// A hostile definition has very many pairs of schemas: alternatives, versions, levels.
constexpr uint64_t most_pairs = 1'000'000;

void count_pair(Work& work) {
    if (!work.take(1))
        throw Error("the definition has too many schemas to compare", "look at its changes yourself");
}

std::string changed(const std::string& path, const Value& old, const Value& now) {
    const auto shown = [](const Value& value) { return value.is_null() ? "unset" : to_text(value); };
    return fmt::format("{} {} -> {}", path, shown(old), shown(now));
}

// The fields in which two schemas differ, without those that `left_out` names. Each has its path from `path`:
// "additionalProperties.format unset -> "date"".
void find_differences(const Fields& before, const Fields& after, bool (*left_out)(std::string_view field),
                      const std::string& path, Work& work, std::vector<std::string>& found) {
    count_pair(work);
    for (const go::Field& field : schema_type().fields) {
        const Value old = before.at(field.name).value();
        const Value now = after.at(field.name).value();
        if (old.is_null() && now.is_null()) continue; // as most fields of most schemas
        if (left_out && left_out(field.name)) continue;
        const std::string here = path + std::string(field.name);
        const Form form = form_of(field);
        if (form == Form::schema && old.is_object() && now.is_object()) {
            find_differences(old, now, nullptr, here + ".", work, found);
        } else if (form == Form::schemas && old.is_array() && now.is_array() &&
                   old.items().size() == now.items().size()) {
            for (size_t i = 0; i < old.items().size(); ++i)
                find_differences(old.items()[i], now.items()[i], nullptr, fmt::format("{}[{}].", here, i),
                                 work, found);
        } else if (form == Form::named) {
            for (const Member& member : before.members(field.name)) {
                const std::string_view name = member.key.string();
                if (const Fields same = after.at(field.name, name))
                    find_differences(member.value, same, nullptr, fmt::format("{}.{}.", here, name), work,
                                     found);
                else
                    found.push_back(changed(fmt::format("{}.{}", here, name), member.value, Value()));
            }
            for (const Member& member : after.members(field.name))
                if (!before.at(field.name, member.key.string()))
                    found.push_back(
                        changed(fmt::format("{}.{}", here, member.key.string()), Value(), member.value));
        } else if (!is_equal(old, now) &&
                   (form == Form::pointer || form == Form::schema || !is_zero(old) || !is_zero(now))) {
            found.push_back(changed(here, old, now));
        }
    }
}

// Those of `one` that are not in `other`, as "oneOf[0]", whatever their order.
std::vector<std::string> missing_alternatives(std::span<const Value> one, std::span<const Value> other,
                                              Work& work) {
    std::vector<std::string> missing;
    for (size_t i = 0; i < one.size(); ++i) {
        const bool found = std::any_of(other.begin(), other.end(), [&](const Value& alternative) {
            std::vector<std::string> differences;
            find_differences(one[i], alternative, is_prose, {}, work, differences);
            return differences.empty();
        });
        if (!found) missing.push_back(fmt::format("oneOf[{}]", i));
    }
    return missing;
}

// As operator-controller encodes values of JSON (but for the order of members).
std::string encoded(const Value& value) {
    std::string text;
    append_html_safe_json(text, value);
    return text;
}

class SchemaComparison {
public:
    // `what`: the version, or the two of them. With `removals`, a removed field is reported as such.
    SchemaComparison(std::string what, bool removals, Work& work, std::vector<std::string>& dangers)
        : what_(std::move(what)), removals_(removals), work_(work), dangers_(dangers) {}

    // `path` is where both are, "^" at the top. Schemas of clusters are not deeper than their JSON.
    void compare(const Fields& before, const Fields& after, const std::string& path) {
        compare_field(before, after, path);
        for (const go::Field& field : schema_type().fields) {
            const Form form = form_of(field);
            if (form == Form::schema) {
                compare_below(before.at(field.name), after.at(field.name),
                              fmt::format("{}.{}", path, field.name));
            } else if (form == Form::schemas) {
                const auto old = before.items(field.name);
                const auto now = after.items(field.name);
                for (size_t i = 0; i < old.size(); ++i)
                    compare_below(old[i], i < now.size() ? Fields(now[i]) : Fields(),
                                  fmt::format("{}.{}[{}]", path, field.name, i));
            } else if (form == Form::named) {
                for (const Member& member : before.members(field.name))
                    compare_below(member.value, after.at(field.name, member.key.string()),
                                  fmt::format("{}.{}", path, member.key.string()));
            }
        }
    }

private:
    void compare_below(const Fields& before, const Fields& after, const std::string& path) {
        if (!before.value().is_object()) return;
        if (after.value().is_object())
            compare(before, after, path);
        else if (removals_)
            dangers_.push_back(fmt::format("existingFieldRemoval: removed field : {}.{}", what_, path));
        else
            compare_field(before, Fields(), path);
    }

    void compare_field(const Fields& before, const Fields& after, const std::string& path) {
        path_ = path;
        std::vector<std::string> added = after.strings("required");
        const std::vector<std::string> required = before.strings("required");
        std::erase_if(added, [&](const std::string& field) {
            return std::find(required.begin(), required.end(), field) != required.end();
        });
        if (!added.empty())
            refuse("required", fmt::format("new required fields: [{}]", fmt::join(added, " ")));
        const std::string_view old_type = before.text("type");
        const std::string_view type = after.text("type");
        if (old_type != type) refuse("type", fmt::format("type changed : \"{}\" -> \"{}\"", old_type, type));
        compare_enum(before, after);
        compare_default(before, after);
        compare_pattern(before.text("pattern"), after.text("pattern"));
        const bool was_nullable = before.flag("nullable");
        if (const bool is_nullable = after.flag("nullable"); was_nullable != is_nullable)
            refuse("nullable", fmt::format("nullable {} : {} -> {}", is_nullable ? "added" : "removed",
                                           was_nullable, is_nullable));
        for (const char* bound : {"maximum", "maxLength", "maxItems", "maxProperties"})
            compare_bound(before, after, bound, true);
        for (const char* bound : {"minimum", "minLength", "minItems", "minProperties"})
            compare_bound(before, after, bound, false);
        compare_alternatives(before.items("oneOf"), after.items("oneOf"));
        std::vector<std::string> others;
        find_differences(before, after, has_own_check, {}, work_, others);
        if (!others.empty())
            refuse("unhandled", fmt::format("unhandled changes found ({})", fmt::join(others, "; ")));
    }

    void refuse(std::string_view check, std::string_view why) {
        dangers_.push_back(fmt::format("{}: {}: {}: {}", what_, path_, check, why));
    }

    void compare_enum(const Fields& before, const Fields& after) {
        const auto old = before.items("enum");
        const auto now = after.items("enum");
        const bool is_new = old.empty();
        std::vector<std::string> values; // as Go prints them: without commas
        for (const Value& value : is_new ? now : old)
            if (is_new ||
                std::none_of(now.begin(), now.end(), [&](const Value& one) { return is_equal(one, value); }))
                values.push_back(encoded(value));
        if (values.empty()) return;
        std::sort(values.begin(), values.end());
        refuse("enum", fmt::format("{} : [{}]",
                                   is_new ? "enum constraint added when there was none previously"
                                          : "allowed enum values removed",
                                   fmt::join(values, " ")));
    }

    void compare_default(const Fields& before, const Fields& after) {
        const Fields old = before.at("default");
        const Fields now = after.at("default");
        if (is_equal(old.value(), now.value())) return;
        const auto quoted = [](const Fields& value) { return go_quote(encoded(value.value())); };
        refuse("default", !old ? fmt::format("default added when there was none previously : {}", quoted(now))
                          : !now ? fmt::format("default value removed : {}", quoted(old))
                                 : fmt::format("default value changed : {} -> {}", quoted(old), quoted(now)));
    }

    void compare_pattern(std::string_view old, std::string_view now) {
        if (old == now) return;
        refuse("pattern", fmt::format("pattern {} : {} -> {}",
                                      old.empty()   ? "added"
                                      : now.empty() ? "removed"
                                                    : "changed",
                                      go_quote(old), go_quote(now)));
    }

    void compare_alternatives(std::span<const Value> old, std::span<const Value> now) {
        const std::vector<std::string> removed = missing_alternatives(old, now, work_);
        const std::vector<std::string> added = missing_alternatives(now, old, work_);
        if (removed.empty() && added.empty()) return;
        refuse("oneOf", fmt::format("{}: [{}]",
                                    old.empty() ? "oneOf constraint added when there was none previously"
                                    : !removed.empty() ? "allowed oneOf schemas removed"
                                                       : "allowed oneOf schemas added",
                                    fmt::join(removed.empty() ? added : removed, " ")));
    }

    void compare_bound(const Fields& before, const Fields& after, std::string_view bound, bool upper) {
        const Value old = before.at(bound).value();
        const Value now = after.at(bound).value();
        if (!now.is_number()) return;
        // The same words for the bounds of values, lengths, items and properties.
        const std::string_view which = upper ? "maximum" : "minimum";
        // A float64 as Go prints it; the bounds of counts are integers.
        const auto printed = [&](const Value& value) {
            std::string text;
            if (bound != which) return to_text(value);
            append_g_real(text, value.number());
            return text;
        };
        if (!old.is_number())
            refuse(bound, fmt::format("{} constraint added when there was none previously : {}", which,
                                      printed(now)));
        else if (upper ? now.number() < old.number() : now.number() > old.number())
            refuse(bound, fmt::format("{} {} : {} -> {}", which, upper ? "decreased" : "increased",
                                      printed(old), printed(now)));
    }

    std::string what_;
    bool removals_;
    Work& work_;
    std::string path_; // of the field
    std::vector<std::string>& dangers_;
};

// The order of versions in Kubernetes: v1alpha1, v1beta1, v1beta2, v1, v2; others come before, in reverse.
struct VersionOrder {
    explicit VersionOrder(std::string_view version) : name(version) {
        static const RE2 pattern("v([0-9]+)(?:(alpha|beta)([0-9]+))?");
        std::string stage;
        std::string count;
        is_known = RE2::FullMatch(re2::StringPiece(version.data(), version.size()), pattern, &major, &stage,
                                  &count) &&
                   (stage.empty() || RE2::FullMatch(count, "([0-9]+)", &minor));
        maturity = stage == "alpha" ? 0 : stage == "beta" ? 1 : 2;
    }
    bool operator<(const VersionOrder& other) const {
        if (!is_known && !other.is_known) return name > other.name;
        return std::tie(is_known, maturity, major, minor) <
               std::tie(other.is_known, other.maturity, other.major, other.minor);
    }

    std::string_view name;
    bool is_known = false;
    int maturity = 0;
    uint64_t major = 0;
    uint64_t minor = 0;
};

// Differences between served versions, without a webhook that converts objects: from each to all later ones.
std::vector<std::string> differences_of_versions(const Fields& crd, Work& work) {
    std::vector<std::pair<VersionOrder, Fields>> served;
    for (const auto& [name, version] : versions_of(crd))
        if (version.served && version.schema) served.emplace_back(VersionOrder(name), version.schema);
    std::sort(served.begin(), served.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> dangers;
    for (size_t i = 0; i < served.size(); ++i)
        for (size_t j = i + 1; j < served.size(); ++j)
            SchemaComparison(fmt::format("{} -> {}", served[i].first.name, served[j].first.name), false, work,
                             dangers)
                .compare(served[i].second, served[j].second, "^");
    return dangers;
}

} // namespace

std::vector<std::string> impossible_changes(const Fields& current, const Fields& wanted) {
    std::vector<std::string> changes;
    if (current.text("spec", "scope") != wanted.text("spec", "scope"))
        changes.push_back(fmt::format("scope: scope changed : \"{}\" -> \"{}\"",
                                      current.text("spec", "scope"), wanted.text("spec", "scope")));
    if (const auto removed = removed_stored_versions(current, versions_of(wanted)); !removed.empty())
        changes.push_back(
            fmt::format("storedVersionRemoval: stored versions removed : [{}]", fmt::join(removed, " ")));
    return changes;
}

std::vector<std::string> unsafe_changes(const Fields& current, const Fields& wanted) {
    std::vector<std::string> dangers = impossible_changes(current, wanted);
    Work work(most_pairs);
    const CrdVersions now = versions_of(wanted);
    for (const auto& [name, before] : versions_of(current)) {
        const auto after = now.find(name);
        if (after != now.end() && before.schema && after->second.schema)
            SchemaComparison(std::string(name), true, work, dangers)
                .compare(before.schema, after->second.schema, "^");
    }
    if (wanted.text("spec", "conversion", "strategy") != "Webhook") {
        const std::vector<std::string> before = differences_of_versions(current, work);
        const std::set<std::string_view> known(before.begin(), before.end());
        for (std::string& danger : differences_of_versions(wanted, work))
            if (!known.contains(danger)) dangers.push_back(std::move(danger));
    }
    constexpr size_t longest = 200; // members may be whole schemas
    for (std::string& danger : dangers) danger = shorten(danger, longest);
    std::sort(dangers.begin(), dangers.end());
    return dangers;
}

} // namespace opcat::kube
