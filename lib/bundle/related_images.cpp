#include "bundle/related_images.hpp"

#include "document/go_keys.hpp"
#include "manifest/go_type.hpp"

#include <initializer_list>
#include <set>

namespace opcat {
namespace {

const Value* follow(const Value* value, std::initializer_list<std::string_view> fields) {
    for (const std::string_view field : fields) value = value ? find_field(*value, field) : nullptr;
    return value;
}

// Of the only install strategy that there is.
std::set<std::string_view> images_of_deployments(const Value& spec) {
    std::set<std::string_view> images;
    const Value* const install = find_field(spec, "install");
    if (!install || field_text(*install, "strategy") != "deployment") return images;
    for (const Value& deployment : manifest::items_of(follow(install, {"spec", "deployments"}))) {
        const Value* const pod = follow(&deployment, {"spec", "template", "spec"});
        for (const std::string_view list : {"containers", "initContainers"})
            for (const Value& container : manifest::items_of(follow(pod, {list})))
                images.insert(field_text(container, "image"));
    }
    return images;
}

} // namespace

std::vector<RelatedImage> related_images(const ClusterServiceVersion& csv, std::string_view bundle_image) {
    std::vector<RelatedImage> result;
    std::set<std::string_view> listed;
    for (const Value& item : manifest::items_of(csv.spec->find("relatedImages"))) {
        result.push_back({{field_text(item, "name"), 0}, {field_text(item, "image"), 0}});
        listed.insert(result.back().image.text);
    }
    // opm adds the bundle's image before it looks for those of the containers, and does not remember it.
    if (!bundle_image.empty() && !listed.contains(bundle_image)) result.push_back({{}, {bundle_image, 0}});
    for (const std::string_view image : images_of_deployments(*csv.spec))
        if (!listed.contains(image)) result.push_back({{}, {image, 0}});
    return result;
}

} // namespace opcat
