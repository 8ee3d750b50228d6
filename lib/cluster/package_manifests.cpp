#include "cluster/package_manifests.hpp"

#include "cluster/resources.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat::cluster {

const PackageChannel* PackageManifest::channel(std::string_view name) const {
    for (const PackageChannel& one : channels)
        if (one.name == name) return &one;
    return nullptr;
}

const PackageEntry* PackageManifest::entry(std::string_view version_or_name) const {
    for (const PackageChannel& one : channels)
        for (const PackageEntry& entry : one.entries)
            if (entry.version == version_or_name || entry.name == version_or_name) return &entry;
    return nullptr;
}

bool PackageManifest::tells_entries() const {
    return std::any_of(channels.begin(), channels.end(),
                       [](const PackageChannel& one) { return !one.entries.empty(); });
}

std::string PackageChannel::versions() const {
    constexpr size_t most = 10;
    std::string text;
    for (size_t i = 0; i < entries.size() && i < most; ++i)
        text += (i > 0 ? ", " : "") + (entries[i].version.empty() ? entries[i].name : entries[i].version);
    return entries.size() > most ? text + ", ..." : text;
}

namespace {

PackageManifest read_package_manifest(const Json& object) {
    PackageManifest manifest;
    manifest.package = text(object, {"status", "packageName"});
    if (manifest.package.empty()) manifest.package = name_of(object);
    manifest.catalog = text(object, {"status", "catalogSource"});
    manifest.catalog_ns = text(object, {"status", "catalogSourceNamespace"});
    manifest.default_channel = text(object, {"status", "defaultChannel"});
    manifest.provider = text(object, {"status", "provider", "name"});
    manifest.deprecation = text(object, {"status", "deprecation", "message"});
    for (const Json& one : array(object, {"status", "channels"})) {
        PackageChannel& channel = manifest.channels.emplace_back();
        channel.name = text(one, {"name"});
        channel.head = text(one, {"currentCSV"});
        for (const Json& mode : array(one, {"currentCSVDesc", "installModes"}))
            if (flag(mode, {"supported"})) channel.install_modes.push_back(text(mode, {"type"}));
        for (const Json& crd : array(one, {"currentCSVDesc", "customresourcedefinitions", "owned"}))
            channel.crds.push_back(text(crd, {"name"}));
        for (const Json& entry : array(one, {"entries"}))
            channel.entries.push_back({text(entry, {"name"}), text(entry, {"version"})});
        if (channel.name == manifest.default_channel)
            manifest.display_name = text(one, {"currentCSVDesc", "displayName"});
    }
    return manifest;
}

} // namespace

std::vector<PackageManifest> list_packages(const Kubectl& kubectl, const std::string& ns) {
    std::vector<PackageManifest> packages;
    for (const Json& object : kubectl.list(resource::package_manifests, Scope::in(ns)))
        packages.push_back(read_package_manifest(object));
    if (!packages.empty()) return packages;
    // While an API server behind the API server does not answer, kubectl knows nothing of its resources.
    try {
        kubectl.raw("/apis/packages.operators.coreos.com/v1");
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::no_such_resource && error.kind() != FailureKind::not_found) throw;
    }
    return packages;
}

} // namespace opcat::cluster
