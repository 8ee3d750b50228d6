#include "resolve/classic/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

namespace opcat::classic {
namespace {

// Changes that may help, tried one by one on a copy of the cluster: first those that keep what the user has.
class Trial {
public:
    Trial(const Request& request, const Resolution& resolution)
        : request_(request), resolution_(resolution) {}

    std::vector<std::string> run() {
        collect_culprits();
        for (const Subscription* s : subscriptions_) try_sources(*s);
        for (const Subscription* s : subscriptions_) try_channels(*s);
        for (const Subscription* s : subscriptions_) try_starting_csv(*s);
        for (const ClusterServiceVersion* csv : csvs_) try_without(*csv);
        for (const Subscription* s : subscriptions_) try_without(*s);
        return std::move(found_);
    }

private:
    void collect_culprits() {
        std::set<const void*> seen;
        for (const ConstraintRef& ref : resolution_.core) {
            const Variable& variable = resolution_.problem.variables[ref.variable];
            if (variable.subscription && seen.insert(variable.subscription).second)
                subscriptions_.push_back(variable.subscription);
            const bool must_stay =
                variable.entry && variable.constraints[ref.index].kind == Constraint::Kind::mandatory;
            if (must_stay && seen.insert(variable.entry->csv).second) csvs_.push_back(variable.entry->csv);
        }
    }

    void attempt(const std::string& text, const std::function<void(ClusterState&)>& change) {
        constexpr size_t most_tries = 40;
        constexpr size_t most_found = 6;
        if (tries_ >= most_tries || found_.size() >= most_found) return;
        ++tries_;
        ClusterState changed = *request_.cluster;
        change(changed);
        Request request = request_;
        request.cluster = &changed;
        if (resolve(request).error.empty()) found_.push_back(text);
    }

    template <typename Change>
    void attempt_on(const Subscription& s, const std::string& text, Change change) {
        attempt(text, [&](ClusterState& cluster) {
            for (Subscription& other : cluster.subscriptions)
                if (other.ns == s.ns && other.name == s.name) change(other);
        });
    }

    const Snapshot* catalog_of(const Subscription& s) const {
        return resolution_.finder->find({s.source_namespace, s.source});
    }

    // Another catalog that has the package.
    void try_sources(const Subscription& s) {
        const Snapshot* own = catalog_of(s);
        if (own && own->by_package.contains(s.package)) return;
        for (const auto& snapshot : resolution_.finder->catalogs()) {
            if (!snapshot->by_package.contains(s.package)) continue;
            attempt_on(s,
                       fmt::format("let Subscription {} take package {} from catalog {}", s.name, s.package,
                                   snapshot->key.to_string()),
                       [&](Subscription& other) {
                           other.source = snapshot->key.name;
                           other.source_namespace = snapshot->key.ns;
                       });
        }
    }

    void try_channels(const Subscription& s) {
        const Snapshot* catalog = catalog_of(s);
        if (!catalog) return;
        const auto positions = catalog->by_package.find(s.package);
        if (positions == catalog->by_package.end()) return;
        std::set<std::pair<bool, std::string_view>> channels;
        for (const uint32_t position : positions->second) {
            const Entry& entry = catalog->entries[position];
            if (entry.channel != s.channel) channels.emplace(!entry.default_channel, entry.channel);
        }
        for (const auto& [not_default, channel] : channels)
            attempt_on(s, fmt::format("switch Subscription {} to channel {}", s.name, channel),
                       [c = channel](Subscription& other) { other.channel = c; });
    }

    void try_starting_csv(const Subscription& s) {
        if (s.starting_csv.empty() || !s.installed_csv.empty()) return;
        attempt_on(s, fmt::format("remove startingCSV {} from Subscription {}", s.starting_csv, s.name),
                   [](Subscription& other) { other.starting_csv.clear(); });
    }

    void try_without(const ClusterServiceVersion& csv) {
        attempt(fmt::format("remove the installed operator {} (ClusterServiceVersion {}/{})", csv.name,
                            csv.ns, csv.name),
                [&](ClusterState& cluster) {
                    std::erase_if(cluster.csvs, [&](const ClusterServiceVersion& other) {
                        return other.ns == csv.ns && other.name == csv.name;
                    });
                });
    }

    void try_without(const Subscription& s) {
        attempt(fmt::format("remove Subscription {}{}", s.name,
                            s.installed_csv.empty()
                                ? std::string()
                                : fmt::format(" (its operator {} then stays as it is)", s.installed_csv)),
                [&](ClusterState& cluster) {
                    std::erase_if(cluster.subscriptions, [&](const Subscription& other) {
                        return other.ns == s.ns && other.name == s.name;
                    });
                });
    }

    const Request& request_;
    const Resolution& resolution_;
    std::vector<const Subscription*> subscriptions_;
    std::vector<const ClusterServiceVersion*> csvs_;
    std::vector<std::string> found_;
    size_t tries_ = 0;
};

} // namespace

std::vector<std::string> suggest_changes(const Request& request, const Resolution& resolution) {
    if (resolution.core.empty()) return {};
    return Trial(request, resolution).run();
}

} // namespace opcat::classic
