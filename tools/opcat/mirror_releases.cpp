#include "mirror_releases.hpp"

#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
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
constexpr const char* usual_graph_base = "registry.access.redhat.com/ubi9/ubi:latest";
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

// In the order of the releases.
std::vector<ReleaseContent> contents_of(const std::vector<SelectedRelease>& releases, const ImageFlags& flags,
                                        Session& session) {
    std::vector<image::PullRequest> requests;
    std::vector<std::string> names;
    for (const SelectedRelease& release : releases) {
        names.push_back(release.image);
        requests.push_back({required(image::Name::parse(release.image)),
                            [](const image::Labels&) { return std::vector<std::string>{references_file}; }});
    }
    PullDisplay display(session, names);
    image::Puller puller(image_options(flags, session));
    std::vector<ReleaseContent> contents;
    for (const image::UnpackedImage& release :
         puller.pull(requests, session.pool_for_network(), display.callback()))
        contents.push_back(content_of(release));
    return contents;
}

// An image of a release, without a name in the mirror of its own.
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
    const ReleaseRequest& request = set.releases;
    if (!request.graph) return std::nullopt;
    std::set<std::string> repositories;
    for (const ImageSetImage& image : set.images)
        if (image.use == ImageUse::release) repositories.insert(image.target().repository);
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
    return GraphImage{wanted.graph_data, wanted.graph_base.empty() ? usual_graph_base : wanted.graph_base,
                      std::move(platforms), repositories.empty() ? std::string() : *repositories.begin()};
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
    const auto spec_of = [](const std::string& image) { return required(PullSpec::parse(image)); };
    if (contents == ReleaseContents::releases) {
        for (const SelectedRelease& release : selected.releases)
            set.images.push_back(image_of(set, spec_of(release.image), ImageUse::release));
        return;
    }
    std::optional<ReleaseSignatures> signatures;
    if (wanted.signatures.empty())
        session.print_warning("the signatures of releases are not mirrored (--release-signatures): clusters "
                              "that verify them update "
                              "only with oc adm upgrade --force");
    else
        signatures.emplace(wanted.signatures, wanted.keys, image_options(flags, session));
    std::vector<ImageSetImage> releases;
    for (const SelectedRelease& release : selected.releases) {
        releases.push_back(image_of(set, spec_of(release.image), ImageUse::release));
        if (signatures) releases.back().signatures = signatures->of(releases.back().spec);
    }
    const std::vector<ReleaseContent> content = contents_of(selected.releases, flags, session);
    std::set<std::string> images;
    for (size_t i = 0; i < releases.size(); ++i) {
        MirrorName name;
        if (contents == ReleaseContents::all_as_oc_mirror) {
            name = oc_mirror_name(releases[i].spec, selected.releases[i], content[i]);
            give_name(releases[i], name, selected.releases[i]);
            // By which its signatures call it, and oc-mirror.
            if (const PullSpec& spec = releases[i].spec; !spec.digest().empty())
                releases[i].spec = spec_of(fmt::format("{}:{}@{}", spec.name(), name.tag, spec.digest()));
        }
        images.insert(selected.releases[i].image);
        set.images.push_back(std::move(releases[i]));
        for (const auto& [component, image] : content[i].components) {
            ImageSetImage part = image_of(set, spec_of(image), ImageUse::part_of_release);
            if (contents == ReleaseContents::all_as_oc_mirror)
                give_name(part, component_name_of_oc_mirror(name, component), selected.releases[i]);
            images.insert(image);
            set.images.push_back(std::move(part));
        }
    }
    if (!session.options.quiet)
        session.print(fmt::format("{} of OpenShift, {} in all\n",
                                  counted(selected.releases.size(), "release"),
                                  counted(images.size(), "image")));
}

} // namespace opcat
