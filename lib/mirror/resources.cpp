#include "opcat/mirror/resources.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/image/registries_conf.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace opcat {

namespace fs = std::filesystem;

namespace {

constexpr const char* registries_conf_name = "registries.conf";
// Its first line: others have files of this name, too.
constexpr std::string_view registries_conf_mark = "# Written by opcat mirror.";
constexpr std::array mirror_sets{"idms", "itms"};

// Of a file, and of its only object if the names are not those of oc-mirror.
std::string mirror_set_name(std::string_view kind, const ResourceNames& names) {
    if (names.oc_mirror) return fmt::format("{}-oc-mirror", kind);
    return fmt::format("{}-{}", kind, names.prefix.empty() ? "opcat" : names.prefix);
}

// Where images of one repository, or of all below one path, are in the mirror.
struct Origin {
    std::vector<std::string> by_digest;
    std::vector<std::string> by_tag;
};

using Origins = std::map<std::string, Origin>; // by the name at home

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// "org/sub/foo" → "org/sub"; nothing for "foo".
std::string path_above(const std::string& name) {
    const size_t slash = name.rfind('/');
    return slash == name.npos ? std::string() : name.substr(0, slash);
}

// `as_oc_mirror`: all below the path of a repository, where that is the same in the mirror; what has a tag
// and a digest is named by both, and so is a release, which clusters ask for by its digest.
Origins origins_of(const std::vector<MirrorImage>& images, const std::string& prefix, bool as_oc_mirror,
                   const std::function<bool(const MirrorImage&)>& is_wanted) {
    Origins origins;
    for (const MirrorImage& image : images) {
        if (!is_wanted(image)) continue;
        for (const PullSpec& source : image.sources) {
            std::string home = source.name();
            std::string mirror = fmt::format("{}/{}", prefix, image.target.repository);
            if (as_oc_mirror && source.repository() == image.target.repository &&
                !path_above(source.repository()).empty()) {
                home = path_above(home);
                mirror = path_above(mirror);
            }
            Origin& origin = origins[home];
            const bool has_digest = !source.digest().empty();
            if (has_digest || (as_oc_mirror && image.catalogs.contains(release_images)))
                add_once(origin.by_digest, mirror);
            if (!has_digest || (as_oc_mirror && !source.tag().empty())) add_once(origin.by_tag, mirror);
        }
    }
    return origins;
}

// The names of repositories need no quotes in YAML.
std::string mirror_set(const Origins& origins, bool by_digest, const std::string& name) {
    std::string items;
    for (const auto& [source, origin] : origins) {
        const std::vector<std::string>& mirrors = by_digest ? origin.by_digest : origin.by_tag;
        if (mirrors.empty()) continue;
        items += fmt::format("  - source: {}\n    mirrors:\n", source);
        for (const std::string& mirror : mirrors) items += fmt::format("    - {}\n", mirror);
    }
    if (items.empty()) return {};
    return fmt::format(
        "apiVersion: config.openshift.io/v1\nkind: {}\nmetadata:\n  name: {}\nspec:\n  {}:\n{}",
        by_digest ? "ImageDigestMirrorSet" : "ImageTagMirrorSet", name,
        by_digest ? "imageDigestMirrors" : "imageTagMirrors", items);
}

std::string registries_conf(const Origins& origins) {
    if (origins.empty()) return {};
    std::string text = fmt::format("{}\n", registries_conf_mark);
    for (const auto& [source, origin] : origins) {
        text += fmt::format("\n[[registry]]\nprefix = \"{}\"\nlocation = \"{}\"\n", source, source);
        std::vector<std::string> mirrors = origin.by_tag;
        for (const std::string& mirror : origin.by_digest) add_once(mirrors, mirror);
        for (size_t i = 0; i < mirrors.size(); ++i) {
            text += fmt::format("\n[[registry.mirror]]\nlocation = \"{}\"\n", mirrors[i]);
            if (i >= origin.by_tag.size()) text += "pull-from-mirror = \"digest-only\"\n";
        }
    }
    return text;
}

// "redhat/operator-index:v4.15" → "operator-index-v4-15", as names of objects are.
std::string object_name(const MirrorName& catalog, bool as_oc_mirror) {
    const std::string path = catalog.repository.substr(catalog.repository.rfind('/') + 1);
    constexpr size_t longest_tag = 12; // of a digest, too
    std::string_view tag = catalog.tag;
    constexpr std::string_view of_digest = "sha256-";
    if (as_oc_mirror && tag.starts_with(of_digest)) tag.remove_prefix(of_digest.size());
    std::string name = ascii_lower(fmt::format("{}-{}", path, tag.substr(0, longest_tag)));
    for (char& c : name)
        if (!is_digit(c) && (c < 'a' || c > 'z')) c = '-';
    while (name.ends_with('-')) name.pop_back();
    return name;
}

// The minutes of "1h30m"; whole ones, at least one.
int64_t minutes_of(const std::string& poll) {
    constexpr int64_t most = 1'000'000;
    int64_t minutes = 0;
    int64_t number = 0;
    for (const char c : poll) {
        if (is_digit(c) && number < most)
            number = number * 10 + (c - '0');
        else if (c == 'h' || c == 'm')
            minutes += std::exchange(number, 0) * (c == 'h' ? 60 : 1);
        else
            throw RequestError(fmt::format("{} is not a whole number of minutes", go_quote(poll)),
                               "write 15m or 1h");
    }
    if (minutes < 1 || number != 0)
        throw RequestError(fmt::format("{} is not a whole number of minutes", go_quote(poll)),
                           "write 15m or 1h");
    return minutes;
}

bool is_of_catalogs(const MirrorImage& image) {
    return std::any_of(image.catalogs.begin(), image.catalogs.end(), names_catalog);
}

struct Category {
    const char* name;
    bool (*is_in)(const MirrorImage& image);
};

// Those by which oc-mirror divides mirror sets.
constexpr std::array categories{
    Category{"generic", [](const MirrorImage& image) { return image.catalogs.contains(additional_images); }},
    Category{"operator", is_of_catalogs},
    Category{"release", [](const MirrorImage& image) { return image.catalogs.contains(release_images); }}};

class Resources {
public:
    Resources(const std::vector<MirrorImage>& images, const std::string& prefix, const ResourceNames& names)
        : images_(images), prefix_(prefix), names_(names) {}

