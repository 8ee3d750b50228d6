#include "catalogs.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/kube/object.hpp"
#include "opcat/resolve/v1/explanation.hpp"
#include "opcat/resolve/v1/upgrade_path.hpp"

#include <fmt/ranges.h>

using namespace opcat;
using namespace opcat::olmv1;

namespace {

InstallFacts of_modes(std::set<std::string> modes) {
    return {.install_modes = std::move(modes), .has_api_services = false, .webhooks = {{}}};
}

std::string modes_json(const std::vector<std::string>& modes) {
    std::string text;
    for (const char* mode : {"AllNamespaces", "MultiNamespace", "OwnNamespace", "SingleNamespace"})
        text += fmt::format("{}{{\"type\": \"{}\", \"supported\": {}}}", text.empty() ? "" : ", ", mode,
                            std::find(modes.begin(), modes.end(), mode) != modes.end());
    return "[" + text + "]";
}

std::string metadata_yaml(const std::vector<std::string>& modes, std::string_view services = "{}") {
    return fmt::format(
        "- {{type: olm.csv.metadata, value: {{installModes: {}, apiServiceDefinitions: {}}}}}\n",
        modes_json(modes), services);
}

std::string csv_yaml(std::string_view spec) {
    const std::string csv =
        fmt::format("{{\"apiVersion\": \"operators.coreos.com/v1alpha1\", \"kind\": "
                    "\"ClusterServiceVersion\", \"metadata\": {{\"name\": \"p.v1\"}}, \"spec\": {{{}}}}}",
                    spec);
    return fmt::format("- {{type: olm.bundle.object, value: {{data: {}}}}}\n", encode_base64(csv));
}

InstallVerdict verdict_on(const std::string& property, const Installer& installer = {}) {
    Cluster cluster;
    cluster.add("c", bundle_yaml("p", "1.0.0", property));
    const Request request{.package = "p", .installer = installer};
    const Resolution resolution = resolve(request, cluster.catalogs);
    REQUIRE(resolution.choice);
    return *judge_install(request, *resolution.choice);
}

} // namespace

