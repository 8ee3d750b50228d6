#include "opcat/image/builder.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace opcat::image {

namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

constexpr size_t most_entries = 500'000; // as many as are unpacked
constexpr unsigned gzip_level = 6;
constexpr unsigned zstd_level = 3;
constexpr fs::perms executable = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;

std::string join(const std::string& directory, const std::string& name) {
    return directory.empty() ? name : directory + '/' + name;
}

// Returns true if a link at `path` below a directory leads to a place below it.
bool stays_below(const fs::path& path, const fs::path& target) {
    if (target.is_absolute()) return false;
    const fs::path reached = (path.parent_path() / target).lexically_normal();
    return !reached.empty() && *reached.begin() != "..";
}

void add_parents(LayerEntries& entries, const std::string& path) {
    for (size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
        entries.try_emplace(path.substr(0, slash));
}

} // namespace

void add_file(LayerEntries& entries, const std::string& path, const fs::path& file) {
    add_parents(entries, path);
    if (entries.size() >= most_entries)
        throw Error(
            fmt::format("an image cannot have {}: it is one of more than {} files", path, most_entries));
    entries[path] = {LayerEntry::Kind::file, file, {}};
}

void add_directory(LayerEntries& entries, const std::string& path, const fs::path& directory, Tree tree) {
    add_parents(entries, path);
    if (!path.empty()) entries[path] = {};
    std::error_code failed;
    fs::recursive_directory_iterator walk(directory, failed);
    for (; !failed && walk != fs::recursive_directory_iterator(); walk.increment(failed)) {
        const fs::path relative = walk->path().lexically_relative(directory);
        const std::string shown = walk->path().string();
        LayerEntry entry;
        const fs::file_status status = walk->symlink_status();
        const auto has_one_of = [&](fs::perms bits) {
            return tree == Tree::root && (status.permissions() & bits) != fs::perms::none;
        };
        switch (status.type()) {
        case fs::file_type::directory:
            if (has_one_of(fs::perms::sticky_bit)) entry.mode = 01777;
            break;
        case fs::file_type::regular:
            entry = {LayerEntry::Kind::file, walk->path(), {}};
            if (has_one_of(executable)) entry.mode = 0755;
            break;
        case fs::file_type::symlink:
            entry = {LayerEntry::Kind::symlink, {}, fs::read_symlink(walk->path()).string()};
            if (tree == Tree::data && !stays_below(relative, entry.text))
                throw Error(fmt::format("the link {} leads out of {}", shown, directory.string()),
                            "put the file itself in its place");
            break;
        default:
            throw Error(fmt::format("{} is neither a file, a directory nor a link", shown));
        }
        if (entries.size() >= most_entries)
            throw Error(fmt::format("{} has more than {} files", directory.string(), most_entries));
        entries[join(path, relative.string())] = std::move(entry);
    }
    if (failed)
        throw Error(fmt::format("cannot read {}: {}", directory.string(), system_message(failed.value())));
}

