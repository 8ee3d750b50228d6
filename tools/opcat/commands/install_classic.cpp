#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/objects.hpp"
#include "cluster/package_manifests.hpp"
#include "cluster/plain_set.hpp"
#include "cluster/resources.hpp"
#include "cluster/snapshot.hpp"
#include "cluster/v1_state.hpp"
#include "cluster_flow.hpp"
#include "install.hpp"
#include "terminal/cluster_text.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace opcat {

using namespace cluster;

namespace {

class Install {
public:
    Install(const InstallOptions& options, const Connection& connection, Session& session)
        : options_(options), kubectl_(connection.kubectl), ns_(connection.ns), session_(session) {}

    void run() {
        require_name("package", options_.package);
        namespace_exists_ = require_usable_namespace(kubectl_, ns_);
        objects_ = read_classic(kubectl_, ns_);
        read_packages();
        choose_catalog();
        choose_bundle();
        choose_group();
        check_definitions();
        if (const Json* const there = objects_.subscription_of(options_.package, ns_))
            keep_name_of(*there);
        else
            subscription_ = subscription_object(spec_);
        std::vector<Json> wanted;
        if (!namespace_exists_) wanted.push_back(namespace_object(ns_));
        if (group_) wanted.push_back(*group_);
        wanted.push_back(subscription_);

        const ClassicPrediction prediction = predict();
        print(prediction, session_);
        const bool doomed = !prediction.error.empty() || !problems_.empty();
        for (const Problem& problem : problems_) session_.print_error(problem.message, problem.help);
        if (doomed && !options_.flow.force) {
            if (!options_.flow.output.empty() || options_.flow.dry_run || !session_.options.quiet)
                session_.print("nothing was changed; --force goes on nevertheless\n");
            session_.exit_status = exit_findings;
            return;
        }
        ObjectChanges changes(kubectl_, wanted);
        if (options_.flow.only_shows()) {
            show(changes, options_.flow, session_);
            return;
        }
        if (!changes.any()) session_.print("all objects are there already, nothing was changed\n");
        apply(changes, options_.flow, session_);
        if (options_.flow.no_wait) return;
        const ClassicGoal goal{.package = options_.package,
                               .ns = ns_,
                               .csv = changes.any() ? goal_of(prediction) : std::string()};
        const bool manual = text(subscription_, {"spec", "installPlanApproval"}) == "Manual";
        session_.exit_status = follow_classic(kubectl_, goal, manual, options_.flow, session_);
        if (session_.exit_status != exit_ok && options_.flow.clean_up) undo(changes, session_);
    }

private:
    struct Problem {
        std::string message;
        std::string help;
    };

    void read_packages() {
        try {
            packages_ = list_packages(kubectl_, ns_);
        } catch (const KubectlError& error) {
            session_.print_warning(for_terminal(error.what(), 2));
        }
    }

    bool matches(const PackageManifest& manifest) const {
        const std::string full = manifest.catalog_ns + "/" + manifest.catalog;
        return options_.catalog.empty() || options_.catalog == manifest.catalog || options_.catalog == full;
    }

    int64_t priority_of(const PackageManifest& manifest) const {
        const Json* const catalog = objects_.catalog(manifest.catalog, manifest.catalog_ns);
        return catalog ? number(*catalog, {"spec", "priority"}) : 0;
    }

    void choose_catalog() {
        const Json* const there = objects_.subscription_of(options_.package, ns_);
        std::vector<const PackageManifest*> candidates;
        for (const PackageManifest& manifest : packages_)
            if (manifest.package == options_.package && matches(manifest)) candidates.push_back(&manifest);
        if (there && options_.catalog.empty()) {
            spec_.catalog = text(*there, {"spec", "source"});
            spec_.catalog_ns = text(*there, {"spec", "sourceNamespace"});
            std::erase_if(candidates, [&](const PackageManifest* m) {
                return m->catalog != spec_.catalog || m->catalog_ns != spec_.catalog_ns;
            });
            if (!candidates.empty()) manifest_ = candidates[0];
            return;
        }
        std::stable_sort(candidates.begin(), candidates.end(),
                         [&](const auto* a, const auto* b) { return priority_of(*a) > priority_of(*b); });
        if (candidates.size() > 1 && priority_of(*candidates[0]) == priority_of(*candidates[1])) {
            std::string names;
            for (const PackageManifest* manifest : candidates)
                names += fmt::format("{}{}/{}", names.empty() ? "" : ", ", manifest->catalog_ns,
                                     manifest->catalog);
            throw UsageError(fmt::format("package {} is in several catalogs: {}", options_.package, names),
                             "choose one with --catalog");
        }
        if (!candidates.empty()) {
            manifest_ = candidates[0];
            spec_.catalog = manifest_->catalog;
            spec_.catalog_ns = manifest_->catalog_ns;
            return;
        }
        choose_catalog_without_package();
    }

