#include "opcat/lint/own_rules.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/lint/configuration.hpp"
#include "opcat/lint/project_checks.hpp"
#include "opcat/lint/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <set>
#include <tuple>

namespace opcat {
namespace {

constexpr uint64_t most_steps = 100'000'000;
// Reading a blob is counted, too: a byte of its text is at most a value.
constexpr uint64_t bytes_per_step = 8;
constexpr size_t most_registries = 10; // that a finding names

std::vector<const Blob*> blobs_in_order(const Catalog& catalog) {
    std::vector<const Blob*> all;
    const auto add = [&](const auto& blobs) {
        for (const Blob& blob : blobs)
            if (blob.value.is_object()) all.push_back(&blob);
    };
    add(catalog.packages);
    add(catalog.channels);
    add(catalog.bundles);
    add(catalog.deprecations);
    add(catalog.others);
    return all;
}

uint64_t size_of(const Value& value) {
    uint64_t size = 1;
    if (value.is_object())
        for (const auto& [key, member] : value.members())
            size += key.string().size() / bytes_per_step + size_of(member);
    else if (value.is_array())
        for (const Value& item : value.items()) size += size_of(item);
    else
        size += value.string_or_empty().size() / bytes_per_step;
    return size;
}

Location name_of(const Blob& blob) {
    return blob.name.empty() ? blob.start() : blob.at(blob.name);
}

} // namespace

std::string_view kept_rule_id(std::string_view id) {
    static std::mutex mutex;
    static std::set<std::string, std::less<>> kept;
    const std::lock_guard lock(mutex);
    return *kept.emplace(id).first;
}

bool is_plain_name(std::string_view name) {
    constexpr size_t longest = 64;
    return !name.empty() && name.size() <= longest && name.front() != '-' && name.back() != '-' &&
           std::all_of(name.begin(), name.end(),
                       [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-'; });
}

std::string reason_against_own_rule(std::string_view id) {
    if (!is_plain_name(id)) return "a rule is named with lower-case letters, digits and \"-\"";
    if (find_rule(id)) return "opcat has a rule of this name";
    return {};
}

Result<cel::Program, std::string> compile_condition(std::string_view condition) {
    const std::array<cel::Variable, 1> variables{
        {{"blob", cel::Type::map(cel::TypeKind::string, cel::TypeKind::dyn)}}};
    auto program = cel::Program::compile(condition, variables);
    if (program && program->type().kind() != cel::TypeKind::boolean && !program->type().is_dyn())
        return fmt::format("a condition must have the type bool, not {}", program->type().to_string());
    return program;
}

void check_own_rules(const Catalog& catalog, std::span<const OwnRule> rules, Diagnostics& out) {
    if (std::ranges::none_of(rules, [](const OwnRule& rule) { return rule.program.has_value(); })) return;
    cel::Budget budget(most_steps);
    for (const Blob* const blob : blobs_in_order(catalog)) {
        const bool is_read = budget.spend(size_of(blob->value));
        std::array<cel::Binding, 1> bindings{{{"blob", {}}}};
        if (is_read) bindings[0].value = cel::from_json(blob->value);
        for (const OwnRule& rule : rules) {
            if (!rule.program) continue;
            if (!is_read || budget.exhausted()) break;
            const auto value = rule.program->evaluate(bindings, budget);
            if (budget.exhausted()) break;
            if (!value)
                out.push_back(warning(rule.id, name_of(*blob),
                                      fmt::format("the condition of the rule has no value for this blob: {}",
                                                  on_one_line(value.error())),
                                      "test for what blobs may lack: has(blob.image) && ..."));
            else if (!value->is_true() && !value->is_false())
                out.push_back(warning(rule.id, name_of(*blob),
                                      "the condition of the rule is neither true nor false for this blob",
                                      "compare the value with something: blob.name == \"x\""));
            else if (value->is_true())
                out.push_back(warning(rule.id, name_of(*blob), rule.message,
                                      fmt::format("the rule is defined in {}", rule.origin)));
        }
        if (!budget.exhausted()) continue;
        out.push_back(error("limit", name_of(*blob),
                            fmt::format("the project's own rules are not checked from this blob on: they "
                                        "take more than {} steps",
                                        most_steps),
                            "make the conditions of `rules` in .opcat.yaml simpler"));
        return;
    }
}

Diagnostics check_for_project(const Catalog& catalog, const Configuration& configuration) {
    Diagnostics out;
    const AllowedRegistries allowed(configuration.registries);
    for (const Bundle& bundle : catalog.bundles) {
        if (configuration.openshift) check_openshift_metadata(bundle, *configuration.openshift, out);
        if (configuration.registries.empty() || bundle.is_unknown) continue;
        const auto check = [&](const Text& image, std::string_view what) {
            if (image.empty() || allowed.have(image)) return;
            out.push_back(
                warning("image-registry", bundle.at(image),
                        fmt::format("the {} {} of bundle \"{}\" is not in an allowed registry", what,
                                    image.text, bundle.name.text),
                        fmt::format("allowed are {}", listed(configuration.registries, most_registries))));
        };
        check(bundle.image, "image");
        for (const RelatedImage& related : bundle.related_images)
            if (related.image != bundle.image) check(related.image, "related image");
    }
    check_own_rules(catalog, configuration.own_rules, out);
    return out;
}

} // namespace opcat
