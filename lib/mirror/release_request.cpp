#include "opcat/mirror/release_request.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/go/decode.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

namespace opcat {
namespace {

constexpr std::string_view image_set_rule = "image-set";
constexpr std::array<std::string_view, 5> known_architectures{"amd64", "arm64", "ppc64le", "s390x", "multi"};

class PlatformReader {
public:
    PlatformReader(const SourceFile& file, Diagnostics& diagnostics, Diagnostics& unsupported)
        : file_(file), diagnostics_(diagnostics), unsupported_(unsupported) {}

    ReleaseRequest read(const Value& platform, Platforms platforms) {
        ReleaseRequest request;
        request.platforms = std::move(platforms);
        std::set<std::string> names;
        for (const Value& item : items_of(find_field(platform, "channels"))) {
            request.channels.push_back(channel(item));
            if (!names.insert(request.channels.back().name).second)
                refuse(item, fmt::format("release channel {} appears twice", request.channels.back().name),
                       "put both into one item");
        }
        read_architectures(platform, request);
        read_release(platform, request);
        request.graph = is_true(platform, "graph");
        if (is_true(platform, "kubeVirtContainer"))
            unsupported_.push_back(error(
                image_set_rule, at(*find_field(platform, "kubeVirtContainer")),
                "not supported by opcat: kubeVirtContainer (the image that machines of KubeVirt boot from)",
                "remove it, and name the image below mirror.additionalImages"));
        return request;
    }

private:
    Location at(const Value& value) const { return {&file_, value.offset(), 1}; }
    void refuse(const Value& value, std::string message, std::string help = {}) {
        diagnostics_.push_back(error(image_set_rule, at(value), std::move(message), std::move(help)));
    }
    static bool is_true(const Value& object, std::string_view field) {
        const Value* const value = find_field(object, field);
        return value && value->is_boolean() && value->boolean();
    }

    ReleaseChannel channel(const Value& item) {
        ReleaseChannel found;
        found.name = field_text(item, "name");
        if (found.name.empty()) refuse(item, "a channel of platform has no name", "write name: stable-4.16");
        found.is_okd = field_text(item, "type") == "okd";
        found.shortest_path = is_true(item, "shortestPath");
        found.full = is_true(item, "full");
        for (const auto& [field, bound] :
             {std::pair("minVersion", &found.least), {"maxVersion", &found.most}}) {
            const std::string_view text = field_text(item, field);
            if (text.empty()) continue;
            if (const auto version = semver::Version::parse(text))
                *bound = *version;
            else
                refuse(*find_field(item, field), fmt::format("{} {} is not a version", field, go_quote(text)),
                       "write all three numbers, such as 4.16.3");
        }
        if (found.least && found.most && *found.most < *found.least)
            refuse(item, fmt::format("minVersion of {} is newer than maxVersion", found.name));
        return found;
    }

    void read_architectures(const Value& platform, ReleaseRequest& request) {
        const auto architectures = items_of(find_field(platform, "architectures"));
        if (!architectures.empty() && !request.platforms.empty())
            refuse(platform, "platform has both architectures and platforms", "write only platforms");
        for (const Value& item : architectures) {
            request.architectures.emplace_back(item.string_or_empty());
            if (std::find(known_architectures.begin(), known_architectures.end(), item.string_or_empty()) ==
                known_architectures.end())
                refuse(item,
                       fmt::format("{} is not an architecture of releases", go_quote(item.string_or_empty())),
                       "they are " + listed(known_architectures));
        }
        if (request.architectures.empty())
            request.architectures = {request.platforms.empty() ? "amd64" : "multi"};
    }

    void read_release(const Value& platform, ReleaseRequest& request) {
        const std::string_view name = field_text(platform, "release");
        if (name.empty()) return;
        const Value& given = *find_field(platform, "release");
        const auto spec = PullSpec::parse(name.starts_with("docker://") ? name.substr(9) : name);
        if (spec && !spec->registry().empty() && !(spec->tag().empty() && spec->digest().empty()))
            request.release = *spec;
        else
            refuse(given, fmt::format("release {} is not an image with a tag or a digest", go_quote(name)),
                   "opcat takes releases from registries only: write REGISTRY/REPOSITORY:TAG or …@sha256:…");
    }

    const SourceFile& file_;
    Diagnostics& diagnostics_;
    Diagnostics& unsupported_;
};

} // namespace

ReleaseRequest read_release_request(const Value& platform, Platforms platforms, const SourceFile& file,
                                    Diagnostics& diagnostics, Diagnostics& unsupported) {
    return PlatformReader(file, diagnostics, unsupported).read(platform, std::move(platforms));
}

} // namespace opcat
