#include "cluster/catalog_content.hpp"

#include "base/error.hpp"
#include "cluster/resources.hpp"
#include "lint/lint.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <set>

namespace opcat::cluster {
namespace {

std::string image_of(const Json& catalog) {
    const std::string resolved = text(catalog, {"status", "resolvedSource", "image", "ref"});
    return !resolved.empty() ? resolved : text(catalog, {"spec", "source", "image", "ref"});
}

// status.urls.base is "https://catalogd-service.olmv1-system.svc/catalogs/NAME", which only the cluster
// itself can reach; the API server passes requests on. If it names no service, the usual one is asked.
LoadedCatalog load_from_catalogd(const Kubectl& kubectl, const Json& catalog, ThreadPool& pool) {
    std::string service = "catalogd-service";
    std::string ns = "olmv1-system";
    const std::string base = text(catalog, {"status", "urls", "base"});
    if (const size_t begin = base.find("://"), svc = base.find(".svc");
        begin != base.npos && svc != base.npos) {
        const std::string host = base.substr(begin + 3, svc - begin - 3);
        if (const size_t dot = host.find('.'); dot != host.npos) {
            service = host.substr(0, dot);
            ns = host.substr(dot + 1);
        }
    }
    const std::string path =
        fmt::format("/api/v1/namespaces/{}/services/https:{}:443/proxy/catalogs/{}/api/v1/all", ns, service,
                    name_of(catalog));
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(std::make_unique<SourceFile>(path, kubectl.raw(path)));
    return load_catalog(std::move(files), pool);
}

} // namespace

LoadedCatalog CatalogAccess::load_one(const std::string& reference) const {
    return std::move(load({reference}).at(0));
}

std::string unreachable_catalog(std::string_view address) {
    return fmt::format(
        "failed to list bundles: rpc error: code = Unavailable desc = connection error: desc = "
        "\"transport: Error while dialing: dial tcp {}: connect: connection refused\"",
        address);
}

void ClassicCatalogCache::load(const std::vector<std::string>& references) {
    std::set<std::string> distinct(references.begin(), references.end());
    std::erase_if(distinct, [&](const std::string& reference) { return loaded_.contains(reference); });
    const std::vector<std::string> missing(distinct.begin(), distinct.end());
    std::vector<LoadedCatalog> catalogs = access_.load(missing);
    for (size_t i = 0; i < missing.size(); ++i) {
        Diagnostics findings = find_errors(catalogs[i], access_.pool);
        loaded_[missing[i]] = {std::move(catalogs[i].catalog), std::move(findings)};
    }
}

const ClassicCatalogCache::Loaded& ClassicCatalogCache::loaded(const std::string& reference) {
    load({reference});
    return loaded_.at(reference);
}

const Diagnostics& ClassicCatalogCache::findings(const std::string& reference) {
    return loaded(reference).findings;
}

classic::AvailableCatalog ClassicCatalogCache::catalog(const classic::CatalogKey& key,
                                                       const std::string& reference) {
    const Loaded& served = loaded(reference);
    // The port that a registry would listen on.
    if (!served.findings.empty()) return {key, nullptr, unreachable_catalog("127.0.0.1:50051")};
    auto& snapshot = snapshots_[{reference, key}];
    if (!snapshot) snapshot = classic::catalog_snapshot(key, served.catalog);
    return {key, snapshot, {}};
}

V1Catalogs::V1Catalogs(const Kubectl& kubectl, const std::string& only, CatalogAccess access)
    : access_(std::move(access)) {
    for (const Json& catalog : kubectl.list(resource::cluster_catalogs))
        if (only.empty() || name_of(catalog) == only) add(kubectl, catalog);
}

void V1Catalogs::add(const Kubectl& kubectl, const Json& catalog) {
    olmv1::NamedCatalog named;
    named.name = name_of(catalog);
    named.priority = static_cast<int32_t>(number(catalog, {"spec", "priority"}));
    named.unavailable = text(catalog, {"spec", "availabilityMode"}) == "Unavailable";
    if (const Json* const labels = find(catalog, {"metadata", "labels"}); labels && labels->is_object())
        for (const auto& member : labels->items())
            if (member.value().is_string()) named.labels[member.key()] = member.value().get<std::string>();
    if (named.unavailable) {
        named.index = &indices_.emplace_back(std::string("catalog is unavailable"));
        named_.push_back(std::move(named));
        return;
    }
    std::optional<LoadedCatalog> loaded;
    std::string failure;
    try {
        loaded = access_.load_one(image_of(catalog));
        remarks_.push_back(fmt::format("predicted from the image of catalog {}", named.name));
    } catch (const Error& error) {
        failure = error.what();
    }
    try {
        if (!loaded) {
            loaded = load_from_catalogd(kubectl, catalog, access_.pool);
            remarks_.push_back(
                fmt::format("predicted from what the cluster serves of catalog {}", named.name));
        }
    } catch (const Error& error) {
        remarks_.push_back(fmt::format("catalog {} cannot be read from here: {}; nor from the cluster: {}",
                                       named.name, failure, error.what()));
        incomplete_ = true;
        return;
    }
    named.index = &indices_.emplace_back(std::move(loaded->catalog));
    named_.push_back(std::move(named));
}

const BundleContent& V1Catalogs::content_of(const Bundle& bundle) const {
    const std::string name(bundle.name.text);
    const auto known = contents_.find(name);
    if (known != contents_.end()) return known->second;
    return contents_.emplace(name, cluster::content_of(bundle, access_)).first->second;
}

BundleContent content_of(const Bundle& bundle, const CatalogAccess& access) {
    BundleContent content = bundle_content(bundle);
    if (!content.csv.empty()) return content;
    if (bundle.image.empty())
        throw Error(fmt::format("bundle {} has neither manifests nor an image", bundle.name.text));
    const LoadedCatalog loaded = access.load_one(std::string(bundle.image.text));
    for (const Bundle& found : loaded.catalog.bundles) {
        content = bundle_content(found);
        if (!content.csv.empty()) return content;
    }
    throw Error(fmt::format("image {} of bundle {} holds no ClusterServiceVersion", bundle.image.text,
                            bundle.name.text));
}

} // namespace opcat::cluster
