// The recorded flows of a real control plane, seen as opcat would have seen them.
#include "../load_text.hpp"
#include "opcat/cluster/classic_state.hpp"
#include "opcat/cluster/follow.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/resolve/classic/plan.hpp"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

using namespace opcat;
using namespace opcat::cluster;
namespace fs = std::filesystem;

namespace {

using Time = StateDebouncer::Time;

const fs::path flows = fs::path(OPCAT_SHARED) / "conformance" / "cluster";

// The states of one Subscription or ClusterExtension over time that lasted long enough to count, each as
// "ready a.v1", "failing resolution-failed".
class Replay {
public:
    Replay(const std::string& scenario, std::string name) : name_(std::move(name)) {
        std::ifstream file(flows / scenario / "events.jsonl");
        for (std::string line; std::getline(file, line);) {
            const Object event = kube::parse_object(line, "an event");
            const Time now = Time(std::chrono::milliseconds(event.number("at_ms")));
            if (seen_) take(last, now); // nothing changed before that
            const Object object(event.at("object").value(), event.memory);
            const std::string key = fmt::format("{}/{}/{}", event.text("resource"), object.ns, object.name);
            if (event.text("type") == "DELETED")
                objects_.erase(key);
            else
                objects_[key] = object;
            look(now);
        }
        std::ifstream scenario_file(flows / scenario / "scenario.json");
        const std::string text((std::istreambuf_iterator<char>(scenario_file)), {});
        const Object about = kube::parse_object(text, "the scenario");
        take(last, Time(std::chrono::milliseconds(about.number("end_ms") + 5000)));
    }

    std::vector<std::string> facts;
    OperatorState last;

private:
    void look(Time now) {
        ClassicObjects classic;
        std::vector<Object> all;
        std::vector<Object> deployments;
        std::vector<Object> pods;
        const Object* extension = nullptr;
        for (const auto& [key, object] : objects_) {
            all.push_back(object);
            if (object.kind() == "Deployment") deployments.push_back(object);
            if (object.kind() == "Pod") pods.push_back(object);
            if (object.kind() == "ClusterExtension" && object.name == name_) extension = &object;
        }
        classic.add(all);
        if (extension) return take(state_of_extension(*extension, deployments, pods), now);
        for (const Object& subscription : classic.subscriptions)
            if (subscription.name == name_) return take(state_of_subscription(classic, subscription), now);
    }

    void take(const OperatorState& state, Time now) {
        last = state;
        seen_ = true;
        if (!debouncer_.is_stable(state, now)) return;
        std::string fact(to_string(state.health));
        fact += " " + (state.reason.empty() ? state.installed : state.reason);
        if (facts.empty() || facts.back() != fact) facts.push_back(fact);
    }

    std::string name_;
    std::map<std::string, Object> objects_;
    StateDebouncer debouncer_;
    bool seen_ = false;
};

} // namespace

