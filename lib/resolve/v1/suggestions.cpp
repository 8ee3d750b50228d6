#include "opcat/base/text.hpp"
#include "opcat/resolve/v1/explanation.hpp"
#include "opcat/resolve/v1/upgrade_path.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace opcat::olmv1 {
namespace {

using Failure = Resolution::Failure;

constexpr std::string_view risk_of_self_certified =
    "the author's edges are ignored, downgrades included: verify the consequences first, data may be lost";

class Adviser {
public:
    Adviser(const Request& request, std::span<const NamedCatalog> catalogs, const Resolution& resolution)
        : request_(request), catalogs_(catalogs), resolution_(resolution) {}

    std::vector<Suggestion> advise() {
        if (resolution_.choice) {
            if (!failed_choice(request_, *resolution_.choice).empty()) best_that_installs();
            return std::move(suggestions_);
        }
        switch (resolution_.failure) {
        case Failure::no_bundle:
            if (is_known())
                reach_a_bundle();
            else
                similar_package();
            if (suggestions_.empty()) leave_out_selector();
            break;
        case Failure::installed:
            self_certified();
            break;
        case Failure::ambiguous:
            pick_catalog();
            break;
        case Failure::dependency:
            best_that_installs();
            break;
        case Failure::catalog:
            leave_out_catalog();
            break;
        case Failure::none:
        case Failure::request:
        case Failure::crash:
        case Failure::version:
            break;
        }
        return std::move(suggestions_);
    }

private:
    bool is_known() const {
        return std::any_of(resolution_.catalogs.begin(), resolution_.catalogs.end(),
                           [](const CatalogAnswer& answer) { return answer.package; });
    }

    // Keeps the suggestion if the changed request has an answer.
    bool attempt(std::string change, Request changed, std::string remarks = {}) {
        const Resolution outcome = resolve(changed, catalogs_);
        if (!outcome.choice || !failed_choice(changed, *outcome.choice).empty()) return false;
        suggestions_.push_back({std::move(change), std::move(changed), *outcome.choice, std::move(remarks)});
        return true;
    }

    void similar_package() {
        std::vector<std::string_view> known;
        for (const CatalogAnswer& answer : resolution_.catalogs)
            if (answer.state == CatalogAnswer::State::without_package)
                for (const std::string_view name : answer.catalog->index->package_names())
                    known.push_back(name);
        for (const std::string_view name : suggested_names(request_.package, known)) {
            Request changed = request_;
            changed.package = name;
            attempt(fmt::format("ask for package {}", name), std::move(changed));
        }
    }

    // The nearest version that the request asks for and that no edge leads to, by way of others.
    bool go_through_others(const Request& base, const std::string& first_change) {
        if (!base.installed || base.policy == Policy::self_certified) return false;
        const Query query = *Query::compile(base); // resolve() has done it, too
        for (const CatalogAnswer& answer : resolution_.catalogs) {
            if (!answer.package) continue;
            const BundleTest is_wanted = [&](const PackageBundle& bundle) {
                return query.in_channels(*answer.package, bundle) && query.in_range(bundle);
            };
            const auto path = shortest_path(base, *answer.package, is_wanted);
            if (path.size() < 2) continue;
            const BundleVersion& first = path[0]->version(base.release_support);
            if (!first) continue;
            std::vector<std::string_view> rest;
            for (size_t i = 1; i < path.size(); ++i) rest.push_back(path[i]->name());
            Request changed = base;
            changed.version = first->version.to_string();
            std::string change = fmt::format("{}go through {} first: version \"{}\"", first_change,
                                             path[0]->name(), changed.version);
            if (attempt(std::move(change), std::move(changed),
                        fmt::format("then on to {}", fmt::join(rest, ", then "))))
                return true;
        }
        return false;
    }

    // The channels of the package that are not asked for, catalog by catalog, by name.
    std::vector<std::string_view> other_channels() const {
        std::vector<std::string_view> names;
        if (request_.channels.empty()) return names;
        std::set<std::string_view> seen(request_.channels.begin(), request_.channels.end());
        for (const CatalogAnswer& answer : resolution_.catalogs)
            if (answer.package)
                for (const ChannelGraph& channel : answer.package->channels)
                    if (seen.insert(channel.name).second) names.push_back(channel.name);
        return names;
    }
    Request with_channel(std::string_view channel) const {
        Request changed = request_;
        changed.channels.emplace_back(channel);
        return changed;
    }

    void leave_out_selector() {
        if (!request_.selector) return;
        Request changed = request_;
        changed.selector.reset();
        attempt("leave out the selector", std::move(changed));
    }

