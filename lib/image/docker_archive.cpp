#include "image/archive_directory.hpp"
#include "image/local.hpp"
#include "image/path_filter.hpp"
#include "image/printable.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/pull_spec.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace opcat::image {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

std::vector<std::string> strings(const Json& object, const char* name) {
    std::vector<std::string> found;
    if (!object.is_object() || !object.contains(name) || !object[name].is_array()) return found;
    for (const Json& item : object[name])
        if (item.is_string()) found.push_back(item.get<std::string>());
    return found;
}

bool is_tagged(const Json& image, const std::string& tag) {
    const auto wanted = PullSpec::parse(tag);
    for (const std::string& text : strings(image, "RepoTags")) {
        const auto spec = PullSpec::parse(text);
        if (spec && (spec->tag() == tag || (wanted && wanted->to_string() == spec->to_string()))) return true;
    }
    return false;
}

std::string list_tags(const Json& images) {
    std::string text;
    for (const Json& image : images)
        for (const std::string& tag : strings(image, "RepoTags"))
            if (text.size() < 300) text += (text.empty() ? "" : ", ") + printable(tag);
    return text.empty() ? "none of its images has a tag" : "there is " + text;
}

const Json& find_image(const Json& images, const std::string& tag) {
    if (!images.is_array() || images.empty()) throw Error("its manifest.json lists no image");
    if (tag.empty()) {
        if (images.size() > 1)
            throw Error(fmt::format("it holds {} images; {}", images.size(), list_tags(images)),
                        "add the tag of one after a colon");
        return images[0];
    }
    for (const Json& image : images)
        if (is_tagged(image, tag)) return image;
    throw Error(fmt::format("it holds no image \"{}\"; {}", printable(tag), list_tags(images)));
}

class InDockerArchive : public Source {
public:
    InDockerArchive(const fs::path& file, const std::string& tag, const Options& options)
        : archive_(file, options) {
        std::error_code absent;
        if (!fs::exists(archive_.root() / "manifest.json", absent))
            throw Error("it is no archive of docker save: there is no manifest.json");
        const Json images = Json::parse(read("manifest.json"), nullptr, false);
        const Json& image = find_image(images, tag);
        if (!image.is_object() || !image.contains("Config") || !image["Config"].is_string())
            throw Error("its manifest.json names no configuration");
        contents_.config = parse_config(read(image["Config"].get<std::string>()));
        for (const std::string& layer : strings(image, "Layers")) {
            const fs::path path = inside(layer);
            layers_.push_back(path);
            contents_.layers.push_back({"", fs::file_size(path)});
        }
    }

    fs::path layer(size_t index, const std::function<void(uint64_t)>& on_bytes) override {
        if (on_bytes) on_bytes(contents_.layers.at(index).size);
        return layers_.at(index);
    }

private:
    // The archive says where its parts are; none is outside.
    fs::path inside(const std::string& name) const {
        fs::path path = archive_.root() / path_in_image(name);
        std::error_code absent;
        if (!fs::is_regular_file(path, absent))
            throw Error(fmt::format("its manifest.json names \"{}\", which is not there", printable(name)));
        return path;
    }

    std::string read(const std::string& name) const {
        return std::string(read_file(inside(name), printable(name), max_document_size)->bytes());
    }

    ArchiveDirectory archive_;
    std::vector<fs::path> layers_;
};

} // namespace

std::unique_ptr<Source> open_docker_archive(const fs::path& file, const std::string& tag,
                                            const Options& options) {
    return std::make_unique<InDockerArchive>(file, tag, options);
}

} // namespace opcat::image
