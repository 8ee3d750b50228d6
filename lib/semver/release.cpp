#include "opcat/semver/release.hpp"

#include "opcat/base/go_quote.hpp"

#include <fmt/core.h>

namespace opcat::semver {

Parsed<Release> Release::parse(std::string_view text) {
    Release release;
    if (text.empty()) return release;
    if (text.size() > max_size)
        return error_about(text, text.substr(max_size),
                           fmt::format("invalid release {}: exceeds maximum length of {} characters",
                                       go_quote(text), max_size));
    std::string messages;
    std::string_view first_wrong;
    std::string_view rest = text;
    bool last = false;
    for (int segment = 0; !last; ++segment) {
        last = rest.find('.') == rest.npos;
        const std::string_view identifier = next_identifier(rest);
        const std::string message = prerelease_identifier_error(identifier);
        if (message.empty()) continue;
        if (messages.empty()) first_wrong = identifier;
        messages += fmt::format("{}segment {}: {}", messages.empty() ? "" : "\n", segment, message);
    }
    if (!messages.empty())
        return error_about(text, first_wrong,
                           fmt::format("invalid release {}: {}", go_quote(text), messages));
    release.identifiers_ = text;
    return release;
}

Parsed<VersionRelease> VersionRelease::parse_legacy(std::string_view text) {
    auto version = Version::parse(text);
    if (!version) return version.error();
    VersionRelease result{*std::move(version), std::nullopt};
    if (result.version.build.empty()) return result;
    if (auto release = Release::parse(result.version.build)) {
        result.release = *std::move(release);
        result.version.build.clear();
    }
    return result;
}

Parsed<VersionRelease> VersionRelease::parse(std::string_view version_text, std::string_view release_text) {
    auto version = Version::parse(version_text);
    if (!version) {
        ParseError error = version.error();
        error.message = fmt::format("error parsing version {}: {}", go_quote(version_text), error.message);
        return error;
    }
    auto release = Release::parse(release_text);
    if (!release) {
        ParseError error = release.error();
        error.message = fmt::format("error parsing release {}: {}", go_quote(release_text), error.message);
        return error;
    }
    return VersionRelease{*std::move(version), *std::move(release)};
}

std::string VersionRelease::to_legacy_string() const {
    if (!release || release->to_string().empty()) return version.to_string();
    Version with_release = version;
    with_release.build = release->to_string();
    return with_release.to_string();
}

std::weak_ordering operator<=>(const VersionRelease& a, const VersionRelease& b) {
    if (const auto order = a.version <=> b.version; std::is_neq(order)) return order;
    const auto identifiers = [](const VersionRelease& v) {
        return v.release ? std::string_view(v.release->to_string()) : std::string_view();
    };
    return compare_identifiers(identifiers(a), identifiers(b));
}

} // namespace opcat::semver
