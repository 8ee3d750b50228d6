#include "opcat/base/base64.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/lint/checks.hpp"

#include <fmt/core.h>

#include <array>

namespace opcat {
namespace {

using namespace std::literals;

struct Signature {
    size_t offset;
    std::string_view bytes;
    std::string_view media_type;
};

constexpr std::array signatures{
    Signature{0, "\xff\xd8\xff"sv, "image/jpeg"},
    Signature{0, "\x89PNG"sv, "image/png"},
    Signature{0, "GIF"sv, "image/gif"},
    Signature{8, "WEBP"sv, "image/webp"},
    Signature{0, "BM"sv, "image/bmp"},
    Signature{0, "II*\0"sv, "image/tiff"},
    Signature{0, "MM\0*"sv, "image/tiff"},
    Signature{0, "\0\0\1\0"sv, "image/vnd.microsoft.icon"},
    Signature{0, "8BPS"sv, "image/vnd.adobe.photoshop"},
    Signature{0, "II\xbc"sv, "image/vnd.ms-photo"},
    Signature{0, "\0\0\0\x0cjP  \r\n\x87\n\0"sv, "image/jp2"},
    Signature{4, "ftypavif"sv, "image/avif"},
    Signature{4, "ftypheic"sv, "image/heif"},
    Signature{4, "ftypmif1"sv, "image/heif"},
};

void skip_blanks(std::string_view& text) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    text.remove_prefix(begin == text.npos ? text.size() : begin);
}

// Skips `begin` … `end`, if the text starts so and ends so.
bool skip(std::string_view& text, std::string_view begin, std::string_view end) {
    if (!text.starts_with(begin)) return false;
    const size_t found = text.find(end, begin.size());
    if (found == text.npos) return false;
    text.remove_prefix(found + end.size());
    return true;
}

// A declaration of entities may hold '>': it ends with "]>".
bool skip_document_type(std::string_view& text) {
    if (!text.starts_with("<!DOCTYPE")) return false;
    const size_t bracket = text.find('[');
    const bool has_subset = bracket < text.find('>');
    return has_subset ? skip(text, "<!DOCTYPE", "]>") : skip(text, "<!DOCTYPE", ">");
}

bool is_svg(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    do skip_blanks(text);
    while (skip(text, "<?", "?>") || skip(text, "<!--", "-->") || skip_document_type(text));
    if (!text.starts_with('<')) return false;
    const std::string_view name = text.substr(1, text.find_first_of(" \t\r\n/>") - 1);
    return name == "svg" || name.ends_with(":svg");
}

} // namespace

std::string_view image_media_type(std::string_view bytes) {
    for (const Signature& signature : signatures)
        if (bytes.size() >= signature.offset && bytes.substr(signature.offset).starts_with(signature.bytes))
            return signature.media_type;
    return is_svg(bytes) ? "image/svg+xml" : std::string_view();
}

namespace {

// Types for which browsers take more than one name.
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

// The first bytes of each of these types are known: other content is not of the type.
bool is_always_recognised(std::string_view media_type) {
    return media_type == "image/png" || media_type == "image/jpeg" || media_type == "image/gif";
}

void check_media_type(const Package& package, const Value& icon, Diagnostics& out) {
    const std::string said = canonical(package.icon->media_type);
    if (said.empty()) return;
    // The root element of an SVG comes after any number of comments: enough of the file to find it.
    constexpr size_t enough = size_t{64} * 1024;
    const auto bytes = decode_base64(package.icon->base64->substr(0, enough));
    if (!bytes) return;
    const std::string_view found = image_media_type(*bytes);
    if (found == said || (found.empty() && !is_always_recognised(said))) return;
    const Value* const at = find_field(icon, "mediatype");
    const Location where =
        at ? package.at(Text{at->string_or_empty(), at->offset()}) : package.at(icon.offset());
    Diagnostic wrong =
        warning("icon", where,
                found.empty() ? fmt::format("the icon of package \"{}\" is not of its media type {}",
                                            package.name.text, package.icon->media_type)
                              : fmt::format("the icon of package \"{}\" is {}, but its media type is {}",
                                            package.name.text, found, package.icon->media_type),
                found.empty() ? "a console cannot show it: use another image"
                              : fmt::format("write \"mediatype: {}\", or a console cannot show it", found));
    out.push_back(with_name(std::move(wrong), where, at ? at->string_or_empty() : std::string_view(), found,
                            FixEffect::text));
}

} // namespace

void check_icon(const PackageIndex& index, uint64_t largest, Diagnostics& out) {
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
