#include "resolve/v1/journey.hpp"

#include "resolve/v1/explanation.hpp"
#include "resolve/v1/upgrade_path.hpp"

#include <set>
#include <tuple>

namespace opcat::olmv1 {
namespace {

using State = std::tuple<std::string, std::string, std::optional<std::string>>;

State state_of(const InstalledBundle& installed) {
    return {installed.name, installed.version, installed.release};
}

} // namespace

Journey travel(const Request& request, std::span<const NamedCatalog> catalogs) {
    Journey journey;
    Request current = request;
    std::set<State> visited;
    if (request.installed) visited.insert(state_of(*request.installed));
    for (;;) {
        const Resolution resolution = resolve(current, catalogs);
        if (!resolution.choice) {
            journey.end = Journey::End::fails;
            journey.error = resolution.error;
            return journey;
        }
        const Choice& choice = *resolution.choice;
        InstalledBundle next = as_installed(*choice.bundle, request.release_support);
        if (current.installed && state_of(next) == state_of(*current.installed)) return journey;
        std::string edge;
        if (const auto query = Query::compile(current)) edge = describe_edge(*query, choice);
        journey.hops.push_back({choice, std::move(edge)});
        if (!visited.insert(state_of(next)).second) {
            journey.end = Journey::End::circles;
            return journey;
        }
        current.installed = std::move(next);
    }
}

} // namespace opcat::olmv1
