#include "opcat/resolve/v1/explanation.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/base/listed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace opcat::olmv1 {
namespace {

using Kind = Reason::Kind;
using Step = V1Edge::Step;

// Describes from where a bundle can be reached, by those of its entries that count.
std::string edges_of(const Query& query, const PackageGraph& package, const PackageBundle& bundle) {
    std::set<std::string_view> from;
    std::set<std::string_view> ranges;
    bool has_entry = false;
    for (const NodeEntry& of : package.entries_of(bundle.node)) {
        if (!query.is_requested(*of.channel)) continue;
        has_entry = true;
        const ChannelEntry& entry = *of.entry->source;
        if (!entry.replaces.empty()) from.insert(entry.replaces);
        for (const Text& skipped : entry.skips) from.insert(skipped.text);
        if (!entry.skip_range.empty()) ranges.insert(entry.skip_range);
    }
    if (!has_entry) return "no requested channel has an entry for it";
    std::vector<std::string> parts;
    // A bundle may skip hundreds.
    if (!from.empty()) parts.push_back("its edges come from " + listed(from, 5));
    for (const std::string_view range : ranges) {
        const auto read = semver::BlangRange::parse(range);
        parts.push_back(
            read ? fmt::format("its skipRange is {}", go_quote(range))
                 : fmt::format("OLM ignores its skipRange {}: {}", go_quote(range), read.error().message));
    }
    return parts.empty() ? "it has no edges" : fmt::format("{}", fmt::join(parts, "; "));
}

std::string channels_of(const PackageGraph& package, const PackageBundle& bundle) {
    std::vector<std::string_view> names;
    for (const NodeEntry& of : package.entries_of(bundle.node))
        if (names.empty() || names.back() != of.channel->name) names.push_back(of.channel->name);
    if (names.empty()) return "it is in no channel";
    return fmt::format("it is in {}", fmt::join(names, ", "));
}

// Reads the parts of one request's answer.
class Explainer {
public:
    Explainer(const Query& query, const Resolution& resolution)
        : query_(query), resolution_(resolution), release_support_(query.request().release_support) {}

    CatalogExplanation explain(size_t index) const {
        const CatalogAnswer& answer = resolution_.catalogs[index];
        CatalogExplanation explanation{&answer, note_on(answer, index), {}};
        if (!answer.package || !query_.installed_error().empty()) return explanation;
        for (const PackageBundle* candidate : answer.candidates)
            explanation.bundles.push_back({candidate, true, against_candidate(*candidate, index)});
        const size_t candidates = explanation.bundles.size();
        for (const PackageBundle& bundle : answer.package->bundles) {
            if (std::find(answer.candidates.begin(), answer.candidates.end(), &bundle) !=
                answer.candidates.end())
                continue;
            BundleVerdict verdict{&bundle, false, against(*answer.package, bundle)};
            // After a crash those after it were not looked at, and nothing may speak against them.
            if (!verdict.reasons.empty()) explanation.bundles.push_back(std::move(verdict));
        }
        std::stable_sort(explanation.bundles.begin() + static_cast<ptrdiff_t>(candidates),
                         explanation.bundles.end(), [&](const BundleVerdict& a, const BundleVerdict& b) {
                             return has_higher_version(*a.bundle, *b.bundle, release_support_);
                         });
        return explanation;
    }

private:
    const BundleVersion& version(const PackageBundle& bundle) const {
        return bundle.version(release_support_);
    }
    std::string shown(const PackageBundle& bundle) const { return version_or_mark(bundle, release_support_); }

    std::string note_on(const CatalogAnswer& answer, size_t index) const {
        switch (answer.state) {
        case CatalogAnswer::State::not_selected:
            return fmt::format("the selector leaves it out: {} does not hold",
                               query_.selector().first_failing(all_labels(*answer.catalog)));
        case CatalogAnswer::State::unavailable:
            return "its availabilityMode is Unavailable";
        case CatalogAnswer::State::without_package:
            return fmt::format("it does not have package {}", query_.request().package);
        case CatalogAnswer::State::walked:
            break;
        }
        const bool ended_here = index + 1 == resolution_.catalogs.size();
        return ended_here && is_aborted() ? resolution_.error : std::string();
    }

    bool is_aborted() const {
        return resolution_.failure == Resolution::Failure::catalog ||
               resolution_.failure == Resolution::Failure::installed ||
               resolution_.failure == Resolution::Failure::crash;
    }

    std::vector<Reason> against(const PackageGraph& package, const PackageBundle& bundle) const {
        std::vector<Reason> reasons;
        if (!query_.in_channels(package, bundle))
            reasons.push_back({Kind::not_in_channel, fmt::format("not in channel {}: {}",
                                                                 fmt::join(query_.request().channels, " or "),
                                                                 channels_of(package, bundle))});
        if (!query_.in_range(bundle)) reasons.push_back(outside_range(bundle));
        if (!query_.wants_successors()) return reasons;
        const V1Edge edge = query_.edge_to(package, bundle);
        if (edge.step == Step::none)
            reasons.push_back(
                {Kind::no_edge, fmt::format("no edge from {}: {}", query_.request().installed->name,
                                            edges_of(query_, package, bundle))});
        if (edge.step == Step::crash)
            reasons.push_back({Kind::crash, fmt::format("OLM crashes on its skipRange {}",
                                                        go_quote(edge.entry.entry->source->skip_range))});
        return reasons;
    }

