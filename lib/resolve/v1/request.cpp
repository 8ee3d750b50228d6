#include "opcat/resolve/v1/request.hpp"

#include "opcat/base/go_quote.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::olmv1 {

Request request_of(const kube::Fields& extension) {
    const kube::Fields catalog = extension.at("spec", "source", "catalog");
    Request request;
    request.package = catalog.text("packageName");
    request.version = catalog.text("version");
    request.channels = catalog.strings("channels");
    if (const kube::Fields selector = catalog.at("selector"); selector.value().is_object())
        request.selector = kube::selector_in(selector);
    if (catalog.text("upgradeConstraintPolicy") == to_string(Policy::self_certified))
        request.policy = Policy::self_certified;
    const kube::Fields installed = extension.at("status", "install", "bundle");
    if (!installed.at("name").value().is_string() || !installed.at("version").value().is_string())
        return request;
    request.installed = {std::string(installed.text("name")), std::string(installed.text("version")),
                         std::nullopt};
    // Only OLM with the gate writes one.
    if (const kube::Fields release = installed.at("release"); release.value().is_string()) {
        request.installed->release = release.text();
        request.release_support = true;
    }
    return request;
}

Result<Query, std::string> Query::compile(const Request& request) {
    Query query(request);
    if (request.selector) {
        auto selector = LabelSelector::compile(*request.selector);
        if (!selector) return "desired catalog selector is invalid: " + selector.error();
        query.selector_ = *std::move(selector);
    }
    if (!request.version.empty()) {
        auto range = semver::Constraints::parse(request.version);
        if (!range)
            return fmt::format("desired version range {} is invalid: {}", go_quote(request.version),
                               range.error().message);
        query.range_ = *std::move(range);
    }
    if (query.wants_successors()) query.read_installed();
    return query;
}

void Query::read_installed() {
    const InstalledBundle& installed = *request_->installed;
    auto version = installed.release ? semver::VersionRelease::parse(installed.version, *installed.release)
                                     : semver::VersionRelease::parse_legacy(installed.version);
    if (version)
        installed_ = *std::move(version);
    else
        installed_error_ =
            fmt::format("{}: {}",
                        installed.release ? "failed to parse installed bundle version and release"
                                          : "failed to get version and release of installed bundle",
                        version.error().message);
}

bool Query::is_requested(const ChannelGraph& channel) const {
    const auto& channels = request_->channels;
    return channels.empty() || std::find(channels.begin(), channels.end(), channel.name) != channels.end();
}

bool Query::in_channels(const PackageGraph& package, const PackageBundle& bundle) const {
    if (request_->channels.empty()) return true;
    const auto entries = package.entries_of(bundle.node);
    return std::any_of(entries.begin(), entries.end(),
                       [&](const NodeEntry& of) { return is_requested(*of.channel); });
}

bool Query::in_range(const PackageBundle& bundle) const {
    if (!range_) return true;
    const BundleVersion& version = bundle.version(request_->release_support);
    return version && range_->check(version->version);
}

V1Edge Query::edge_to(const PackageGraph& package, const PackageBundle& bundle) const {
    const std::string_view name = request_->installed->name;
    const auto node = package.node_by_name.find(name);
    const V1Installed installed{node == package.node_by_name.end() ? no_node : node->second, name.empty(),
                                installed_ ? &*installed_ : nullptr};
    return v1_edge(package, bundle, installed, request_->release_support,
                   [&](const ChannelGraph& channel) { return is_requested(channel); });
}

} // namespace opcat::olmv1
