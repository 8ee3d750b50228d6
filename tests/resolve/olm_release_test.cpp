#include "opcat/base/error.hpp"
#include "opcat/resolve/v1/olm_release.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace opcat;
using namespace opcat::olmv1;

TEST_CASE("the releases of OLM v1 are known by their minor versions") {
    for (const auto& [text, minor] :
         std::map<std::string, unsigned>{{"1.0", 0}, {"1.8", 8}, {"v1.8", 8}, {"1.10.0", 10}, {"1.11", 11}})
        CHECK(known_release(text) == minor);
    for (const char* text : {"", "1.12", "2.0", "0.9", "one", "latest", "v"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(known_release(text), RequestError);
    }
}

TEST_CASE("a release and its feature set decide what OLM v1 has") {
    struct Case {
        const char* release;
        const char* set;
        bool config, deadline, account, one_namespace, webhooks, bundle_releases;
    };
    // From the manifests of the releases: CustomResourceDefinitions and feature gates.
    const Case cases[] = {
        {"1.0", "standard", false, false, true, false, false, false},
        {"1.3", "standard", false, false, true, false, false, false},
        {"1.4", "standard", false, false, true, false, false, false},
        {"1.4", "experimental", false, false, true, true, true, false},
        {"1.5", "standard", false, false, true, false, false, false},
        {"1.5", "experimental", true, false, true, true, true, false},
        {"1.6", "standard", false, false, true, false, true, false},
        {"1.7", "experimental", true, false, true, true, true, false},
        {"1.8", "standard", true, false, true, true, true, false},
        {"1.8", "experimental", true, true, true, true, true, false},
        {"1.9", "standard", false, false, true, false, true, false},
        {"1.9", "experimental", true, true, true, true, true, true},
        {"1.10", "standard", false, false, true, false, true, false},
        {"1.11", "standard", false, false, false, false, true, false},
        {"1.11", "experimental", true, true, false, true, true, true},
        {"", "", false, false, false, false, true, false},
    };
    for (const Case& one : cases) {
        CAPTURE(one.release);
        CAPTURE(one.set);
        const OlmRelease release = OlmRelease::named(one.release, one.set);
        CHECK(release.has_config() == one.config);
        CHECK(release.has_progress_deadline() == one.deadline);
        CHECK(release.requires_account() == one.account);
        CHECK(release.supports_one_namespace() == one.one_namespace);
        CHECK(release.supports_webhooks() == one.webhooks);
        CHECK(release.supports_bundle_releases() == one.bundle_releases);
    }
    CHECK(OlmRelease::named("v1.5.1", "experimental").describe() == "OLM v1 1.5 (experimental feature set)");
    CHECK_THROWS_AS(OlmRelease::named("1.3", "experimental"), RequestError);
    CHECK_THROWS_AS(OlmRelease::named("1.12", ""), RequestError);
}
