#include "base/text.hpp"
#include "resolve/classic/explain.hpp"

#include <fmt/core.h>

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
        const Culprits culprits = culprits_of(resolution_);
        for (const Subscription* s : culprits.subscriptions) try_sources(*s);
        for (const Subscription* s : culprits.subscriptions) try_packages(*s);
        for (const Subscription* s : culprits.subscriptions) try_channels(*s);
        for (const Subscription* s : culprits.subscriptions) try_versions(*s);
        const std::vector<Change> removals = removals_of(culprits);
        for (const Change& change : removals) attempt(change);
        if (found_.empty()) try_pairs(removals);
        return std::move(found_);
    }

private:
    struct Change {
        std::string text;
        std::function<void(ClusterState&)> apply;
    };

    struct Culprits {
        std::vector<const Subscription*> subscriptions;
        std::vector<const ClusterServiceVersion*> csvs;
    };

    // What the user has that is part of the reason.
    static Culprits culprits_of(const Resolution& resolution) {
        Culprits culprits;
        std::set<const void*> seen;
        for (const ConstraintRef& ref : resolution.core) {
            const Variable& variable = resolution.problem.variables[ref.variable];
            if (variable.subscription && seen.insert(variable.subscription).second)
                culprits.subscriptions.push_back(variable.subscription);
            const bool must_stay =
                variable.entry && variable.constraints[ref.index].kind == Constraint::Kind::mandatory;
            if (must_stay && seen.insert(variable.entry->csv).second)
                culprits.csvs.push_back(variable.entry->csv);
        }
        return culprits;
    }

    Resolution resolution_with(ClusterState& changed) {
        ++tries_;
        Request request = request_;
        request.cluster = &changed;
        return resolve(request);
    }

    bool has_enough() const {
        constexpr size_t most_tries = 40;
        constexpr size_t most_found = 6;
        return tries_ >= most_tries || found_.size() >= most_found;
    }

    void attempt(const Change& change) {
        if (has_enough()) return;
        ClusterState changed = *request_.cluster;
        change.apply(changed);
        if (resolution_with(changed).error.empty()) found_.push_back(change.text);
    }

    // Where one removal is not enough there is another reason behind the first: one of that is removed, too.
    void try_pairs(const std::vector<Change>& removals) {
        for (const Change& first : removals) {
            if (has_enough()) return;
            ClusterState changed = *request_.cluster;
            first.apply(changed);
            const Resolution next = resolution_with(changed);
            for (const Change& second : removals_of(culprits_of(next)))
                attempt({fmt::format("{}, and {}", first.text, second.text), [&](ClusterState& cluster) {
                             first.apply(cluster);
                             second.apply(cluster);
                         }});
        }
    }

    template <typename Edit>
    void attempt_on(const Subscription& s, const std::string& text, Edit edit) {
        attempt({text, [&](ClusterState& cluster) {
                     for (Subscription& other : cluster.subscriptions)
                         if (other.ns == s.ns && other.name == s.name) edit(other);
                 }});
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

    // A package of the catalog whose name is nearly the same.
    void try_packages(const Subscription& s) {
        const Snapshot* catalog = catalog_of(s);
        if (!catalog || catalog->by_package.contains(s.package)) return;
        std::vector<std::string_view> names;
        for (const auto& [name, positions] : catalog->by_package) names.push_back(name);
        for (const std::string_view name : nearest_names(s.package, names))
            attempt_on(s, fmt::format("let Subscription {} ask for package {}", s.name, name),
                       [&](Subscription& other) { other.package = name; });
    }

    // A first version of its own choosing: entries that others skip are installed only that way.
    void try_versions(const Subscription& s) {
        const Snapshot* catalog = catalog_of(s);
        if (!catalog || !s.installed_csv.empty()) return;
        if (!s.starting_csv.empty())
            attempt_on(s, fmt::format("remove startingCSV {} from Subscription {}", s.starting_csv, s.name),
                       [](Subscription& other) { other.starting_csv.clear(); });
        const auto positions = catalog->by_package.find(s.package);
        if (positions == catalog->by_package.end()) return;
        std::set<std::string_view> tried{s.starting_csv};
        // The later ones of a channel are as a rule the newer ones.
        for (auto position = positions->second.rbegin(); position != positions->second.rend(); ++position) {
            const Entry& entry = catalog->entries[*position];
            if (!s.channel.empty() && entry.channel != s.channel) continue;
            if (tried.size() > 8 || !tried.insert(entry.name).second) continue;
            attempt_on(s, fmt::format("let Subscription {} start with startingCSV {}", s.name, entry.name),
                       [&](Subscription& other) { other.starting_csv = entry.name; });
        }
    }

    static std::vector<Change> removals_of(const Culprits& culprits) {
        std::vector<Change> changes;
        for (const ClusterServiceVersion* csv : culprits.csvs)
            changes.push_back({fmt::format("remove the installed operator {} (ClusterServiceVersion {}/{})",
                                           csv->name, csv->ns, csv->name),
                               [ns = csv->ns, name = csv->name](ClusterState& cluster) {
                                   std::erase_if(cluster.csvs, [&](const ClusterServiceVersion& other) {
                                       return other.ns == ns && other.name == name;
                                   });
                               }});
        for (const Subscription* s : culprits.subscriptions)
            changes.push_back(
                {fmt::format("remove Subscription {}{}", s->name,
                             s->installed_csv.empty()
                                 ? std::string()
                                 : fmt::format(" (its operator {} then stays as it is)", s->installed_csv)),
                 [ns = s->ns, name = s->name](ClusterState& cluster) {
                     std::erase_if(cluster.subscriptions, [&](const Subscription& other) {
                         return other.ns == ns && other.name == name;
                     });
                 }});
        return changes;
    }

    const Request& request_;
    const Resolution& resolution_;
    std::vector<std::string> found_;
    size_t tries_ = 0;
};

} // namespace

std::vector<std::string> suggest_changes(const Request& request, const Resolution& resolution) {
    if (resolution.core.empty()) return {};
    return Trial(request, resolution).run();
}

} // namespace opcat::classic
