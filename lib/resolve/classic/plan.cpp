#include "opcat/resolve/classic/plan.hpp"

#include "opcat/document/json_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::classic {
namespace {

bool matches(const Subscription& s, const Entry& entry) {
    if (s.package != entry.package) return false;
    if (!s.channel.empty() && s.channel != entry.channel) return false;
    const CatalogKey source{s.source_namespace, s.source};
    return source == CatalogKey{} || source == entry.snapshot->key;
}

void quote(std::string& out, std::string_view text) {
    append_json_string(out, text);
}

// {"properties":[…]} as it is put onto the CSV.
std::string properties_annotation(const Entry& entry) {
    std::string text = R"({"properties":[)";
    for (const EntryProperty& property : entry.facts->properties) {
        if (text.back() == '}') text += ',';
        text += R"({"type":)";
        quote(text, property.type);
        text += R"(,"value":)";
        append_compact_json(text, property.value);
        text += '}';
    }
    return text + "]}";
}

std::string csv_manifest(const std::string& ns, const ResolvedOperator& resolved) {
    const Entry& entry = *resolved.entry;
    std::string text =
        R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"namespace":)";
    quote(text, ns);
    text += R"(,"name":)";
    quote(text, entry.name);
    text += R"(,"annotations":{"operatorframework.io/properties":)";
    quote(text, properties_annotation(entry));
    text += R"(}},"spec":{"version":)";
    quote(text, entry.version_text());
    if (!resolved.replaces.empty()) {
        text += R"(,"replaces":)";
        quote(text, resolved.replaces);
    }
    return text + R"(},"status":{"phase":"Succeeded"}})";
}

std::string subscription_manifest(const std::string& ns, const PlannedSubscription& planned) {
    const Entry& entry = *planned.entry;
    std::string text =
        R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"namespace":)";
    quote(text, ns);
    text += R"(,"name":)";
    quote(text, planned.name);
    const std::pair<std::string_view, std::string_view> fields[] = {
        {R"(},"spec":{"name":)", entry.package},
        {R"(,"channel":)", entry.channel},
        {R"(,"source":)", entry.snapshot->key.name},
        {R"(,"sourceNamespace":)", entry.snapshot->key.ns},
        {R"(,"startingCSV":)", entry.name},
        {R"(},"status":{"installedCSV":)", entry.name},
        {R"(,"currentCSV":)", entry.name}};
    for (const auto& [key, value] : fields) {
        text += key;
        quote(text, value);
    }
    return text + "}}";
}

} // namespace

Plan plan_of(const Request& request, const Resolution& resolution) {
    Plan plan;
    if (!resolution.error.empty()) return plan;
    for (const ResolvedOperator& resolved : resolution.operators) {
        const Entry& entry = *resolved.entry;
        std::vector<const Subscription*> matching;
        for (const Subscription* s : resolution.subscriptions)
            if (matches(*s, entry)) matching.push_back(s);
        const auto is_current = [&](const Subscription* s) {
            return s->current_csv == entry.name &&
                   std::any_of(
                       request.cluster->csvs.begin(), request.cluster->csvs.end(),
                       [&](const auto& csv) { return csv.ns == request.ns && csv.name == s->current_csv; });
        };
        if (!matching.empty() && std::all_of(matching.begin(), matching.end(), is_current)) continue;
        plan.bundles.push_back(&resolved);
        if (matching.empty())
            plan.new_subscriptions.push_back({fmt::format("{}-{}-{}-{}", entry.package, entry.channel,
                                                          entry.snapshot->key.name, entry.snapshot->key.ns),
                                              &entry});
        for (const Subscription* s : matching)
            if (s->current_csv != entry.name) plan.updated.emplace_back(s, entry.name);
    }
    plan.install_plan = !plan.updated.empty();
    plan.manual =
        plan.install_plan && std::any_of(resolution.subscriptions.begin(), resolution.subscriptions.end(),
                                         [](const Subscription* s) { return s->manual; });
    return plan;
}

ClusterState carried_out(const Request& request, const Plan& plan) {
    ClusterState next = *request.cluster;
    std::string manifests;
    std::set<std::string_view> gone;
    for (const ResolvedOperator* resolved : plan.bundles) {
        manifests += csv_manifest(request.ns, *resolved) + "\n";
        gone.insert(resolved->replaces);
        gone.insert(resolved->entry->name);
    }
    for (const PlannedSubscription& planned : plan.new_subscriptions)
        manifests += subscription_manifest(request.ns, planned) + "\n";
    std::erase_if(next.csvs, [&](const ClusterServiceVersion& csv) {
        return csv.ns == request.ns && !csv.copied && gone.contains(csv.name);
    });
    // Also those whose currentCSV is this one already, because an InstallPlan for it exists.
    for (const ResolvedOperator* resolved : plan.bundles) {
        for (Subscription& s : next.subscriptions) {
            if (s.ns != request.ns || !matches(s, *resolved->entry)) continue;
            s.installed_csv = resolved->entry->name;
            s.current_csv = resolved->entry->name;
        }
    }
    Diagnostics none;
    read_manifests(std::make_shared<SourceFile>("what OLM makes", manifests), next, none);
    return next;
}

} // namespace opcat::classic
