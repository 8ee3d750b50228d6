#include "catalog/checks.hpp"
#include "catalog/finding.hpp"
#include "catalog/image_type.hpp"
#include "document/go_keys.hpp"
#include "support/base64.hpp"
#include "support/text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

constexpr size_t largest = size_t{256} * 1024; // bytes; those of real catalogs have up to 70 KiB

// Where browsers take more than one name for a type.
constexpr std::pair<std::string_view, std::string_view> aliases[] = {
    {"image/jpg", "image/jpeg"},
    {"image/x-png", "image/png"},
    {"image/x-icon", "image/vnd.microsoft.icon"},
    {"image/ico", "image/vnd.microsoft.icon"},
};

std::string canonical(std::string_view media_type) {
    std::string type = ascii_lower(media_type.substr(0, media_type.find(';')));
    for (const auto& [alias, meant] : aliases)
        if (type == alias) return std::string(meant);
    return type;
}

// What each file of these types begins with is known: anything else is not of the type.
bool is_always_recognised(std::string_view media_type) {
    return media_type == "image/png" || media_type == "image/jpeg" || media_type == "image/gif";
}

void check_media_type(const Package& package, const Value& icon, Diagnostics& out) {
    const std::string said = canonical(package.icon->media_type);
    if (said.empty()) return;
    // The root element of an SVG comes behind any number of comments: enough of the file to find it.
    constexpr size_t enough = size_t{64} * 1024;
    const auto bytes = decode_base64(package.icon->base64->substr(0, enough));
    if (!bytes) return;
    const std::string_view found = image_media_type(*bytes);
    if (found == said || (found.empty() && !is_always_recognised(said))) return;
    const Value* const at = find_field(icon, "mediatype");
    out.push_back(warning(
        "icon", at ? package.at(Text{at->string_or_empty(), at->offset()}) : package.at(icon.offset()),
        found.empty() ? fmt::format("the icon of package \"{}\" is not of its media type {}",
                                    package.name.text, package.icon->media_type)
                      : fmt::format("the icon of package \"{}\" is {}, but its media type is {}",
                                    package.name.text, found, package.icon->media_type),
        found.empty() ? "a console cannot show it: use another image"
                      : fmt::format("write \"mediatype: {}\", or a console cannot show it", found)));
}

} // namespace

void check_icon(const PackageIndex& index, Diagnostics& out) {
    for (const Package* package : index.packages) {
        if (!package->icon || !package->icon->base64 || package->icon->base64->empty()) continue;
        const Value* const icon = find_field(package->value, "icon");
        if (!icon) continue; // made by the program
        check_media_type(*package, *icon, out);
        const size_t size = package->icon->base64->size() / 4 * 3;
        if (size <= largest) continue;
        const Value* const data = find_field(*icon, "base64data");
        out.push_back(
            warning("icon", package->at((data ? *data : *icon).offset()),
                    fmt::format("the icon of package \"{}\" has {}", package->name.text, human_size(size)),
                    fmt::format("make it smaller than {}: consoles load the icons of all packages",
                                human_size(largest))));
    }
}

} // namespace opcat
