#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/lint/max_openshift.hpp"
#include "opcat/resolve/classic/requirement.hpp"
#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/range_problem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace opcat {
namespace {

constexpr const char* range_help =
    "write comparisons joined by blanks, as in \">=1.0.0 <1.2.3\"; `opcat semver match` tries one";

// Why OLM classic cannot use a value as a property of this type; empty if it can, or does not ask.
std::string problem_with(std::string_view type, const Value& value) {
    Arena arena;
    const classic::EntryProperty property{type, normalised(value, arena), {}};
    const auto requirement = classic::requirement_of(property);
    if (!requirement || *requirement) return {};
    std::string_view problem = requirement->error();
    for (const std::string_view step :
         {"parse olm.constraint: ", "convert olm.constraint to resolver predicate: "})
        if (problem.starts_with(step)) problem.remove_prefix(step.size());
    return std::string(problem.substr(0, problem.find('\n'))); // expressions are quoted after that
}

class BundlePropertyCheck {
public:
    BundlePropertyCheck(const Bundle& bundle, Diagnostics& out) : bundle_(bundle), out_(out) {}

    void run() {
        check_requirements();
        check_max_openshift();
    }

    void check_requirements() {
        for (const Property& property : bundle_.properties)
            if (property.value && !is_reported(property)) check_requirement(property);
    }

private:
    // By check_properties.
    bool is_reported(const Property& property) const {
        const go::Type* const type = type_of_value(property.type);
        return type && classic::is_requirement(property.type) &&
               go::find_misfit(*property.value, *type, go::Route::map);
    }

    // Nothing meets a range without versions, whatever the cluster's catalogs have.
    void check_range_of_package(const Property& property) {
        if (property.type != property_type::package_required || !property.value) return;
        const Value* const range = find_field(*property.value, "versionRange");
        if (!range) return;
        const auto parsed = semver::BlangRange::parse(range->string_or_empty());
        if (!parsed || !parsed->is_impossible()) return;
        out_.push_back(
            warning("dependency", text_at(*range),
                    fmt::format("OLM classic cannot meet this {} of bundle \"{}\": no version is in "
                                "versionRange \"{}\"",
                                property.type.text, bundle_.name.text, range->string()),
                    range_help));
    }

    void check_requirement(const Property& property) {
        std::string problem = problem_with(property.type, *property.value);
        if (problem.empty()) return check_range_of_package(property);
        const bool is_constraint = property.type == property_type::constraint;
        const Value& part = is_constraint ? narrowed(*property.value, 0) : *property.value;
        const Value* const package = is_constraint ? find_field(part, "package")
                                     : property.type == property_type::package_required ? &part
                                                                                        : nullptr;
        const Value* const range = package ? find_field(*package, "versionRange") : nullptr;
        const bool has_range = range && !range->string_or_empty().empty();
        const auto parsed = semver::BlangRange::parse(has_range ? range->string() : "0.0.0");
        const bool is_bad_range = has_range && !parsed;
        if (is_bad_range)
            problem = fmt::format("versionRange \"{}\" is not a range: {}", range->string(),
                                  semver::explain_range_problem(range->string(), parsed.error()));
        const Value* const rule = package ? nullptr : rule_of(part);
        const bool lacks_range = package && package->is_object() && !has_range;
        if (lacks_range) problem = "it has no versionRange";
        out_.push_back(warning("dependency",
                               is_bad_range ? text_at(*range)
                               : rule       ? text_at(*rule)
                                            : bundle_.at(part.offset()),
                               fmt::format("OLM classic cannot use this {} of bundle \"{}\": {}",
                                           property.type.text, bundle_.name.text, problem),
                               is_bad_range || lacks_range ? range_help : ""));
    }

    // The part of a constraint that causes the error: the innermost one that is wrong by itself.
    static const Value& narrowed(const Value& constraint, size_t depth) {
        constexpr size_t deep_enough = 32; // each level is decoded again
        if (depth == deep_enough) return constraint;
        for (const std::string_view group : {"all", "any", "not"}) {
            const Value* const compound = find_field(constraint, group);
            const Value* const parts = compound ? find_field(*compound, "constraints") : nullptr;
            if (!parts || !parts->is_array()) continue;
            for (const Value& part : parts->items())
                if (!problem_with(property_type::constraint, part).empty()) return narrowed(part, depth + 1);
        }
        return constraint;
    }

    static const Value* rule_of(const Value& constraint) {
        const Value* const cel = find_field(constraint, "cel");
        const Value* const rule =
            cel && constraint.members().size() <= 2 ? find_field(*cel, "rule") : nullptr;
        return rule && rule->is_string() ? rule : nullptr;
    }

    Location text_at(const Value& value) const { return bundle_.at(Text{value.string(), value.offset()}); }

    void check_max_openshift() {
        const auto& properties = bundle_.properties;
        const auto has_type = [](std::string_view type) {
            return [type](const Property& p) { return p.type == type; };
        };
        const auto is_max = has_type(property_type::max_openshift_version);
        const auto first = std::find_if(properties.begin(), properties.end(), is_max);
        // The CSV may contain it, too; decoding all manifests of a catalog for that takes too long.
        if (first == properties.end() &&
            std::any_of(properties.begin(), properties.end(), has_type(property_type::bundle_object)))
            return;
        const auto max = olmv1::max_openshift_version(bundle_);
        if (max) {
            for (const Property& property : properties)
                if (is_max(property) && *max && bundle_.file)
                    if (auto finding = check_max_openshift_number(*bundle_.file, *property.value, **max))
                        out_.push_back(*std::move(finding));
            return;
        }
        Location where = bundle_.start();
        if (first != properties.end()) {
            const auto second = std::find_if(first + 1, properties.end(), is_max);
            where = bundle_.at((second == properties.end() ? *first : *second).type);
        }
        out_.push_back(warning("max-openshift-version", where,
                               fmt::format("OpenShift cannot read the {}: {}",
                                           property_type::max_openshift_version, max.error()),
                               std::string(max_openshift_help)));
    }

    const Bundle& bundle_;
    Diagnostics& out_;
};

} // namespace

void check_requirements(const Bundle& bundle, Diagnostics& out) {
    BundlePropertyCheck(bundle, out).check_requirements();
}

Diagnostics check_resolved_properties(const Catalog& catalog, ThreadPool& pool) {
    constexpr size_t portion = 32;
    const std::vector<Bundle>& bundles = catalog.bundles;
    std::vector<Diagnostics> found((bundles.size() + portion - 1) / portion);
    pool.for_each(found.size(), [&](size_t task) {
        const size_t end = std::min((task + 1) * portion, bundles.size());
        for (size_t i = task * portion; i < end; ++i) BundlePropertyCheck(bundles[i], found[task]).run();
    });
    Diagnostics all;
    for (Diagnostics& some : found) std::move(some.begin(), some.end(), std::back_inserter(all));
    sort_by_place(all);
    return all;
}

} // namespace opcat
