#include "opcat/resolve/v1/installed.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/installed_name.hpp"
#include "opcat/resolve/v1/upgrade_path.hpp"

#include <fmt/core.h>

#include <set>

namespace opcat::olmv1 {
namespace {

std::optional<semver::VersionRelease> known_version(const PackageBundle& bundle, bool release_support) {
    const BundleVersion& version = bundle.version(release_support);
    if (!version) return std::nullopt;
    // With the gate the release is a field of its own, and not part of what is called the version.
    return release_support ? semver::VersionRelease{version->version, std::nullopt} : *version;
}

bool has_release(const PackageBundle& bundle, std::string_view release) {
    const BundleVersion& version = bundle.version(true);
    return version && version->release && version->release->to_string() == release;
}

// All bundles that the request's package has in the catalogs, then what only its channels name.
struct PackageBundles {
    std::vector<KnownBundle> known;
    std::vector<const PackageBundle*> bundles; // of the same places, as far as they go
};

PackageBundles bundles_of(const Request& request, const std::optional<std::string_view>& release,
                          std::span<const NamedCatalog> catalogs) {
    PackageBundles all;
    std::set<std::string_view> names;
    for (const NamedCatalog& catalog : catalogs) {
        const PackageGraph* const package = catalog.index->find(request.package);
        if (!package) continue;
        for (const PackageBundle& bundle : package->bundles) {
            names.insert(bundle.name());
            if (release && !has_release(bundle, *release)) continue;
            all.known.push_back(
                {package->name, bundle.name(), known_version(bundle, request.release_support), true});
            all.bundles.push_back(&bundle);
        }
    }
    const auto add = [&](std::string_view package, std::string_view name) {
        if (!name.empty() && names.insert(name).second)
            all.known.push_back({package, name, std::nullopt, false});
    };
    for (const NamedCatalog& catalog : catalogs) {
        const PackageGraph* const package = catalog.index->find(request.package);
        if (!package) continue;
        for (const GraphNode& node : package->nodes) add(package->name, node.name);
    }
    return all;
}

// Only a name with a version describes an installed bundle of a package that no catalog has.
void require_package(std::string_view package, std::span<const NamedCatalog> catalogs) {
    std::vector<std::string_view> known;
    for (const NamedCatalog& catalog : catalogs) {
        if (catalog.index->find(package)) return;
        for (const std::string_view name : catalog.index->package_names()) known.push_back(name);
    }
    const std::string near = did_you_mean(package, known);
    throw RequestError(fmt::format("no catalog has package {}", package),
                       near.empty() ? "if it is no longer in the catalog, write BUNDLE@VERSION" : near);
}

} // namespace

InstalledBundle read_installed(std::string_view text, const Request& request,
                               std::span<const NamedCatalog> catalogs) {
    constexpr std::string_view setting = ",release=";
    std::optional<std::string_view> release;
    if (const size_t comma = text.find(setting); comma != text.npos) {
        release = text.substr(comma + setting.size());
        text = text.substr(0, comma);
    }
    if (text.find('@') == text.npos) require_package(request.package, catalogs);
    const PackageBundles all = bundles_of(request, release, catalogs);
    const InstalledName name = read_installed_name(text, all.known, GoneBundle::with_name);
    const auto place = name.bundle ? static_cast<size_t>(name.bundle - all.known.data()) : all.known.size();
    InstalledBundle installed{std::string(name.name), {}, std::nullopt};
    if (place < all.bundles.size() && all.known[place].version)
        installed = as_installed(*all.bundles[place], request.release_support);
    else if (name.version)
        installed.version = name.version->to_legacy_string();
    if (release) installed.release = *release;
    return installed;
}

std::vector<InstalledOperator> find_operator(std::string_view text, std::span<const NamedCatalog> catalogs) {
    std::vector<KnownBundle> known;
    std::vector<InstalledOperator> operators; // of the same places
    for (const NamedCatalog& catalog : catalogs) {
        for (const std::string_view package_name : catalog.index->package_names()) {
            const PackageGraph& package = *catalog.index->find(package_name);
            for (const PackageBundle& bundle : package.bundles) {
                known.push_back({package_name, bundle.name(), known_version(bundle, false), true});
                operators.push_back({&catalog, &package, &bundle});
            }
        }
    }
    const InstalledName name = read_installed_name(text, known, GoneBundle::refused);
    std::vector<InstalledOperator> found;
    for (size_t i = 0; i < known.size(); ++i)
        if (known[i].package == name.bundle->package && known[i].name == name.bundle->name)
            found.push_back(operators[i]);
    return found;
}

} // namespace opcat::olmv1
