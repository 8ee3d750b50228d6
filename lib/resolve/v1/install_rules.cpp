#include "opcat/resolve/v1/install_rules.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/encode.hpp"
#include "opcat/kube/labels.hpp"
#include "opcat/olm/package_graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace opcat::olmv1 {
namespace {

using kube::Fields;

// Releases differ in order and words:
constexpr unsigned first_that_renders = 3;       // before, the first check is that of the install modes
constexpr unsigned first_with_own_namespace = 5; // before, SingleNamespace includes the extension's own
constexpr unsigned first_with_manifests = 6;     // before, install modes are checked last
constexpr unsigned first_with_config_schema = 7;
// Until then an annotation names the namespace to watch, since 1.5 only where the configuration has none.
constexpr unsigned last_with_watch_annotation = 5;
constexpr const char* watch_annotation = "olm.operatorframework.io/watch-namespace";

constexpr const char* all_namespaces = "AllNamespaces";
constexpr const char* own_namespace = "OwnNamespace";
constexpr const char* single_namespace = "SingleNamespace";

std::set<std::string> supported_modes(std::span<const Value> modes) {
    std::set<std::string> supported;
    for (const Fields mode : modes)
        if (mode.flag("supported")) supported.emplace(mode.text("type"));
    return supported;
}

// Manifests without one of the fields may have been written by hand: then it is not known.
InstallFacts facts_of_metadata(const Fields& metadata) {
    InstallFacts facts;
    if (metadata.at("installModes")) facts.install_modes = supported_modes(metadata.items("installModes"));
    if (metadata.at("apiServiceDefinitions"))
        facts.has_api_services = !metadata.items("apiServiceDefinitions", "owned").empty();
    return facts;
}

class Judge {
public:
    Judge(const InstallFacts& facts, const Installer& installer)
        : facts_(facts), installer_(installer), release_(installer.release) {}

    InstallVerdict verdict() {
        const Rule modes{&Judge::modes, InstallSubject::install_modes};
        const Rule api_services{&Judge::api_services, InstallSubject::api_services};
        const Rule webhooks{&Judge::webhooks, InstallSubject::webhooks};
        const Rule conversions{&Judge::conversions, InstallSubject::webhooks};
        if (release_.minor < first_that_renders)
            check({modes, api_services, webhooks});
        else if (release_.minor < first_with_manifests)
            check({api_services, webhooks, modes});
        else
            check({api_services, modes, conversions});
        if (!verdict_.refusal.empty()) {
            verdict_.unknown.clear();
            return std::move(verdict_);
        }
        if (!facts_.install_modes) verdict_.unknown.emplace_back("install modes");
        if (!facts_.has_api_services) verdict_.unknown.emplace_back("API services");
        if (!facts_.webhooks) verdict_.unknown.emplace_back("webhooks");
        verdict_.needs_certificates = facts_.webhooks && !facts_.webhooks->empty();
        return std::move(verdict_);
    }

private:
    struct Rule {
        std::string (Judge::*refusal)();
        InstallSubject about;
    };

    void check(std::initializer_list<Rule> rules) {
        for (const Rule& rule : rules) {
            verdict_.refusal = (this->*rule.refusal)();
            verdict_.about = rule.about;
            if (!verdict_.refusal.empty()) return;
        }
    }

    const char* unsupported() const {
        return release_.minor < first_that_renders ? "" : "unsupported bundle: ";
    }

    std::string api_services() {
        if (!facts_.has_api_services.value_or(false)) return {};
        return fmt::format("{}apiServiceDefintions are not supported", unsupported()); // [sic]
    }

    std::string webhooks() {
        if (release_.supports_webhooks() || !facts_.webhooks || facts_.webhooks->empty()) return {};
        return fmt::format("{}webhookDefinitions are not supported", unsupported());
    }

    // Since the release that has them in every feature set.
    std::string conversions() {
        if (!facts_.webhooks || !facts_.install_modes ||
            (facts_.install_modes->size() == 1 && facts_.install_modes->contains(all_namespaces)))
            return {};
        std::string text;
        for (const InstallFacts::Webhook& webhook : *facts_.webhooks)
            if (webhook.converts)
                text += fmt::format("{}bundle contains conversion webhook {} and supports install modes [{}] "
                                    "- conversion webhooks are only supported for bundles that only support "
                                    "AllNamespaces install mode",
                                    text.empty() ? "" : "\n", go_quote(webhook.name),
                                    fmt::join(*facts_.install_modes, " "));
        return text;
    }