TEST_CASE("which install modes OLM v1 refuses depends on its release and feature set") {
    struct Case {
        const char* release;
        const char* set;
        std::set<std::string> modes;
        const char* watched; // empty: none
        const char* refusal; // empty: it is installed
        bool needs_namespace;
    };
    const char* const no_all = "unsupported bundle: bundle does not support AllNamespaces install mode";
    const char* const missing = "invalid ClusterExtension configuration: invalid configuration: required "
                                "field \"watchNamespace\" is missing";
    const Case cases[] = {
        {"1.0", "", {"AllNamespaces"}, "", "", false},
        {"1.2",
         "",
         {"OwnNamespace"},
         "",
         "supported install modes [OwnNamespace] do not support targeting all namespaces",
         false},
        {"1.5",
         "",
         {"OwnNamespace", "SingleNamespace"},
         "",
         "error rendering bundle: invalid option(s): invalid target namespaces []: supported install modes "
         "[OwnNamespace SingleNamespace] do not support targeting all namespaces",
         false},
        {"1.5", "experimental", {"OwnNamespace"}, "shop", "", false},
        {"1.5",
         "experimental",
         {"OwnNamespace"},
         "other",
         "error rendering bundle: invalid option(s): invalid target namespaces [other]: supported install "
         "modes [OwnNamespace] do not support target namespaces [other]",
         true},
        {"1.4", "experimental", {"SingleNamespace"}, "shop", "", false},
        {"1.5",
         "experimental",
         {"SingleNamespace"},
         "shop",
         "error rendering bundle: invalid option(s): invalid target namespaces [shop]: supported install "
         "modes [SingleNamespace] do not support targeting own namespace",
         true},
        {"1.6", "", {"OwnNamespace"}, "", no_all, false},
        {"1.6", "", {}, "", no_all, false},
        {"1.6",
         "experimental",
         {"OwnNamespace"},
         "",
         "invalid bundle configuration: error unmarshalling registry+v1 configuration: required field "
         "\"watchNamespace\" is missing",
         true},
        {"1.6",
         "experimental",
         {"OwnNamespace"},
         "other",
         "invalid bundle configuration: error unmarshalling registry+v1 configuration: invalid "
         "'watchNamespace' \"other\": must be install namespace (shop)",
         true},
        {"1.8", "", {"OwnNamespace"}, "", missing, true},
        {"1.8", "", {"OwnNamespace"}, "shop", "", false},
        {"1.9", "", {"OwnNamespace"}, "shop", no_all, false},
        {"1.11", "", {"AllNamespaces"}, "", "", false},
        {"1.11", "experimental", {"AllNamespaces"}, "", "", false},
        {"1.11",
         "experimental",
         {"AllNamespaces"},
         "other",
         "invalid ClusterExtension configuration: invalid configuration: unknown field \"watchNamespace\"",
         false},
        {"1.11", "experimental", {"OwnNamespace"}, "", missing, true},
        {"1.11", "experimental", {"OwnNamespace"}, "shop", "", false},
        {"1.11",
         "experimental",
         {"OwnNamespace"},
         "other",
         "invalid ClusterExtension configuration: invalid configuration: invalid format for field "
         "\"watchNamespace\": 'other' is not valid ownNamespaceInstallMode: invalid value \"other\": must be "
         "\"shop\" (the namespace where the operator is installed) because this operator only supports "
         "OwnNamespace install mode",
         true},
        {"1.11", "experimental", {"SingleNamespace"}, "other", "", false},
        {"1.11",
         "experimental",
         {"SingleNamespace"},
         "shop",
         "invalid ClusterExtension configuration: invalid configuration: invalid format for field "
         "\"watchNamespace\": 'shop' is not valid singleNamespaceInstallMode: invalid value \"shop\": must "
         "be "
         "different from \"shop\" (the install namespace) because this operator uses SingleNamespace install "
         "mode to watch a different namespace",
         true},
        {"1.11",
         "experimental",
         {"MultiNamespace"},
         "",
         "unsupported bundle: bundle must support at least one of [AllNamespaces SingleNamespace "
         "OwnNamespace] install modes",
         false},
    };
    for (const Case& one : cases) {
        CAPTURE(one.release);
        CAPTURE(one.set);
        CAPTURE(fmt::format("{} {}", one.modes, one.watched));
        Installer installer{.release = OlmRelease::named(one.release, one.set), .ns = "shop"};
        if (*one.watched) installer.watched = one.watched;
        const InstallVerdict verdict = judge_install(of_modes(one.modes), installer);
        CHECK(verdict.refusal == one.refusal);
        CHECK(verdict.needs_watch_namespace == one.needs_namespace);
        CHECK(verdict.unknown.empty());
    }
}

TEST_CASE("API services are never installed, and webhooks since 1.6 or with the experimental feature set") {
    InstallFacts services = of_modes({"AllNamespaces"});
    services.has_api_services = true;
    InstallFacts webhooks = of_modes({"AllNamespaces"});
    webhooks.webhooks->push_back({"check", false});
    InstallFacts conversion = of_modes({"AllNamespaces", "OwnNamespace"});
    conversion.webhooks->push_back({"convert", true});
    const std::string no_conversion =
        "bundle contains conversion webhook \"convert\" and supports install modes [AllNamespaces "
        "OwnNamespace] - conversion webhooks are only supported for bundles that only support AllNamespaces "
        "install mode";
    const struct {
        const char* release;
        const char* set;
        const char* services;
        const char* webhooks;
        std::string conversion;
    } cases[] = {
        {"1.2", "", "apiServiceDefintions are not supported", "webhookDefinitions are not supported",
         "webhookDefinitions are not supported"},
        {"1.5", "", "unsupported bundle: apiServiceDefintions are not supported",
         "unsupported bundle: webhookDefinitions are not supported",
         "unsupported bundle: webhookDefinitions are not supported"},
        {"1.5", "experimental", "unsupported bundle: apiServiceDefintions are not supported", "", ""},
        {"1.6", "", "unsupported bundle: apiServiceDefintions are not supported", "", no_conversion},
        {"1.11", "", "unsupported bundle: apiServiceDefintions are not supported", "", no_conversion},
        {"1.11", "experimental", "unsupported bundle: apiServiceDefintions are not supported", "",
         no_conversion},
    };
    for (const auto& one : cases) {
        CAPTURE(one.release);
        CAPTURE(one.set);
        const Installer installer{.release = OlmRelease::named(one.release, one.set)};
        CHECK(judge_install(services, installer).refusal == one.services);
        const InstallVerdict of_webhooks = judge_install(webhooks, installer);
        CHECK(of_webhooks.refusal == one.webhooks);
        CHECK(of_webhooks.needs_certificates == of_webhooks.refusal.empty());
        CHECK(judge_install(conversion, installer).refusal == one.conversion);
    }
    conversion.install_modes = {"AllNamespaces"};
    CHECK(judge_install(conversion, {}).refusal.empty());
}

