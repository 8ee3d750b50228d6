#include "opcat/policy/policy.hpp"

#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace opcat::policy {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view rule = "policy";
constexpr size_t most_places = 10;

std::string_view fix_of(Pipeline policy, std::string_view check) {
    for (const CheckInfo& info : checks_of(policy))
        if (info.name == check) return info.fix;
    return {};
}

Json verdict_json(const TaskVerdict& verdict) {
    Json json;
    json["result"] = verdict.result == TaskResult::none ? Json() : Json(to_string(verdict.result));
    json["messages"] = Json::array();
    for (const TaskMessage& message : verdict.messages) json["messages"].push_back(message.text);
    if (!verdict.ended_by.empty()) json["ended_by"] = verdict.ended_by;
    if (verdict.unreleased) json["unreleased_related_images"] = *verdict.unreleased;
    return json;
}

Json static_json(const StaticResults& results) {
    Json outputs = Json::array();
    bool passed = true;
    for (const StaticOutput& output : results.outputs) {
        passed = passed && output.severity != Severity::error;
        outputs.push_back(
            {{"check", output.check}, {"type", to_string(output.severity)}, {"message", output.message}});
    }
    return {{"passed", passed}, {"outputs", std::move(outputs)}};
}

Diagnostic finding(Severity severity, std::string message, const std::vector<Location>& places,
                   std::string_view fix) {
    Diagnostic made{.severity = severity,
                    .rule = rule,
                    .message = std::move(message),
                    .where = places.empty() ? Location() : places.front(),
                    .notes = {},
                    .help = std::string(fix)};
    made.distinction = made.message; // all checks are one rule
    for (size_t i = 1; i < std::min(places.size(), most_places); ++i)
        made.notes.push_back({"also here", places[i]});
    if (places.size() > most_places)
        made.notes.push_back({fmt::format("and in {} more places", places.size() - most_places), {}});
    return made;
}

std::string by_mistake(std::string_view check, std::string_view message) {
    return fmt::format("{}: the pipeline passes this by mistake: {}", check, message);
}

void add_verdict(std::string_view task, const TaskVerdict& verdict, const ImageDigests& digests,
                 Diagnostics& findings) {
    for (const TaskMessage& message : verdict.messages) {
        std::string_view words = message.text;
        const bool is_warning = words.starts_with("!WARNING!");
        if (const size_t dash = words.find(" - "); words.starts_with('!') && dash != std::string_view::npos)
            words.remove_prefix(dash + 3);
        findings.push_back(finding(is_warning ? Severity::warning : Severity::error,
                                   fmt::format("{}: {}", task, on_one_line(words)), message.where,
                                   message.fix));
        if (message.wants_digests) findings.back().fix = pin_images(message.where, digests);
    }
    if (verdict.result == TaskResult::error)
        findings.push_back(
            finding(Severity::error, fmt::format("{} ends with ERROR: {}", task, verdict.ended_by), {}, {}));
    if (verdict.result == TaskResult::none)
        findings.push_back(finding(Severity::error,
                                   fmt::format("{} stores no verdict: {}", task, verdict.ended_by), {}, {}));
    for (const TaskMessage& note : verdict.notes)
        findings.push_back(finding(Severity::warning, by_mistake(task, note.text), note.where, {}));
    findings.append(verdict.refused);
}

} // namespace

std::vector<NotChecked> not_checked_by(const PolicyRun& run) {
    std::vector<NotChecked> all = run.not_checked;
    if (run.readiness)
        for (const auto& [what, of] : readiness::not_checked_in(run.readiness->packages))
            all.push_back({fmt::format("{} {}", readiness_task, what),
                           fmt::format("the catalog does not hold them for {} of the bundles", of)});
    if (run.unknown) all.push_back({std::string(static_tests_task), run.unknown->what()});
    for (const CheckInfo& info : checks_of(run.policy))
        if (!info.not_here.empty() && info.task != static_tests_task &&
            std::find(run.checked_here.begin(), run.checked_here.end(), info.name) == run.checked_here.end())
            all.push_back(
                {std::string(info.task == info.name ? info.name : fmt::format("{} {}", info.task, info.name)),
                 std::string(info.not_here)});
    if (run.static_tests)
        all.insert(all.end(), run.static_tests->not_checked.begin(), run.static_tests->not_checked.end());
    // Each bundle says the same of operator-sdk.
    std::set<std::pair<std::string, std::string>> said;
    std::erase_if(all, [&](const NotChecked& one) { return !said.emplace(one.check, one.why).second; });
    return all;
}

