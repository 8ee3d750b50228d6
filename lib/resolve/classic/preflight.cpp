#include "opcat/resolve/classic/preflight.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/kube/crd.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "opcat/resolve/classic/explain.hpp"
#include "opcat/resolve/classic/obstacles.hpp"
#include "opcat/resolve/classic/operator_groups.hpp"
#include "opcat/resolve/classic/progress.hpp"
#include "opcat/resolve/classic/reasoning.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace opcat::classic {

namespace {

// Returns true if a CSV owns the API of an olm.gvk.required property.
bool owns_api(const Object& csv, const Fields& wanted) {
    const auto owned = csv.items("spec", "customresourcedefinitions", "owned");
    return std::any_of(owned.begin(), owned.end(), [&](const Fields& crd) {
        const std::string_view name = crd.text("name"); // plural.group
        return crd.text("kind") == wanted.text("kind") && crd.text("version") == wanted.text("version") &&
               name.ends_with(fmt::format(".{}", wanted.text("group")));
    });
}

void check_kubernetes(const Plan& plan, Diagnostics& findings) {
    for (const ResolvedOperator* resolved : plan.bundles)
        if (const std::string least = min_kube_version_of(*resolved->entry->bundle); !least.empty())
            findings.push_back(
                finding(Severity::note, "classic-min-kube-version", resolved->entry->where,
                        fmt::format("{} would stay Pending on a cluster with a Kubernetes older than {}",
                                    resolved->entry->name, least),
                        "compare it with the version of the cluster, which is not known here"));
}

bool is_given(const Request& request, const CatalogKey& key) {
    return std::any_of(request.catalogs.begin(), request.catalogs.end(),
                       [&](const AvailableCatalog& catalog) { return catalog.key == key; });
}

void check_catalogs(const Request& request, const Resolution& resolution, const InputNames& inputs,
                    Diagnostics& findings) {
    for (const CatalogSource& source : request.cluster->catalog_sources) {
        const CatalogKey key{source.ns, source.name};
        if (!resolution.reasoning->finder.find(key)) continue;
        if (!is_given(request, key)) {
            const std::string_view image = source.text("spec", "image");
            findings.push_back(error(
                "classic-catalog-missing", source.where(),
                fmt::format("the cluster has CatalogSource {}, and its catalog is not given: what would be "
                            "resolved with it is not known",
                            key.to_string()),
                fmt::format("give it{}; or leave the CatalogSource out of the manifests",
                            inputs.catalog.empty()
                                ? ""
                                : fmt::format(": {} {}={}", inputs.catalog, key.to_string(),
                                              image.empty() ? "REF" : image))));
        } else if (is_unhealthy(source)) {
            findings.push_back(warning(
                "classic-catalog-unhealthy", source.where(),
                fmt::format(
                    "CatalogSource {} was last seen in state {}: as long as it does not answer, nothing is "
                    "resolved in any namespace that sees it",
                    key.to_string(), source.text("status", "connectionState", "lastObservedState")),
                "repair it or remove it; this report assumes that it answers"));
        }
    }
}

// 2.4.6 of OLM concepts: operators of a namespace share their approval.
void check_approval(const Resolution& resolution, const Plan& plan, Diagnostics& findings) {
    if (!plan.manual || plan.bundles.size() < 2) return;
    const auto name_of = [](const ResolvedOperator* resolved) { return resolved->entry->name; };
    Diagnostic found = warning(
        "classic-manual-approval", {},
        fmt::format("one approval of the InstallPlan moves all of it: {}", listed(plan.bundles, 10, name_of)),
        "a Subscription with installPlanApproval: Manual makes it Manual for its whole namespace; "
        "operators that should move on their own belong into namespaces of their own");
    for (const Subscription* s : resolution.subscriptions)
        if (s->manual)
            found =
                with_note(std::move(found), fmt::format("Subscription {} is Manual", s->name), s->where());
    findings.push_back(std::move(found));
}

void check_pending(const Request& request, const Resolution& resolution, Diagnostics& findings) {
    for (const Object& plan : request.cluster->install_plans) {
        if (plan.ns != request.ns || plan.text("status", "phase") != "RequiresApproval") continue;
        const std::string names =
            listed(plan.items("spec", "clusterServiceVersionNames"), 10, &Value::string_or_empty);
        const auto& all = resolution.subscriptions;
        const bool stopped = !all.empty() && std::all_of(all.begin(), all.end(), [](const Subscription* s) {
            return s->text("status", "state") == "UpgradePending" && s->at("status", "installPlanRef");
        });
        findings.push_back(
            finding(stopped ? Severity::warning : Severity::note, "classic-pending-plan", plan.where(),
                    fmt::format("InstallPlan {} waits for approval of {}{}", plan.name, names,
                                stopped ? ": all Subscriptions wait for it, and until then OLM "
                                          "resolves nothing in this namespace"
                                        : ""),
                    "approve it, or delete it to have OLM make a new one"));
    }
}

void check_fail_forward(const Request& request, const Resolution& resolution, Diagnostics& findings) {
    for (const OperatorGroup& group : request.cluster->operator_groups) {
        if (group.ns != request.ns || !fails_forward(group)) continue;
        Diagnostic found = finding(Severity::note, "classic-fail-forward", group.where(),
                                   "the OperatorGroup lets upgrades go on from operators that have failed");
        // What is not among the existing entries was left out for that reason.
        for (const ClusterServiceVersion& csv : request.cluster->csvs)
            if (csv.ns == request.ns && !csv.copied && resolution.existing->error.empty() &&
                Finder::named(*resolution.existing, csv.name, {}).empty())
                found = with_note(std::move(found),
                                  fmt::format("{} no longer counts: its replacement has failed", csv.name),
                                  csv.where());
        findings.push_back(std::move(found));
    }
}

// Copies of operators that watch the namespace from another one.
void check_copies(const Request& request, const Resolution& resolution, const Plan& plan,
                  Diagnostics& findings) {
    for (const ClusterServiceVersion& csv : request.cluster->csvs) {
        if (csv.ns != request.ns || !csv.copied) continue;
        const std::string_view home = csv.annotation("olm.operatorNamespace");
        for (const ResolvedOperator* resolved : plan.bundles)
            if (resolved->entry->name == csv.name)
                findings.push_back(warning(
                    "classic-copied-csv", csv.where(),
                    fmt::format("{} is in this namespace already, as a copy of the operator in namespace "
                                "{}: both would watch the same objects",
                                csv.name, home),
                    "use the operator that is there, or remove it from its namespace first"));
        for (const ConstraintRef& ref : resolution.reasoning->core) {
            const Constraint& c =
                resolution.reasoning->problem.variables[ref.variable].constraints[ref.index];
            if (c.property && c.ids.empty() && c.property->type == property_type::gvk_required &&
                owns_api(csv, c.property->value))
                findings.push_back(
                    warning("classic-copied-csv", csv.where(),
                            fmt::format("{} provides what is missing, but it is a copy of the operator in "
                                        "namespace {}: the resolver does not look at copies",
                                        csv.name, home),
                            "install the two operators into the same namespace"));
        }
    }
}

void check_stored(const Object& current, const Object& wanted, const kube::CrdVersions& now,
                  Diagnostics& findings) {
    for (const std::string_view version : kube::removed_stored_versions(current, now)) {
        findings.push_back(with_note(
            error("classic-crd-stored-version", wanted.where(),
                  fmt::format(
                      "new CRD removes version {} that is listed as a stored version on the existing CRD: {}",
                      version, wanted.name),
                  "migrate the stored objects, and remove the version from the CRD's status.storedVersions"),
            "the existing CRD", current.where()));
    }
}

void check_served(const Object& current, const Object& wanted, const kube::CrdVersions& before,
                  const kube::CrdVersions& now, size_t owners, Diagnostics& findings) {
    for (const auto& [name, version] : before) {
        if (!version.served || now.contains(name)) continue;
        findings.push_back(with_note(
            finding(owners > 1 ? Severity::error : Severity::warning, "classic-crd-served-version",
                    wanted.where(),
                    fmt::format("the new CRD {} does not have version {}, which the existing one serves{}",
                                wanted.name, name,
                                owners > 1 ? ": several operators own the CRD, and OLM refuses the upgrade"
                                           : ": clients and objects of this version stop working"),
                    "a version must be there with served: false for one release before it may be removed"),
            "the existing CRD", current.where()));
    }
}

bool is_of(const Object& instance, std::string_view group, std::string_view kind, std::string_view version) {
    return instance.kind() == kind && instance.text("apiVersion") == fmt::format("{}/{}", group, version);
}

// Definitions that the plan would put in the place of others.
void check_crds(const Request& request, const Plan& plan, Diagnostics& findings) {
    for (const ResolvedOperator* resolved : plan.bundles) {
        const auto objects = objects_of(*resolved->entry->bundle);
        if (!objects) continue;
        for (const Object& wanted : objects->crds) {
            for (const Object& current : request.cluster->crds) {
                if (current.name != wanted.name) continue;
                // In an upgrade the CSV that is replaced owns it as well.
                std::set<std::string> owners{std::string(resolved->entry->name)};
                for (const ClusterServiceVersion& csv : request.cluster->csvs) {
                    if (csv.copied) continue;
                    for (const Fields crd : csv.items("spec", "customresourcedefinitions", "owned"))
                        if (crd.text("name") == wanted.name) owners.insert(csv.ns + '/' + csv.name);
                }
                const size_t before = findings.size();
                check_crd_upgrade(current, wanted, request.cluster->others, owners.size(), findings);
                // The new definition lives no longer than this.
                for (size_t i = before; i < findings.size(); ++i)
                    if (findings[i].where.file == wanted.file) findings[i].where = resolved->entry->where;
            }
        }
    }
}

void check_constraint_sizes(const Resolution& resolution, Diagnostics& findings) {
    for (const ResolvedOperator& resolved : resolution.operators) {
        for (const EntryProperty& property : resolved.entry->facts->properties) {
            if (property.type != property_type::constraint ||
                constraint_size(property) <= documented_constraint_size)
                continue;
            findings.push_back(warning(
                "classic-constraint-size", property.where,
                fmt::format("an olm.constraint of {} has {} bytes: the documents allow {}, the resolver {}",
                            resolved.entry->name, constraint_size(property), documented_constraint_size,
                            max_constraint_size),
                "split it"));
        }
    }
}

// The entries of the Subscription's channel, in the order of its catalog; none if the catalog is not there.
std::vector<const Entry*> channel_of(const Request& request, const Subscription& subscription) {
    std::vector<const Entry*> entries;
    for (const AvailableCatalog& catalog : request.catalogs) {
        if (!catalog.snapshot ||
            catalog.key != CatalogKey{subscription.source_namespace, subscription.source})
            continue;
        const auto positions = catalog.snapshot->by_package.find(subscription.package);
        if (positions == catalog.snapshot->by_package.end()) continue;
        for (const uint32_t position : positions->second) {
            const Entry& entry = catalog.snapshot->entries[position];
            if (subscription.channel.empty() ? entry.default_channel : entry.channel == subscription.channel)
                entries.push_back(&entry);
        }
    }
    return entries;
}

// Installed versions that OLM leaves where they are although the channel has a later one: no entry on the way
// to its head replaces, skips or covers them. From any such entry on the way leads to the head.
void check_stranded(const Request& request, Diagnostics& findings) {
    for (const Subscription& subscription : request.cluster->subscriptions) {
        if (subscription.ns != request.ns || subscription.installed_csv.empty()) continue;
        const std::vector<const Entry*> entries = channel_of(request, subscription);
        const SortedEntries sorted = sort_channel(entries);
        if (!sorted || sorted->empty()) continue; // the resolution says why
        const std::string_view installed = subscription.installed_csv;
        std::optional<semver::Version> version;
        for (const ClusterServiceVersion& csv : request.cluster->csvs)
            if (csv.ns == request.ns && csv.name == installed)
                if (auto parsed = semver::Version::parse(csv.version)) version = *std::move(parsed);
        const bool has_way = std::any_of(sorted->begin(), sorted->end(), [&](const Entry* entry) {
            return entry->name == installed || entry->replaces == installed ||
                   std::find(entry->skips.begin(), entry->skips.end(), installed) != entry->skips.end() ||
                   (version && entry->skip_range && entry->skip_range->contains(*version));
        });
        if (has_way) continue;
        const Entry& head = *sorted->front();
        findings.push_back(warning(
            "classic-stranded", head.where,
            fmt::format(
                "{} gets no upgrades: no entry of channel {} on the way to its head {} replaces, skips "
                "or covers it",
                installed, head.channel, head.name),
            fmt::format("subscribe to a channel that leads on from it, or reinstall the operator; the author "
                        "of the catalog can let {} skip it",
                        head.name)));
    }
}

// Installed versions for which the channel has an upgrade that OLM cannot choose.
void check_held(const Resolution& resolution, Diagnostics& findings) {
    if (!resolution.error.empty() || !resolution.reasoning) return;
    for (const Explanation& choice : explain_choices(resolution)) {
        if (choice.stays.empty()) continue;
        const Rejection& best = choice.rejected.front();
        const bool is_known = !best.why.empty();
        findings.push_back(warning("classic-stranded", is_known ? best.why.back().where : Location(),
                                   fmt::format("{} gets no upgrades at the moment: OLM cannot choose {}{}{}",
                                               choice.stays, best.what, is_known ? ": " : "",
                                               is_known ? best.why.back().text : std::string()),
                                   "--explain shows the whole reason"));
    }
}

Diagnostics check_surroundings(const Request& request, const Resolution& resolution, const Plan& plan,
                               const InputNames& inputs) {
    Diagnostics findings;
    if (resolution.subscriptions.empty())
        findings.push_back(
            warning("classic-no-subscription", {},
                    fmt::format("namespace {} has no Subscription: OLM resolves nothing in it", request.ns),
                    "check the namespace, or add a Subscription" +
                        (inputs.subscription.empty() ? "" : " with " + inputs.subscription)));
    check_operator_groups(request, plan, inputs, findings);
    check_progress(request, resolution, plan, findings);
    check_kubernetes(plan, findings);
    check_catalogs(request, resolution, inputs, findings);
    check_approval(resolution, plan, findings);
    check_pending(request, resolution, findings);
    check_fail_forward(request, resolution, findings);
    check_copies(request, resolution, plan, findings);
    check_crds(request, plan, findings);
    check_constraint_sizes(resolution, findings);
    check_stranded(request, findings);
    check_held(resolution, findings);
    if (resolution.gave_up)
        findings.push_back(
            warning("classic-expression-cost", {},
                    "evaluating the expressions of constraints was given up: it costs too much",
                    "what was not evaluated counts as not met; OLM itself has no such limit"));
    return findings;
}

} // namespace