    // One change first; where that does not help, a channel and what else it takes.
    void reach_a_bundle() {
        const bool helped = other_edges_and_channels();
        no_range();
        if (self_certified() || helped) return;
        for (const std::string_view channel : other_channels())
            force(fmt::format("add channel {} and ", channel), with_channel(channel));
    }

    bool other_edges_and_channels() {
        bool helped = go_through_others(request_, "");
        const auto channels = other_channels();
        for (const std::string_view channel : channels)
            helped |= attempt(fmt::format("add channel {}", channel), with_channel(channel));
        if (helped) return true;
        for (const std::string_view channel : channels)
            helped |= go_through_others(with_channel(channel), fmt::format("add channel {} and ", channel));
        if (helped || channels.empty()) return helped;
        Request changed = request_;
        changed.channels.clear();
        return attempt("ask for no channel", std::move(changed));
    }

    void no_range() {
        if (request_.version.empty()) return;
        Request changed = request_;
        changed.version.clear();
        attempt("ask for no version", std::move(changed), "the best version that can be reached");
    }

    bool self_certified() { return force("", request_); }

    bool force(const std::string& first_change, Request changed) {
        if (!request_.installed || request_.policy == Policy::self_certified) return false;
        changed.policy = Policy::self_certified;
        const std::string nearest = nearest_newer(changed);
        return attempt(fmt::format("{}set upgradeConstraintPolicy to {}", first_change,
                                   to_string(Policy::self_certified)),
                       std::move(changed), std::string(risk_of_self_certified) + nearest);
    }

    // Of the versions that a forced request takes, the one nearest to what is installed is the least to
    // verify.
    std::string nearest_newer(const Request& forced) const {
        const auto installed = semver::VersionRelease::parse_legacy(request_.installed->version);
        const Resolution outcome = resolve(forced, catalogs_);
        if (!installed || !outcome.choice) return {};
        const PackageBundle* nearest = nullptr;
        const auto version = [&](const PackageBundle& bundle) -> const BundleVersion& {
            return bundle.version(request_.release_support);
        };
        for (const CatalogAnswer& answer : outcome.catalogs)
            for (const PackageBundle* candidate : answer.candidates)
                if (version(*candidate) && *version(*candidate) > *installed &&
                    (!nearest || *version(*candidate) < *version(*nearest)) &&
                    can_be_installed(*candidate, forced.installer))
                    nearest = candidate;
        if (!nearest || nearest == outcome.choice->bundle) return {};
        return fmt::format("; nearest to what is installed is version \"{}\"",
                           version(*nearest)->version.to_string());
    }

    void pick_catalog() {
        for (const size_t i : resolution_.offering) {
            const std::string& name = resolution_.catalogs[i].catalog->name;
            Request changed = request_;
            if (!changed.selector) changed.selector.emplace();
            changed.selector->match_labels[std::string(catalog_name_label)] = name;
            attempt(fmt::format("select catalog {}: selector.matchLabels \"{}\": {}", name,
                                catalog_name_label, name),
                    std::move(changed), "or give it the highest priority of all");
        }
    }

    void leave_out_catalog() {
        const std::string& name = resolution_.catalogs.back().catalog->name;
        Request changed = request_;
        if (!changed.selector) changed.selector.emplace();
        changed.selector->match_expressions.push_back({std::string(catalog_name_label), "NotIn", {name}});
        attempt(fmt::format("leave catalog {} out: selector.matchExpressions {} NotIn [{}]", name,
                            catalog_name_label, name),
                std::move(changed));
    }

    bool is_refused(const PackageBundle& bundle) const {
        return request_.installer && !known_refusal(*bundle.bundle, *request_.installer).empty();
    }

    // The best candidate without dependencies, and without another reason for which OLM does not install it.
    void best_that_installs() {
        const CatalogAnswer& offer = resolution_.catalogs[resolution_.offering[0]];
        for (const PackageBundle* candidate : offer.candidates) {
            const BundleVersion& version = candidate->version(request_.release_support);
            if (!version || candidate->refused_by_v1 || is_refused(*candidate)) continue;
            Request changed = request_;
            changed.version = version->version.to_string();
            std::string change = fmt::format("ask for version \"{}\"", changed.version);
            if (attempt(std::move(change), std::move(changed),
                        "the best one that OLM v1 installs; it stays there until the version is changed"))
                return;
        }
    }

    const Request& request_;
    std::span<const NamedCatalog> catalogs_;
    const Resolution& resolution_;
    std::vector<Suggestion> suggestions_;
};

} // namespace

std::vector<Suggestion> suggest(const Request& request, std::span<const NamedCatalog> catalogs,
                                const Resolution& resolution) {
    return Adviser(request, catalogs, resolution).advise();
}

} // namespace opcat::olmv1
