#include "opcat/lint/selection.hpp"

#include "opcat/lint/baseline.hpp"
#include "opcat/lint/changes.hpp"
#include "opcat/lint/configuration.hpp"
#include "opcat/lint/consequences.hpp"
#include "opcat/lint/rules.hpp"
#include "opcat/lint/suppressions.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace opcat {
namespace {

Severity severity_of(Level level) {
    return level == Level::error     ? Severity::error
           : level == Level::warning ? Severity::warning
                                     : Severity::note;
}

// Returns true for findings that something was not checked, which neither levels nor comments hide.
bool is_always_reported(const Diagnostic& finding) {
    return finding.rule == "limit" || finding.hides_others;
}

class Selection {
public:
    Selection(const FoundIn& source, const Subjects& subjects) : source_(source), subjects_(subjects) {}

    // Drops what is not reported, and counts it.
    void run(Diagnostics& findings, LeftOut& left_out) const {
        set_levels(findings);
        left_out.suppressed += suppress(findings);
        if (!source_.changed) return;
        std::erase_if(findings, [&](const Diagnostic& finding) {
            if (is_of_change(finding)) return false;
            left_out.unchanged += finding.count;
            if (finding.severity == Severity::error) left_out.unchanged_errors += finding.count;
            return true;
        });
    }

private:
    // An error that keeps rules from being checked may hide errors in the changed packages.
    bool is_of_change(const Diagnostic& finding) const {
        return finding.is_rest || is_always_reported(finding) ||
               source_.changed->concerns(subjects_.of(finding.where).package, finding.where.file) ||
               (!source_.complete && finding.severity == Severity::error);
    }

    bool changes_levels() const { return source_.configuration && source_.configuration->changes_levels(); }

    std::optional<Level> level_of(std::string_view rule, const Location& where) const {
        if (!changes_levels()) return std::nullopt;
        const bool by_package = !source_.configuration->overrides.empty();
        return source_.configuration->level_of(
            rule, by_package ? subjects_.of(where).package : std::string_view(), where.file);
    }

    void set_levels(Diagnostics& findings) const {
        if (!changes_levels()) return;
        Diagnostics kept;
        for (Diagnostic& finding : findings) {
            const auto level = level_of(finding.rule, finding.where);
            if (level == Level::off && !is_always_reported(finding)) continue;
            if (level && !is_always_reported(finding)) finding.severity = severity_of(*level);
            kept.push_back(std::move(finding));
        }
        findings = std::move(kept);
    }

    // The rest of many findings stays: where they are is not known.
    size_t suppress(Diagnostics& findings) const {
        if (!source_.remarks || source_.remarks->empty()) return 0;
        std::vector<std::string_view> own_rules;
        if (source_.configuration)
            for (const OwnRule& rule : source_.configuration->own_rules) own_rules.push_back(rule.id);
        Suppressions suppressions(*source_.remarks, std::move(own_rules));
        const size_t suppressed = std::erase_if(findings, [&](const Diagnostic& finding) {
            return !finding.is_rest && !is_always_reported(finding) && suppressions.suppress(finding);
        });
        Diagnostics unused = suppressions.findings([&](std::string_view rule, const Location& where) {
            return source_.complete && level_of(rule, where) != Level::off;
        });
        set_levels(unused);
        std::move(unused.begin(), unused.end(), std::back_inserter(findings));
        return suppressed;
    }

    const FoundIn& source_;
    const Subjects& subjects_;
};

// A file that is no part of a catalog keeps rules from what is in it, and from all that needs the whole of
// the catalog: no baseline says that these would find nothing.
bool hides_file(const Diagnostic& finding) {
    constexpr std::array<std::string_view, 3> rules{"file", "syntax", "not-a-blob"};
    return finding.rule == "limit" ||
           (finding.severity == Severity::error && std::ranges::find(rules, finding.rule) != rules.end());
}

// Says of which rules findings were looked for: those that no configuration turned off, also for a part.
class LookedFor {
public:
    LookedFor(const std::vector<FoundIn>& found, const SelectionOptions& options)
        : rules_(options.rules), policies_(options.policies) {
        for (const FoundIn& source : found) {
            is_complete_ = is_complete_ && (source.complete || !rules_) && !source.changed;
            if (source.configuration) configurations_.push_back(source.configuration);
        }
        is_complete_ = is_complete_ && (!options.baseline || options.baseline->asked() == options.asked);
    }