    bool supports(const char* mode) const { return facts_.install_modes->contains(mode); }

    std::string modes() {
        if (std::string refused = refused_fields(); !refused.empty()) return refused;
        if (!facts_.install_modes) return {};
        std::string refused =
            release_.minor < first_with_manifests ? refused_target() : refused_by_manifests();
        verdict_.needs_watch_namespace = !refused.empty() && release_.supports_one_namespace() &&
                                         (supports(single_namespace) || supports(own_namespace));
        return refused;
    }

    // The configuration is wrong, whatever the install modes are.
    std::string refused_fields() {
        if (!release_.supports_one_namespace()) return {};
        if (!installer_.watched_is_text) return "spec.config.inline.watchNamespace is not a string";
        if (release_.minor < first_with_manifests) return {};
        for (const std::string& field : installer_.other_config) {
            if (field != "deploymentConfig" || !release_.has_deployment_config())
                return configuration_error(fmt::format("unknown field {}", go_quote(field)));
            if (!installer_.wrong_deployment_config.empty())
                return configuration_error(installer_.wrong_deployment_config);
            verdict_.unknown.emplace_back("deploymentConfig");
        }
        return {};
    }

    std::string configuration_error(const std::string& reason) const {
        return (release_.minor < first_with_config_schema
                    ? "invalid bundle configuration: error unmarshalling registry+v1 configuration: "
                    : "invalid ClusterExtension configuration: invalid configuration: ") +
               reason;
    }

    // Returns why operators of these modes cannot watch the namespace. Without a namespace they watch all.
    std::string refused_target() const {
        const std::string target = release_.supports_one_namespace() ? installer_.watched.value_or("") : "";
        const bool own = target == installer_.ns;
        std::string reason;
        if (target.empty()) {
            if (supports(all_namespaces)) return {};
            reason = "targeting all namespaces";
        } else if (own && release_.minor >= first_with_own_namespace) {
            if (supports(own_namespace)) return {};
            reason = "targeting own namespace";
        } else {
            if (supports(single_namespace) || (own && supports(own_namespace))) return {};
            reason = fmt::format("target namespaces [{}]", target);
        }
        return fmt::format(
            "{}supported install modes [{}] do not support {}",
            release_.minor < first_that_renders
                ? std::string()
                : fmt::format("error rendering bundle: invalid option(s): invalid target namespaces [{}]: ",
                              target),
            fmt::join(*facts_.install_modes, " "), reason);
    }

    std::string refused_by_manifests() {
        if (!release_.supports_one_namespace() && !supports(all_namespaces))
            return "unsupported bundle: bundle does not support AllNamespaces install mode";
        if (!supports(all_namespaces) && !supports(single_namespace) && !supports(own_namespace))
            return "unsupported bundle: bundle must support at least one of [AllNamespaces SingleNamespace "
                   "OwnNamespace] install modes";
        if (!release_.supports_one_namespace()) return {};
        const std::string refused = refused_namespace();
        return refused.empty() ? refused : configuration_error(refused);
    }

    std::string refused_namespace() const {
        const bool is_configurable = supports(single_namespace) || supports(own_namespace);
        if (!installer_.watched)
            return is_configurable && !supports(all_namespaces)
                       ? "required field \"watchNamespace\" is missing"
                       : std::string();
        if (!is_configurable) return "unknown field \"watchNamespace\"";
        const std::string& watched = *installer_.watched;
        if (!kube::is_namespace_name(watched))
            return fmt::format("watchNamespace {} is not the name of a namespace", go_quote(watched));
        const bool own = watched == installer_.ns;
        if (supports(own ? own_namespace : single_namespace)) return {};
        if (release_.minor < first_with_config_schema)
            return fmt::format("invalid 'watchNamespace' {}: must {}be install namespace ({})",
                               go_quote(watched), own ? "not " : "", installer_.ns);
        const std::string reason =
            own ? fmt::format("must be different from {} (the install namespace) because this operator uses "
                              "SingleNamespace install mode to watch a different namespace",
                              go_quote(installer_.ns))
                : fmt::format("must be {} (the namespace where the operator is installed) because this "
                              "operator only supports OwnNamespace install mode",
                              go_quote(installer_.ns));
        // If the field may be missing, OLM does not say why it refuses the value.
        if (supports(all_namespaces)) return fmt::format("watchNamespace {} {}", go_quote(watched), reason);
        return fmt::format("invalid format for field \"watchNamespace\": '{}' is not valid "
                           "{}NamespaceInstallMode: invalid value {}: {}",
                           watched, own ? "single" : "own", go_quote(watched), reason);
    }

