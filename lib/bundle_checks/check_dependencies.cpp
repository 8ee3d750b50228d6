// Checks metadata/dependencies.yaml as opm does: each type of dependency has its Validate().
#include "opcat/base/text.hpp"
#include "opcat/bundle_checks/format.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/resolve/classic/requirement.hpp"
#include "opcat/semver/range_problem.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace opcat::bundle_checks {
namespace {

struct DependencyKind {
    std::string_view type; // of the dependency
    std::string_view go_type;
    std::string_view form; // for people
};
constexpr std::array dependency_kinds = {
    DependencyKind{"olm.package", "registry.PackageDependency",
                   "packageName and version, a range of versions"},
    DependencyKind{"olm.gvk", "property.GVK", "group, version and kind"},
    DependencyKind{"olm.label", "registry.LabelDependency", "label"},
    DependencyKind{"olm.constraint", "registry.CelConstraint", "failureMessage and cel with a rule"},
};

class DependencyCheck {
public:
    explicit DependencyCheck(const TypedValue& dependency) : dependency_(dependency) {}

    std::optional<DependencyProblem> run() {
        const auto kind = std::find_if(dependency_kinds.begin(), dependency_kinds.end(),
                                       [&](const DependencyKind& k) { return k.type == dependency_.type; });
        if (kind == dependency_kinds.end()) {
            constexpr std::array<std::string_view, dependency_kinds.size()> types = {
                dependency_kinds[0].type, dependency_kinds[1].type, dependency_kinds[2].type,
                dependency_kinds[3].type};
            const std::string_view meant = misspelt(dependency_.type, types);
            return refuse({not_parsed()},
                          dependency_.type.empty()
                              ? "a dependency has no type"
                              : fmt::format("there is no dependency of type \"{}\"", dependency_.type),
                          meant.empty() ? "write olm.package, olm.gvk, olm.label or olm.constraint"
                                        : fmt::format("did you mean {}?", meant));
        }
        form_ = fmt::format("a dependency of type {} has {}", kind->type, kind->form);
        if (dependency_.json.empty())
            return refuse({not_parsed()}, fmt::format("this {} has no value", kind->type), form_);
        if (const auto misfit =
                go::find_misfit(dependency_.value, go::type_named(kind->go_type), go::Route::text))
            return refuse({not_parsed()}, fmt::format("{}: {}", kind->type, misfit->message("value")), form_);
        if (kind->type == "olm.gvk") return check_empty({"group", "version", "kind"});
        if (kind->type == "olm.package") return check_package();
        if (kind->type == "olm.label")
            return text("label").empty()
                       ? refuse({"Label information is missing"}, "this olm.label has no label", form_)
                       : std::nullopt;
        return check_expression();
    }

private:
    std::optional<DependencyProblem> check_package() {
        std::vector<std::string> errors;
        std::vector<std::string_view> missing;
        if (text("packageName").empty()) {
            errors.emplace_back("Package name is empty");
            missing.emplace_back("packageName");
        }
        const std::string_view range = text("version");
        if (range.empty()) {
            errors.emplace_back("Package version is empty");
            missing.emplace_back("version");
        }
        if (const auto parsed = semver::BlangRange::parse(range); !range.empty() && !parsed) {
            errors.emplace_back("Invalid semver format version");
            if (missing.empty())
                return refuse(std::move(errors),
                              fmt::format("version \"{}\" is not a range: {}", range,
                                          semver::explain_range_problem(range, parsed.error())),
                              "write comparisons joined by blanks, as in \">=1.0.0 <1.2.3\"");
        }
        if (errors.empty()) return std::nullopt;
        return refuse(std::move(errors), lacks(missing), form_);
    }

    std::optional<DependencyProblem> check_empty(std::initializer_list<std::string_view> fields) {
        std::vector<std::string> errors;
        std::vector<std::string_view> missing;
        for (const std::string_view field : fields) {
            if (!text(field).empty()) continue;
            std::string name(field);
            name.front() = static_cast<char>(name.front() - 'a' + 'A');
            errors.push_back(fmt::format("API {} is empty", name));
            missing.push_back(field);
        }
        if (errors.empty()) return std::nullopt;
        return refuse(std::move(errors), lacks(missing), form_);
    }

    std::optional<DependencyProblem> check_expression() {
        const Value* const cel = find_pointer_field(dependency_.value, "cel", go::Route::text);
        if (!cel)
            return refuse({"The CEL field is missing"}, "this olm.constraint has no cel",
                          "opm knows no other constraint in dependencies.yaml: write packages and APIs as "
                          "olm.package and olm.gvk, or put the constraint into metadata/properties.yaml");
        const std::string_view rule = field_text(*cel, "rule", go::Route::text);
        if (rule.empty()) return refuse({"The CEL expression is missing"}, "cel has no rule", form_);
        const auto program = classic::compile_rule(rule);
        if (program) return std::nullopt;
        return refuse({"Invalid CEL expression: " + program.error()},
                      fmt::format("the rule is not a CEL expression that OLM can use: {}",
                                  program.error().substr(0, program.error().find('\n'))),
                      form_);
    }

    std::string_view text(std::string_view field) const {
        return field_text(dependency_.value, field, go::Route::text);
    }
    std::string lacks(const std::vector<std::string_view>& fields) const {
        return fmt::format("this {} has no {}", dependency_.type, fmt::join(fields, ", "));
    }
    std::string not_parsed() const { return "couldn't parse dependency of type " + dependency_.type; }
    std::optional<DependencyProblem> refuse(std::vector<std::string> opm_errors, std::string message,
                                            std::string help) const {
        return DependencyProblem{std::move(opm_errors),
                                 error("bundle-dependency", {dependency_.file, dependency_.offset, 1},
                                       std::move(message), std::move(help))};
    }

    const TypedValue& dependency_;
    std::string form_;
};

} // namespace

std::vector<DependencyProblem> check_dependencies(const std::vector<TypedValue>& dependencies) {
    std::vector<DependencyProblem> problems;
    for (const TypedValue& dependency : dependencies)
        if (auto problem = DependencyCheck(dependency).run()) problems.push_back(*std::move(problem));
    return problems;
}

} // namespace opcat::bundle_checks
