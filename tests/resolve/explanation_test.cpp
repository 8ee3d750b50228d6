// The choice and its explanation on random catalogs, judged by the catalogs' blobs alone.
#include "opcat/resolve/v1/explanation.hpp"
#include "random_catalog.hpp"

#include <algorithm>

using namespace opcat;
using namespace opcat::olmv1;

namespace {

constexpr unsigned catalogs_tried = 3000;

// The predicates and the order once more, as simple as possible.
class Truth {
public:
    Truth(const Request& request, const PackageGraph& package) : request_(request), package_(package) {}

    bool in_channel(std::string_view bundle) const {
        return request_.channels.empty() || any_entry(bundle, [](const ChannelEntry&) { return true; });
    }
    bool in_range(const PackageBundle& bundle) const {
        if (request_.version.empty()) return true;
        const BundleVersion version = version_of(*bundle.bundle, request_.release_support);
        return version && (*semver::Constraints::parse(request_.version)).check(version->version);
    }
    bool can_follow(const PackageBundle& bundle) const {
        if (!request_.installed || request_.policy == Policy::self_certified) return true;
        const auto installed = semver::VersionRelease::parse_legacy(request_.installed->version);
        REQUIRE(installed);
        const BundleVersion version = version_of(*bundle.bundle, request_.release_support);
        if (version && *version == *installed) return true;
        return any_entry(bundle.name(), [&](const ChannelEntry& entry) {
            if (entry.replaces == request_.installed->name) return true;
            for (const Text& skipped : entry.skips)
                if (skipped == request_.installed->name) return true;
            const auto range = semver::BlangRange::parse(entry.skip_range);
            return range && range->contains(installed->version);
        });
    }
    bool would_crash(const PackageBundle& bundle) const {
        const auto installed = semver::VersionRelease::parse_legacy(request_.installed->version);
        return any_entry(bundle.name(), [&](const ChannelEntry& entry) {
            const auto range = semver::BlangRange::parse(entry.skip_range);
            return range && range->ask(installed->version) == semver::BlangRange::Answer::crash;
        });
    }
    bool is_candidate(const PackageBundle& bundle) const {
        return in_channel(bundle.name()) && in_range(bundle) && can_follow(bundle);
    }
    bool is_deprecated(const PackageBundle& bundle) const {
        if (!package_.deprecations) return false;
        return std::any_of(package_.deprecations->entries.begin(), package_.deprecations->entries.end(),
                           [&](const DeprecationEntry& entry) {
                               return entry.schema == schema::bundle && entry.name == bundle.name();
                           });
    }
    bool is_better(const PackageBundle& a, const PackageBundle& b) const {
        if (is_deprecated(a) != is_deprecated(b)) return is_deprecated(b);
        const BundleVersion version_a = version_of(*a.bundle, request_.release_support);
        const BundleVersion version_b = version_of(*b.bundle, request_.release_support);
        if (!version_a || !version_b) return version_a && !version_b;
        return *version_a > *version_b;
    }

private:
    template <typename Test>
    bool any_entry(std::string_view bundle, Test test) const {
        for (const ChannelGraph& channel : package_.channels) {
            const auto& wanted = request_.channels;
            if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), channel.name) == wanted.end())
                continue;
            for (const ChannelEntry& entry : channel.channel->entries)
                if (entry.name == bundle && test(entry)) return true;
        }
        return false;
    }

    const Request& request_;
    const PackageGraph& package_;
};

