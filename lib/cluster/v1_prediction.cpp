#include "cluster/v1_prediction.hpp"

#include "base/error.hpp"
#include "cluster/crd_safety.hpp"
#include "cluster/plain_set.hpp"
#include "cluster/resources.hpp"
#include "cluster/v1_state.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace opcat::cluster {
namespace {

std::vector<olmv1::Choice> steps_from(std::optional<olmv1::Choice> next, olmv1::Request request,
                                      const V1Catalogs& catalogs) {
    constexpr size_t most = 10;
    std::vector<olmv1::Choice> steps;
    while (next && steps.size() < most &&
           (steps.empty() || next->bundle->name() != steps.back().bundle->name())) {
        steps.push_back(*next);
        request.installed =
            olmv1::InstalledBundle{std::string(next->bundle->name()), next->version, next->release};
        next = olmv1::resolve(request, catalogs.named()).choice;
    }
    return steps;
}

// The owner of a CustomResourceDefinition that keeps the extension from having it; empty if none does.
std::string other_owner(const Json& crd, const std::string& extension) {
    const std::string owner = label(crd, owner_name_label);
    if (owner == extension) return {};
    if (!owner.empty()) return "of ClusterExtension " + owner;
    if (label(crd, "olm.managed") == "true") return "of an operator of OLM classic";
    if (!label(crd, set_label).empty()) return "of an operator without OLM";
    return "nobody's that OLM v1 knows";
}

// The definition as the cluster has it after an upgrade: versions that were stored once stay in its status.
Json upgraded(const Json& before, const Json& wanted) {
    Json after = wanted;
    std::vector<std::string> stored = strings(before, {"status", "storedVersions"});
    for (const Json& version : array(wanted, {"spec", "versions"}))
        if (const std::string name = text(version, {"name"});
            flag(version, {"storage"}) && std::find(stored.begin(), stored.end(), name) == stored.end())
            stored.push_back(name);
    after["status"]["storedVersions"] = std::move(stored);
    return after;
}

// Throws Error if a bundle cannot be read.
std::vector<std::string> definition_problems(const Kubectl& kubectl, const std::string& extension,
                                             const std::vector<olmv1::Choice>& steps,
                                             const V1Catalogs& catalogs) {
    std::map<std::string, Json> definitions;
    std::vector<std::string> problems;
    for (const olmv1::Choice& step : steps) {
        const bool later = &step != &steps.front();
        for (const Json& crd : catalogs.content_of(*step.bundle->bundle).crds) {
            const std::string name = name_of(crd);
            if (!definitions.contains(name))
                if (auto existing = kubectl.get(resource::crds, name)) {
                    if (const std::string owner = other_owner(*existing, extension); !owner.empty())
                        problems.push_back(fmt::format("CustomResourceDefinition '{}' already exists and "
                                                       "cannot be managed by operator-controller: it is {}",
                                                       name, owner));
                    else
                        definitions.emplace(name, std::move(*existing));
                }
            const auto before = definitions.find(name);
            if (before != definitions.end())
                for (const std::string& danger : crd_dangers(before->second, crd))
                    problems.push_back(fmt::format(
                        "{}validating upgrade for CRD \"{}\": {}",
                        later ? fmt::format("on the way, at {}: ", step.bundle->name()) : "", name, danger));
            definitions[name] = upgraded(before == definitions.end() ? Json() : before->second, crd);
        }
        if (!problems.empty()) break;
    }
    return problems;
}

} // namespace

V1Prediction predict_v1(const Kubectl& kubectl, const std::string& extension, const olmv1::Request& request,
                        const V1Catalogs& catalogs) {
    V1Prediction prediction;
    prediction.resolution = olmv1::resolve(request, catalogs.named());
    PredictedPath& path = prediction.path;
    path.steps = steps_from(prediction.resolution.choice, request, catalogs);
    try {
        prediction.problems = definition_problems(kubectl, extension, path.steps, catalogs);
    } catch (const Error& error) {
        prediction.definitions_unknown = error.what();
    }
    if (!path.steps.empty() && prediction.problems.empty()) path.end = path.steps.back().bundle->name();
    return prediction;
}

std::vector<Json> render_path(const PredictedPath& path, const V1Catalogs& catalogs,
                              const RenderOptions& options) {
    std::vector<Json> objects;
    for (const olmv1::Choice& step : path.steps)
        for (Json& object : render_bundle(catalogs.content_of(*step.bundle->bundle), options))
            objects.push_back(std::move(object));
    return objects;
}

std::optional<olmv1::InstalledBundle> installed_of(const Json& extension) {
    const std::string name = text(extension, {"status", "install", "bundle", "name"});
    if (name.empty()) return std::nullopt;
    return olmv1::InstalledBundle{name, text(extension, {"status", "install", "bundle", "version"}),
                                  std::nullopt};
}

} // namespace opcat::cluster
