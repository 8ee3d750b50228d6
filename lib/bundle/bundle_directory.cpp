#include "opcat/bundle/bundle_directory.hpp"

#include "opcat/base/error.hpp"
#include "opcat/bundle/bundle_properties.hpp"
#include "opcat/bundle/manifests.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <set>

namespace opcat {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trim_left(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text;
}
std::string_view trim_right(std::string_view text) {
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string_view BundleNames::*field_of(std::string_view action) {
    if (action == ".Package") return &BundleNames::package;
    if (action == ".Name") return &BundleNames::name;
    if (action == ".Version") return &BundleNames::version;
    return nullptr;
}

} // namespace

ImageTemplate ImageTemplate::parse(std::string_view text) {
    ImageTemplate result;
    const auto refuse = [&](std::string_view action, std::string_view why) {
        throw RequestError(fmt::format("cannot use the image template \"{}\": {} {}", text, action, why),
                           "it knows {{.Package}}, {{.Name}} and {{.Version}}");
    };
    std::string_view rest = text;
    bool trim_next = false;
    while (true) {
        const size_t open = rest.find("{{");
        std::string_view literal = rest.substr(0, open);
        if (trim_next) literal = trim_left(literal);
        if (open == rest.npos) {
            result.parts_.push_back({std::string(literal), nullptr});
            return result;
        }
        const size_t close = rest.find("}}", open);
        if (close == rest.npos) refuse(rest.substr(open), "is not closed by }}");
        const std::string_view whole = rest.substr(open, close + 2 - open);
        std::string_view action = rest.substr(open + 2, close - open - 2);
        const auto is_blank = [](char c) { return blanks.find(c) != blanks.npos; };
        if (action.size() > 1 && action[0] == '-' && is_blank(action[1])) {
            literal = trim_right(literal);
            action.remove_prefix(1);
        }
        trim_next = action.size() > 1 && action.back() == '-' && is_blank(action[action.size() - 2]);
        if (trim_next) action.remove_suffix(1);
        const auto field = field_of(trim_left(trim_right(action)));
        if (!field) refuse(whole, "is not one of its fields");
        result.parts_.push_back({std::string(literal), field});
        rest.remove_prefix(close + 2);
    }
}

std::string ImageTemplate::expand(const BundleNames& names) const {
    std::string result;
    for (const Part& part : parts_) {
        result += part.literal;
        if (part.field) result += names.*part.field;
    }
    return result;
}

namespace {

const Value* follow(const Value* value, std::initializer_list<std::string_view> fields) {
    for (const std::string_view field : fields) value = value ? find_field(*value, field) : nullptr;
    return value;
}

// Returns the images of the only install strategy that there is.
std::set<std::string_view> images_of_deployments(const Value& spec) {
    std::set<std::string_view> images;
    const Value* const install = find_field(spec, "install");
    if (!install || field_text(*install, "strategy") != "deployment") return images;
    for (const Value& deployment : items_of(follow(install, {"spec", "deployments"}))) {
        const Value* const pod = follow(&deployment, {"spec", "template", "spec"});
        for (const std::string_view list : {"containers", "initContainers"})
            for (const Value& container : items_of(follow(pod, {list})))
                images.insert(field_text(container, "image"));
    }
    return images;
}

// The relatedImages of the ClusterServiceVersion in their order, the bundle's own image (unless empty),
// and those of the containers in its deployments that are not yet among them.
std::vector<RelatedImage> related_images(const ClusterServiceVersion& csv, std::string_view bundle_image) {
    std::vector<RelatedImage> result;
    std::set<std::string_view> listed;
    for (const Value& item : items_of(csv.spec->find("relatedImages"))) {
        result.push_back({{field_text(item, "name"), 0}, {field_text(item, "image"), 0}});
        listed.insert(result.back().image.text);
    }
    // opm adds the bundle's image before it looks for those of the containers, but not to the set of known
    // ones.
    if (!bundle_image.empty() && !listed.contains(bundle_image)) result.push_back({{}, {bundle_image, 0}});
    for (const std::string_view image : images_of_deployments(*csv.spec))
        if (!listed.contains(image)) result.push_back({{}, {image, 0}});
    return result;
}

namespace fs = std::filesystem;

class Loader {
public:
    Loader(const fs::path& directory, const BundleOptions& options)
        : directory_(directory), shown_(options.shown_root.empty() ? directory : options.shown_root),
          options_(options) {}

