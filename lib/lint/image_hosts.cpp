#include "opcat/base/listed.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/lint/project_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace opcat {
namespace {

// Registries of Red Hat that only its own builds reach, and what Konflux builds before a release.
constexpr std::string_view staging_names[] = {
    "registry.stage.redhat.io", "brew.registry.redhat.io", "registry-proxy.engineering.redhat.com",
    "registry-proxy.stage.engineering.redhat.com", "quay.io/redhat-user-workloads"};
// Hosts that only a machine or a cluster itself reaches.
constexpr std::string_view local_ends[] = {".svc", ".svc.cluster.local", ".local", ".localhost", ".internal"};

bool is_below(std::string_view name, std::string_view prefix) {
    return name.starts_with(prefix) && (name.size() == prefix.size() || name[prefix.size()] == '/' ||
                                        (name[prefix.size()] == ':' && prefix.find('/') == prefix.npos));
}

bool is_staging(const PullSpec& spec) {
    const std::string name = spec.name();
    if (std::any_of(std::begin(staging_names), std::end(staging_names),
                    [&](std::string_view known) { return is_below(name, known); }))
        return true;
    const std::string& host_and_port = spec.registry();
    const std::string host = host_and_port.substr(0, host_and_port.find(':'));
    return host == "localhost" || host.starts_with("127.") ||
           std::any_of(std::begin(local_ends), std::end(local_ends),
                       [&](std::string_view end) { return host.ends_with(end); });
}

class HostCheck {
public:
    HostCheck(const PackageIndex& package, Diagnostics& out) : package_(package), out_(out) {}

    void run() {
        for (const Bundle* bundle : package_.bundles) {
            if (bundle->is_unknown) continue;
            look_at(*bundle, bundle->image);
            for (const RelatedImage& related : bundle->related_images) look_at(*bundle, related.image);
        }
        report_two_registries();
    }

private:
    struct Named {
        std::set<std::string> registries;
        Location where; // of the first that differs
        std::string digest;
    };

    void look_at(const Bundle& bundle, const Text& image) {
        if (image.empty()) return;
        // Most images are those of the version before.
        const auto [known, is_new] = seen_.emplace(image.text);
        if (!is_new) return;
        const auto spec = PullSpec::parse(image);
        if (!spec) return;
        if (is_staging(*spec))
            out_.push_back(warning("image-staging", bundle.at(image),
                                   fmt::format("users of bundle \"{}\" cannot pull {}: {} is for builds and "
                                               "tests",
                                               bundle.name.text, image.text, spec->registry()),
                                   "name the image in the registry that it is released to"));
        if (spec->digest().empty()) return;
        Named& named = by_digest_[spec->digest()];
        named.registries.insert(spec->registry());
        if (named.registries.size() == 2 && !named.where) named.where = bundle.at(image);
    }

    // One note for the whole package: old bundles keep the registries that they had.
    void report_two_registries() {
        size_t digests = 0;
        const Named* first = nullptr;
        for (const auto& [digest, named] : by_digest_) {
            if (named.registries.size() < 2) continue;
            ++digests;
            if (!first || named.where.offset < first->where.offset) first = &named;
        }
        if (!first) return;
        out_.push_back(finding(
            Severity::note, "image-two-registries", first->where,
            digests == 1 ? fmt::format("an image of package \"{}\" is named in two registries: {}",
                                       package_.name, listed(first->registries, 3))
                         : fmt::format("{} images of package \"{}\" are named in two registries, such as {}",
                                       digests, package_.name, listed(first->registries, 3)),
            "name it in one registry: a cluster without access to the internet needs a mirror of each"));
    }

    const PackageIndex& package_;
    Diagnostics& out_;
    std::set<std::string_view> seen_;
    std::map<std::string, Named> by_digest_;
};

} // namespace

std::string reason_against_registry(std::string_view text) {
    while (text.ends_with('/')) text.remove_suffix(1);
    const std::string_view host = text.substr(0, text.find('/'));
    if (host.find('.') == host.npos && host.find(':') == host.npos && host != "localhost")
        return "it does not begin with the name of a host";
    const auto spec = PullSpec::parse(std::string(text) + (host.size() == text.size() ? "/name" : ""));
    if (!spec) return spec.error().message;
    return spec->tag().empty() && spec->digest().empty() ? "" : "it has a tag or a digest";
}

AllowedRegistries::AllowedRegistries(std::span<const std::string> registries) {
    for (std::string_view name : registries) {
        while (name.ends_with('/')) name.remove_suffix(1);
        names_.emplace(name);
    }
}

bool AllowedRegistries::have(std::string_view image) const {
    const auto spec = PullSpec::parse(image);
    if (!spec) return false;
    const std::string name = spec->name();
    for (size_t end = 0; end < name.size();) {
        end = std::min(name.find('/', end + 1), name.size());
        if (names_.contains(std::string_view(name).substr(0, end))) return true;
    }
    return false;
}

void check_image_hosts(const PackageIndex& package, Diagnostics& out) {
    HostCheck(package, out).run();
}

} // namespace opcat
