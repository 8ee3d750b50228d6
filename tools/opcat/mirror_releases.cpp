#include "mirror_releases.hpp"

#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/mirror/release_images.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace opcat {
namespace {

// In the order of the releases.
std::vector<ReleaseContent> contents_of(const std::vector<SelectedRelease>& releases, const ImageFlags& flags,
                                        Session& session) {
    std::vector<std::string> names;
    names.reserve(releases.size());
    for (const SelectedRelease& release : releases) names.push_back(release.image);
    PullDisplay display(session, names);
    return read_releases(releases, image_options(flags, session), session.pool_for_network(),
                         display.callback());
}

} // namespace

void ReleaseFlags::refuse(const char* why) const {
    for (const auto& [flag, given] :
         {std::pair("--releases", !graphs.empty()), std::pair("--release-signatures", !signatures.empty()),
          std::pair("--release-key", !keys.empty()), std::pair("--graph-data", !graph_data.empty()),
          std::pair("--graph-base", !graph_base.empty())})
        if (given)
            throw RequestError(fmt::format("{} is for mirror.platform of an ImageSetConfiguration", flag),
                               why);
}

void ReleaseFlags::check() const {
    if (signatures.empty() != keys.empty())
        throw RequestError(keys.empty() ? "no key says which signatures of releases are valid"
                                        : "--release-key is for the signatures of releases",
                           keys.empty()
                               ? "name a file of OpenPGP keys with --release-key; machines of Red Hat have "
                                 "/etc/pki/rpm-gpg/RPM-GPG-KEY-redhat-release"
                               : "say where these are: --release-signatures DIR|URL");
    if (!graph_base.empty() && graph_data.empty())
        throw RequestError("--graph-base is for the image that --graph-data makes",
                           "write --graph-data FILE|URL, too, or leave it out");
}

void add_release_flags(Command command, ReleaseFlags& flags) {
    const Command releases = command.under("Releases of OpenShift");
    releases.add_option("--releases FILE|URL", flags.graphs,
                        "The update graphs for mirror.platform: a file, a directory with "
                        "ARCHITECTURE-CHANNEL.json, or the "
                        "URL of an update service");
    releases.add_option(
        "--release-signatures DIR|URL", flags.signatures,
        "The signatures of releases, for a ConfigMap: a directory or a URL with sha256=HEX/signature-1 "
        "and so on");
    releases.add_option("--release-key FILE", flags.keys,
                        "A file with OpenPGP keys that the signatures must be by");
    releases.add_option(
        "--graph-data FILE|URL", flags.graph_data,
        "For platform.graph: the archive with OpenShift's graph data, of which the image of an "
        "update service is made");
    releases.add_option(
        "--graph-base IMAGE", flags.graph_base,
        fmt::format("The image that it is made on, which has /bin/bash (default: {})", usual_graph_base));
}

std::optional<GraphImage> graph_image_of(const ImageSet& set, const ReleaseFlags& wanted, Session& session) {
    if (!set.releases.graph) return std::nullopt;
    const std::set<std::string> repositories = release_repositories(set);
    if (repositories.empty())
        session.print_warning("no releases are selected: there is an image with their graph, and no "
                              "UpdateService that would name them");
    else if (repositories.size() > 1)
        session.print_warning(
            fmt::format("an UpdateService has one repository of releases, and here they are "
                        "in {}: it gets the first",
                        listed(repositories)));
    return graph_image_of(set, wanted.graph_data, wanted.graph_base);
}

void add_releases(ImageSet& set, const ReleaseFlags& wanted, ReleaseContents contents,
                  const ImageFlags& flags, Session& session) {
    if (!set.releases.graph && !wanted.graph_data.empty())
        throw RequestError("--graph-data is for mirror.platform.graph", "set graph: true, or leave it out");
    if (set.releases.graph && wanted.graph_data.empty() && contents != ReleaseContents::releases)
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
    if (contents == ReleaseContents::releases) {
        std::ranges::move(images_of_releases(set, selected.releases), std::back_inserter(set.images));
        return;
    }
    std::optional<ReleaseSignatures> signatures;
    if (wanted.signatures.empty())
        session.print_warning("the signatures of releases are not mirrored (--release-signatures): clusters "
                              "that verify them update "
                              "only with oc adm upgrade --force");
    else
        signatures.emplace(wanted.signatures, wanted.keys, image_options(flags, session));
    std::vector<ImageSetImage> images = images_of_releases(set, selected.releases);
    if (signatures)
        for (ImageSetImage& release : images) release.signatures = signatures->of(release.spec);
    const size_t count = add_whole_releases(
        set, selected.releases, std::move(images), contents_of(selected.releases, flags, session),
        contents == ReleaseContents::all_as_oc_mirror ? ReleaseNames::as_oc_mirror
                                                      : ReleaseNames::as_at_home);
    if (!session.options.quiet)
        session.print(fmt::format("{} of OpenShift, {} in all\n",
                                  counted(selected.releases.size(), "release"), counted(count, "image")));
}

} // namespace opcat
