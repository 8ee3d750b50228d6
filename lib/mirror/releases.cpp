#include "opcat/mirror/releases.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace opcat {
namespace {

// Where the updates of several channels begin or end.
struct ChannelVersion {
    std::string channel;
    semver::Version version;
};

// "stable-4.16".
struct ChannelName {
    std::string prefix;
    uint64_t major = 0;
    uint64_t minor = 0;

    static ChannelName parse(const std::string& name) {
        const size_t dash = name.rfind('-');
        const auto version =
            semver::Version::parse(name.substr(dash == name.npos ? name.size() : dash + 1) + ".0");
        if (!version)
            throw Error(
                fmt::format("the channel {} does not end in -MAJOR.MINOR, so that updates from and to "
                            "other channels are not known",
                            name));
        return {name.substr(0, dash), version->major, version->minor};
    }
    std::string to_string() const { return fmt::format("{}-{}.{}", prefix, major, minor); }
    bool same_minor(const ChannelName& other) const { return major == other.major && minor == other.minor; }
};

using Found = std::map<std::string, SelectedRelease>; // by image

// For one architecture.
class ReleaseSearch {
public:
    ReleaseSearch(const GetUpdateGraph& graph, const std::string& architecture, Found& found,
                  std::vector<std::string>& warnings)
        : graph_(graph), architecture_(architecture), found_(found), warnings_(warnings) {}

    // Completes the bounds of the channels, which then count for further architectures, too.
    void add_channels(std::vector<ReleaseChannel>& all) {
        for (ReleaseChannel& channel : all) add_channel(channel);
        std::vector<ReleaseChannel> channels = all;
        std::erase_if(channels, [](const ReleaseChannel& channel) { return channel.is_okd; });
        if (channels.size() < 2) return;
        // Of channels with the same version the last one: oc-mirror takes one by chance, and this most often.
        const auto first = std::min_element(
            channels.rbegin(), channels.rend(),
            [](const ReleaseChannel& a, const ReleaseChannel& b) { return *a.least < *b.least; });
        const auto last = std::max_element(
            channels.rbegin(), channels.rend(),
            [](const ReleaseChannel& a, const ReleaseChannel& b) { return *a.most < *b.most; });
        add_across({first->name, *first->least}, {last->name, *last->most});
    }

private:
    void add(const UpdateGraph::Release& release) {
        found_.try_emplace(release.image,
                           SelectedRelease{release.image, release.version.to_string(), architecture_});
    }

    const UpdateGraph& graph(const std::string& channel) const { return graph_(architecture_, channel); }

    void add_channel(ReleaseChannel& channel) {
        const UpdateGraph& own = graph(channel.name);
        if (own.is_assumed)
            warnings_.push_back(
                fmt::format("no release of the update graph names the channel {}: it is assumed "
                            "that all of them belong to it",
                            channel.name));
        const bool only_head = !channel.least && !channel.most && !channel.full;
        if (!channel.most) channel.most = own.most();
        if (!channel.least) channel.least = only_head ? own.most() : own.least();
        if (channel.shortest_path) return add_path(channel.name, *channel.least, *channel.most);
        size_t found = 0;
        for (const UpdateGraph::Release& release : own.releases) {
            if (release.version < *channel.least || release.version > *channel.most) continue;
            add(release);
            ++found;
        }
        if (found == 0)
            warnings_.push_back(fmt::format(
                "the channel {} has no release for {} from {} to {}: nothing of it is mirrored", channel.name,
                architecture_, channel.least->to_string(), channel.most->to_string()));
    }

    size_t place_of(const std::string& channel, const semver::Version& version) const {
        const auto place = graph(channel).find(version);
        if (!place)
            throw Error(fmt::format("the channel {} has no release {} for {}", channel, version.to_string(),
                                    architecture_));
        return *place;
    }

    void add_version(const std::string& channel, const semver::Version& version) {
        add(graph(channel).releases[place_of(channel, version)]);
    }

    // Without a way not even the ends are added.
    void add_updates(const std::string& channel, const semver::Version& least, const semver::Version& most,
                     const char* else_mirrored) {
        const UpdateGraph& own = graph(channel);
        const std::vector<size_t> path = own.shortest_path(place_of(channel, least), place_of(channel, most));
        for (const size_t at : path) add(own.releases[at]);
        if (path.empty())
            warnings_.push_back(fmt::format("no updates lead from {} to {} in {} for {}{}", least.to_string(),
                                            most.to_string(), channel, architecture_, else_mirrored));
    }