    std::vector<ResourceFile> run(const std::vector<MirroredCatalog>& catalogs,
                                  const ReleaseResources& releases) {
        add_mirror_sets();
        if (!releases.signatures.empty())
            add(with_prefix("signature-configmap.yaml"),
                signature_config_map(releases.signatures, with_prefix("mirrored-release-signatures")));
        if (releases.service)
            add(with_prefix(names_.oc_mirror ? "updateService.yaml" : "update-service.yaml"),
                update_service(*releases.service, with_prefix(names_.oc_mirror ? "update-service-oc-mirror"
                                                                               : "update-service")));
        add(registries_conf_name,
            registries_conf(origins_of(images_, prefix_, false, [](const auto&) { return true; })));
        for (const MirroredCatalog& catalog : catalogs) add_catalog(catalog);
        std::sort(files_.begin(), files_.end(),
                  [](const ResourceFile& a, const ResourceFile& b) { return a.name < b.name; });
        return std::move(files_);
    }

private:
    void add(std::string name, std::string text) {
        if (!text.empty()) files_.push_back({std::move(name), std::move(text)});
    }

    std::string with_prefix(const std::string& name) const {
        return names_.prefix.empty() ? name : names_.prefix + "-" + name;
    }

    void add_mirror_sets() {
        for (const bool by_digest : {true, false}) {
            const std::string start = mirror_sets[by_digest ? 0 : 1];
            const std::string name = mirror_set_name(start, names_);
            if (!names_.oc_mirror) {
                const Origins all = origins_of(images_, prefix_, false, [](const auto&) { return true; });
                add(name + ".yaml", mirror_set(all, by_digest, name));
                continue;
            }
            std::string text;
            for (const auto& [category, is_in] : categories) {
                const std::string one = mirror_set(origins_of(images_, prefix_, true, is_in), by_digest,
                                                   fmt::format("{}-{}-0", start, category));
                if (!one.empty()) text += "---\n" + one;
            }
            add(name + ".yaml", text);
        }
    }

    void add_catalog(const MirroredCatalog& catalog) {
        const std::string base =
            !names_.catalog.empty() ? names_.catalog : object_name(catalog.name, names_.oc_mirror);
        std::string name = base;
        for (int number = 2; !used_.insert(name).second; ++number) name = fmt::format("{}-{}", base, number);
        const std::string image = catalog.name.in_registry(prefix_);
        const auto full = [&](const char* kind) {
            return names_.catalog.empty() ? with_prefix(fmt::format("{}-{}", kind, name)) : name;
        };
        const cluster::CatalogSourceSpec source{.name = full("cs"),
                                                .ns = names_.ns,
                                                .image = image,
                                                .poll = names_.poll,
                                                .extract = catalog.extract};
        add(with_prefix(fmt::format("cs-{}.yaml", name)),
            kube::to_yaml(
                (catalog.source ? catalog.source->fill(source) : cluster::catalog_source(source)).value()));
        cluster::ClusterCatalogSpec of_v1{.name = full("cc"), .image = image};
        if (!names_.poll.empty()) of_v1.poll_minutes = minutes_of(names_.poll);
        add(with_prefix(fmt::format("cc-{}.yaml", name)),
            kube::to_yaml(cluster::cluster_catalog(of_v1).value()));
    }

    const std::vector<MirrorImage>& images_;
    const std::string& prefix_;
    const ResourceNames& names_;
    std::set<std::string> used_;
    std::vector<ResourceFile> files_;
};

} // namespace