    // No catalog that is known has the package; the user's word counts.
    void choose_catalog_without_package() {
        std::vector<std::string_view> known;
        for (const PackageManifest& manifest : packages_) known.push_back(manifest.package);
        const std::string near = did_you_mean(options_.package, known);
        if (options_.catalog.empty()) {
            only_catalog();
            if (spec_.catalog.empty() || !packages_.empty())
                throw UsageError(
                    fmt::format("no catalog that namespace {} sees has package {}", ns_, options_.package),
                    !near.empty() ? near : hint_without_package());
            return;
        }
        const size_t slash = options_.catalog.find('/');
        if (slash != std::string::npos) {
            spec_.catalog_ns = options_.catalog.substr(0, slash);
            spec_.catalog = options_.catalog.substr(slash + 1);
        } else {
            spec_.catalog = options_.catalog;
            spec_.catalog_ns = ns_;
            const std::string global = global_namespace(objects_.catalogs);
            if (!objects_.catalog(spec_.catalog, ns_) && !global.empty() &&
                objects_.catalog(spec_.catalog, global))
                spec_.catalog_ns = global;
        }
        require_name("catalogs", spec_.catalog);
        require_namespace(spec_.catalog_ns);
        const bool listed = std::any_of(packages_.begin(), packages_.end(), [&](const PackageManifest& m) {
            return m.catalog == spec_.catalog && m.catalog_ns == spec_.catalog_ns;
        });
        if (listed)
            problems_.push_back({fmt::format("catalog {}/{} has no package {}", spec_.catalog_ns,
                                             spec_.catalog, options_.package),
                                 near});
        else if (!objects_.catalog(spec_.catalog, spec_.catalog_ns))
            problems_.push_back(
                {fmt::format("there is no catalog {} in namespace {}", spec_.catalog, spec_.catalog_ns),
                 "opcat catalog list shows the catalogs, opcat catalog add makes one"});
    }

    std::string hint_without_package() const {
        if (!packages_.empty())
            return "opcat search -n " + ns_ +
                   " lists the packages; --catalog names a catalog whose contents are not known yet";
        const std::string global = global_namespace(objects_.catalogs);
        for (const Json& catalog : objects_.catalogs)
            if (namespace_of(catalog) != ns_ && namespace_of(catalog) != global)
                return fmt::format("it does not see {}: install with -n {}, or add the catalog where all "
                                   "namespaces see it",
                                   describe(catalog), namespace_of(catalog));
        return "opcat catalog list shows the catalogs, opcat catalog add makes one";
    }

    // Before the package server has caught up there is no choice only if there is but one catalog.
    void only_catalog() {
        const std::string global = global_namespace(objects_.catalogs);
        std::vector<const Json*> seen;
        for (const Json& catalog : objects_.catalogs)
            if (namespace_of(catalog) == ns_ || namespace_of(catalog) == global) seen.push_back(&catalog);
        if (seen.size() != 1) return;
        spec_.catalog = name_of(*seen[0]);
        spec_.catalog_ns = namespace_of(*seen[0]);
    }

    void choose_bundle() {
        if (options_.channels.size() > 1)
            throw UsageError("OLM classic takes one channel, and there are several --channel");
        if (!options_.channels.empty()) spec_.channel = options_.channels[0];
        spec_.package = options_.package;
        spec_.ns = ns_;
        spec_.manual = options_.approval == "manual";
        check_channel();
        if (!options_.version.empty()) find_version();
    }

    void check_channel() {
        if (!manifest_ || spec_.channel.empty() || manifest_->channel(spec_.channel)) return;
        std::vector<std::string_view> names;
        for (const PackageChannel& channel : manifest_->channels) names.push_back(channel.name);
        std::string all;
        for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
        const std::string near = did_you_mean(spec_.channel, names);
        problems_.push_back({fmt::format("package {} has no channel {}", options_.package, spec_.channel),
                             near.empty() ? "it has " + all : near});
    }