    LoadedCatalog load() {
        storage_->arenas.emplace_back();
        std::vector<DocumentFile> manifest_files =
            read_folder(directory_ / "manifests", shown_ / "manifests", false, arena());
        std::vector<DocumentFile> metadata_files =
            read_folder(directory_ / "metadata", shown_ / "metadata", true, arena());
        const auto manifests = select_manifests(manifest_files, arena(), loaded_.diagnostics);
        const auto csv = find_csv(manifests, (shown_ / "manifests").string(), loaded_.diagnostics);
        const BundleMetadata metadata = read_metadata(metadata_files, arena(), loaded_.diagnostics);
        check(metadata);
        if (csv) add_bundle(manifests, *csv, metadata);
        add_further(manifest_files);

        for (std::vector<DocumentFile>* files : {&manifest_files, &metadata_files})
            for (DocumentFile& file : *files)
                if (file.file) storage_->files.push_back(std::move(file.file));
        loaded_.catalog.storage.push_back(storage_);
        sort_by_place(loaded_.diagnostics);
        return std::move(loaded_);
    }

private:
    Arena& arena() { return storage_->arenas.front(); }

    void check(const BundleMetadata& metadata) {
        if (!metadata.annotations)
            loaded_.diagnostics.push_back(
                error("bundle-metadata", {},
                      fmt::format("{} has no file with the annotations of the bundle",
                                  (shown_ / "metadata").string()),
                      "add annotations.yaml with operators.operatorframework.io.bundle.package.v1"));
        else if (metadata.package.empty())
            loaded_.diagnostics.push_back(
                warning("bundle-metadata", {metadata.annotations, 0, 1},
                        "the bundle does not belong to a package, so it is not rendered",
                        "add the annotation operators.operatorframework.io.bundle.package.v1"));
    }

    void add_bundle(const std::vector<Manifest>& manifests, const ClusterServiceVersion& csv,
                    const BundleMetadata& metadata) {
        Diagnostics& diagnostics = loaded_.diagnostics;
        const BundleApis apis = find_apis(manifests, csv, diagnostics);
        const std::vector<TypedValue> own =
            own_properties(metadata, csv, annotation_file(csv), arena(), diagnostics);
        const std::vector<Property> properties =
            all_properties(own, metadata, csv, apis, manifests, arena(), diagnostics);
        if (has_errors(diagnostics)) return;

        Bundle bundle;
        bundle.name = {csv.name.text, 0};
        bundle.package = {arena().copy(metadata.package), 0};
        std::string image = options_.image;
        if (image.empty() && options_.image_template)
            image = options_.image_template->expand({metadata.package, csv.name, first_package_version(own)});
        bundle.image = {arena().copy(image), 0};
        bundle.properties = arena().copy(std::span<const Property>(properties));
        const std::vector<RelatedImage> images = related_images(csv, bundle.image);
        bundle.related_images = arena().copy(std::span<const RelatedImage>(images));
        bundle.value = to_value(bundle, arena());
        loaded_.catalog.bundles.push_back(bundle);
    }

    void add_further(const std::vector<DocumentFile>& files) {
        std::vector<Value> further;
        for (const DocumentFile& file : files)
            further.insert(further.end(), file.further.begin(), file.further.end());
        for (Bundle& bundle : loaded_.catalog.bundles)
            bundle.further_manifests = arena().copy(std::span<const Value>(further));
    }

    // The JSON text in the annotation is a file of its own for its readers.
    const SourceFile* annotation_file(const ClusterServiceVersion& csv) {
        if (!csv.properties) return nullptr;
        const std::string name = csv.manifest->file->file->path() + " (olm.properties)";
        storage_->files.push_back(std::make_unique<SourceFile>(name, csv.properties->string()));
        return storage_->files.back().get();
    }

    const fs::path& directory_;
    fs::path shown_;
    const BundleOptions& options_;
    std::shared_ptr<CatalogStorage> storage_ = std::make_shared<CatalogStorage>();
    LoadedCatalog loaded_;
};

} // namespace

bool is_bundle_directory(const fs::path& directory) {
    std::error_code failure;
    const auto is_folder = [&](std::string_view name) {
        const fs::file_status status = fs::symlink_status(directory / name, failure);
        return status.type() == fs::file_type::directory;
    };
    return is_folder("manifests") && is_folder("metadata");
}

std::map<std::string, std::string> bundle_labels(const fs::path& directory) {
    Arena arena;
    Diagnostics diagnostics; // loading the bundle reports the same
    return read_metadata(read_folder(directory / "metadata", directory / "metadata", true, arena), arena,
                         diagnostics)
        .labels;
}

LoadedCatalog load_bundle_directory(const fs::path& directory, const BundleOptions& options) {
    return Loader(directory, options).load();
}

} // namespace opcat
