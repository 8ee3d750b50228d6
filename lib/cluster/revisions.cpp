#include "opcat/cluster/revisions.hpp"

#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/served_release.hpp"
#include "opcat/cluster/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace opcat::cluster {
namespace {

constexpr const char* bundle_name_annotation = "olm.operatorframework.io/bundle-name";
constexpr const char* bundle_version_annotation = "olm.operatorframework.io/bundle-version";

// The kinds whose objects must become ready, with the phases that OLM v1 puts them in
// (internal/operator-controller/applier/phase.go).
constexpr std::pair<std::string_view, std::string_view> phases_of_kinds[] = {
    {"Namespace", "namespaces"},  {"PersistentVolumeClaim", "storage"}, {"CustomResourceDefinition", "crds"},
    {"Issuer", "infrastructure"}, {"Certificate", "infrastructure"},    {"Deployment", "deploy"},
    {"StatefulSet", "deploy"}};

// Returns the phase of the object that a message names: "Object Deployment.apps/v1 shop/controller: …".
std::string phase_of_object(std::string_view message) {
    constexpr std::string_view start = "Object ";
    if (!message.starts_with(start)) return {};
    const std::string_view kind = message.substr(start.size(), message.find('.') - start.size());
    for (const auto& [known, phase] : phases_of_kinds)
        if (kind == known) return std::string(phase);
    return {};
}

// Returns the phase whose number, from 0, a message has: "revision object collisions in phase 2…", "phase 2
// validation error: …".
std::string phase_of_number(std::string_view message, const std::vector<Revision::Phase>& phases) {
    for (const std::string_view start : {"revision object collisions in phase ", "phase "}) {
        if (!message.starts_with(start)) continue;
        const std::string_view rest = message.substr(start.size());
        size_t number = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (error == std::errc() && number < phases.size()) return phases[number].name;
    }
    return {};
}

void read_conditions(std::span<const Value> conditions, Revision& revision) {
    const Fields progressing = Fields::of_type(conditions, "Progressing");
    const Fields available = Fields::of_type(conditions, "Available");
    revision.reason = progressing.text("reason");
    revision.message = progressing.text("message");
    if (!revision.rolled_out && available.text("status") == "False" &&
        available.text("reason") == "ProbeFailure")
        revision.waits_for = available.text("message");
    if (revision.rolled_out) return;
    revision.phase = phase_of_number(revision.message, revision.phases);
    if (revision.phase.empty()) revision.phase = phase_of_object(revision.waits_for);
    const auto is_known = [&](const Revision::Phase& phase) { return phase.name == revision.phase; };
    if (!revision.phases.empty() && std::none_of(revision.phases.begin(), revision.phases.end(), is_known))
        revision.phase.clear();
}

Revision revision_of_set(const Object& set) {
    Revision revision;
    revision.name = set.name;
    revision.number = set.number("spec", "revision");
    revision.bundle = set.annotation(bundle_name_annotation);
    revision.version = set.annotation(bundle_version_annotation);
    revision.archived = set.text("spec", "lifecycleState") == "Archived";
    revision.rolled_out = set.condition("Succeeded").is_true();
    for (const Fields phase : set.items("spec", "phases"))
        revision.phases.push_back({std::string(phase.text("name")), phase.items("objects").size()});
    read_conditions(set.items("status", "conditions"), revision);
    return revision;
}

// The status lists conditions only of revisions that have not rolled out.
Revision revision_of_status(const Fields& entry) {
    Revision revision;
    revision.name = entry.text("name");
    revision.rolled_out = entry.items("conditions").empty();
    read_conditions(entry.items("conditions"), revision);
    return revision;
}

} // namespace

bool Revision::is_failing() const {
    return is_rolling_out() &&
           (reason == "Retrying" || reason == "Blocked" || reason == "ProgressDeadlineExceeded");
}

std::string Revision::describe() const {
    std::string text = fmt::format("revision {}{}", name, version.empty() ? "" : " (" + version + ")");
    if (archived) return text + " is archived";
    if (rolled_out) return text + " has rolled out";
    text += is_failing() ? " does not roll out" : " is rolling out";
    if (!phase.empty()) text += ", in phase " + phase;
    if (is_failing())
        text += fmt::format(": {}: {}", reason,
                            std::string_view(message).substr(0, message.find_last_not_of('.') + 1));
    // The message about a deadline repeats that it is rolling out, and not why it is not ready.
    if (!waits_for.empty()) text += ": " + waits_for;
    return text;
}

bool has_revisions(const Object& extension) {
    return !extension.items("status", "activeRevisions").empty();
}

std::vector<Revision> revisions_of(const Object& extension, std::span<const Object> sets) {
    std::vector<Revision> revisions;
    for (const Object& set : sets)
        if (set.label(owner_name_label) == extension.name) revisions.push_back(revision_of_set(set));
    std::sort(revisions.begin(), revisions.end(),
              [](const Revision& a, const Revision& b) { return a.number < b.number; });
    if (revisions.empty())
        for (const Fields entry : extension.items("status", "activeRevisions"))
            revisions.push_back(revision_of_status(entry));
    return revisions;
}

std::optional<Revision> revision_in_the_way(const Kubectl& kubectl, const Object& extension) {
    const auto first_of = [](std::vector<Revision> revisions) -> std::optional<Revision> {
        for (Revision& revision : revisions)
            if (revision.is_rolling_out()) return std::move(revision);
        return std::nullopt;
    };
    std::optional<Revision> from_status = first_of(revisions_of(extension, {}));
    if (!from_status) return std::nullopt;
    const std::string resource = revision_resource(kubectl);
    if (resource.empty()) return from_status;
    try {
        return first_of(
            revisions_of(extension, kubectl.list(resource, Scope::cluster(),
                                                 fmt::format("{}={}", owner_name_label, extension.name))));
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        return from_status;
    }
}

} // namespace opcat::cluster