TEST_CASE("what a catalog does not hold is not known, unless another reason decides") {
    using Unknown = std::vector<std::string_view>;
    CHECK(verdict_on("").unknown == Unknown{"install modes", "API services", "webhooks"});
    CHECK(verdict_on("- {type: olm.csv.metadata, value: {annotations: {a: b}}}\n").unknown ==
          Unknown{"install modes", "API services", "webhooks"});
    CHECK(verdict_on(metadata_yaml({"AllNamespaces"})).unknown == Unknown{"webhooks"});
    CHECK(verdict_on(metadata_yaml({"AllNamespaces"})).refusal.empty());
    const InstallVerdict refused = verdict_on(metadata_yaml({"OwnNamespace"}));
    CHECK(refused.refusal == "unsupported bundle: bundle does not support AllNamespaces install mode");
    CHECK(refused.unknown.empty());
    CHECK(verdict_on(metadata_yaml({"AllNamespaces"}, "{owned: [{name: a}]}")).refusal ==
          "unsupported bundle: apiServiceDefintions are not supported");
    // A whole ClusterServiceVersion says everything, in any letter case of its fields.
    const std::string all = "\"installModes\": " + modes_json({"AllNamespaces"});
    CHECK(verdict_on(csv_yaml(all)).unknown.empty());
    CHECK(verdict_on(csv_yaml(all)).refusal.empty());
    CHECK(verdict_on(csv_yaml(all + ", \"webhookDefinitions\": [{\"type\": \"ConversionWebhook\"}]"))
              .needs_certificates);
    CHECK(verdict_on(csv_yaml(all + ", \"apiServiceDefinitions\": {\"owned\": [{}]}")).refusal ==
          "unsupported bundle: apiServiceDefintions are not supported");
    CHECK(verdict_on(csv_yaml("\"version\": \"1.0.0\"")).refusal ==
          "unsupported bundle: bundle does not support AllNamespaces install mode");
    CHECK(verdict_on("- {type: olm.bundle.object, value: {data: e30=}}\n").unknown.size() == 3);
}

TEST_CASE("the message names the bundle as each release does") {
    const InstallVerdict verdict{.refusal = "no"};
    CHECK(refusal_message("p.v1", "1.0.0", {.release = {.minor = 2}}, verdict) ==
          "no for resolved bundle \"p.v1\" with version \"1.0.0\"");
    CHECK(refusal_message("p.v1", "1.0.0", {}, verdict) ==
          "error for resolved bundle \"p.v1\" with version \"1.0.0\": no");
}

