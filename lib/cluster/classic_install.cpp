#include "opcat/cluster/classic_install.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/offline_install.hpp"
#include "opcat/cluster/plain_set.hpp"
#include "opcat/cluster/snapshot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

namespace opcat::cluster {
namespace {

constexpr size_t most = 10; // names in a sentence

class ClassicInstall {
public:
    ClassicInstall(const Kubectl& kubectl, const std::string& ns, const ClassicInstallRequest& request,
                   const CatalogAccess& access, const std::function<void(const std::string&)>& warn)
        : request_(request), kubectl_(kubectl), ns_(ns), access_(access), warn_(warn) {}

    ClassicInstallPlan run() {
        require_name("package", request_.package);
        std::vector<Object> pods;
        std::string unread_packages;
        kubectl_.together({[&] { namespace_exists_ = require_usable_namespace(kubectl_, ns_); },
                           [&] { objects_ = read_classic(kubectl_, ns_); },
                           [&] { pods = catalog_pods(kubectl_, ns_); },
                           [&] {
                               try {
                                   packages_ = packages_named(kubectl_, ns_, request_.package);
                               } catch (const KubectlError& error) {
                                   unread_packages = error.what();
                               }
                           },
                           [&] { server_version_ = kubectl_.server_version(); }});
        for (const std::string& unread : objects_.unread) warn_(unread);
        if (!unread_packages.empty()) warn_(unread_packages);
        objects_.add(std::move(pods));
        // Other packages matter only in this case.
        if (unread_packages.empty() && (packages_.empty() || objects_.global_ns.empty())) read_packages();
        check_catalogs();
        choose_catalog();
        choose_bundle();
        choose_group();
        check_definitions();
        ClassicInstallPlan plan;
        if (const Object* const there = objects_.subscription_of(request_.package, ns_)) {
            keep_name_of(*there);
            plan.installed = there->text("status", "installedCSV");
        } else {
            subscription_ = subscription_object(spec_);
            for (const Object& other : objects_.subscriptions)
                if (other.name == subscription_.name && other.ns == ns_)
                    obstacles_.push_back(
                        {fmt::format("{} is there already, for package {}", other.describe(),
                                     other.text("spec", "name")),
                         "install it in another namespace, or delete that Subscription first"});
        }
        if (!namespace_exists_) plan.wanted.push_back(namespace_object(ns_));
        if (group_) plan.wanted.push_back(*group_);
        plan.wanted.push_back(subscription_);
        plan.prediction = predict();
        if (!why_catalog_.empty())
            plan.prediction.remarks.insert(plan.prediction.remarks.begin(), why_catalog_);
        plan.obstacles = std::move(obstacles_);
        plan.manual = subscription_.text("spec", "installPlanApproval") == "Manual";
        // With manual approval and a version it is that one, else where OLM stops.
        const std::string_view starting = subscription_.text("spec", "startingCSV");
        plan.goal = plan.manual && !starting.empty() ? std::string(starting) : plan.prediction.target;
        return plan;
    }

private:
    void read_packages() {
        try {
            packages_ = list_packages(kubectl_, ns_);
        } catch (const KubectlError& error) {
            warn_(error.what());
        }
    }

    // Any catalog that the namespace sees and that is not ready prevents OLM classic from resolving there.
    void check_catalogs() {
        for (const PackageManifest& manifest : packages_)
            if (objects_.global_ns.empty() && manifest.catalog_ns != ns_)
                objects_.global_ns = manifest.catalog_ns;
        for (const Object& catalog : objects_.catalogs) {
            if (catalog.ns != ns_ && catalog.ns != objects_.global_ns) continue;
            const CatalogState state = state_of_catalog_source(catalog, objects_.pods);
            if (is_starting(catalog, state)) {
                warn_(fmt::format(
                    "{} is starting ({}), and until it is ready OLM resolves nothing in namespace {}",
                    catalog.describe(), state.word, ns_));
                continue;
            }
            if (state.health != Health::failing) continue;
            obstacles_.push_back(
                {.message =
                     fmt::format("{} is not ready ({}), and OLM resolves nothing in namespace {} while a "
                                 "catalog that it sees is not ready",
                                 catalog.describe(), state.cause.empty() ? state.word : state.cause, ns_),
                 .help = catalog.ns + "/" + catalog.name,
                 .remedy = Remedy::repair_catalog});
        }
    }

