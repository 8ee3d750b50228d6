#include "opcat/mirror/cluster_needs.hpp"

#include "opcat/kube/labels.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace opcat {
namespace {

using kube::Fields;
using kube::Object;

// Returns the images that its pods run, and others that it says it needs.
std::set<std::string> images_of(const Object& csv) {
    std::set<std::string> images;
    const auto add = [&](std::string_view image) {
        if (!image.empty()) images.emplace(image);
    };
    for (const Fields related : csv.items("spec", "relatedImages")) add(related.text("image"));
    for (const Fields deployment : csv.items("spec", "install", "spec", "deployments"))
        for (const char* const key : {"containers", "initContainers"})
            for (const Fields container : deployment.items("spec", "template", "spec", key))
                add(container.text("image"));
    return images;
}

class Reader {
public:
    explicit Reader(std::span<const Object> objects) : objects_(objects) {}

    ClusterNeeds run() {
        for (const Object& object : objects_) read_first(object);
        for (const Object& object : objects_) read_operator(object);
        for (const auto& [key, csv] : csvs_)
            if (!with_subscription_.contains(key)) {
                ClusterOperator one;
                one.name = csv->ns + "/" + csv->name;
                set_installed(one, csv->ns, csv->name);
                one.no_catalog = "no Subscription says which catalog it comes from";
                needs_.operators.push_back(std::move(one));
            }
        return std::move(needs_);
    }

private:
    using Key = std::pair<std::string, std::string>; // namespace and name

    void read_first(const Object& object) {
        const std::string_view kind = object.kind();
        const std::string_view group = object.group();
        if (group == "operators.coreos.com" && kind == "CatalogSource")
            sources_[{object.ns, object.name}] = object.text("spec", "image");
        else if (group == "operators.coreos.com" && kind == "ClusterServiceVersion" &&
                 !classic::is_copied(object))
            csvs_[{object.ns, object.name}] = &object;
        else if (group == "olm.operatorframework.io" && kind == "ClusterCatalog")
            cluster_catalogs_.push_back(&object);
        else if (kind == "ImageDigestMirrorSet")
            add_set(object.items("spec", "imageDigestMirrors"), Use::digest_only);
        else if (kind == "ImageTagMirrorSet")
            add_set(object.items("spec", "imageTagMirrors"), Use::tag_only);
        else if (kind == "ImageContentSourcePolicy")
            add_set(object.items("spec", "repositoryDigestMirrors"), Use::digest_only);
    }

    using Use = image::RegistriesConf::PullFromMirror;
    void add_set(std::span<const Value> items, Use use) {
        needs_.has_mirror_sets = true;
        auto& registries = needs_.mirrors.registries;
        for (const Fields item : items) {
            const std::string source(item.text("source"));
            if (source.empty()) continue;
            auto at = std::find_if(registries.begin(), registries.end(),
                                   [&](const auto& registry) { return registry.prefix == source; });
            if (at == registries.end()) {
                registries.push_back({source, {}, false, false, {}});
                at = registries.end() - 1;
            }
            for (std::string& mirror : item.strings("mirrors"))
                at->mirrors.push_back({std::move(mirror), false, use});
        }
    }

    void read_operator(const Object& object) {
        const std::string_view kind = object.kind();
        if (object.group() == "operators.coreos.com" && kind == "Subscription")
            read_subscription(object);
        else if (object.group() == "olm.operatorframework.io" && kind == "ClusterExtension")
            read_extension(object);
    }

    void set_installed(ClusterOperator& one, const std::string& ns, const std::string& csv) {
        one.installed = csv;
        if (const auto at = csvs_.find({ns, csv}); at != csvs_.end()) {
            one.version = at->second->text("spec", "version");
            one.images = images_of(*at->second);
            with_subscription_.insert({ns, csv});
        }
    }

    void read_subscription(const Object& object) {
        ClusterOperator one;
        one.name = object.ns + "/" + object.name;
        one.package = object.text("spec", "name");
        one.wanted = object.text("spec", "startingCSV");
        if (const std::string_view channel = object.text("spec", "channel"); !channel.empty())
            one.channels.emplace_back(channel);
        set_installed(one, object.ns, std::string(object.text("status", "installedCSV")));
        const Key key{object.text("spec", "sourceNamespace"), object.text("spec", "source")};
        const auto source = sources_.find(key);
        if (source == sources_.end())
            one.no_catalog = fmt::format("the objects lack its CatalogSource {}/{}", key.first, key.second);
        else if (source->second.empty())
            one.no_catalog = fmt::format("its CatalogSource {}/{} names no image", key.first, key.second);
        else
            one.catalogs.insert(source->second);
        needs_.operators.push_back(std::move(one));
    }

    void read_extension(const Object& object) {
        ClusterOperator one;
        one.is_classic = false;
        one.name = object.name;
        one.package = object.text("spec", "source", "catalog", "packageName");
        one.channels = object.strings("spec", "source", "catalog", "channels");
        one.installed = object.text("status", "install", "bundle", "name");
        one.version = object.text("status", "install", "bundle", "version");
        const Fields catalog = object.at("spec", "source", "catalog");
        one.range = catalog.text("version");
        one.needs_edges = catalog.text("upgradeConstraintPolicy") != "SelfCertified";
        const Fields selector = catalog.at("selector");
        for (const Object* const one_of : cluster_catalogs_) {
            if (one_of->text("spec", "availabilityMode") == "Unavailable") continue;
            if (selector && !kube::selects(selector, *one_of)) continue;
            if (const std::string_view image = one_of->text("spec", "source", "image", "ref"); !image.empty())
                one.catalogs.emplace(image);
        }
        if (one.catalogs.empty())
            one.no_catalog = "no ClusterCatalog that it selects is available and names an image";
        needs_.operators.push_back(std::move(one));
    }

    std::span<const Object> objects_;
    ClusterNeeds needs_;
    std::map<Key, std::string> sources_; // images of CatalogSources
    std::map<Key, const Object*> csvs_;
    std::set<Key> with_subscription_;
    std::vector<const Object*> cluster_catalogs_;
};

} // namespace

ClusterNeeds needs_of(std::span<const kube::Object> objects) {
    return Reader(objects).run();
}

} // namespace opcat