TEST_CASE("recorded flows are understood as they ended" * doctest::test_suite("recorded")) {
    struct Case {
        const char* scenario;
        const char* name;
        std::vector<std::string> facts;
        const char* cause; // part of the last report
    };
    const std::vector<Case> cases{
        {"classic-install-latest", "install-latest", {"ready install-latest.v2.0.0"}, ""},
        {"classic-default-channel", "default-channel", {"ready default-channel.v1.0.0"}, ""},
        // Between its steps the Subscription claims for some seconds to be at the latest version.
        {"classic-starting-csv-chain", "starting-csv-chain", {"ready starting-csv-chain.v2.0.0"}, ""},
        {"classic-manual-approval",
         "manual-approval",
         {"waits needs-approval", "ready manual-approval.v1.0.0", "waits needs-approval",
          "ready manual-approval.v1.1.0"},
         ""},
        {"classic-channel-switch",
         "channel-switch",
         {"ready channel-switch.v1.0.0", "ready channel-switch.v2.0.0"},
         ""},
        {"classic-plan-deleted", "plan-deleted", {"waits needs-approval"}, "waits for approval"},
        {"classic-catalog-removed",
         "catalog-removed",
         {"failing resolution-failed", "ready catalog-removed.v1.0.0"},
         ""},
        {"classic-unknown-package",
         "no-such-package",
         {"failing resolution-failed"},
         "no operators found in package no-such-package in the catalog"},
        {"classic-unknown-source",
         "unknown-source",
         {"failing resolution-failed"},
         "no operators found from catalog no-such-catalog in namespace unknown-source"},
        {"classic-unknown-starting-csv",
         "unknown-csv",
         {"failing resolution-failed"},
         "no operators found with name unknown-csv.v9.9.9 in channel stable"},
        {"classic-adopt-csv", "adopt-csv", {"failing resolution-failed"}, "not referenced by a subscription"},
        {"classic-subscription-recreated",
         "sub-recreated",
         {"ready sub-recreated.v1.0.0", "failing resolution-failed"},
         "not referenced by a subscription"},
        {"classic-two-operatorgroups",
         "two-operatorgroups",
         {"failing several-operator-groups", "ready two-operatorgroups.v1.0.0"},
         ""},
        {"classic-delete-csv-only", "delete-csv-only", {"failing csv-missing"}, "was deleted while"},
        {"classic-scoped-serviceaccount",
         "scoped-sa",
         {"failing install-plan-retrying"},
         "\"system:serviceaccount:scoped-sa:scoped\" cannot create resource \"clusterserviceversions\""},
        {"classic-crd-drops-stored-version",
         "crd-drops-version",
         {"ready crd-drops-version.v1.0.0", "failing install-plan-retrying", "failing install-plan-failed"},
         "removes version v1alpha1 that is listed as a stored version"},
        {"classic-crd-upgrade-invalid",
         "crd-upgrade-invalid",
         {"ready crd-upgrade-invalid.v1.0.0", "failing install-plan-retrying", "failing install-plan-failed"},
         "updated validation is too restrictive"},
        {"classic-deprecated", "deprecated", {"ready deprecated.v1.0.0"}, ""},
        {"v1-install-latest", "x-install-latest", {"ready x-install-latest.v2.0.0"}, ""},
        {"v1-insufficient-rbac",
         "x-insufficient-rbac",
         {"failing retrying", "ready x-insufficient-rbac.v1.0.0"},
         ""},
        {"v1-dependency-unsupported",
         "x-dependency-unsupported",
         {"failing retrying"},
         "\"olm.gvk.required\" which is currently not supported"},
        {"v1-drift", "x-drift", {"ready x-drift.v1.0.0"}, ""},
        {"v1-catalog-removed",
         "x-catalog-removed",
         {"failing retrying", "ready x-catalog-removed.v1.0.0", "failing retrying"},
         "no bundles found for package \"x-catalog-removed\" matching version \"2.0.0\""},
        // With this feature set, healthy runs briefly retry.
        {"v1x-install-upgrade-uninstall",
         "y-install-upgrade-uninstall",
         {"ready y-install-upgrade-uninstall.v1.1.0"},
         ""},
        {"v1x-preflight-permissions",
         "y-preflight-permissions",
         {"failing retrying", "ready y-preflight-permissions.v1.0.0"},
         ""},
        {"v1x-ownership-conflict",
         "y-ownership-conflict-second",
         {"failing retrying"},
         "Action: \"Collision\""},
    };
    for (const Case& c : cases) {
        INFO(std::string(c.scenario));
        const Replay replay(c.scenario, c.name);
        CHECK(fmt::format("{}", fmt::join(replay.facts, ", ")) ==
              fmt::format("{}", fmt::join(c.facts, ", ")));
        CHECK(replay.last.cause.find(c.cause) != std::string::npos);
    }
}

TEST_CASE("a blocked upgrade names the condition that blocks it, and the old version keeps running" *
          doctest::test_suite("recorded")) {
    const Replay replay("classic-upgrade-blocked", "upgrade-blocked");
    REQUIRE(replay.facts.size() >= 2);
    CHECK(replay.facts[0] == "ready upgrade-blocked.v1.0.0");
    CHECK(replay.facts[1] == "failing upgrade-blocked");
}

TEST_CASE("deprecations are reported with the catalog's words" * doctest::test_suite("recorded")) {
    const Replay replay("classic-deprecated", "deprecated");
    REQUIRE(replay.last.deprecations.size() == 3);
    CHECK(replay.last.deprecations[0] ==
          "olm.package/deprecated: deprecated is end of life; use deprecated-next");
}