    // A registry that is starting refuses connections for a while, and then OLM waits before it tries again.
    static bool is_starting(const Object& catalog, const CatalogState& state) {
        if (state.health == Health::working) return true;
        constexpr auto longest = std::chrono::minutes(2);
        const auto made = time_of(catalog.text("metadata", "creationTimestamp"));
        const auto now = std::chrono::system_clock::now();
        return state.health == Health::failing && state.is_unreachable && made && *made <= now &&
               now - *made < longest;
    }

    bool matches(const PackageManifest& manifest) const {
        const std::string full = manifest.catalog_ns + "/" + manifest.catalog;
        return request_.catalog.empty() || request_.catalog == manifest.catalog || request_.catalog == full;
    }

    int64_t priority_of(const PackageManifest& manifest) const {
        const Object* const catalog = objects_.catalog(manifest.catalog, manifest.catalog_ns);
        return catalog ? catalog->number("spec", "priority") : 0;
    }

    static std::string name_of(const PackageManifest& manifest) {
        return manifest.catalog_ns + "/" + manifest.catalog;
    }

    static std::string names_of(const std::vector<const PackageManifest*>& manifests) {
        return listed(manifests, most, [](const PackageManifest* manifest) { return name_of(*manifest); });
    }

    void choose_catalog() {
        const Object* const there = objects_.subscription_of(request_.package, ns_);
        std::vector<const PackageManifest*> candidates;
        for (const PackageManifest& manifest : packages_)
            if (manifest.package == request_.package && matches(manifest)) candidates.push_back(&manifest);
        if (there && request_.catalog.empty()) {
            spec_.catalog = there->text("spec", "source");
            spec_.catalog_ns = there->text("spec", "sourceNamespace");
            std::erase_if(candidates, [&](const PackageManifest* m) {
                return m->catalog != spec_.catalog || m->catalog_ns != spec_.catalog_ns;
            });
            if (!candidates.empty()) manifest_ = candidates[0];
            return;
        }
        std::stable_sort(candidates.begin(), candidates.end(),
                         [&](const auto* a, const auto* b) { return priority_of(*a) > priority_of(*b); });
        if (candidates.size() > 1 && priority_of(*candidates[0]) == priority_of(*candidates[1])) {
            const int64_t priority = priority_of(*candidates[0]);
            std::erase_if(candidates, [&](const auto* one) { return priority_of(*one) != priority; });
            throw OpenRequest({fmt::format("package {} is in several catalogs of priority {}: {}",
                                           request_.package, priority, names_of(candidates)),
                               {},
                               Remedy::name_catalog});
        }
        if (candidates.size() > 1)
            why_catalog_ = fmt::format(
                "catalog {} has the highest priority ({}) of those with package {}: {}",
                name_of(*candidates[0]), priority_of(*candidates[0]), request_.package, names_of(candidates));
        if (!candidates.empty()) {
            manifest_ = candidates[0];
            spec_.catalog = manifest_->catalog;
            spec_.catalog_ns = manifest_->catalog_ns;
            return;
        }
        choose_catalog_without_package();
    }