    void find_version() {
        std::vector<std::string> in_channels;
        if (manifest_) {
            const std::string asked = spec_.channel.empty() ? manifest_->default_channel : spec_.channel;
            for (const PackageChannel& channel : manifest_->channels) {
                for (const PackageEntry& entry : channel.entries) {
                    if (entry.version != options_.version && entry.name != options_.version) continue;
                    spec_.starting_csv = entry.name;
                    in_channels.push_back(channel.name);
                }
            }
            const bool there = std::find(in_channels.begin(), in_channels.end(), asked) != in_channels.end();
            if (there) return;
            if (in_channels.size() == 1 && spec_.channel.empty()) {
                spec_.channel = in_channels[0];
                return;
            }
            if (manifest_->tells_entries()) {
                const PackageChannel* const from = manifest_->channel(asked);
                std::string others;
                for (const std::string& name : in_channels) others += (others.empty() ? "" : ", ") + name;
                problems_.push_back({fmt::format("channel {} of package {} has no version {}", asked,
                                                 options_.package, options_.version),
                                     !others.empty()
                                         ? "it is in channel " + others + ": choose with --channel"
                                     : from ? "it has " + from->versions()
                                            : std::string()});
            }
        }
        if (!spec_.starting_csv.empty()) return;
        // What most packages call their bundles; a bundle's own name is taken as it is.
        const bool is_version = options_.version.find_first_not_of("0123456789.-+") == std::string::npos;
        spec_.starting_csv = is_version ? options_.package + ".v" + options_.version : options_.version;
    }

    const PackageChannel* channel() const {
        if (!manifest_) return nullptr;
        return manifest_->channel(spec_.channel.empty() ? manifest_->default_channel : spec_.channel);
    }

    void choose_group() {
        const auto groups = objects_.groups_in(ns_);
        const PackageChannel* const from = channel();
        const auto supports = [&](std::string_view mode) {
            if (!from || from->install_modes.empty()) return true; // nobody knows
            return std::find(from->install_modes.begin(), from->install_modes.end(), mode) !=
                   from->install_modes.end();
        };
        if (groups.size() > 1) {
            std::string names;
            for (const Json* group : groups) names += (names.empty() ? "" : ", ") + name_of(*group);
            problems_.push_back(
                {fmt::format("namespace {} has {} OperatorGroups ({}), so OLM does nothing there", ns_,
                             groups.size(), names),
                 "delete all but one"});
            return;
        }
        if (groups.size() == 1) {
            const std::string mode = mode_of_group(*groups[0]);
            if (!supports(mode))
                problems_.push_back(
                    {fmt::format("OperatorGroup {} asks for install mode {}, which {} does not "
                                 "support",
                                 name_of(*groups[0]), mode, from->head),
                     "install into a namespace of its own"});
            check_group_matches(*groups[0]);
            return;
        }
        if (namespace_exists_ && !options_.create_group && options_.watch.empty() &&
            !options_.all_namespaces) {
            problems_.push_back(
                {fmt::format("namespace {} has no OperatorGroup, so OLM would do nothing there", ns_),
                 "--create-operator-group makes one"});
            return;
        }
        std::vector<std::string> targets = options_.watch;
        std::string mode = "AllNamespaces";
        if (!targets.empty()) {
            mode = targets.size() > 1  ? "MultiNamespace"
                   : targets[0] == ns_ ? "OwnNamespace"
                                       : "SingleNamespace";
        } else if (!options_.all_namespaces && supports("OwnNamespace")) {
            mode = "OwnNamespace";
            targets = {ns_};
        }
        if (!supports(mode))
            problems_.push_back({fmt::format("{} does not support install mode {}", from->head, mode),
                                 "choose with --watch-namespace or --all-namespaces"});
        group_ = operator_group(ns_, ns_, targets);
    }

    // An OperatorGroup is everybody's in its namespace: it is not changed for one operator.
    void check_group_matches(const Json& group) {
        std::vector<std::string> has = strings(group, {"spec", "targetNamespaces"});
        std::vector<std::string> want = options_.watch;
        std::sort(has.begin(), has.end());
        std::sort(want.begin(), want.end());
        if ((!want.empty() && want != has) || (options_.all_namespaces && !has.empty()))
            problems_.push_back(
                {fmt::format("OperatorGroup {} of namespace {} watches other namespaces than asked "
                             "for, for all operators there",
                             name_of(group), ns_),
                 "install into a namespace of its own, or change the OperatorGroup"});
    }

    // OLM classic does not notice that the operator is there already by other means, and two would then
    // quarrel.
    void check_definitions() {
        const PackageChannel* const from = channel();
        if (!from) return;
        std::vector<Json> wanted;
        for (const std::string& name : from->crds)
            wanted.push_back({{"apiVersion", "apiextensions.k8s.io/v1"},
                              {"kind", "CustomResourceDefinition"},
                              {"metadata", {{"name", name}}}});
        try {
            for (const Json& crd : kubectl_.existing(wanted)) {
                const std::string extension = label(crd, owner_name_label);
                const std::string set = label(crd, set_label);
                if (extension.empty() && set.empty()) continue;
                problems_.push_back(
                    {fmt::format("{} belongs to {} already", describe(crd),
                                 !extension.empty() ? "ClusterExtension " + extension
                                                    : "operator " + set + " without OLM"),
                     fmt::format("opcat uninstall {} --olm {} first, which deletes its custom "
                                 "resources",
                                 !extension.empty() ? extension : set,
                                 !extension.empty() ? "v1" : "none --delete-crds")});
            }
        } catch (const KubectlError& error) {
            // Who installs in a namespace need not have the right to look at the whole cluster.
            if (error.kind() != FailureKind::forbidden) throw;
        }
    }

