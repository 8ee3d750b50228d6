#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/bundle_checks/v1_reliance.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/go/encode.hpp"
#include "opcat/readiness/readiness.hpp"
#include "opcat/resolve/v1/install_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace opcat::readiness {
namespace {

using olmv1::InstallFacts;
using olmv1::OlmRelease;

// The names have no meaning: one stands for the namespace of the operator, one for another.
constexpr const char* own_namespace = "operator";
constexpr const char* other_namespace = "watched";

// The namespace to name as the watched one; nothing: none helps.
struct Configured {
    std::string_view watched; // empty: nothing needs to be named
};
std::optional<Configured> configuration_for(const InstallFacts& facts, const OlmRelease& release) {
    const auto installs = [&](std::optional<std::string> watched) {
        return judge_install(facts, {.release = release, .ns = own_namespace, .watched = std::move(watched)})
            .refusal.empty();
    };
    if (installs(std::nullopt)) return Configured{};
    if (!release.supports_one_namespace()) return std::nullopt;
    const bool own = installs(own_namespace);
    if (installs(other_namespace)) return Configured{own ? "a namespace" : "another namespace than its own"};
    if (own) return Configured{"its own namespace"};
    return std::nullopt;
}

// "1.3", "1.0 to 1.5", "1.8, 1.10".
std::string ranges_of(const std::vector<unsigned>& minors) {
    std::string text;
    for (size_t i = 0; i < minors.size();) {
        size_t last = i;
        while (last + 1 < minors.size() && minors[last + 1] == minors[last] + 1) ++last;
        text += text.empty() ? "" : ", ";
        text +=
            last == i ? fmt::format("1.{}", minors[i]) : fmt::format("1.{} to 1.{}", minors[i], minors[last]);
        i = last + 1;
    }
    return text;
}

std::string releases_that_install(const InstallFacts& facts) {
    std::vector<unsigned> of_set[2];
    for (unsigned minor = 0; minor <= olmv1::newest_known_release; ++minor)
        for (const bool experimental : {false, true})
            if ((!experimental || minor >= olmv1::first_with_feature_sets) &&
                configuration_for(facts, {minor, experimental}))
                of_set[experimental].push_back(minor);
    if (of_set[0].empty() && of_set[1].empty())
        return fmt::format("no release from 1.0 to 1.{} installs it", olmv1::newest_known_release);
    std::string text;
    if (!of_set[0].empty()) text = fmt::format("installed by {}", ranges_of(of_set[0]));
    if (!of_set[1].empty())
        text += fmt::format("{} {} with the experimental feature set",
                            text.empty() ? "installed by" : ", and by", ranges_of(of_set[1]));
    return text;
}

class Judge {
public:
    Judge(const Bundle& bundle, const OlmRelease& release)
        : bundle_(bundle), release_(release), facts_(olmv1::install_facts(bundle)) {
        result_.bundle = &bundle;
    }

    BundleReadiness judge() {
        check_dependencies();
        check_install_rules();
        check_contents();
        std::stable_sort(result_.reasons.begin(), result_.reasons.end(),
                         [](const Reason& a, const Reason& b) { return is_error(a) && !is_error(b); });
        result_.verdict = verdict();
        return std::move(result_);
    }

private:
    static bool is_error(const Reason& reason) { return reason.severity == Severity::error; }

    Verdict verdict() const {
        if (std::any_of(result_.reasons.begin(), result_.reasons.end(), is_error)) return Verdict::not_ready;
        if (!facts_.install_modes || bundle_.is_unknown) return Verdict::unknown;
        if (!result_.configuration.empty()) return Verdict::with_configuration;
        return result_.not_checked.empty() ? Verdict::ready : Verdict::no_obstacle_known;
    }

    void report(std::string_view rule, Severity severity, std::string message, std::string since,
                Location where = {}) {
        result_.reasons.push_back({rule, severity, std::move(message), std::move(since), where});
    }

    void check_dependencies() {
        if (const Property* const property = dependency_refused_by_v1(bundle_))
            report("v1-dependencies", Severity::error,
                   fmt::format("it has a property {}, and OLM v1 installs no bundle with dependencies",
                               property->type.text),
                   {}, bundle_.at(property->type));
    }

    void check_install_rules() {
        const olmv1::InstallVerdict verdict =
            judge_install(facts_, {.release = release_, .ns = own_namespace});
        const auto configured = configuration_for(facts_, release_);
        if (!configured) {
            report(rule_of(verdict.about), Severity::error, verdict.refusal, releases_that_install(facts_));
            return;
        }
        if (!configured->watched.empty()) {
            result_.configuration = fmt::format("{} names {}", watch_field(release_), configured->watched);
            report("v1-install-modes", Severity::warning,
                   fmt::format("it is installed only if {}", result_.configuration),
                   releases_that_install(facts_));
        }
        if (!facts_.install_modes)
            report(
                "v1-install-modes", Severity::warning,
                "its catalog does not say which install modes it supports, which decide on its installation",
                {});
        for (const std::string_view what : verdict.unknown) result_.not_checked.push_back(what);
        if (verdict.needs_certificates)
            report("v1-webhooks", Severity::note, "its webhooks need certificates from the cluster",
                   "with the gate WebhookProviderCertManager (cert-manager) or "
                   "WebhookProviderOpenshiftServiceCA");
    }

    void check_contents() {
        if (const auto csv = csv_among_objects(bundle_); !csv || !csv->problem.empty()) {
            result_.not_checked.emplace_back("manifests");
            check_metadata();
            return;
        }
        BundleManifests manifests;
        try {
            manifests = manifests_in(bundle_);
        } catch (const Error&) { // `validate` says why it cannot be read
            result_.not_checked.emplace_back("manifests");
            return;
        }
        OutcomeConditions conditions;
        conditions.olm_v1 = release_;
        conditions.install_rules_hold = true;
        for (const OutcomeProblem& problem : v1_outcome(manifests, conditions).problems)
            if (!problem.of_cluster)
                report(problem.rule, Severity::error,
                       problem.because.empty() ? on_one_line(problem.message.substr(problem.prefix))
                                               : problem.because,
                       {});
        for (Reliance& one : reliance_on_classic(manifests.csv))
            report(one.rule, Severity::warning, std::move(one.message), std::string(one.since));
    }

    void check_metadata() {
        for (const Property& property : bundle_.properties) {
            if (property.type != property_type::csv_metadata || !property.value) continue;
            Arena arena;
            const kube::Fields metadata(go::with_field_names(
                *property.value, go::type_named("property.CSVMetadata"), go::Route::map, arena));
            for (Reliance& one : reliance_of_annotations(metadata.at("annotations")))
                report(one.rule, Severity::warning, std::move(one.message), std::string(one.since));
            return;
        }
    }

    const Bundle& bundle_;
    const OlmRelease& release_;
    const InstallFacts facts_;
    BundleReadiness result_;
};

} // namespace

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
    case Verdict::ready:
        return "ready";
    case Verdict::no_obstacle_known:
        return "no obstacle known";
    case Verdict::with_configuration:
        return "with configuration";
    case Verdict::unknown:
        return "unknown";
    case Verdict::not_ready:
        return "not ready";
    }
    return {};
}

BundleReadiness readiness_of(const Bundle& bundle, const OlmRelease& release) {
    return Judge(bundle, release).judge();
}

} // namespace opcat::readiness
