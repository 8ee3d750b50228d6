#include "cluster/package_manifests.hpp"

#include <nlohmann/json.hpp>

namespace opcat::cluster {

const PackageChannel* PackageManifest::channel(std::string_view name) const {
    for (const PackageChannel& one : channels)
        if (one.name == name) return &one;
    return nullptr;
}

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
        for (const Json& entry : array(one, {"entries"}))
            channel.entries.push_back({text(entry, {"name"}), text(entry, {"version"})});
        if (channel.name == manifest.default_channel)
            manifest.display_name = text(one, {"currentCSVDesc", "displayName"});
    }
    return manifest;
}

} // namespace opcat::cluster