namespace {

// The settled moments of a recorded flow with OLM classic: all Subscriptions have their CSVs, and nothing is
// on its way. First the moment before anything was installed.
struct Moment {
    std::map<std::string, Object> objects;
    std::string csvs; // their names, sorted
};

std::vector<Moment> settled_moments(const std::string& scenario) {
    std::vector<Moment> moments;
    std::map<std::string, Object> objects;
    std::ifstream file(flows / scenario / "events.jsonl");
    for (std::string line; std::getline(file, line);) {
        const Object event = kube::parse_object(line, "an event");
        const Object object(event.at("object").value(), event.memory);
        const std::string key = fmt::format("{}/{}/{}", event.text("resource"), object.ns, object.name);
        if (event.text("type") == "DELETED")
            objects.erase(key);
        else
            objects[key] = object;
        ClassicObjects classic;
        std::vector<Object> all;
        for (const auto& [name, one] : objects) all.push_back(one);
        classic.add(std::move(all));
        if (classic.subscriptions.empty()) continue;
        const bool is_new = classic.csvs.empty() && classic.plans.empty();
        const bool is_settled =
            classic.csvs.size() == classic.subscriptions.size() &&
            std::all_of(classic.subscriptions.begin(), classic.subscriptions.end(),
                        [&](const Object& subscription) {
                            const Object* const csv =
                                classic.csv(subscription.text("status", "installedCSV"), subscription.ns);
                            return csv && csv->text("status", "phase") == "Succeeded" &&
                                   subscription.text("status", "currentCSV") == csv->name;
                        });
        if (!is_new && !is_settled) continue;
        std::vector<std::string> names;
        for (const Object& csv : classic.csvs) names.push_back(csv.name);
        std::sort(names.begin(), names.end());
        const std::string csvs = fmt::format("{}", fmt::join(names, " "));
        if (moments.empty() || moments.back().csvs != csvs) moments.push_back({objects, csvs});
    }
    return moments;
}

} // namespace

TEST_CASE("the step that is simulated from recorded objects is the one that OLM made" *
          doctest::test_suite("recorded")) {
    size_t steps = 0;
    for (const char* scenario :
         {"classic-starting-csv-chain", "classic-manual-approval", "classic-skips-entry",
          "classic-install-latest", "classic-default-channel", "classic-deprecated"}) {
        INFO(std::string(scenario));
        std::vector<Catalog> catalogs;
        for (const auto& entry : fs::directory_iterator(flows / scenario / "catalogs")) {
            std::ifstream file(entry.path());
            const std::string text((std::istreambuf_iterator<char>(file)), {});
            catalogs.push_back(load_text(text, entry.path().string()).catalog);
        }
        REQUIRE(catalogs.size() == 1);
        const std::vector<Moment> moments = settled_moments(scenario);
        for (size_t i = 0; i + 1 < moments.size(); ++i) {
            classic::ClusterState cluster;
            Diagnostics findings;
            for (const auto& [key, object] : moments[i].objects)
                classic::add_object(object, cluster, findings);
            REQUIRE(cluster.subscriptions.size() == 1);
            // Only the flow's own catalog.
            const classic::Subscription& mine = cluster.subscriptions.front();
            const classic::CatalogKey key{mine.source_namespace, mine.source};
            std::erase_if(cluster.catalog_sources,
                          [&](const auto& source) { return source.name != mine.source; });
            cluster.install_plans.clear();
            const std::vector<classic::AvailableCatalog> available{
                {key, classic::catalog_snapshot(key, catalogs.front()), {}}};
            const classic::Request request{mine.ns, mine.source_namespace, &cluster, available};
            const classic::Resolution resolution = classic::resolve(request);
            CHECK(resolution.error.empty());
            const classic::ClusterState next =
                classic::carried_out(request, classic::plan_of(request, resolution));
            std::vector<std::string> names;
            for (const classic::ClusterServiceVersion& csv : next.csvs)
                if (!csv.copied) names.push_back(csv.name);
            std::sort(names.begin(), names.end());
            CHECK(fmt::format("{}", fmt::join(names, " ")) == moments[i + 1].csvs);
            ++steps;
        }
    }
    CHECK(steps >= 8);
}
