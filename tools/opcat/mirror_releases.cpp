#include "mirror_releases.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/puller.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace opcat {
namespace {

constexpr const char* references_file = "/release-manifests/image-references";
constexpr uint64_t most_of_references = uint64_t{16} << 20;

std::vector<std::string> contents_of(const image::UnpackedImage& release) {
    const std::filesystem::path file = release.path(references_file);
    std::error_code absent;
    if (!std::filesystem::exists(file, absent))
        throw Error(fmt::format("{} is not a release of OpenShift: it has no {}", release.name.text,
                                references_file));
    try {
        return images_of_release(read_file(file, references_file, most_of_references)->bytes());
    } catch (const Error& error) {
        throw error.with_message(
            fmt::format("cannot read what the release {} consists of: {}", release.name.text, error.what()));
    }
}

std::vector<std::string> contents_of_all(const std::vector<std::string>& releases, const ImageFlags& flags,
                                         Session& session) {
    std::vector<image::PullRequest> requests;
    requests.reserve(releases.size());
    for (const std::string& release : releases)
        requests.push_back({required(image::Name::parse(release)),
                            [](const image::Labels&) { return std::vector<std::string>{references_file}; }});
    PullDisplay display(session, releases);
    image::Puller puller(image_options(flags, session));
    std::vector<std::string> images;
    for (const image::UnpackedImage& release :
         puller.pull(requests, session.pool_for_network(), display.callback()))
        for (std::string& image : contents_of(release)) images.push_back(std::move(image));
    return images;
}

} // namespace

void add_releases(ImageSet& set, const std::string& graphs, ReleaseContents contents, const ImageFlags& flags,
                  Session& session) {
    if (set.releases.empty()) return;
    if (graphs.empty() && !set.releases.release)
        throw RequestError(
            "mirror.platform selects releases of OpenShift, and no update graph says which there are",
            "give it with --releases: a file, or the URL of an update service, such as "
            "https://api.openshift.com/api/upgrades_info/graph");
    UpdateGraphs known(graphs, image_options(flags, session));
    const SelectedReleases selected = select_releases(
        set.releases, [&](const std::string& architecture, const std::string& channel) -> const UpdateGraph& {
            return known.get(architecture, channel);
        });
    for (const std::string& warning : selected.warnings) session.print_warning(warning);
    std::vector<std::string> images = selected.images;
    if (contents == ReleaseContents::all_images) {
        session.print_warning(
            "the signatures of releases (ConfigMaps for openshift-config-managed) are not mirrored: "
            "clusters that verify them update only with oc adm upgrade --force, or with signatures "
            "from oc-mirror");
        for (std::string& image : contents_of_all(selected.images, flags, session))
            images.push_back(std::move(image));
        if (!session.options.quiet)
            session.print(fmt::format("{} of OpenShift, {} in all\n",
                                      counted(selected.images.size(), "release"),
                                      counted(images.size(), "image")));
    }
    for (const std::string& image : images)
        set.images.push_back({required(PullSpec::parse(image)), {}, {}, set.releases.platforms, {}});
}

} // namespace opcat