std::string report_of(const PolicyRun& run) {
    Json tasks = Json::object();
    if (run.changes) {
        Json errors = Json::array();
        for (const ChangeError& error : *run.changes) errors.push_back(error.message);
        tasks[std::string(changes_task)] = {{"errors", std::move(errors)}};
    }
    if (run.fragment) tasks[std::string(fragment_task)] = verdict_json(*run.fragment);
    if (run.pruning) tasks[std::string(pruning_task)] = verdict_json(*run.pruning);
    if (!run.conforma.empty()) {
        Json messages = Json::array();
        for (const TaskMessage& message : run.conforma) messages.push_back(message.text);
        tasks[std::string(conforma_task)] = {{"messages", std::move(messages)}};
    }
    if (run.readiness)
        tasks[std::string(readiness_task)] =
            readiness::as_json(run.readiness->packages, run.readiness->release);
    if (run.static_tests) {
        tasks[std::string(static_tests_task)] = static_json(*run.static_tests);
        tasks[std::string(catalogs_task)] = run.catalogs;
    }
    Json report{{"schema", "opcat.policy-report.v1"},
                {"policy", to_string(run.policy)},
                {"upstream", upstream_of(run.policy)},
                {"tasks", std::move(tasks)}};
    report["not_checked"] = Json::array();
    for (const NotChecked& one : not_checked_by(run))
        report["not_checked"].push_back({{"check", one.check}, {"why", one.why}});
    return as_document(report);
}

Diagnostics findings_of(const PolicyRun& run, const ImageDigests& digests) {
    Diagnostics findings;
    if (run.changes)
        for (const ChangeError& error : *run.changes)
            findings.push_back(finding(Severity::error, fmt::format("{}: {}", error.check, error.message), {},
                                       fix_of(run.policy, error.check)));
    if (run.fragment) add_verdict(fragment_task, *run.fragment, digests, findings);
    if (run.pruning) add_verdict(pruning_task, *run.pruning, digests, findings);
    // The pipeline that builds the fragment passes it; the one that releases it does not.
    for (const TaskMessage& message : run.conforma) {
        findings.push_back(finding(Severity::warning, fmt::format("{}: {}", conforma_task, message.text),
                                   message.where, message.fix));
        if (message.wants_digests) findings.back().fix = pin_images(message.where, digests);
    }
    if (run.readiness)
        findings.append(readiness::findings_of(run.readiness->packages, run.readiness->release));
    if (run.static_tests) {
        for (const StaticOutput& output : run.static_tests->outputs) {
            const bool is_exception = output.message.starts_with("Traceback: ");
            findings.push_back(finding(
                output.severity, fmt::format("{}: {}", output.check, on_one_line(output.message)),
                {output.where},
                is_exception ? "the official check ends with an exception: give the files that it reads the "
                               "form that it expects"
                             : fix_of(run.policy, output.check)));
        }
        for (const StaticOutput& note : run.static_tests->notes)
            findings.push_back(
                finding(Severity::warning, by_mistake(note.check, note.message), {note.where}, {}));
    }
    for (const auto& [catalog, is_valid] : run.catalogs)
        if (!is_valid)
            findings.push_back(finding(
                Severity::error, fmt::format("{}: Catalog {} format is invalid", catalogs_task, catalog), {},
                fix_of(run.policy, catalogs_task)));
    findings.append(run.refused);
    for (const auto& owner : run.owners) findings.keep(owner);
    return findings;
}

} // namespace opcat::policy