    // A second Subscription for a package would fail; the existing one keeps what is not given.
    void keep_name_of(const Json& there) {
        const auto keep = [&](std::string& setting, Path path) {
            if (setting.empty()) setting = text(there, path);
        };
        keep(spec_.channel, {"spec", "channel"});
        keep(spec_.starting_csv, {"spec", "startingCSV"});
        if (options_.approval.empty())
            spec_.manual = text(there, {"spec", "installPlanApproval"}) == "Manual";
        const bool differs = spec_.channel != text(there, {"spec", "channel"}) ||
                             spec_.catalog != text(there, {"spec", "source"}) ||
                             spec_.catalog_ns != text(there, {"spec", "sourceNamespace"}) ||
                             spec_.starting_csv != text(there, {"spec", "startingCSV"}) ||
                             spec_.manual != (text(there, {"spec", "installPlanApproval"}) == "Manual");
        subscription_ = subscription_object(spec_);
        subscription_["metadata"]["name"] = name_of(there);
        if (!differs) {
            subscription_["spec"] = *find(there, {"spec"});
            return;
        }
        problems_.push_back(
            {fmt::format("{} is in namespace {} already, by Subscription {} with other settings",
                         options_.package, ns_, name_of(there)),
             fmt::format("opcat upgrade {} -n {} --channel ... or --to ... moves it; opcat uninstall "
                         "removes it",
                         options_.package, ns_)});
    }

    ClassicPrediction predict() {
        check_left_csv();
        // What it has installed already is in the status of the Subscription that is there.
        Json subscription = subscription_;
        if (const Json* const there = objects_.subscription_of(options_.package, ns_))
            if (const Json* const status = find(*there, {"status"})) subscription["status"] = *status;
        std::vector<Json> added{std::move(subscription)};
        if (group_) added.push_back(*group_);
        if (!namespace_exists_) added.push_back(namespace_object(ns_));
        ClassicPrediction prediction = predict_classic({objects_, ns_, options_.package, std::move(added)},
                                                       catalog_access(options_.images, session_));
        if (prediction.possible || !manifest_) return prediction;
        const PackageChannel* const from = channel();
        if (!from || !problems_.empty()) return prediction;
        prediction.possible = true;
        prediction.target = from->head;
        prediction.plan.push_back(fmt::format("install {} (channel {}, catalog {}/{})",
                                              spec_.starting_csv.empty() ? from->head : spec_.starting_csv,
                                              from->name, spec_.catalog_ns, spec_.catalog));
        if (!spec_.starting_csv.empty() && spec_.starting_csv != from->head)
            prediction.plan.push_back(fmt::format("go on towards {}, the channel's head", from->head));
        prediction.remarks.push_back(
            "predicted from the cluster's PackageManifests, which tell no dependencies, "
            "because the catalog's image is not to be had from here: " +
            prediction.impossible);
        return prediction;
    }

    void check_left_csv() {
        if (objects_.subscription_of(options_.package, ns_)) return;
        for (const OperatorState& state : classic_states(objects_))
            if (state.name.empty() && state.package == options_.package && state.ns == ns_)
                problems_.push_back(
                    {fmt::format(
                         "{} is still in namespace {} without a Subscription: a new one fails because it "
                         "\"exists and is not referenced by a subscription\"",
                         state.installed, ns_),
                     fmt::format("opcat uninstall {} -n {} deletes it", options_.package, ns_)});
    }

    // With approval by hand and a version it is there, else where OLM stops.
    std::string goal_of(const ClassicPrediction& prediction) const {
        const std::string starting = text(subscription_, {"spec", "startingCSV"});
        const bool manual = text(subscription_, {"spec", "installPlanApproval"}) == "Manual";
        return manual && !starting.empty() ? starting : prediction.target;
    }

    const InstallOptions& options_;
    const Kubectl& kubectl_;
    const std::string& ns_;
    Session& session_;
    bool namespace_exists_ = false;
    ClassicObjects objects_;
    std::vector<PackageManifest> packages_;
    const PackageManifest* manifest_ = nullptr; // of the package in the catalog
    SubscriptionSpec spec_;
    Json subscription_;
    std::optional<Json> group_; // to be made
    std::vector<Problem> problems_;
};

} // namespace

void install_classic(const InstallOptions& options, const Connection& connection, Session& session) {
    Install(options, connection, session).run();
}

} // namespace opcat
