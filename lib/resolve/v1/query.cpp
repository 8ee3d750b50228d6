#include "resolve/v1/query.hpp"

#include "support/go_quote.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::olmv1 {

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

bool Query::is_requested(const Channel& channel) const {
    const auto& channels = request_->channels;
    return channels.empty() ||
           std::find(channels.begin(), channels.end(), channel.name.text) != channels.end();
}

bool Query::in_channels(const IndexedBundle& bundle) const {
    return request_->channels.empty() ||
           std::any_of(bundle.entries.begin(), bundle.entries.end(),
                       [&](const IndexedEntry& entry) { return is_requested(*entry.channel); });
}

bool Query::in_range(const IndexedBundle& bundle) const {
    if (!range_) return true;
    const BundleVersion& version = bundle.version(request_->release_support);
    return version && range_->check(version->version);
}

bool Query::is_installed_version(const IndexedBundle& bundle) const {
    const BundleVersion& version = bundle.version(request_->release_support);
    return version && *version == *installed_;
}

Query::Edge Query::edge_to(const IndexedBundle& bundle) const {
    if (!wants_successors()) return {Step::not_asked, nullptr};
    const std::string_view name = request_->installed->name;
    for (const IndexedEntry& entry : bundle.entries) {
        if (!is_requested(*entry.channel)) continue;
        const ChannelEntry& written = *entry.entry;
        if (written.replaces == name) return {Step::replaces, &entry};
        if (std::any_of(written.skips.begin(), written.skips.end(),
                        [&](const Text& skipped) { return skipped == name; }))
            return {Step::skips, &entry};
        if (!entry.skip_range) continue;
        const auto answer = entry.skip_range->ask(installed_->version);
        if (answer == semver::BlangRange::Answer::crash) return {Step::crash, &entry};
        if (answer == semver::BlangRange::Answer::yes) return {Step::skip_range, &entry};
    }
    if (is_installed_version(bundle)) return {Step::same_version, nullptr};
    return {};
}

} // namespace opcat::olmv1
