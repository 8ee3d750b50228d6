#include "opcat/mirror/release_images.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace opcat {
namespace {

constexpr const char* references_file = "/release-manifests/image-references";
constexpr uint64_t most_of_references = uint64_t{16} << 20;

ReleaseContent content_of(const image::UnpackedImage& release) {
    const std::filesystem::path file = release.path(references_file);
    std::error_code absent;
    if (!std::filesystem::exists(file, absent))
        throw Error(fmt::format("{} is not a release of OpenShift: it has no {}", release.name.text,
                                references_file));
    try {
        return ReleaseContent::parse(read_file(file, references_file, most_of_references)->bytes());
    } catch (const Error& error) {
        throw error.with_message(
            fmt::format("cannot read what the release {} consists of: {}", release.name.text, error.what()));
    }
}

PullSpec spec_of(const std::string& image) {
    return required(PullSpec::parse(image));
}

// Without a name in the mirror of its own.
ImageSetImage image_of(const ImageSet& set, PullSpec spec, ImageUse use) {
    ImageSetImage image{std::move(spec), {}, {}, set.releases.platforms, {}};
    image.use = use;
    return image;
}

// Throws Error where the content of the release makes no tag.
void give_name(ImageSetImage& image, const MirrorName& name, const SelectedRelease& release) {
    const auto spec = PullSpec::parse("localhost/" + name.to_string());
    if (!spec || spec->tag() != name.tag)
        throw Error(fmt::format("the release {} calls an image {}, which is not a tag", release.image,
                                go_quote(name.tag)),
                    "leave out --oc-mirror-names");
    image.target_repository = name.repository;
    image.target_tag = name.tag;
}

MirrorName oc_mirror_name(const PullSpec& image, const SelectedRelease& release,
                          const ReleaseContent& content) {
    const std::string& version = release.version.empty() ? content.version : release.version;
    MirrorName name = release_name_of_oc_mirror(version, release.architecture);
    if (release.version.empty() && !image.tag().empty())
        name.tag = image.tag();
    else if (version.empty())
        throw Error(fmt::format("the release {} does not say which version it is", release.image),
                    "leave out --oc-mirror-names");
    return name;
}

} // namespace

std::vector<ReleaseContent> read_releases(std::span<const SelectedRelease> releases, image::Options options,
                                          ThreadPool& pool, const image::OnProgress& on_progress) {
    std::vector<image::PullRequest> requests;
    requests.reserve(releases.size());
    for (const SelectedRelease& release : releases)
        requests.push_back({required(image::Name::parse(release.image)),
                            [](const image::Labels&) { return std::vector<std::string>{references_file}; }});
    image::Puller puller(std::move(options));
    std::vector<ReleaseContent> contents;
    for (const image::UnpackedImage& release : puller.pull(requests, pool, on_progress))
        contents.push_back(content_of(release));
    return contents;
}

std::vector<ImageSetImage> images_of_releases(const ImageSet& set,
                                              std::span<const SelectedRelease> releases) {
    std::vector<ImageSetImage> images;
    images.reserve(releases.size());
    for (const SelectedRelease& release : releases)
        images.push_back(image_of(set, spec_of(release.image), ImageUse::release));
    return images;
}

size_t add_whole_releases(ImageSet& set, std::span<const SelectedRelease> releases,
                          std::vector<ImageSetImage> images, std::span<const ReleaseContent> contents,
                          ReleaseNames names) {
    std::set<std::string> added;
    for (size_t i = 0; i < images.size(); ++i) {
        const SelectedRelease& release = releases[i];
        MirrorName name;
        if (names == ReleaseNames::as_oc_mirror) {
            name = oc_mirror_name(images[i].spec, release, contents[i]);
            give_name(images[i], name, release);
            // By which its signatures call it, and oc-mirror.
            if (const PullSpec& spec = images[i].spec; !spec.digest().empty())
                images[i].spec = spec_of(fmt::format("{}:{}@{}", spec.name(), name.tag, spec.digest()));
        }
        added.insert(release.image);
        set.images.push_back(std::move(images[i]));
        for (const auto& [component, image] : contents[i].components) {
            ImageSetImage part = image_of(set, spec_of(image), ImageUse::part_of_release);
            if (names == ReleaseNames::as_oc_mirror)
                give_name(part, component_name_of_oc_mirror(name, component), release);
            added.insert(image);
            set.images.push_back(std::move(part));
        }
    }
    return added.size();
}

std::set<std::string> release_repositories(const ImageSet& set) {
    std::set<std::string> repositories;
    for (const ImageSetImage& image : set.images)
        if (image.use == ImageUse::release) repositories.insert(image.target().repository);
    return repositories;
}

GraphImage graph_image_of(const ImageSet& set, const std::string& data, const std::string& base) {
    Platforms platforms = set.releases.platforms;
    const std::vector<std::string>& architectures = set.releases.architectures;
    if (platforms.empty() &&
        std::find(architectures.begin(), architectures.end(), "multi") == architectures.end())
        for (const std::string& architecture : architectures) platforms.insert("linux/" + architecture);
    const std::set<std::string> repositories = release_repositories(set);
    return {data, base.empty() ? usual_graph_base : base, std::move(platforms),
            repositories.empty() ? std::string() : *repositories.begin()};
}

} // namespace opcat
