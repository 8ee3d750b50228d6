// Finds bundles that OLM v1 refuses to install although it has chosen them: bundles with other install modes
// than it supports, with API services, with webhooks (docs/spec/resolution-v1.md, "Installing the choice").
// Dependencies are refused by the resolver itself.
#pragma once

#include "opcat/catalog/catalog.hpp"
#include "opcat/kube/object.hpp"
#include "opcat/resolve/v1/olm_release.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::olmv1 {

// The facts in a ClusterServiceVersion that decide it. Nothing: that is not known.
struct InstallFacts {
    struct Webhook {
        std::string name;
        bool converts = false; // objects of one version of an API to another
    };
    std::optional<std::set<std::string>> install_modes; // those that it supports
    std::optional<bool> has_api_services;
    std::optional<std::vector<Webhook>> webhooks;
};

// From a ClusterServiceVersion with the names of its fields in Go's spelling: everything is known.
InstallFacts facts_of_csv(const kube::Fields& csv);

// As far as the catalog holds them: everything where a ClusterServiceVersion is among the olm.bundle.objects,
// all but the webhooks from olm.csv.metadata.
InstallFacts install_facts(const Bundle& bundle);

// The installer: a release of OLM v1, for a ClusterExtension.
struct Installer {
    OlmRelease release = {};
    std::string ns = {};                        // spec.namespace; empty: not known
    std::optional<std::string> watched = {};    // the namespace to watch, if the extension names one
    bool watched_is_text = true;                // otherwise it has another type, and `watched` is nothing
    std::vector<std::string> other_config = {}; // further fields of spec.config.inline
    std::string wrong_deployment_config = {};   // what OLM refuses of its deploymentConfig
};

// The fields of spec.config.inline, for a release that reads them.
void read_config(const kube::Fields& config, Installer& installer);

// For a ClusterExtension, as far as the release reads it.
Installer installer_for(const kube::Fields& extension, const OlmRelease& release);

// The subject of a refusal.
enum class InstallSubject : uint8_t { install_modes, api_services, webhooks };
// The rule that findings about it have.
std::string_view rule_of(InstallSubject subject);

struct InstallVerdict {
    // Why OLM does not install it: its message without the part that names the bundle. Empty: no reason is
    // known.
    std::string refusal = {};
    InstallSubject about = InstallSubject::install_modes; // if there is a refusal
    bool needs_watch_namespace = false;                   // naming one, or another one, would help
    bool needs_certificates = false;                      // for webhooks
    std::vector<std::string_view> unknown = {}; // without a refusal: what decides, too, and is not known
};

InstallVerdict judge_install(const InstallFacts& facts, const Installer& installer);
// Why OLM v1 does not install a bundle, as far as the catalog says: a dependency, or InstallVerdict::refusal.
std::string known_refusal(const Bundle& bundle, const Installer& installer = {});

// Returns the field with which a ClusterExtension of this release names the namespace to watch.
std::string_view watch_field(const OlmRelease& release);

// The whole message of OLM about a bundle that it does not install.
std::string refusal_message(std::string_view bundle, std::string_view version, const Installer& installer,
                            const InstallVerdict& verdict);

} // namespace opcat::olmv1