    void add_path(const std::string& channel, const semver::Version& least, const semver::Version& most) {
        add_updates(channel, least, most, ": only these two are mirrored");
        add_version(channel, least);
        add_version(channel, most);
    }

    // The shortest way from one channel to another: in each minor version between them to its newest release.
    void add_across(const ChannelVersion& from, const ChannelVersion& to) {
        if (from.channel == to.channel) return add_path(to.channel, from.version, to.version);
        ChannelName name = ChannelName::parse(from.channel);
        const ChannelName target = ChannelName::parse(to.channel);
        if (std::pair(name.major, name.minor) > std::pair(target.major, target.minor) ||
            name.major != target.major)
            throw Error(fmt::format("no updates lead from the channel {} to {}", from.channel, to.channel));
        if (name.same_minor(target)) {
            if (begins(to.channel, from.version)) return add_path(to.channel, from.version, to.version);
            return add_version(to.channel, to.version);
        }
        semver::Version reached = graph(from.channel).most();
        add_version(from.channel, from.version);
        add_updates(from.channel, from.version, reached, "");
        for (bool is_last = false; !is_last;) {
            ++name.minor;
            is_last = name.same_minor(target);
            const std::string channel = is_last ? to.channel : name.to_string();
            const semver::Version next = is_last ? to.version : graph(channel).most();
            if (!begins(channel, reached)) {
                // oc-mirror adds what these updates should have led to, and fails if the last channel does
                // not have it.
                const bool is_there = graph(to.channel).find(next).has_value();
                return add_version(to.channel, is_there ? next : to.version);
            }
            add_updates(channel, reached, next, "");
            reached = next;
        }
        add_version(to.channel, to.version);
    }

    // Returns true if updates may begin with this version in the channel.
    bool begins(const std::string& channel, const semver::Version& version) {
        if (graph(channel).find(version)) return true;
        warnings_.push_back(
            fmt::format("the channel {} has no release {} for {}, so no updates lead on from there", channel,
                        version.to_string(), architecture_));
        return false;
    }

    const GetUpdateGraph& graph_;
    const std::string& architecture_;
    Found& found_;
    std::vector<std::string>& warnings_;
};

} // namespace

SelectedReleases select_releases(const ReleaseRequest& request, const GetUpdateGraph& graph) {
    SelectedReleases selected;
    Found found;
    if (request.release) {
        const std::string image = request.release->to_string();
        found.emplace(image, SelectedRelease{image, {}, request.architectures.front()});
    } else {
        std::vector<ReleaseChannel> channels = request.channels;
        for (const std::string& architecture : request.architectures)
            ReleaseSearch(graph, architecture, found, selected.warnings).add_channels(channels);
    }
    if (found.empty())
        throw Error(selected.warnings.empty() ? std::string("no release is selected")
                                              : "no release is selected: " + selected.warnings.back());
    for (auto& [image, release] : found) selected.releases.push_back(std::move(release));
    return selected;
}

ReleaseContent ReleaseContent::parse(std::string_view image_references) {
    using Path = nlohmann::json::json_pointer;
    const auto json = parse_shallow_json<nlohmann::json>(image_references);
    const Path tags("/spec/tags");
    if (!json || !json->contains(tags) || !(*json)[tags].is_array())
        throw Error("release-manifests/image-references is not an ImageStream with tags");
    const auto text = [](const nlohmann::json& object, const Path& path) {
        return object.is_object() && object.contains(path) && object[path].is_string()
                   ? object[path].get<std::string>()
                   : std::string();
    };
    ReleaseContent content{text(*json, Path("/metadata/name")), {}};
    for (const auto& tag : (*json)[tags]) {
        const std::string name = text(tag, Path("/name"));
        const std::string image = text(tag, Path("/from/name"));
        if (name.empty() || image.empty())
            throw Error("release-manifests/image-references has a tag without a name or an image");
        content.components[name] = image;
    }
    return content;
}

MirrorName release_name_of_oc_mirror(const std::string& version, const std::string& architecture) {
    const std::string_view machine = architecture == "amd64"   ? "x86_64"
                                     : architecture == "arm64" ? "aarch64"
                                                               : std::string_view(architecture);
    return {"openshift/release-images", fmt::format("{}-{}", version, machine)};
}

MirrorName component_name_of_oc_mirror(const MirrorName& release, const std::string& component) {
    return {"openshift/release", fmt::format("{}-{}", release.tag, component)};
}

} // namespace opcat