bool is_true(const Reason& reason, const PackageBundle& bundle, const CatalogExplanation& explanation,
             const Resolution& resolution, const Request& request) {
    const CatalogAnswer& answer = *explanation.answer;
    const Truth truth(request, *answer.package);
    const PackageBundle* const best = answer.candidates.empty() ? nullptr : answer.candidates[0];
    const BundleVersion version = version_of(*bundle.bundle, request.release_support);
    const auto other_offers = [&](auto test) {
        return std::any_of(resolution.catalogs.begin(), resolution.catalogs.end(),
                           [&](const CatalogAnswer& other) {
                               return &other != &answer && !other.candidates.empty() && test(other);
                           });
    };
    switch (reason.kind) {
    case Reason::Kind::not_in_channel:
        return !truth.in_channel(bundle.name());
    case Reason::Kind::unreadable_version:
        return !version;
    case Reason::Kind::outside_range:
        return version && !truth.in_range(bundle);
    case Reason::Kind::no_edge:
        return !truth.can_follow(bundle);
    case Reason::Kind::crash:
        return truth.would_crash(bundle);
    case Reason::Kind::deprecated:
        return truth.is_deprecated(bundle) && !truth.is_deprecated(*best);
    case Reason::Kind::lower_version:
        return version && version_of(*best->bundle, false) && *version < *version_of(*best->bundle, false);
    case Reason::Kind::version_not_comparable:
        return !version;
    case Reason::Kind::later_in_catalog:
        return best < &bundle && !truth.is_better(*best, bundle);
    case Reason::Kind::deprecated_elsewhere_not:
        return truth.is_deprecated(bundle) && other_offers([&](const CatalogAnswer& other) {
                   return !Truth(request, *other.package).is_deprecated(*other.candidates[0]);
               });
    case Reason::Kind::lower_priority:
        return other_offers(
            [&](const CatalogAnswer& other) { return other.catalog->priority > answer.catalog->priority; });
    case Reason::Kind::ambiguous:
        return other_offers([](const CatalogAnswer&) { return true; });
    case Reason::Kind::unsupported_dependency:
        return bundle.refused_by_v1 != nullptr;
    case Reason::Kind::aborted:
        return !resolution.choice && resolution.offering.size() < resolution.catalogs.size();
    }
    return false;
}

} // namespace

TEST_CASE("the choice is among the candidates, and no candidate is better") {
    for (unsigned seed = 0; seed < catalogs_tried; ++seed) {
        CAPTURE(seed);
        RandomCatalog random(seed);
        Cluster cluster;
        add_random(cluster, random);
        const Request request = random.request();
        const Resolution resolution = resolve(request, cluster.catalogs);
        if (resolution.failure == Resolution::Failure::crash) continue;
        for (const CatalogAnswer& answer : resolution.catalogs) {
            if (!answer.package) continue;
            const Truth truth(request, *answer.package);
            for (const PackageBundle& bundle : answer.package->bundles) {
                const bool listed = std::find(answer.candidates.begin(), answer.candidates.end(), &bundle) !=
                                    answer.candidates.end();
                CHECK(listed == truth.is_candidate(bundle));
                if (listed) CHECK_FALSE(truth.is_better(bundle, *answer.candidates[0]));
            }
        }
        const auto& chosen = resolution.choice ? resolution.choice : resolution.unvalidated;
        if (!chosen) continue;
        const auto& offer = resolution.catalogs[resolution.offering.at(0)];
        CHECK(chosen->bundle == offer.candidates[0]);
    }
}

TEST_CASE("every bundle that is not chosen has correct reasons") {
    for (unsigned seed = 0; seed < catalogs_tried; ++seed) {
        CAPTURE(seed);
        RandomCatalog random(seed);
        Cluster cluster;
        add_random(cluster, random);
        const Request request = random.request();
        const Resolution resolution = resolve(request, cluster.catalogs);
        size_t chosen = 0;
        for (const CatalogExplanation& explanation : explain(request, resolution)) {
            if (!explanation.answer->package) {
                CHECK_FALSE(explanation.note.empty());
                continue;
            }
            // If OLM crashes, it has not checked all of them.
            if (resolution.failure != Resolution::Failure::crash)
                CHECK(explanation.bundles.size() == explanation.answer->package->bundles.size());
            for (const BundleVerdict& verdict : explanation.bundles) {
                if (verdict.reasons.empty()) {
                    ++chosen;
                    CHECK(verdict.bundle == resolution.choice->bundle);
                }
                for (const Reason& reason : verdict.reasons) {
                    CAPTURE(reason.text);
                    CHECK(is_true(reason, *verdict.bundle, explanation, resolution, request));
                }
            }
        }
        CHECK(chosen == (resolution.choice ? 1 : 0));
    }
}

TEST_CASE("a missing edge is reported, and the versions with edges") {
    Cluster cluster;
    cluster.add("c", channel_yaml("p", "stable",
                                  "{name: p.v2.0.0, replaces: p.v1.5.0, skipRange: \">=1.4.0 <2.0.0\"}") +
                         bundle_yaml("p", "2.0.0"));
    const Request request{.package = "p", .installed = InstalledBundle{"p.v1.0.0", "1.0.0", {}}};
    const Resolution resolution = resolve(request, cluster.catalogs);
    const auto explanations = explain(request, resolution);
    REQUIRE(explanations.size() == 1);
    REQUIRE(explanations[0].bundles.size() == 1);
    CHECK(explanations[0].bundles[0].reasons[0].text ==
          "no edge from p.v1.0.0: its edges come from p.v1.5.0; its skipRange is \">=1.4.0 <2.0.0\"");
}
