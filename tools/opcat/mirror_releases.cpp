#include "mirror_releases.hpp"

#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/puller.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>
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

void ReleaseFlags::check(bool has_image_set) const {
    if (!has_image_set && !(graphs.empty() && signatures.empty() && keys.empty() && graph_data.empty()))
        throw RequestError(fmt::format("{} is for mirror.platform of an ImageSetConfiguration",
                                       !graphs.empty()       ? "--releases"
                                       : !signatures.empty() ? "--release-signatures"
                                       : !keys.empty()       ? "--release-key"
                                                             : "--graph-data"),
                           "write --config FILE, too");
    if (signatures.empty() != keys.empty())
        throw RequestError(keys.empty() ? "no key says which signatures of releases are valid"
                                        : "--release-key is for the signatures of releases",
                           keys.empty()
                               ? "name a file of OpenPGP keys with --release-key; machines of Red Hat have "
                                 "/etc/pki/rpm-gpg/RPM-GPG-KEY-redhat-release"
                               : "say where these are: --release-signatures DIR|URL");
}

void add_release_flags(Command command, ReleaseFlags& flags) {
    const std::string releases = "Releases of OpenShift";
    command
        .add_option("--releases", flags.graphs,
                    "The update graphs for mirror.platform: a file, a directory with "
                    "ARCHITECTURE-CHANNEL.json, or the "
                    "URL of an update service")
        .value_name("FILE|URL")
        .group(releases);
    command
        .add_option(
            "--release-signatures", flags.signatures,
            "The signatures of releases, for a ConfigMap: a directory or a URL with sha256=HEX/signature-1 "
            "and so on")
        .value_name("DIR|URL")
        .group(releases);
    command.add_option("--release-key", flags.keys, "A file with OpenPGP keys that the signatures must be by")
        .value_name("FILE")
        .group(releases);
    command
        .add_option("--graph-data", flags.graph_data,
                    "For platform.graph: the archive with OpenShift's graph data, of which the image of an "
                    "update service is made")
        .value_name("FILE|URL")
        .group(releases);
    command.add_option("--graph-base", flags.graph_base, "The image that it is made on, which has /bin/bash")
        .value_name("IMAGE")
        .group(releases)
        .show_default();
}

std::optional<GraphImage> graph_image_of(const ImageSet& set, const ReleaseFlags& wanted, Session& session) {
    const ReleaseRequest& request = set.releases;
    if (!request.graph) return std::nullopt;
    std::set<std::string> repositories;
    for (const ImageSetImage& image : set.images)
        if (image.is_release) repositories.insert(image.target().repository);
    if (repositories.empty())
        session.print_warning("no releases are selected: there is an image with their graph, and no "
                              "UpdateService that would name them");
    else if (repositories.size() > 1)
        session.print_warning(
            fmt::format("an UpdateService has one repository of releases, and here they are "
                        "in {}: it gets the first",
                        listed(repositories)));
    Platforms platforms = request.platforms;
    const std::vector<std::string>& architectures = request.architectures;
    if (platforms.empty() &&
        std::find(architectures.begin(), architectures.end(), "multi") == architectures.end())
        for (const std::string& architecture : architectures) platforms.insert("linux/" + architecture);
    return GraphImage{wanted.graph_data, wanted.graph_base, std::move(platforms),
                      repositories.empty() ? std::string() : *repositories.begin()};
}

void add_releases(ImageSet& set, const ReleaseFlags& wanted, ReleaseContents contents,
                  const ImageFlags& flags, Session& session) {
    if (!set.releases.graph && !wanted.graph_data.empty())
        throw RequestError("--graph-data is for mirror.platform.graph", "set graph: true, or leave it out");
    if (set.releases.graph && wanted.graph_data.empty() && contents == ReleaseContents::all_images)
        throw RequestError("mirror.platform.graph asks for the image of an update service, and nothing says "
                           "where OpenShift's graph data is",
                           "give it with --graph-data: a file, or the URL "
                           "https://api.openshift.com/api/upgrades_info/graph-data; or remove graph");
    if (!set.releases.selects_releases()) return;
    if (wanted.graphs.empty() && !set.releases.release)
        throw RequestError(
            "mirror.platform selects releases of OpenShift, and no update graph says which there are",
            "give it with --releases: a file, or the URL of an update service, such as "
            "https://api.openshift.com/api/upgrades_info/graph");
    UpdateGraphs known(wanted.graphs, image_options(flags, session));
    const SelectedReleases selected = select_releases(
        set.releases, [&](const std::string& architecture, const std::string& channel) -> const UpdateGraph& {
            return known.get(architecture, channel);
        });
    for (const std::string& warning : selected.warnings) session.print_warning(warning);
    const auto add = [&](const std::string& image, bool is_release, SignatureData signatures) {
        set.images.push_back({required(PullSpec::parse(image)),
                              {},
                              {},
                              set.releases.platforms,
                              {},
                              is_release,
                              std::move(signatures)});
    };
    if (contents == ReleaseContents::release_images) {
        for (const std::string& release : selected.images) add(release, true, {});
        return;
    }
    if (wanted.signatures.empty()) {
        session.print_warning("the signatures of releases are not mirrored (--release-signatures): clusters "
                              "that verify them update "
                              "only with oc adm upgrade --force");
        for (const std::string& release : selected.images) add(release, true, {});
    } else {
        ReleaseSignatures signatures(wanted.signatures, wanted.keys, image_options(flags, session));
        for (const std::string& release : selected.images) {
            const PullSpec spec = required(PullSpec::parse(release));
            add(release, true, signatures.of(spec));
        }
    }
    const std::vector<std::string> contained = contents_of_all(selected.images, flags, session);
    for (const std::string& image : contained) add(image, false, {});
    if (!session.options.quiet)
        session.print(fmt::format("{} of OpenShift, {} in all\n", counted(selected.images.size(), "release"),
                                  counted(selected.images.size() + contained.size(), "image")));
}

} // namespace opcat