namespace {

struct Layer {
    Descriptor blob;
    std::string diff_id;
};

std::string type_of_layer(Packing packing) {
    return std::string(media_type::layer) + (packing == Packing::gzip   ? "+gzip"
                                             : packing == Packing::zstd ? "+zstd"
                                                                        : "");
}

Layer write_layer(const ImageRecipe& recipe, const LayerEntries& entries, const fs::path& place) {
    Layer layer;
    layer.blob.media_type = type_of_layer(recipe.packing);
    StagedFile file(place);
    Sha256 packed;
    Sha256 unpacked;
    Packer packer(recipe.packing, recipe.packing == Packing::gzip ? gzip_level : zstd_level,
                  [&](std::string_view bytes) {
                      packed.update(bytes);
                      file.write(bytes);
                      layer.blob.size += bytes.size();
                  });
    TarWriter tar(
        [&](std::string_view bytes) {
            unpacked.update(bytes);
            packer.write(bytes);
        },
        recipe.time);
    for (const auto& [path, entry] : entries) {
        switch (entry.kind) {
        case LayerEntry::Kind::directory:
            tar.directory(path, entry.mode ? entry.mode : 0755);
            break;
        case LayerEntry::Kind::file:
            tar.copy(path, entry.source, entry.mode ? entry.mode : 0644);
            break;
        case LayerEntry::Kind::symlink:
            tar.symlink(path, entry.text);
            break;
        case LayerEntry::Kind::text:
            tar.file(path, entry.text);
            break;
        }
    }
    tar.finish();
    packer.finish();
    file.commit(0600, false);
    layer.blob.digest = "sha256:" + packed.finish_hex();
    layer.diff_id = "sha256:" + unpacked.finish_hex();
    return layer;
}

// Docker's layers are the same bytes under another name.
std::string oci_type_of(const Descriptor& layer) {
    constexpr std::string_view docker = "application/vnd.docker.image.rootfs.diff.tar";
    const std::string_view type = layer.media_type;
    if (type == docker) return std::string(media_type::layer);
    if (type == std::string(docker) + ".gzip") return std::string(media_type::layer) + "+gzip";
    if (type == std::string(docker) + ".zstd") return std::string(media_type::layer) + "+zstd";
    if (type.starts_with(media_type::layer)) return layer.media_type;
    throw Error(fmt::format("the base image has a layer of the kind \"{}\", which cannot be built upon",
                            printable(type)));
}

struct Base {
    Manifest manifest;
    Json config;
};

// `bytes`: the manifest or index of the base's name.
Base read_base(ImageReader& reader, std::string bytes, const Platform& platform) {
    std::string warning; // not with a wanted platform
    Base base;
    base.manifest = choose_image(
        bytes, {platform, false}, [&](const Descriptor& wanted) { return reader.manifest(wanted); }, warning);
    TextSink config(base.manifest.config);
    reader.blob(base.manifest.config, config);
    const Config parsed = parse_config(config.text);
    check_platform(parsed, platform);
    if (parsed.diff_ids.size() != base.manifest.layers.size())
        throw Error(fmt::format("it has {} layers, but its configuration names {}",
                                base.manifest.layers.size(), parsed.diff_ids.size()));
    for (Descriptor& layer : base.manifest.layers) layer.media_type = oci_type_of(layer);
    base.config = parse_json<Json>(config.text);
    return base;
}

// The platforms that the base is for: those of its index, or that of its one image.
std::vector<Platform> platforms_of(ImageReader& base, const std::variant<Manifest, Index>& document) {
    std::vector<Platform> platforms;
    if (const auto* const index = std::get_if<Index>(&document)) {
        for (const IndexEntry& entry : index->entries)
            if (entry.platform && entry.platform->os != "unknown") platforms.push_back(*entry.platform);
        return platforms;
    }
    const Descriptor& config = std::get<Manifest>(document).config;
    TextSink text(config);
    base.blob(config, text);
    if (const auto platform = parse_config(text.text).platform) platforms.push_back(*platform);
    return platforms;
}

void set_platform(Json& config, const Platform& platform) {
    config["os"] = platform.os;
    config["architecture"] = platform.architecture;
    if (!platform.variant.empty()) config["variant"] = platform.variant;
}

// The list of "KEY=VALUE" with each key once.
void set_environment(Json& run, const std::map<std::string, std::string>& environment) {
    if (environment.empty()) return;
    Json variables = Json::array();
    for (const Json& variable : run.value("Env", Json::array())) {
        const auto text = variable.is_string() ? variable.get<std::string>() : "";
        if (!environment.contains(text.substr(0, text.find('=')))) variables.push_back(variable);
    }
    for (const auto& [key, value] : environment) variables.push_back(fmt::format("{}={}", key, value));
    run["Env"] = std::move(variables);
}

// The image configuration, as the OCI image specification has it.
std::string write_config(const ImageRecipe& recipe, const Platform& platform, Json config,
                         const std::string& diff_id) {
    const std::string created =
        fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<time_t>(recipe.time)));
    set_platform(config, platform);
    config["created"] = created;
    Json& run = config["config"];
    if (!run.is_object()) run = Json::object();
    Json& labels = run["Labels"];
    if (!labels.is_object()) labels = Json::object();
    for (const std::string& label : recipe.no_labels) labels.erase(label);
    for (const std::string& label : recipe.alien_labels)
        if (labels.contains(label))
            throw RequestError(
                fmt::format("the base image has the label {}: it has other content, which would be part "
                            "of the new image, too",
                            label),
                "name a base that is neither a catalog nor a bundle, or scratch");
    for (const auto& [key, value] : recipe.labels) labels[key] = value;
    if (recipe.entry_point) run["Entrypoint"] = *recipe.entry_point;
    if (recipe.command) run["Cmd"] = *recipe.command;
    if (recipe.user) run["User"] = *recipe.user;
    if (recipe.working_directory) run["WorkingDir"] = *recipe.working_directory;
    set_environment(run, recipe.environment);
    // A base without layers may have anything here.
    Json& root = config["rootfs"];
    if (!root.is_object()) root = Json::object();
    root["type"] = "layers";
    Json& diff_ids = root["diff_ids"];
    if (!diff_ids.is_array()) diff_ids = Json::array();
    const size_t layers = diff_ids.size();
    diff_ids.push_back(diff_id);
    // A history mentions all layers or is left out.
    Json& history = config["history"];
    if (!history.is_array()) history = Json::array();
    const auto layers_in_history = std::count_if(history.begin(), history.end(), [](const Json& step) {
        return !step.is_object() || !step.contains("empty_layer") || step["empty_layer"] != true;
    });
    if (static_cast<size_t>(layers_in_history) == layers)
        history.push_back({{"created", created}, {"created_by", "opcat build"}});
    else
        config.erase("history");
    return as_line(config);
}

