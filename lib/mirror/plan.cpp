#include "opcat/mirror/plan.hpp"

#include "opcat/base/error.hpp"
#include "opcat/graph/contents.hpp"
#include "opcat/image/referrers.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {

MirrorName MirrorName::parse(const std::string& text) {
    const size_t colon = text.rfind(':');
    if (colon == text.npos) return {text, "latest"};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

bool MirrorName::refers_to_an_image() const {
    return image::digest_of_tag(std::string_view(tag).substr(0, tag.find('.'))).has_value();
}

std::string MirrorName::to_exact_string() const {
    const auto digest = image::digest_of_tag(tag);
    return digest ? fmt::format("{}@{}", repository, *digest) : to_string();
}

MirrorName mirror_name(const PullSpec& spec) {
    if (!spec.tag().empty()) return {spec.repository(), spec.tag()};
    return {spec.repository(), spec.digest().empty() ? "latest" : image::tag_of_digest(spec.digest())};
}

void require_not_of_record(const MirrorName& name) {
    if (name.repository == record_repository)
        throw Error(fmt::format("{} is the name of the mirror's own record", name.to_string()),
                    "leave the image out, or give it another name (targetRepo, targetCatalog)");
}

std::string limited_path(const std::string& repository, size_t most_parts) {
    std::string path = repository;
    size_t parts = 1;
    for (char& c : path)
        if (c == '/' && most_parts > 0 && ++parts > most_parts) c = '-';
    return path;
}

std::set<std::string> with_others_of_the_run(std::set<std::string> needed_by) {
    if (!std::all_of(needed_by.begin(), needed_by.end(), names_catalog))
        needed_by.insert({additional_images, release_images});
    return needed_by;
}

Error would_both_be(const std::string& one, const std::string& other, const MirrorName& name) {
    return Error(fmt::format("{} and {} would both be {} in the mirror", one, other, name.to_string()),
                 "mirror their catalogs below different prefixes");
}

MirrorImage& MirrorPlan::place(const PullSpec& spec, MirrorName name, const Platforms& platforms) {
    name.repository = limited_path(name.repository, most_parts_);
    require_not_of_record(name);
    const auto fits = [&](const MirrorImage& image) {
        const PullSpec& other = image.sources.front();
        return other == spec || (!spec.digest().empty() && other.digest() == spec.digest());
    };
    auto at = images_.find(name);
    if (at != images_.end() && !fits(at->second) && !spec.digest().empty()) {
        name.tag = image::tag_of_digest(spec.digest()); // which distinguishes it from the other
        at = images_.find(name);
    }
    if (at == images_.end()) at = images_.emplace(name, MirrorImage{{spec}, name, {}, {}, platforms}).first;
    MirrorImage& image = at->second;
    if (!fits(image)) throw would_both_be(image.sources.front().to_string(), spec.to_string(), name);
    if (std::find(image.sources.begin(), image.sources.end(), spec) == image.sources.end())
        image.sources.push_back(spec);
    if (platforms.empty() || image.platforms.empty()) // one of those that need it needs all
        image.platforms.clear();
    else
        image.platforms.insert(platforms.begin(), platforms.end());
    return image;
}

void MirrorPlan::add(const PullSpec& spec, const MirrorName& name, const Platforms& platforms,
                     const std::string& needed_by) {
    try {
        place(spec, name, platforms).catalogs.insert(needed_by);
    } catch (const Error& error) {
        unusable_.push_back({spec.to_string(), {}, needed_by, error});
    }
}

void MirrorPlan::add(const Catalog& catalog, const std::string& catalog_name, const IsBlocked& is_blocked,
                     const Platforms& platforms) {
    for (const ImageRow& row : list_images(catalog)) {
        if (row.image.empty()) continue;
        std::vector<std::string> bundles;
        for (const Bundle* bundle : row.bundles) bundles.emplace_back(bundle->name.text);
        try {
            const auto spec = PullSpec::parse(row.image);
            if (!spec || spec->registry().empty())
                throw Error(fmt::format("bundle {} names the image \"{}\", which is not a pull spec: {}",
                                        bundles.front(), row.image,
                                        spec ? "it has no registry" : spec.error().message));
            if (is_blocked && is_blocked(*spec, mirror_name(*spec))) continue;
            MirrorImage& image = place(*spec, mirror_name(*spec), platforms);
            image.catalogs.insert(catalog_name);
            for (std::string& bundle : bundles)
                if (std::find(image.bundles.begin(), image.bundles.end(), bundle) == image.bundles.end())
                    image.bundles.push_back(std::move(bundle));
        } catch (const Error& error) {
            unusable_.push_back({std::string(row.image), std::move(bundles), catalog_name, error});
        }
    }
}

std::vector<MirrorImage> MirrorPlan::images() const {
    std::vector<MirrorImage> images;
    for (const auto& [name, image] : images_) images.push_back(image);
    return images;
}

} // namespace opcat
