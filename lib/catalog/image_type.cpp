#include "catalog/image_type.hpp"

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

} // namespace opcat