    Reason outside_range(const PackageBundle& bundle) const {
        if (!version(bundle))
            return {Kind::unreadable_version, "its version cannot be read: " + version(bundle).error()};
        return {Kind::outside_range,
                fmt::format("outside the range: {} does not satisfy {}", shown(bundle),
                            fmt::join(query_.range()->why_not(version(bundle)->version), " or "))};
    }

    std::vector<Reason> against_candidate(const PackageBundle& bundle, size_t index) const {
        const PackageBundle& best = *resolution_.catalogs[index].candidates[0];
        if (&bundle == &best) return against_best(best, index);
        if (bundle.deprecated && !best.deprecated)
            return {{Kind::deprecated, fmt::format("deprecated, and {} is not", best.name())}};
        if (!version(bundle))
            return {{Kind::version_not_comparable,
                     fmt::format("its version cannot be read ({}), so it ranks after {}",
                                 version(bundle).error(), best.name())}};
        if (version(best) && *version(bundle) == *version(best))
            return {{Kind::later_in_catalog,
                     fmt::format("the same version as {}, which comes first in the catalog", best.name())}};
        return {{Kind::lower_version, fmt::format("lower than {}", shown(best))}};
    }

    std::vector<Reason> against_best(const PackageBundle& best, size_t index) const {
        using Failure = Resolution::Failure;
        if (is_aborted())
            return {{Kind::aborted, "the best of this catalog, but an error ended the resolution"}};
        const auto& offering = resolution_.offering;
        const bool offered = std::find(offering.begin(), offering.end(), index) != offering.end();
        if (!offered) return {lost_to_other_catalog(best, index)};
        if (resolution_.failure == Failure::ambiguous)
            return {{Kind::ambiguous, "another catalog of the same priority offers a bundle, too"}};
        if (resolution_.failure == Failure::dependency)
            return {
                {Kind::unsupported_dependency,
                 fmt::format("its dependency ({}) is not supported by OLM v1, which tries no other bundle",
                             best.refused_by_v1->type.text)}};
        if (resolution_.failure == Failure::version)
            return {{Kind::unreadable_version, "its version cannot be read: " + version(best).error()}};
        return {};
    }

    Reason lost_to_other_catalog(const PackageBundle& best, size_t index) const {
        const CatalogAnswer& winner = resolution_.catalogs[resolution_.offering[0]];
        if (best.deprecated && !winner.candidates[0]->deprecated)
            return {Kind::deprecated_elsewhere_not,
                    fmt::format("deprecated, and {} of catalog {} is not", winner.candidates[0]->name(),
                                winner.catalog->name)};
        return {Kind::lower_priority,
                fmt::format("catalog {} has the higher priority ({} over {})", winner.catalog->name,
                            winner.catalog->priority, resolution_.catalogs[index].catalog->priority)};
    }

    const Query& query_;
    const Resolution& resolution_;
    bool release_support_;
};

} // namespace

std::string version_or_mark(const PackageBundle& bundle, bool release_support) {
    const BundleVersion& version = bundle.version(release_support);
    if (!version) return "?";
    std::string text = shown(*version, release_support);
    if (release_support && version->release && !version->release->to_string().empty())
        text += fmt::format(" release {}", version->release->to_string());
    return text;
}

std::string describe_edge(const Query& query, const Choice& choice) {
    if (!query.wants_successors() || !query.installed_error().empty()) return {};
    const V1Edge edge = query.edge_to(*choice.package, *choice.bundle);
    const auto in_channel = [&] { return fmt::format("(channel {})", edge.entry.channel->name); };
    switch (edge.step) {
    case Step::replaces:
        return fmt::format("replaces {} {}", query.request().installed->name, in_channel());
    case Step::skips:
        return fmt::format("skips {} {}", query.request().installed->name, in_channel());
    case Step::skip_range:
        return fmt::format("skipRange {} contains {} {}", go_quote(edge.entry.entry->source->skip_range),
                           query.request().installed->version, in_channel());
    case Step::same_version:
        return "the version that is installed";
    default:
        return {};
    }
}

std::vector<CatalogExplanation> explain(const Request& request, const Resolution& resolution) {
    std::vector<CatalogExplanation> explanations;
    const auto query = Query::compile(request);
    if (!query) return explanations;
    const Explainer explainer(*query, resolution);
    for (size_t i = 0; i < resolution.catalogs.size(); ++i) explanations.push_back(explainer.explain(i));
    return explanations;
}

} // namespace opcat::olmv1
