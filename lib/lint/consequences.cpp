#include "opcat/lint/consequences.hpp"

#include "opcat/lint/rules.hpp"

#include <algorithm>
#include <unordered_map>

namespace opcat {
namespace {

// A mistake because of which blobs are missing explains more than one that was found by comparing.
enum class Rank : uint8_t { lost_blob, lost_package, detail, none };
constexpr Rank causes[] = {Rank::lost_blob, Rank::lost_package, Rank::detail};

// Rules about files, not blobs, whose findings are never consequences: a place outside of all blobs would
// count as one of the blob before it. A finding about a limit is always reported.
constexpr std::string_view of_files[] = {"file",       "syntax",       "unread",      "limit",
                                         "not-a-blob", "json-as-yaml", "line-breaks", "suppression"};

class Consequences {
public:
    explicit Consequences(std::vector<ExplainedFinding>& findings) : findings_(findings) {
        for (const ExplainedFinding& one : findings) ranks_.push_back(rank_of(*one.finding));
    }

    void run() {
        for (const Rank rank : causes) {
            visit_causes(rank, [](const ExplainedFinding&, Severity& worst) { worst = Severity::note; });
            for (size_t i = 0; i < findings_.size(); ++i)
                if (ranks_[i] > rank && !findings_[i].is_consequence) explain(findings_[i]);
            visit_causes(rank, [](ExplainedFinding& cause, Severity& worst) {
                cause.severity = std::min(cause.severity, worst);
            });
            of_packages_.clear();
            of_upgrades_.clear();
            of_channels_.clear();
            of_blobs_.clear();
        }
    }

private:
    // The packages and blobs whose findings are explained, with the worst severity of these. All causes get
    // that severity, because their order means nothing.
    using OfPackages = std::unordered_map<std::string_view, Severity>;
    using OfBlobs = std::unordered_map<const void*, Severity>;

    static Rank rank_of(const Diagnostic& finding) {
        if (!finding.explains) return Rank::none;
        if (finding.explains.packages.empty()) return Rank::detail;
        const Rule* const rule = find_rule(finding.rule);
        const bool compares = rule && rule->needs_whole_catalog;
        return compares || !finding.explains.blob ? Rank::lost_package : Rank::lost_blob;
    }

    template <class Visit>
    void visit_causes(Rank rank, Visit visit) {
        for (size_t i = 0; i < findings_.size(); ++i) {
            ExplainedFinding& cause = findings_[i];
            if (ranks_[i] != rank || cause.is_consequence) continue;
            const Explains& explains = cause.finding->explains;
            for (const std::string& package : explains.packages) visit(cause, of_packages_[package]);
            if (explains.upgrades) visit(cause, of_upgrades_[cause.package]);
            if (explains.upgrades && cause.blob) visit(cause, of_channels_[cause.blob]);
            if (explains.blob && cause.blob) visit(cause, of_blobs_[cause.blob]);
        }
    }

    template <class Map, class Key>
    static void look_up(Map& map, const Key& key, ExplainedFinding& one) {
        const auto found = map.find(key);
        if (found == map.end()) return;
        one.is_consequence = true;
        found->second = std::min(found->second, one.finding->severity);
    }

    void explain(ExplainedFinding& one) {
        const Rule* const rule = find_rule(one.finding->rule);
        if (one.finding->is_rest || !rule || std::ranges::find(of_files, rule->id) != std::end(of_files))
            return;
        look_up(of_blobs_, one.blob, one);
        if (rule->needs_whole_catalog || rule->about != UpgradesOf::nothing)
            look_up(of_packages_, one.package, one);
        if (rule->about == UpgradesOf::channel) look_up(of_channels_, one.blob, one);
        if (rule->about == UpgradesOf::package) look_up(of_upgrades_, one.package, one);
    }

    std::vector<ExplainedFinding>& findings_;
    std::vector<Rank> ranks_;
    OfPackages of_packages_;
    OfPackages of_upgrades_;
    OfBlobs of_channels_;
    OfBlobs of_blobs_;
};

} // namespace

void find_consequences(std::vector<ExplainedFinding>& findings) {
    Consequences(findings).run();
}

Subject explained_subject(const Diagnostic& finding, const Subjects& subjects) {
    const Location& where = finding.explains.blob_at ? finding.explains.blob_at : finding.where;
    return where ? subjects.of(where) : Subject();
}

size_t drop_consequences(Diagnostics& findings, const Subjects& subjects) {
    if (std::none_of(findings.begin(), findings.end(),
                     [](const Diagnostic& finding) { return static_cast<bool>(finding.explains); }))
        return 0;
    std::vector<ExplainedFinding> all;
    for (const Diagnostic& finding : findings) {
        const Subject subject = explained_subject(finding, subjects);
        all.push_back({&finding, subject.package, subject.value});
    }
    find_consequences(all);
    size_t explained = 0;
    Diagnostics kept;
    for (size_t i = 0; i < all.size(); ++i) {
        if (all[i].is_consequence) {
            explained += findings[i].count;
            continue;
        }
        findings[i].severity = all[i].severity;
        kept.push_back(std::move(findings[i]));
    }
    findings = std::move(kept);
    return explained;
}

} // namespace opcat