    bool is_complete() const { return is_complete_; }

    bool includes(std::string_view rule) const {
        if (!(rule == policy_rule ? policies_ : rules_)) return false;
        const bool is_known = find_rule(rule) != nullptr;
        return (is_known || !configurations_.empty()) &&
               std::ranges::all_of(configurations_, [&](const Configuration* one) {
                   return (is_known || std::ranges::count(one->own_rules, rule, &OwnRule::id) > 0) &&
                          !may_be_off(*one, rule);
               });
    }

private:
    static constexpr std::string_view policy_rule = "policy";

    static bool may_be_off(const Configuration& configuration, std::string_view rule) {
        return configuration.level_of(rule, {}, nullptr) == Level::off ||
               std::ranges::any_of(configuration.overrides, [&](const RuleOverride& one) {
                   const auto level = one.rules.find(rule);
                   return level != one.rules.end() && level->second.value == Level::off;
               });
    }

    const bool rules_;
    const bool policies_;
    bool is_complete_ = true;
    std::vector<const Configuration*> configurations_;
};

// Drops the findings that the baseline has.
class Known {
public:
    Known(const Baseline& baseline, const Subjects& subjects)
        : baseline_(baseline), marks_(subjects), checked_(subjects.packages()), unseen_(baseline.entries()) {}

    // Returns the number of those dropped.
    size_t drop(Diagnostics& findings) {
        Diagnostics fresh;
        size_t known = 0;
        for (Diagnostic& finding : findings) {
            const std::string mark = baseline_.entries().empty() ? std::string() : marks_.next(finding);
            is_complete_ = is_complete_ && !finding.is_rest && finding.rule != "limit";
            unseen_.erase(mark);
            if (baseline_.contains(mark) && !hides_file(finding))
                known += finding.count;
            else
                fresh.push_back(std::move(finding));
        }
        findings = std::move(fresh);
        return known;
    }

    // SelectedFindings::outdated. What is not about a package may be about a catalog that was not checked, if
    // a package was not.
    std::optional<std::unordered_set<std::string>> outdated(const LookedFor& looked_for) const {
        if (!is_complete_ || !looked_for.is_complete()) return std::nullopt;
        const bool all_checked = std::ranges::all_of(baseline_.entries(), [&](const auto& entry) {
            return entry.second.package.empty() || checked_.contains(entry.second.package);
        });
        std::unordered_set<std::string> outdated;
        for (const auto& [mark, entry] : unseen_)
            if (looked_for.includes(entry.rule) &&
                (entry.package.empty() ? all_checked : checked_.contains(entry.package)))
                outdated.insert(mark);
        return outdated;
    }

private:
    const Baseline& baseline_;
    Fingerprints marks_;
    std::set<std::string_view> checked_;                      // packages
    std::unordered_map<std::string, Baseline::Entry> unseen_; // no finding has had them
    bool is_complete_ = true;                                 // all findings were looked at
};

} // namespace

SelectedFindings select_findings(std::vector<FoundIn> found, const Subjects& subjects,
                                 const SelectionOptions& options) {
    SelectedFindings selected;
    selected.asked = options.asked;
    std::optional<Known> known;
    if (options.baseline) known.emplace(*options.baseline, subjects);
    const LookedFor looked_for(found, options);
    for (FoundIn& source : found) {
        Diagnostics findings = std::move(source.findings);
        Selection(source, subjects).run(findings, selected);
        if (known) {
            sort_by_place(findings);
            selected.known += known->drop(findings);
        }
        if (!options.consequences) selected.explained += drop_consequences(findings, subjects);
        std::move(findings.begin(), findings.end(), std::back_inserter(selected.findings));
    }
    sort_by_place(selected.findings);
    if (known) selected.outdated = known->outdated(looked_for);
    if (options.strict)
        for (Diagnostic& finding : selected.findings)
            if (finding.severity == Severity::warning) finding.severity = Severity::error;
    return selected;
}

} // namespace opcat