void check_crd_upgrade(const Object& current, const Object& wanted, const std::vector<Object>& instances,
                       size_t owners, Diagnostics& findings) {
    const kube::CrdVersions before = kube::versions_of(current);
    const kube::CrdVersions now = kube::versions_of(wanted);
    check_stored(current, wanted, now, findings);
    check_served(current, wanted, before, now, owners, findings);
    const std::string_view group = wanted.text("spec", "group");
    const std::string_view kind = wanted.text("spec", "names", "kind");
    Work work;
    for (const auto& [name, version] : now) {
        if (!version.schema || !before.contains(name)) continue;
        for (const Object& instance : instances) {
            if (!is_of(instance, group, kind, name)) continue;
            const auto violations = kube::violations(instance.value(), version.schema.value(), work);
            if (!violations) {
                findings.push_back(
                    warning("limit", {instance.file, 0, 1},
                            fmt::format("{} {}/{} is not checked against the new CRD {}, and perhaps others: "
                                        "it would take too many steps",
                                        kind, instance.ns, instance.name, wanted.name)));
                return;
            }
            for (const kube::SchemaViolation& violation : *violations) {
                findings.push_back(finding(
                    owners > 1 ? Severity::error : Severity::warning, "classic-crd-instance",
                    {instance.file, violation.offset, 1},
                    fmt::format("{} {}/{} is not valid against the new CRD {}, version {}: {} {}", kind,
                                instance.ns, instance.name, wanted.name, name, violation.path,
                                violation.what),
                    owners > 1
                        ? "several operators own the CRD: OLM refuses the upgrade until the object is valid"
                        : "one operator owns the CRD: OLM upgrades it, and the object can no longer be "
                          "changed"));
            }
        }
    }
}

Prediction predict(const Request& request, const InputNames& inputs) {
    Prediction prediction;
    prediction.resolution = resolve(request);
    prediction.plan = plan_of(request, prediction.resolution);
    prediction.findings = check_surroundings(request, prediction.resolution, prediction.plan, inputs);
    // OLM solves nothing in a namespace that it cannot make a plan for.
    if (!prediction.resolution.error.empty()) prediction.resolution.operators.clear();
    return prediction;
}

} // namespace opcat::classic
