#include "opcat/cluster/catalogs.hpp"

#include "opcat/base/error.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/kube/labels.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

namespace opcat::cluster {
namespace {

std::string image_of(const Object& catalog) {
    const std::string_view resolved = catalog.text("status", "resolvedSource", "image", "ref");
    return std::string(!resolved.empty() ? resolved : catalog.text("spec", "source", "image", "ref"));
}

// status.urls.base is "https://catalogd-service.olmv1-system.svc/catalogs/NAME", which is only reachable
// inside the cluster; the API server forwards requests. If it does not name a service, the usual one is
// asked.
LoadedCatalog load_from_catalogd(const Kubectl& kubectl, const Object& catalog, ThreadPool& pool) {
    std::string service = "catalogd-service";
    std::string ns = "olmv1-system";
    const std::string_view base = catalog.text("status", "urls", "base");
    if (const size_t begin = base.find("://"), svc = base.find(".svc");
        begin != base.npos && svc != base.npos) {
        const std::string_view host = base.substr(begin + 3, svc - begin - 3);
        if (const size_t dot = host.find('.'); dot != host.npos) {
            service = host.substr(0, dot);
            ns = host.substr(dot + 1);
        }
    }
    const std::string path =
        fmt::format("/api/v1/namespaces/{}/services/https:{}:443/proxy/catalogs/{}/api/v1/all", ns, service,
                    catalog.name);
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(std::make_unique<SourceFile>(path, kubectl.raw(path)));
    return load_catalog(std::move(files), pool);
}

} // namespace

std::string served_digest(const Object& catalog, std::span<const Object> pods) {
    const std::string_view image = catalog.text("spec", "image");
    for (const Object& pod : pods) {
        if (pod.ns != catalog.ns || pod.label("olm.catalogSource") != catalog.name) continue;
        // The catalog's image may be that of a container or, if opm comes from another image, of an init
        // container.
        for (const auto& [containers, statuses] : {std::pair("containers", "containerStatuses"),
                                                   std::pair("initContainers", "initContainerStatuses")})
            for (const Fields container : pod.items("spec", containers)) {
                if (container.text("image") != image) continue;
                for (const Fields status : pod.items("status", statuses))
                    if (const std::string_view id = status.text("imageID");
                        status.text("name") == container.text("name") && id.find('@') != id.npos)
                        return std::string(id.substr(id.find('@') + 1));
            }
    }
    return {};
}

LoadedCatalog load_served(const Object& catalog_source, const std::string& text, ThreadPool& pool) {
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(std::make_unique<SourceFile>(catalog_source.describe(), text));
    LoadedCatalog loaded = load_catalog(std::move(files), pool);
    if (!loaded.diagnostics.empty())
        throw Error(fmt::format("{} serves what is not valid: {}", catalog_source.describe(),
                                loaded.diagnostics.front().message));
    return loaded;
}

std::string served_reference(const classic::CatalogKey& key) {
    return "what CatalogSource " + key.to_string() + " serves";
}

namespace {

std::string deprecation_words(std::string_view what, std::string_view name, std::string_view message) {
    return fmt::format("{} {}: {}", what, name, message.empty() ? "the catalog gives no reason" : message);
}

} // namespace

std::vector<std::string> deprecations_of(const Catalog& catalog, std::string_view package,
                                         std::string_view channel, std::string_view bundle) {
    std::vector<std::string> found;
    for (const Deprecations& deprecations : catalog.deprecations) {
        if (deprecations.package.text != package) continue;
        for (const DeprecationEntry& entry : deprecations.entries) {
            if (entry.schema.text == schema::package)
                found.push_back(deprecation_words("package", package, entry.message.text));
            if (entry.schema.text == schema::channel && entry.name.text == channel)
                found.push_back(deprecation_words("channel", channel, entry.message.text));
            if (entry.schema.text == schema::bundle && entry.name.text == bundle)
                found.push_back(deprecation_words("bundle", bundle, entry.message.text));
        }
    }
    return found;
}

namespace {

int32_t priority_of(const Object& catalog) {
    return static_cast<int32_t>(catalog.number("spec", "priority"));
}

bool is_unavailable(const Object& catalog) {
    return catalog.text("spec", "availabilityMode") == "Unavailable";
}

// An invalid selector selects nothing; the resolver reports it.
bool is_selected(const Result<kube::LabelSelector, std::string>& selector, const Object& catalog) {
    const olmv1::NamedCatalog named{.name = catalog.name, .labels = kube::labels_of(catalog)};
    return selector && selector->matches(olmv1::all_labels(named));
}

} // namespace

bool selects_catalog(const Object& extension, const Object& catalog) {
    const Fields selector = extension.at("spec", "source", "catalog", "selector");
    return !selector || is_selected(kube::LabelSelector::compile(kube::selector_in(selector)), catalog);
}

V1Catalogs::V1Catalogs(const Kubectl& kubectl, const std::optional<kube::LabelSelectorSpec>& selector,
                       CatalogAccess access, const std::function<bool(const V1Catalogs&)>& is_enough)
    : access_(std::move(access)) {
    std::vector<Object> catalogs = kubectl.list(resource::cluster_catalogs);
    if (selector) {
        const auto compiled = kube::LabelSelector::compile(*selector);
        std::erase_if(catalogs, [&](const Object& one) { return !is_selected(compiled, one); });
    }
    std::stable_sort(catalogs.begin(), catalogs.end(), [](const Object& one, const Object& other) {
        return priority_of(one) > priority_of(other);
    });
    bool enough = false;
    std::string unread;
    for (size_t i = 0; i < catalogs.size(); ++i) {
        if (!enough && is_enough && i > 0 && priority_of(catalogs[i]) < priority_of(catalogs[i - 1]))
            enough = is_enough(*this);
        if (!enough || is_unavailable(catalogs[i]))
            add(kubectl, catalogs[i]);
        else
            unread += fmt::format("{}{} (priority {})", unread.empty() ? "" : ", ", catalogs[i].name,
                                  priority_of(catalogs[i]));
    }
    if (!unread.empty())
        remarks_.push_back(fmt::format(
            "the package is in a catalog that comes before these, which are not read: {}", unread));
    std::sort(named_.begin(), named_.end(),
              [](const olmv1::NamedCatalog& one, const olmv1::NamedCatalog& other) {
                  return one.name < other.name;
              });
}

void V1Catalogs::add(const Kubectl& kubectl, const Object& catalog) {
    olmv1::NamedCatalog named;
    named.name = catalog.name;
    named.priority = priority_of(catalog);
    named.unavailable = is_unavailable(catalog);
    named.labels = kube::labels_of(catalog);
    if (named.unavailable) {
        named.index = &indices_.emplace_back(std::string("catalog is unavailable"));
        named_.push_back(std::move(named));
        return;
    }
    std::optional<LoadedCatalog> loaded;
    std::string failure;
    try {
        loaded = access_.load(image_of(catalog));
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
    note_newer(catalog);
    named.index = &indices_.emplace_back(std::move(loaded->catalog));
    named_.push_back(std::move(named));
}

void V1Catalogs::note_newer(const Object& catalog) {
    const std::string image(catalog.text("spec", "source", "image", "ref"));
    const std::string_view served = catalog.text("status", "resolvedSource", "image", "ref");
    if (!access_.still_names || served.find('@') == served.npos || image.find('@') != image.npos) return;
    try {
        if (access_.still_names(image, std::string(served.substr(served.find('@') + 1)))) return;
    } catch (const Error&) { // then nobody knows
        return;
    }
    moved_.insert(catalog.name);
    remarks_.push_back(
        fmt::format("the image {} of catalog {} is newer than what the cluster serves, and the "
                    "cluster has not read it yet",
                    image, catalog.name));
}

const BundleContent& V1Catalogs::content_of(const Bundle& bundle) const {
    const std::string name(bundle.name.text);
    const auto known = contents_.find(name);
    if (known != contents_.end()) return known->second;
    return contents_.emplace(name, as_olm_v1_reads(cluster::content_of(bundle, access_))).first->second;
}

std::vector<std::string> deprecations_of(const olmv1::Request& request, const olmv1::Choice& choice) {
    std::vector<std::string> found;
    const auto notice = olmv1::deprecation_notice(request, choice);
    if (!notice) return found;
    if (notice->package) found.push_back(deprecation_words("package", request.package, *notice->package));
    for (const auto& [channel, message] : notice->channels)
        found.push_back(deprecation_words("channel", channel, message));
    if (notice->bundle) found.push_back(deprecation_words("bundle", choice.bundle->name(), *notice->bundle));
    return found;
}

BundleContent content_of(const Bundle& bundle, const CatalogAccess& access) {
    BundleContent content = bundle_content(bundle);
    if (!content.csv.empty()) return content;
    if (bundle.image.empty())
        throw Error(fmt::format("bundle {} has neither manifests nor an image", bundle.name.text));
    const LoadedCatalog loaded = access.load(std::string(bundle.image.text));
    for (const Bundle& found : loaded.catalog.bundles) {
        content = bundle_content(found);
        if (!content.csv.empty()) return content;
    }
    const std::string start = fmt::format("image {} of bundle {}", bundle.image.text, bundle.name.text);
    for (const Diagnostic& finding : loaded.diagnostics)
        if (finding.severity == Severity::error) {
            const std::string message = fmt::format("{}: {}", start, finding.message);
            if (finding.rule == "bundle-crd" || finding.rule == "bundle-csv") throw BrokenBundle(message);
            throw Error(message);
        }
    throw BrokenBundle(start + " holds no ClusterServiceVersion");
}

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

namespace {

void add_deprecations(const PackageChannel& channel, std::string_view bundle,
                      std::vector<std::string>& found) {
    if (!channel.deprecation.empty())
        found.push_back(deprecation_words("channel", channel.name, channel.deprecation));
    for (const PackageEntry& entry : channel.entries)
        if (entry.name == bundle && !entry.deprecation.empty())
            found.push_back(deprecation_words("bundle", entry.name, entry.deprecation));
}

} // namespace

std::vector<std::string> PackageManifest::deprecations(const PackageChannel& channel,
                                                       std::string_view bundle) const {
    std::vector<std::string> found;
    if (!deprecation.empty()) found.push_back(deprecation_words("package", package, deprecation));
    add_deprecations(channel, bundle, found);
    return found;
}

std::vector<std::string> PackageManifest::deprecations() const {
    std::vector<std::string> found;
    if (!deprecation.empty()) found.push_back(deprecation_words("package", package, deprecation));
    for (const PackageChannel& channel : channels) add_deprecations(channel, channel.head, found);
    return found;
}

std::string PackageChannel::versions() const {
    constexpr size_t most = 10;
    std::string text;
    for (size_t i = 0; i < entries.size() && i < most; ++i)
        text += (i > 0 ? ", " : "") + (entries[i].version.empty() ? entries[i].name : entries[i].version);
    return entries.size() > most ? text + ", ..." : text;
}

namespace {

PackageManifest read_package_manifest(const Object& object) {
    PackageManifest manifest;
    manifest.package = object.text("status", "packageName");
    if (manifest.package.empty()) manifest.package = object.name;
    manifest.catalog = object.text("status", "catalogSource");
    manifest.catalog_ns = object.text("status", "catalogSourceNamespace");
    manifest.default_channel = object.text("status", "defaultChannel");
    manifest.provider = object.text("status", "provider", "name");
    manifest.deprecation = object.text("status", "deprecation", "message");
    for (const Fields one : object.items("status", "channels")) {
        PackageChannel& channel = manifest.channels.emplace_back();
        channel.name = one.text("name");
        channel.head = one.text("currentCSV");
        for (const Fields mode : one.items("currentCSVDesc", "installModes"))
            if (mode.flag("supported")) channel.install_modes.emplace_back(mode.text("type"));
        channel.min_kube_version = one.text("currentCSVDesc", "minKubeVersion");
        for (const Fields crd : one.items("currentCSVDesc", "customresourcedefinitions", "owned"))
            channel.crds.emplace_back(crd.text("name"));
        channel.deprecation = one.text("deprecation", "message");
        for (const Fields entry : one.items("entries"))
            channel.entries.push_back({std::string(entry.text("name")), std::string(entry.text("version")),
                                       std::string(entry.text("deprecation", "message"))});
        if (channel.name == manifest.default_channel)
            manifest.display_name = one.text("currentCSVDesc", "displayName");
    }
    return manifest;
}

} // namespace

std::string usual_csv_name(const std::string& package, const std::string& version_or_name) {
    const bool is_version = semver::Version::parse(version_or_name) ||
                            version_or_name.find_first_not_of("0123456789.-+") == std::string::npos;
    return is_version ? package + ".v" + version_or_name : version_or_name;
}

std::vector<PackageManifest> list_packages(const Kubectl& kubectl, const std::string& ns) {
    return list_packages(kubectl, Scope::in(ns));
}

std::vector<PackageManifest> list_packages(const Kubectl& kubectl, const Scope& scope) {
    std::vector<PackageManifest> packages;
    for (const Object& object : kubectl.list(resource::package_manifests, scope))
        packages.push_back(read_package_manifest(object));
    if (!packages.empty()) return packages;
    // While an aggregated API server does not answer, kubectl does not know its resources.
    try {
        kubectl.raw("/apis/packages.operators.coreos.com/v1");
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::no_such_resource && error.kind() != FailureKind::not_found) throw;
    }
    return packages;
}

std::vector<PackageManifest> packages_named(const Kubectl& kubectl, const std::string& ns,
                                            const std::string& package) {
    std::vector<PackageManifest> packages;
    for (const Object& object : kubectl.list_named(resource::package_manifests, package, Scope::in(ns)))
        packages.push_back(read_package_manifest(object));
    return packages;
}

} // namespace opcat::cluster
