#include "opcat/mirror/image_list.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"

#include <nlohmann/json.hpp>

namespace opcat {
namespace {

using Json = nlohmann::json;
constexpr const char* wrong = "the list of its images is not valid";

} // namespace

std::string write_image_list(const std::vector<image::IndexEntry>& images) {
    Json list = Json::array();
    for (const image::IndexEntry& image : images)
        list.push_back(Json{{"mediaType", image.manifest.media_type},
                            {"digest", image.manifest.digest},
                            {"size", image.manifest.size},
                            {"annotations", image.annotations}});
    return as_document(list);
}

std::vector<image::IndexEntry> parse_image_list(std::string_view text) {
    const Json json = parse_shallow_json<Json>(text).value_or(Json());
    if (!json.is_array()) throw Error(wrong);
    std::vector<image::IndexEntry> images;
    for (const Json& one : json) {
        if (!one.is_object() || !one.value("digest", Json()).is_string() ||
            !one.value("size", Json()).is_number_unsigned() ||
            !one.value("annotations", Json()).is_object() ||
            !image::is_sha256(one["digest"].get_ref<const std::string&>()))
            throw Error(wrong);
        image::IndexEntry entry;
        entry.manifest = {one["digest"].get<std::string>(), one["size"].get<uint64_t>(), {}};
        for (const auto& [key, value] : one["annotations"].items()) {
            if (!value.is_string()) throw Error(wrong);
            entry.annotations[key] = value.get<std::string>();
        }
        images.push_back(std::move(entry));
    }
    return images;
}

} // namespace opcat
