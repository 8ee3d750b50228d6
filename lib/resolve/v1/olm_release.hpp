// The releases of OLM v1 (operator-controller), their feature sets, and what differs between them. Read from
// the manifests and the feature gates of the releases 1.0 to 1.11 (docs/spec/resolution-v1.md, "Releases").
#pragma once

#include <string>
#include <string_view>

namespace opcat::olmv1 {

// Since `first_without_account` OLM v1 installs with rights of its own and ignores the account of a
// ClusterExtension.
inline constexpr unsigned first_without_account = 11;
inline constexpr unsigned newest_known_release = 11;
inline constexpr unsigned first_with_feature_sets = 4;
// The only release whose standard set has SingleOwnNamespaceInstallSupport, and with it spec.config.
inline constexpr unsigned release_with_config_for_all = 8;

// The minor version of "1.8", "v1.8" or "1.8.0". Throws RequestError for an unknown release.
unsigned known_release(const std::string& version);

// A release, by its minor version, with one of its feature sets.
struct OlmRelease {
    unsigned minor = newest_known_release;
    bool experimental = false;

    // `feature_set`: "standard" or "experimental"; empty values: the newest release, the standard set. Throws
    // RequestError for an unknown release, and for a set that it does not have.
    static OlmRelease named(const std::string& release, std::string_view feature_set);

    std::string version() const; // "1.11"
    std::string_view feature_set() const { return experimental ? "experimental" : "standard"; }
    std::string describe() const; // "OLM v1 1.11 (standard feature set)"

    // Feature gates.
    bool supports_one_namespace() const;
    bool supports_webhooks() const;
    bool supports_bundle_releases() const;
    // Fields of a ClusterExtension.
    bool has_config() const;
    bool has_deployment_config() const; // spec.config.inline.deploymentConfig
    bool has_progress_deadline() const;
    bool requires_account() const { return minor < first_without_account; }
};

} // namespace opcat::olmv1
