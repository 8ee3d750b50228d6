#include "opcat/resolve/v1/olm_release.hpp"

#include "opcat/base/error.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

namespace opcat::olmv1 {
namespace {

constexpr unsigned first_with_config = 5;
constexpr unsigned first_with_deployment_config = 8;
constexpr unsigned first_with_progress_deadline = 8;
// WebhookProviderCertManager: in the standard set, too.
constexpr unsigned first_with_webhooks_for_all = 6;
constexpr unsigned first_with_bundle_releases = 9;

} // namespace

unsigned known_release(const std::string& version) {
    const std::string_view text = std::string_view(version).substr(version.starts_with('v') ? 1 : 0);
    const auto parsed = semver::Version::parse_tolerant(text);
    if (!parsed || parsed->major != 1 || parsed->minor > newest_known_release)
        throw RequestError(fmt::format("OLM v1 has no release {} that opcat knows", version),
                           fmt::format("1.0 to 1.{} are known", newest_known_release));
    return static_cast<unsigned>(parsed->minor);
}

OlmRelease OlmRelease::named(const std::string& release, std::string_view feature_set) {
    OlmRelease named;
    if (!release.empty()) named.minor = known_release(release);
    named.experimental = feature_set == "experimental";
    if (named.experimental && named.minor < first_with_feature_sets)
        throw RequestError(fmt::format("OLM v1 {} has no experimental feature set", named.version()),
                           fmt::format("there is one since 1.{}", first_with_feature_sets));
    return named;
}

std::string OlmRelease::version() const {
    return fmt::format("1.{}", minor);
}

std::string OlmRelease::describe() const {
    return fmt::format("OLM v1 {} ({} feature set)", version(), feature_set());
}

bool OlmRelease::supports_one_namespace() const {
    return experimental || minor == release_with_config_for_all;
}

bool OlmRelease::supports_webhooks() const {
    return experimental || minor >= first_with_webhooks_for_all;
}

bool OlmRelease::supports_bundle_releases() const {
    return experimental && minor >= first_with_bundle_releases;
}

bool OlmRelease::has_config() const {
    return minor == release_with_config_for_all || (experimental && minor >= first_with_config);
}

bool OlmRelease::has_deployment_config() const {
    return has_config() && minor >= first_with_deployment_config;
}

bool OlmRelease::has_progress_deadline() const {
    return experimental && minor >= first_with_progress_deadline;
}

} // namespace opcat::olmv1