    const InstallFacts& facts_;
    const Installer& installer_;
    const OlmRelease& release_;
    InstallVerdict verdict_;
};

} // namespace

std::string_view rule_of(InstallSubject subject) {
    constexpr std::string_view modes_rule = "v1-install-modes";
    constexpr std::string_view services_rule = "v1-api-services";
    constexpr std::string_view webhooks_rule = "v1-webhooks";
    return subject == InstallSubject::install_modes  ? modes_rule
           : subject == InstallSubject::api_services ? services_rule
                                                     : webhooks_rule;
}

InstallFacts facts_of_csv(const Fields& csv) {
    InstallFacts facts;
    facts.install_modes = supported_modes(csv.items("spec", "installModes"));
    facts.has_api_services = !csv.items("spec", "apiservicedefinitions", "owned").empty();
    facts.webhooks.emplace();
    for (const Fields webhook : csv.items("spec", "webhookdefinitions"))
        facts.webhooks->push_back(
            {std::string(webhook.text("generateName")), webhook.text("type") == "ConversionWebhook"});
    return facts;
}

InstallFacts install_facts(const Bundle& bundle) {
    if (const auto csv = csv_among_objects(bundle); csv && csv->problem.empty())
        return facts_of_csv(go::with_field_names(csv->value, go::type_named("ClusterServiceVersion"),
                                                 csv->route(), *csv->arena));
    for (const Property& property : bundle.properties) {
        if (property.type != property_type::csv_metadata || !property.value) continue;
        Arena arena;
        return facts_of_metadata(go::with_field_names(*property.value, go::type_named("property.CSVMetadata"),
                                                      go::Route::map, arena));
    }
    return {};
}

namespace {

// OLM checks it by a JSON schema, which knows the fields at the top and the types of what is below them.
std::string wrong_in_deployment_config(const Value& config) {
    const go::Type& type = go::type_named("deployment_config");
    const go::Decoded decoded = go::decode(config, type, {.unknown_keys = go::UnknownKeys::list});
    for (const go::UnknownKey& unknown : decoded.unknown_keys)
        if (unknown.in == &type) return fmt::format("unknown field {}", go_quote(unknown.key.string()));
    return decoded.misfits.empty() ? std::string() : decoded.misfits.front().message("deploymentConfig");
}

} // namespace

void read_config(const Fields& config, Installer& installer) {
    if (const Fields watched = config.at("watchNamespace")) {
        installer.watched_is_text = watched.value().is_string();
        if (installer.watched_is_text) installer.watched = watched.text();
    }
    for (const Member& member : config.members()) {
        const std::string_view field = member.key.string();
        if (field == "watchNamespace") continue;
        installer.other_config.emplace_back(field);
        if (field == "deploymentConfig" && !member.value.is_null())
            installer.wrong_deployment_config = wrong_in_deployment_config(member.value);
    }
}

Installer installer_for(const Fields& extension, const OlmRelease& release) {
    Installer installer{.release = release, .ns = std::string(extension.text("spec", "namespace"))};
    const Fields config = release.has_config() ? extension.at("spec", "config", "inline") : Fields();
    read_config(config, installer);
    if (!config && release.supports_one_namespace() && release.minor <= last_with_watch_annotation)
        if (const std::string_view watched = extension.annotation(watch_annotation); !watched.empty())
            installer.watched = watched;
    return installer;
}

InstallVerdict judge_install(const InstallFacts& facts, const Installer& installer) {
    return Judge(facts, installer).verdict();
}

std::string known_refusal(const Bundle& bundle, const Installer& installer) {
    if (const Property* const dependency = dependency_refused_by_v1(bundle))
        return fmt::format("it declares a dependency ({}), which OLM v1 does not support",
                           dependency->type.text);
    return judge_install(install_facts(bundle), installer).refusal;
}

std::string_view watch_field(const OlmRelease& release) {
    return release.has_config() ? "spec.config.inline.watchNamespace"
                                : "annotation olm.operatorframework.io/watch-namespace";
}

std::string refusal_message(std::string_view bundle, std::string_view version, const Installer& installer,
                            const InstallVerdict& verdict) {
    const std::string which =
        fmt::format("for resolved bundle {} with version {}", go_quote(bundle), go_quote(version));
    return installer.release.minor < first_that_renders ? fmt::format("{} {}", verdict.refusal, which)
                                                        : fmt::format("error {}: {}", which, verdict.refusal);
}

} // namespace opcat::olmv1
