#include "opcat/cluster/served_release.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::cluster {
namespace {

std::string resources_path() {
    return fmt::format("/apis/{}/v1", resource::v1_group);
}

std::string openapi_path() {
    return fmt::format("/openapi/v3/apis/{}/v1", resource::v1_group);
}

// The newest releases of these kinds.
constexpr unsigned last_with_account = olmv1::first_without_account - 1;
constexpr unsigned last_without_progress_deadline = 7;
constexpr unsigned last_without_config = 4;

// The OpenAPI document is the only description of the API that every user may read. Nothing: there is none.
std::optional<Object> openapi_document(const Kubectl& kubectl) {
    try {
        return kube::parse_object(kubectl.raw_once(openapi_path()), "the OpenAPI document of OLM v1");
    } catch (const KubectlError& error) {
        // API servers before 1.24 do not have it, and no release that ignores the account supports them.
        if (error.kind() != FailureKind::not_found && error.kind() != FailureKind::no_such_resource &&
            error.kind() != FailureKind::forbidden)
            throw;
        return std::nullopt;
    }
}

} // namespace

std::string revision_resource(const Kubectl& kubectl) {
    const Object served = kube::parse_object(kubectl.raw_once(resources_path()), "the resources of OLM v1");
    for (const Fields resource : served.items("resources"))
        if (const std::string_view name = resource.text("name");
            name == "clusterobjectsets" || name == "clusterextensionrevisions")
            return fmt::format("{}.{}", name, resource::v1_group);
    return {};
}

bool is_experimental(const Kubectl& kubectl) {
    return !revision_resource(kubectl).empty();
}

olmv1::OlmRelease served_release(const Kubectl& kubectl) {
    olmv1::OlmRelease release{.minor = last_with_account, .experimental = is_experimental(kubectl)};
    const std::optional<Object> document = openapi_document(kubectl);
    if (!document) return release;
    for (const Member& schema : document->members("components", "schemas")) {
        if (!schema.key.string().ends_with(".ClusterExtension")) continue;
        const Fields spec = Fields(schema.value).at("properties", "spec");
        const auto has = [&](const char* field) { return bool(spec.at("properties", field)); };
        const std::vector<std::string> required = spec.strings("required");
        if (std::find(required.begin(), required.end(), "serviceAccount") == required.end())
            release.minor = olmv1::newest_known_release;
        else if (release.experimental && !has("config"))
            release.minor = last_without_config;
        else if (release.experimental && !has("progressDeadlineMinutes"))
            release.minor = last_without_progress_deadline;
        else if (!release.experimental && has("config"))
            release.minor = olmv1::release_with_config_for_all;
    }
    return release;
}

std::vector<std::string> release_documents() {
    return {openapi_path(), resources_path()};
}

} // namespace opcat::cluster