void ResourceNames::check(size_t catalogs) const {
    if (!kube::is_namespace_name(ns))
        throw RequestError(fmt::format("{} is not the name of a namespace", go_quote(ns)));
    for (const std::string* const name : {&catalog, &prefix})
        if (!name->empty() && !kube::is_dns1123_subdomain(*name))
            throw RequestError(fmt::format("{} is not the name of an object", go_quote(*name)),
                               "write lower-case letters, digits, '-' and '.'");
    if (!catalog.empty() && catalogs > 1)
        throw RequestError("several catalogs cannot have one name",
                           "leave out --name, or write --resource-prefix");
    if (!poll.empty()) minutes_of(poll);
}

std::vector<ResourceFile> cluster_resources(const std::vector<MirrorImage>& images,
                                            const std::vector<MirroredCatalog>& catalogs,
                                            const std::string& prefix, const ResourceNames& names,
                                            const ReleaseResources& releases) {
    return Resources(images, prefix, names).run(catalogs, releases);
}

std::vector<ResourceFile> expected_resources(const ResourceNames& names) {
    std::vector<ResourceFile> files{{registries_conf_name, {}}};
    for (const char* const kind : mirror_sets) files.push_back({mirror_set_name(kind, names) + ".yaml", {}});
    return files;
}

namespace {

// What a file says that a cluster or a machine reads.
struct Resource {
    std::set<std::string> kinds{};
    std::set<std::string> places{}; // that it pulls from
    std::string catalog{};          // of these, the repository of a catalog
};

Resource read_registries_conf(const fs::path& path) {
    Resource resource;
    for (const auto& registry : image::RegistriesConf::load({path}).registries)
        for (const auto& mirror : registry.mirrors) resource.places.insert(mirror.location);
    return resource;
}

// Throws Error for a document that is not an object.
Resource read_objects(const SourceFile& file) {
    Resource resource;
    Diagnostics problems;
    Arena arena;
    for (const DocumentRange& range : split_into_documents(file, problems)) {
        Diagnostic problem;
        const auto document = read_document(file, range, arena, problem);
        if (document && document->is_null()) continue;
        const kube::Fields object(document.value_or(Value()));
        if (object.kind().empty()) throw Error("it is not an object of Kubernetes");
        resource.kinds.insert(fmt::format("{} {}", object.text("apiVersion"), object.kind()));
        for (const char* const list : {"imageDigestMirrors", "imageTagMirrors"})
            for (const kube::Fields set : object.items("spec", list)) {
                const std::vector<std::string> mirrors = set.strings("mirrors");
                resource.places.insert(mirrors.begin(), mirrors.end());
            }
        for (const kube::Fields image :
             {object.at("spec", "image"), object.at("spec", "source", "image", "ref")})
            if (const std::string place(image.value().string_or_empty()); !place.empty()) {
                resource.places.insert(place);
                const auto spec = PullSpec::parse(place);
                resource.catalog = spec ? spec->name() : place;
            }
    }
    if (!problems.empty()) throw Error(problems.front().message);
    return resource;
}

bool is_in(std::string_view place, const std::string& prefix) {
    return place.starts_with(prefix) && (place.size() == prefix.size() ||
                                         std::string_view("/:@").find(place[prefix.size()]) != place.npos);
}

// Nothing for what opcat has not written.
std::optional<Resource> read_own(const fs::path& path, const ResourceFile& wanted) {
    try {
        const auto there = read_file(path, path.string());
        if (wanted.name == registries_conf_name)
            return there->bytes().starts_with(registries_conf_mark)
                       ? std::optional(read_registries_conf(path))
                       : std::nullopt;
        Resource resource = read_objects(*there);
        if (wanted.text.empty()) return resource;
        const std::set<std::string> kinds = read_objects(SourceFile(wanted.name, wanted.text)).kinds;
        return std::ranges::includes(kinds, resource.kinds) ? std::optional(std::move(resource))
                                                            : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
}

} // namespace

void require_own_resources(const fs::path& directory, const std::vector<ResourceFile>& files,
                           const std::string& prefix) {
    for (const ResourceFile& file : files) {
        const fs::path path = directory / file.name;
        std::error_code failed;
        if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) == 0) continue;
        const auto there = read_own(path, file);
        if (!there)
            throw RequestError(
                fmt::format("{} is not what opcat mirror wrote, and is not replaced", path.string()),
                "name another directory with --resources, or remove this file first");
        for (const std::string& place : there->places)
            if (!is_in(place, prefix))
                throw RequestError(
                    fmt::format("{} is of another mirror, {}, and is not replaced", path.string(), place),
                    "name another directory with --resources, or other names with --resource-prefix");
        if (there->catalog.empty() || file.text.empty()) continue;
        if (there->catalog != read_objects(SourceFile(file.name, file.text)).catalog)
            throw RequestError(
                fmt::format("{} is of another catalog, {}, and is not replaced", path.string(),
                            there->catalog),
                "give the objects of this one a name of their own: --name NAME, or --resource-prefix");
    }
}

} // namespace opcat