    // No known catalog has the package; the user's catalog is used.
    void choose_catalog_without_package() {
        std::vector<std::string_view> known;
        for (const PackageManifest& manifest : packages_) known.push_back(manifest.package);
        const std::string near = did_you_mean(request_.package, known);
        if (request_.catalog.empty()) {
            only_catalog();
            if (spec_.catalog.empty() || !packages_.empty())
                throw OpenRequest(without_package(
                    fmt::format("no catalog that namespace {} sees has package {}", ns_, request_.package),
                    near));
            return;
        }
        const size_t slash = request_.catalog.find('/');
        if (slash != std::string::npos) {
            spec_.catalog_ns = request_.catalog.substr(0, slash);
            spec_.catalog = request_.catalog.substr(slash + 1);
        } else {
            spec_.catalog = request_.catalog;
            spec_.catalog_ns = ns_;
            const std::string& global = objects_.global_ns;
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
            obstacles_.push_back({fmt::format("catalog {}/{} has no package {}", spec_.catalog_ns,
                                              spec_.catalog, request_.package),
                                  near});
        else if (!objects_.catalog(spec_.catalog, spec_.catalog_ns) &&
                 (objects_.all_catalogs || spec_.catalog_ns == ns_))
            obstacles_.push_back(without_catalog());
        else if (spec_.catalog_ns != ns_ && spec_.catalog_ns != objects_.global_ns)
            obstacles_.push_back({fmt::format("namespace {} does not see the catalog", ns_),
                                  fmt::format("CatalogSource {}/{}", spec_.catalog_ns, spec_.catalog),
                                  Remedy::install_elsewhere, spec_.catalog_ns});
    }

    Obstacle without_catalog() const {
        std::vector<std::string> names;
        for (const Object& catalog : objects_.catalogs)
            if (catalog.ns == ns_ || catalog.ns == objects_.global_ns)
                names.push_back(catalog.ns + "/" + catalog.name);
        std::vector<std::string_view> known(names.begin(), names.end());
        const std::string near = did_you_mean(spec_.catalog_ns + "/" + spec_.catalog, known);
        std::string message =
            fmt::format("catalog {} does not exist in namespace {}", spec_.catalog, spec_.catalog_ns);
        if (names.empty()) return {std::move(message), {}, Remedy::add_catalog};
        return {std::move(message),
                near.empty() ? fmt::format("namespace {} sees {}", ns_, listed(names, most)) : near};
    }

    Obstacle without_package(std::string message, const std::string& near) const {
        if (!near.empty()) return {std::move(message), near};
        if (!packages_.empty()) return {std::move(message), {}, Remedy::search_packages};
        const std::string& global = objects_.global_ns;
        for (const Object& catalog : objects_.catalogs)
            if (catalog.ns != ns_ && catalog.ns != global)
                return {std::move(message), catalog.describe(), Remedy::install_elsewhere, catalog.ns};
        return {std::move(message), {}, Remedy::add_catalog};
    }

    // Before the package server is up to date, the choice is only clear if there is one catalog.
    void only_catalog() {
        const std::string& global = objects_.global_ns;
        std::vector<const Object*> seen;
        for (const Object& catalog : objects_.catalogs)
            if (catalog.ns == ns_ || catalog.ns == global) seen.push_back(&catalog);
        if (seen.size() != 1) return;
        spec_.catalog = seen[0]->name;
        spec_.catalog_ns = seen[0]->ns;
    }

    void choose_bundle() {
        spec_.channel = request_.channel;
        spec_.package = request_.package;
        spec_.ns = ns_;
        spec_.manual = request_.manual.value_or(false);
        check_channel();
        if (!request_.version.empty()) find_version();
        if (spec_.channel.empty() && !request_.any_channel) choose_default_channel();
    }

    // Without a channel OLM takes upgrades from all channels of the package: a user of "stable" would get
    // what only "fast" has.
    void choose_default_channel() {
        if (objects_.subscription_of(request_.package, ns_)) return; // it keeps its own
        spec_.channel = manifest_ ? manifest_->default_channel : default_channel_in_catalog();
        if (spec_.channel.empty() && obstacles_.empty())
            obstacles_.push_back(
                {fmt::format("the default channel of package {} is not known, and without a channel OLM "
                             "takes upgrades from all of them",
                             request_.package),
                 {},
                 Remedy::name_channel});
    }

    // Before the package server is up to date.
    std::string default_channel_in_catalog() const {
        const Object* const catalog = objects_.catalog(spec_.catalog, spec_.catalog_ns);
        if (!catalog) return {};
        try {
            const LoadedCatalog loaded = load_catalog_of(*catalog);
            for (const Package& package : loaded.catalog.packages)
                if (package.name.text == request_.package) return std::string(package.default_channel.text);
        } catch (const Error&) { // NOLINT(bugprone-empty-catch): then it is not known
        }
        return {};
    }

    LoadedCatalog load_catalog_of(const Object& catalog) const {
        try {
            return access_.load(std::string(catalog.text("spec", "image")));
        } catch (const Error&) {
            if (!access_.read_served) throw;
            return load_served(catalog, access_.read_served(catalog, objects_.pods), access_.pool);
        }
    }

    void check_channel() {
        if (!manifest_ || spec_.channel.empty() || manifest_->channel(spec_.channel)) return;
        std::vector<std::string_view> names;
        for (const PackageChannel& channel : manifest_->channels) names.push_back(channel.name);
        const std::string near = did_you_mean(spec_.channel, names);
        obstacles_.push_back({fmt::format("package {} has no channel {}", request_.package, spec_.channel),
                              near.empty() ? "it has " + listed(names, most) : near});
    }

    void find_version() {
        std::vector<std::string> in_channels;
        if (manifest_) {
            const std::string asked = spec_.channel.empty() ? manifest_->default_channel : spec_.channel;
            for (const PackageChannel& channel : manifest_->channels) {
                for (const PackageEntry& entry : channel.entries) {
                    if (entry.version != request_.version && entry.name != request_.version) continue;
                    spec_.starting_csv = entry.name;
                    in_channels.push_back(channel.name);
                }
            }
            const bool there = std::find(in_channels.begin(), in_channels.end(), asked) != in_channels.end();
            if (there || (request_.any_channel && !in_channels.empty())) return;
            if (in_channels.size() == 1 && spec_.channel.empty()) {
                spec_.channel = in_channels[0];
                return;
            }
            if (manifest_->tells_entries()) {
                const PackageChannel* const from = manifest_->channel(asked);
                obstacles_.push_back({fmt::format("channel {} of package {} has no version {}", asked,
                                                  request_.package, request_.version),
                                      !in_channels.empty()
                                          ? "it is in channel " + listed(in_channels, most, {}, "or")
                                      : from ? "it has " + from->versions()
                                             : std::string(),
                                      in_channels.empty() ? Remedy::as_told : Remedy::choose_channel});
            }
        }
        if (spec_.starting_csv.empty())
            spec_.starting_csv = usual_csv_name(request_.package, request_.version);
    }

    const PackageChannel* channel() const {
        if (!manifest_) return nullptr;
        return manifest_->channel(spec_.channel.empty() ? manifest_->default_channel : spec_.channel);
    }

    void choose_group() {
        const auto groups = objects_.groups_in(ns_);
        const PackageChannel* const from = channel();
        const auto supports = [&](std::string_view mode) {
            return !from || supports_mode(from->install_modes, mode);
        };
        if (groups.size() > 1) {
            obstacles_.push_back(
                {fmt::format("namespace {} has {} OperatorGroups ({}), so OLM does nothing there", ns_,
                             groups.size(), listed(groups, most, &Object::name)),
                 "delete all but one"});
            return;
        }
        if (groups.size() == 1) {
            const std::string mode = mode_of_group(*groups[0]);
            if (!mode.empty() && !supports(mode))
                obstacles_.push_back(
                    {fmt::format("OperatorGroup {} asks for install mode {}, which {} does not "
                                 "support",
                                 groups[0]->name, mode, from->head),
                     "install into a namespace of its own"});
            check_group_matches(*groups[0]);
            return;
        }
        if (namespace_exists_ && !request_.create_group && request_.watch.empty() &&
            !request_.all_namespaces) {
            obstacles_.push_back(
                {fmt::format("namespace {} has no OperatorGroup, so OLM would do nothing there", ns_),
                 {},
                 Remedy::create_group});
            return;
        }
        std::vector<std::string> targets = request_.watch;
        if (targets.empty() && !request_.all_namespaces)
            targets = default_targets(ns_, from ? from->install_modes : std::vector<std::string>());
        const std::string mode = install_mode(targets, ns_);
        if (!supports(mode))
            obstacles_.push_back({fmt::format("{} does not support install mode {}; it supports {}",
                                              from->head, mode, listed(from->install_modes, most)),
                                  {},
                                  supports("AllNamespaces")    ? Remedy::choose_namespaces
                                  : supports("MultiNamespace") ? Remedy::choose_several_namespaces
                                                               : Remedy::choose_one_namespace});
        group_ = operator_group(ns_, ns_, targets);
    }

    // All operators of a namespace share its OperatorGroup: it is not changed for one of them.
    void check_group_matches(const Object& group) {
        const auto has = targets_of_group(group);
        std::vector<std::string> want = request_.watch;
        std::sort(want.begin(), want.end());
        if ((!want.empty() && want != has) || (request_.all_namespaces && (!has || !has->empty())))
            obstacles_.push_back(
                {fmt::format("OperatorGroup {} of namespace {} watches other namespaces than asked "
                             "for, for all operators there",
                             group.name, ns_),
                 "install into a namespace of its own, or change the OperatorGroup"});
    }

    // OLM classic does not notice that the operator is already installed by other means, and the two would
    // conflict.
    void check_definitions() {
        const PackageChannel* const from = channel();
        if (!from) return;
        std::vector<Object> wanted;
        for (const std::string& name : from->crds) wanted.push_back(crd_reference(name));
        try {
            for (const Object& crd : kubectl_.existing(wanted)) {
                const std::string_view extension = crd.label(owner_name_label);
                const std::string_view set = crd.label(set_label);
                if (extension.empty() && set.empty()) continue;
                obstacles_.push_back(
                    {fmt::format("{} belongs to {} already", crd.describe(),
                                 !extension.empty() ? fmt::format("ClusterExtension {}", extension)
                                                    : fmt::format("operator {} without OLM", set)),
                     std::string(!extension.empty() ? extension : set),
                     !extension.empty() ? Remedy::uninstall_extension : Remedy::uninstall_set});
            }
        } catch (const KubectlError& error) {
            // Users who install in a namespace may not have the right to read the whole cluster.
            if (error.kind() != FailureKind::forbidden) throw;
        }
    }

    // A second Subscription for a package would fail; the existing one keeps the settings that are not given.
    void keep_name_of(const Object& there) {
        const auto keep = [&](std::string& setting, std::string_view field) {
            if (setting.empty()) setting = there.text("spec", field);
        };
        keep(spec_.channel, "channel");
        keep(spec_.starting_csv, "startingCSV");
        if (!request_.manual) spec_.manual = there.text("spec", "installPlanApproval") == "Manual";
        const bool differs = spec_.channel != there.text("spec", "channel") ||
                             spec_.catalog != there.text("spec", "source") ||
                             spec_.catalog_ns != there.text("spec", "sourceNamespace") ||
                             spec_.starting_csv != there.text("spec", "startingCSV") ||
                             spec_.manual != (there.text("spec", "installPlanApproval") == "Manual");
        subscription_ = differs ? subscription_object(spec_, there.name) : with_spec_only(there);
        if (!differs) return;
        obstacles_.push_back(
            {fmt::format("{} is in namespace {} already, by Subscription {} with other settings",
                         request_.package, ns_, there.name),
             {},
             Remedy::upgrade});
    }

    ClassicPrediction predict() {
        check_left_csv();
        // The status of the existing Subscription says what it has installed already.
        const Object* const there = objects_.subscription_of(request_.package, ns_);
        std::vector<Object> added{there ? with_status(subscription_, there->at("status")) : subscription_};
        if (group_) added.push_back(*group_);
        if (!namespace_exists_) added.push_back(namespace_object(ns_));
        ClassicPrediction prediction = predict_classic({objects_,
                                                        ns_,
                                                        request_.package,
                                                        std::move(added),
                                                        request_.inputs,
                                                        server_version_,
                                                        {},
                                                        &kubectl_},
                                                       access_);
        if (prediction.possible || !prediction.error.empty() || !manifest_) return prediction;
        const PackageChannel* const from = channel();
        if (!from || !obstacles_.empty()) return prediction;
        if (spec_.starting_csv.empty() || spec_.starting_csv == from->head)
            prediction.error = unmet_min_kube_version(from->head, from->min_kube_version, server_version_);
        prediction.possible = true;
        prediction.target = from->head;
        prediction.deprecations = manifest_->deprecations(*from, from->head);
        prediction.plan.push_back(fmt::format("install {} (channel {}, catalog {}/{})",
                                              spec_.starting_csv.empty() ? from->head : spec_.starting_csv,
                                              from->name, spec_.catalog_ns, spec_.catalog));
        if (!spec_.starting_csv.empty() && spec_.starting_csv != from->head)
            prediction.plan.push_back(fmt::format("go on towards {}, the channel's head", from->head));
        prediction.remarks.push_back("predicted from the cluster's PackageManifests, so it is not known what "
                                     "the upgrade edges and the "
                                     "dependencies of the catalog allow: " +
                                     prediction.impossible);
        return prediction;
    }

    void check_left_csv() {
        if (objects_.subscription_of(request_.package, ns_)) return;
        for (const OperatorState& state : classic_states(objects_))
            if (state.name.empty() && state.package == request_.package && state.ns == ns_)
                obstacles_.push_back(
                    {fmt::format(
                         "{} is still in namespace {} without a Subscription: a new one fails because it "
                         "\"exists and is not referenced by a subscription\"",
                         state.installed, ns_),
                     {},
                     Remedy::uninstall});
    }

    const ClassicInstallRequest& request_;
    const Kubectl& kubectl_;
    const std::string& ns_;
    const CatalogAccess& access_;
    const std::function<void(const std::string&)>& warn_;
    bool namespace_exists_ = false;
    ClassicObjects objects_;
    std::string server_version_;
    std::vector<PackageManifest> packages_;     // all, if no catalog has the package
    const PackageManifest* manifest_ = nullptr; // of the package in the catalog
    std::string why_catalog_;                   // where several have the package
    SubscriptionSpec spec_;
    Object subscription_;
    std::optional<Object> group_; // to be made
    std::vector<Obstacle> obstacles_;
};

} // namespace

ClassicInstallPlan plan_classic_install(const Kubectl& kubectl, const std::string& ns,
                                        const ClassicInstallRequest& request, const CatalogAccess& access,
                                        const std::function<void(const std::string&)>& warn) {
    return ClassicInstall(kubectl, ns, request, access, warn).run();
}

} // namespace opcat::cluster