TEST_CASE("a ClusterExtension names its namespace to watch where its release looks for it") {
    const kube::Object extension = kube::parse_object(
        R"({"metadata": {"annotations": {"olm.operatorframework.io/watch-namespace": "noted"}}, "spec":)"
        R"( {"namespace": "shop", "config": {"inline": {"watchNamespace": "set", "deploymentConfig": {}}}}})",
        "the extension");
    const auto watched = [&](const char* release, const char* set) {
        return installer_for(extension, OlmRelease::named(release, set)).watched.value_or("-");
    };
    CHECK(watched("1.4", "standard") == "-");
    CHECK(watched("1.4", "experimental") == "noted");
    CHECK(watched("1.5", "experimental") == "set");
    CHECK(watched("1.8", "standard") == "set");
    CHECK(watched("1.11", "standard") == "-");
    const Installer installer = installer_for(extension, OlmRelease::named("1.11", "experimental"));
    CHECK(installer.ns == "shop");
    CHECK(judge_install(of_modes({"SingleNamespace"}), installer).unknown ==
          std::vector<std::string_view>{"deploymentConfig"});
    Installer other = installer;
    other.other_config = {"nothing"};
    CHECK(judge_install(of_modes({"SingleNamespace"}), other).refusal.ends_with("unknown field \"nothing\""));
    CHECK(
        judge_install({}, other).refusal.ends_with("unknown field \"nothing\"")); // whatever the bundle says
    const auto refusal_of = [&](const char* config) {
        Installer configured{.release = installer.release, .ns = "shop"};
        const kube::Object read = kube::parse_object(config, "the configuration");
        read_config(read, configured);
        return judge_install(of_modes({"AllNamespaces"}), configured).refusal;
    };
    constexpr const char* prefix = "invalid ClusterExtension configuration: invalid configuration: ";
    CHECK(
        refusal_of(
            R"({"deploymentConfig": {"env": [{"name": "A", "value": "1"}], "resources": {"limits": {"cpu": 1}},)"
            R"( "nodeSelector": {"disk": "ssd"}, "affinity": {"nodeAffinity": {}}}})") == "");
    CHECK(refusal_of(R"({"deploymentConfig": null})") == "");
    CHECK(refusal_of(R"({"deploymentConfig": {"selector": {}}})") ==
          std::string(prefix) + "unknown field \"selector\"");
    CHECK(refusal_of(R"({"deploymentConfig": {"tolerations": {}}})")
              .starts_with(std::string(prefix) + "deploymentConfig.tolerations must be a list"));
    CHECK(refusal_of(R"({"deploymentConfig": "small"})")
              .starts_with(std::string(prefix) + "deploymentConfig must be"));
    other = {.release = installer.release, .ns = "shop", .watched_is_text = false};
    CHECK(judge_install({}, other).refusal == "spec.config.inline.watchNamespace is not a string");
    CHECK(judge_install(of_modes({"SingleNamespace"}), other).refusal ==
          "spec.config.inline.watchNamespace is not a string");
}

TEST_CASE("upgrades end before a bundle that OLM v1 does not install") {
    Cluster cluster;
    cluster.add("c", channel_yaml("p", "stable",
                                  "{name: p.v1.0.0}, {name: p.v2.0.0, replaces: p.v1.0.0}, {name: p.v3.0.0, "
                                  "replaces: p.v2.0.0}") +
                         bundle_yaml("p", "1.0.0", metadata_yaml({"AllNamespaces"})) +
                         bundle_yaml("p", "2.0.0", metadata_yaml({"AllNamespaces"})) +
                         bundle_yaml("p", "3.0.0", metadata_yaml({"OwnNamespace"})));
    const std::string failure = "OLM chooses p.v3.0.0; installing it fails: unsupported bundle: bundle does "
                                "not support AllNamespaces install mode";
    Request request{.package = "p",
                    .installed = InstalledBundle{"p.v1.0.0", "1.0.0", std::nullopt},
                    .installer = Installer{}};
    const UpgradePath path = follow_upgrades(request, cluster.catalogs);
    REQUIRE(path.steps.size() == 1);
    CHECK(path.end == UpgradePath::End::fails);
    CHECK(path.error == failure);
    ThreadPool pool(1);
    const auto outcomes = upgrade_outcomes(request, cluster.catalogs, pool);
    REQUIRE(outcomes.size() == 3);
    CHECK(outcomes[0].kind == UpgradeOutcome::Kind::moves);
    CHECK(outcomes[1].kind == UpgradeOutcome::Kind::stuck);
    CHECK(outcomes[1].why == failure);
    // What is suggested instead can be installed.
    request.installed.reset();
    const Resolution resolution = resolve(request, cluster.catalogs);
    CHECK(failed_choice(request, *resolution.choice) == failure);
    const auto suggestions = suggest(request, cluster.catalogs, resolution);
    REQUIRE(suggestions.size() == 1);
    CHECK(suggestions[0].choice.bundle->name() == "p.v2.0.0");
    // Without an installer nothing is asked.
    request.installer.reset();
    CHECK(failed_choice(request, *resolution.choice).empty());
    CHECK(suggest(request, cluster.catalogs, resolution).empty());
}
