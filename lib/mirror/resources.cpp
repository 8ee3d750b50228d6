#include "opcat/mirror/resources.hpp"

#include "opcat/base/text.hpp"
#include "opcat/cluster/objects.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace opcat {
namespace {

// Where catalogs are on OpenShift, which alone knows the mirror sets.
constexpr const char* catalog_namespace = "openshift-marketplace";

// How the images of one repository are named.
struct Repository {
    std::string mirror;
    bool by_digest = false;
    bool by_tag = false;
};

std::map<std::string, Repository> repositories_of(const std::vector<MirrorImage>& images,
                                                  const std::string& prefix) {
    std::map<std::string, Repository> repositories;
    for (const MirrorImage& image : images)
        for (const PullSpec& source : image.sources) {
            Repository& repository = repositories[source.name()];
            repository.mirror = fmt::format("{}/{}", prefix, image.target.repository);
            (source.digest().empty() ? repository.by_tag : repository.by_digest) = true;
        }
    return repositories;
}

// The names of repositories need no quotes in YAML.
std::string mirror_set(const std::map<std::string, Repository>& repositories, bool Repository::*wanted,
                       std::string_view kind, std::string_view field, std::string_view name) {
    std::string items;
    for (const auto& [source, repository] : repositories)
        if (repository.*wanted)
            items += fmt::format("  - source: {}\n    mirrors:\n    - {}\n", source, repository.mirror);
    if (items.empty()) return {};
    return fmt::format(
        "apiVersion: config.openshift.io/v1\nkind: {}\nmetadata:\n  name: {}\nspec:\n  {}:\n{}", kind, name,
        field, items);
}

std::string registries_conf(const std::map<std::string, Repository>& repositories) {
    std::string text;
    for (const auto& [source, repository] : repositories) {
        text += fmt::format("{}[[registry]]\nprefix = \"{}\"\nlocation = \"{}\"\n\n[[registry.mirror]]\n"
                            "location = \"{}\"\n",
                            text.empty() ? "" : "\n", source, source, repository.mirror);
        if (!repository.by_tag) text += "pull-from-mirror = \"digest-only\"\n";
    }
    return text;
}

// "redhat/operator-index:v4.15" → "operator-index-v4-15", as names of objects are.
std::string object_name(const MirrorName& catalog) {
    const std::string path = catalog.repository.substr(catalog.repository.rfind('/') + 1);
    constexpr size_t longest_tag = 12; // of a digest, too
    std::string name = ascii_lower(fmt::format("{}-{}", path, catalog.tag.substr(0, longest_tag)));
    for (char& c : name)
        if (!is_digit(c) && (c < 'a' || c > 'z')) c = '-';
    while (name.ends_with('-')) name.pop_back();
    return name;
}

} // namespace

std::vector<ResourceFile> cluster_resources(const std::vector<MirrorImage>& images,
                                            const std::vector<MirrorName>& catalogs,
                                            const std::string& prefix) {
    const auto repositories = repositories_of(images, prefix);
    std::vector<ResourceFile> files{
        {"idms-opcat.yaml", mirror_set(repositories, &Repository::by_digest, "ImageDigestMirrorSet",
                                       "imageDigestMirrors", "idms-opcat")},
        {"itms-opcat.yaml",
         mirror_set(repositories, &Repository::by_tag, "ImageTagMirrorSet", "imageTagMirrors", "itms-opcat")},
        {"registries.conf", registries_conf(repositories)}};
    std::set<std::string> names;
    for (const MirrorName& catalog : catalogs) {
        const std::string base = object_name(catalog);
        std::string name = base;
        for (int number = 2; !names.insert(name).second; ++number) name = fmt::format("{}-{}", base, number);
        const std::string image = fmt::format("{}/{}", prefix, catalog.to_string());
        files.push_back({fmt::format("cs-{}.yaml", name),
                         kube::to_yaml(cluster::catalog_source(
                                           {.name = "cs-" + name, .ns = catalog_namespace, .image = image})
                                           .value())});
        files.push_back(
            {fmt::format("cc-{}.yaml", name),
             kube::to_yaml(cluster::cluster_catalog({.name = "cc-" + name, .image = image}).value())});
    }
    std::erase_if(files, [](const ResourceFile& file) { return file.text.empty(); });
    std::sort(files.begin(), files.end(),
              [](const ResourceFile& a, const ResourceFile& b) { return a.name < b.name; });
    return files;
}

} // namespace opcat