// The manifest or index of the base. A catalog without one can be built from scratch.
std::string read_top(ImageReader& base) {
    try {
        return base.manifest();
    } catch (const Error& error) {
        throw Error(fmt::format("cannot read the base image: {}", error.what()),
                    error.hint().empty()
                        ? "take another base, or scratch, which needs none"
                        : error.hint() + "; or take another base, or scratch, which needs none");
    }
}

class BuiltImage : public ImageReader {
public:
    BuiltImage(const ImageRecipe& recipe, std::unique_ptr<ImageReader> base, const fs::path& temporary)
        : base_(std::move(base)), directory_(temporary) {
        std::vector<Layer> layers;
        const std::span<const LayerEntries> all = recipe.entries_by_platform.empty()
                                                      ? std::span(&recipe.entries, 1)
                                                      : std::span(recipe.entries_by_platform);
        for (const LayerEntries& entries : all) {
            const fs::path file = directory_.path() / fmt::format("layer{}", layers.size());
            layers.push_back(write_layer(recipe, entries, file));
            layers_[layers.back().blob.digest] = file;
        }
        if (base_) base_top_ = read_top(*base_);
        std::vector<Platform> platforms = recipe.platforms;
        bool is_index = platforms.size() > 1;
        if (platforms.empty() && base_) {
            const auto document = parse_manifest(base_top_);
            platforms = platforms_of(*base_, document);
            is_index = std::holds_alternative<Index>(document);
        }
        if (platforms.empty()) throw Error("no platform is named, and the base image names none");
        if (layers.size() > 1 && layers.size() != platforms.size())
            throw Error(fmt::format("there are files for {} platforms, and {} platforms", layers.size(),
                                    platforms.size()));
        Index index;
        for (size_t i = 0; i < platforms.size(); ++i) {
            const Platform& platform = platforms[i];
            const std::string manifest = build(recipe, platform, layers[layers.size() > 1 ? i : 0]);
            index.entries.push_back({add(manifest, media_type::manifest), platform, {}});
            top_ = manifest;
        }
        if (is_index) top_ = write_index(index, recipe.annotations);
    }

    std::string manifest() override { return top_; }
    std::string manifest(const Descriptor& wanted) override { return documents_.at(wanted.digest); }
    std::vector<PullSpec> repositories(const Descriptor& blob) const override {
        const bool own = documents_.contains(blob.digest) || layers_.contains(blob.digest);
        return own || !base_ ? std::vector<PullSpec>() : base_->repositories(blob);
    }

    bool has_blob(const Descriptor& wanted) override {
        return documents_.contains(wanted.digest) || layers_.contains(wanted.digest) ||
               (base_ && base_->has_blob(wanted));
    }

    void blob(const Descriptor& wanted, BlobSink& to) override {
        if (const auto document = documents_.find(wanted.digest); document != documents_.end()) {
            to.write(document->second);
            to.check();
        } else if (const auto layer = layers_.find(wanted.digest); layer != layers_.end()) {
            copy_from_file(layer->second, to);
        } else {
            base_->blob(wanted, to);
        }
    }

private:
    std::string build(const ImageRecipe& recipe, const Platform& platform, const Layer& layer) {
        Base base;
        try {
            if (base_) base = read_base(*base_, base_top_, platform);
        } catch (const Error& error) {
            throw error.with_message(fmt::format("cannot use the base image: {}", error.what()));
        }
        Manifest manifest = std::move(base.manifest);
        manifest.media_type = media_type::manifest;
        manifest.config =
            add(write_config(recipe, platform, std::move(base.config), layer.diff_id), media_type::config);
        manifest.layers.push_back(layer.blob);
        return write_manifest(manifest, recipe.annotations);
    }

    Descriptor add(const std::string& document, std::string_view type) {
        Descriptor descriptor{"sha256:" + sha256_hex(document), document.size(), std::string(type)};
        documents_[descriptor.digest] = document;
        return descriptor;
    }

    std::unique_ptr<ImageReader> base_;
    std::string base_top_; // its manifest or index
    TemporaryDirectory directory_;
    std::map<std::string, fs::path> layers_;       // by digest
    std::map<std::string, std::string> documents_; // by digest
    std::string top_;
};

} // namespace

std::unique_ptr<ImageReader> build_image(const ImageRecipe& recipe, std::unique_ptr<ImageReader> base,
                                         const fs::path& temporary) {
    for (const auto* texts : {&recipe.labels, &recipe.annotations})
        for (const auto& [key, value] : *texts)
            if (!is_valid_utf8(key) || !is_valid_utf8(value))
                throw Error(fmt::format("the label {} is not text in UTF-8", printable(key)));
    return std::make_unique<BuiltImage>(recipe, std::move(base), temporary);
}

} // namespace opcat::image
