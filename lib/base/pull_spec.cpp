#include "opcat/base/pull_spec.hpp"

#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace opcat {
namespace {

constexpr size_t longest_name = 255;
constexpr size_t longest_tag = 128;
constexpr size_t shortest_digest = 32;
constexpr std::string_view default_registry = "docker.io";

// Not functions: the compiler can inline what is passed to `all`.
constexpr auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
constexpr auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
constexpr auto is_letter = [](char c) { return is_lower(c) || is_upper(c); };
constexpr auto is_alphanumeric = [](char c) { return is_letter(c) || is_digit(c); };
// Without branches, for skip_blocks.
constexpr auto is_lower_hex = [](uint8_t c) {
    return (static_cast<uint8_t>(c - '0') < 10) | (static_cast<uint8_t>(c - 'a') < 6);
};
constexpr auto is_hex = [](uint8_t c) {
    return (static_cast<uint8_t>(c - '0') < 10) | (static_cast<uint8_t>((c | 0x20) - 'a') < 6);
};

template <class Predicate>
bool all(std::string_view text, Predicate predicate) {
    return std::all_of(text.begin(), text.end(), predicate);
}

template <class Predicate>
bool all_in_blocks(std::string_view text, Predicate predicate) {
    return all(text.substr(skip_blocks(text, predicate)), predicate);
}

// Calls `part_is_valid` with the pieces of `text` between separators until one is not.
template <class Predicate>
bool all_parts(std::string_view text, char separator, Predicate part_is_valid) {
    while (true) {
        const size_t end = text.find(separator);
        if (!part_is_valid(text.substr(0, end))) return false;
        if (end == std::string_view::npos) return true;
        text.remove_prefix(end + 1);
    }
}

bool is_host_label(std::string_view label) {
    return !label.empty() && label.front() != '-' && label.back() != '-' &&
           all(label, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool is_registry(std::string_view text) {
    const size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
        const std::string_view port = text.substr(colon + 1);
        if (port.empty() || !all(port, is_digit)) return false;
    }
    return all_parts(text.substr(0, colon), '.', is_host_label);
}

// Runs of lower-case letters and digits with one of ".", "_", "__", "-", "--", … between them.
bool is_path_component(std::string_view text) {
    const auto is_word = [](char c) { return is_lower(c) || is_digit(c); };
    if (text.empty() || !is_word(text.front()) || !is_word(text.back())) return false;
    for (size_t i = 0; i < text.size();) {
        if (is_word(text[i])) {
            ++i;
            continue;
        }
        size_t end = i;
        while (!is_word(text[end])) ++end; // the last character is one
        const std::string_view separator = text.substr(i, end - i);
        if (separator != "." && separator != "_" && separator != "__" &&
            !all(separator, [](char c) { return c == '-'; }))
            return false;
        i = end;
    }
    return true;
}

bool is_path(std::string_view text) {
    return all_parts(text, '/', is_path_component);
}

bool is_tag(std::string_view text) {
    return !text.empty() && text.size() <= longest_tag && text.front() != '.' && text.front() != '-' &&
           all(text, [](char c) { return is_alphanumeric(c) || c == '_' || c == '.' || c == '-'; });
}

bool is_digest_algorithm(std::string_view text) {
    size_t begin = 0;
    while (true) {
        const size_t end = text.find_first_of("-_+.", begin);
        const std::string_view part = text.substr(begin, end - begin);
        if (part.empty() || !is_letter(part.front()) || !all(part, is_alphanumeric)) return false;
        if (end == std::string_view::npos) return true;
        begin = end + 1;
    }
}

bool is_digest(std::string_view text) {
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view hex = text.substr(colon + 1);
    return is_digest_algorithm(text.substr(0, colon)) && hex.size() >= shortest_digest &&
           all_in_blocks(hex, is_hex);
}

// Why a digest of the right form is not valid, if it is not.
std::string digest_fault(std::string_view digest) {
    const size_t colon = digest.find(':');
    const std::string_view algorithm = digest.substr(0, colon);
    const std::string_view hex = digest.substr(colon + 1);
    const size_t length = algorithm == "sha256"   ? 64
                          : algorithm == "sha384" ? 96
                          : algorithm == "sha512" ? 128
                                                  : 0;
    if (length == 0) {
        if (all(algorithm, [](char c) { return !is_upper(c); })) return "unsupported digest algorithm";
        return "invalid checksum digest format";
    }
    if (hex.size() != length)
        return fmt::format("invalid checksum digest length: {} has {} hexadecimal digits, not {}", algorithm,
                           length, hex.size());
    return all_in_blocks(hex, is_lower_hex) ? ""
                                            : "invalid checksum digest format: the digits must be lower-case";
}

struct Parts {
    std::string_view first; // up to the first slash: the host, or almost one
    std::string_view path;
    std::optional<std::string_view> tag;
    std::optional<std::string_view> digest;
};

// Splits at the places where each part would have to begin.
Parts cut(std::string_view text) {
    Parts parts;
    const size_t slash = text.find('/');
    parts.first = text.substr(0, slash);
    std::string_view rest = text.substr(slash + 1);
    if (const size_t at = rest.find('@'); at != std::string_view::npos) {
        parts.digest = rest.substr(at + 1);
        rest = rest.substr(0, at);
    }
    if (const size_t colon = rest.find(':'); colon != std::string_view::npos) {
        parts.tag = rest.substr(colon + 1);
        rest = rest.substr(0, colon);
    }
    parts.path = rest;
    return parts;
}

bool is_name_start(std::string_view first) {
    return is_registry(first) || is_path_component(first);
}

bool is_valid(const Parts& parts) {
    return is_name_start(parts.first) && is_path(parts.path) && (!parts.tag || is_tag(*parts.tag)) &&
           (!parts.digest || is_digest(*parts.digest));
}

// For people: the part that violates the format.
std::string format_fault(std::string_view text, const Parts& parts) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    if (std::any_of(text.begin(), text.end(), is_blank)) return "there is a blank in it";
    if (text.find("://") != std::string_view::npos) return "a pull spec has no scheme";
    if (!parts.first.empty() && parts.first.front() == '[') return "IPv6 addresses are not allowed";
    if (!is_name_start(parts.first)) return fmt::format("\"{}\" is not a host and port", parts.first);
    if (parts.path.empty()) return "the repository is missing";
    if (!is_path(parts.path))
        return fmt::format(
            "\"{}\" is not a repository: lower-case letters and digits, with single \".\", \"_\", "
            "\"__\" or dashes between them, parted by slashes",
            parts.path);
    if (parts.tag && parts.tag->size() > longest_tag)
        return fmt::format("the tag has more than {} characters", longest_tag);
    if (parts.tag && !is_tag(*parts.tag)) return fmt::format("\"{}\" is not a tag", *parts.tag);
    return fmt::format("\"{}\" is not a digest", parts.digest.value_or(""));
}

bool is_image_id(std::string_view text) {
    return text.size() == 64 && all_in_blocks(text, is_lower_hex);
}

} // namespace

Parsed<PullSpec> PullSpec::parse(std::string_view text) {
    const auto fail = [&](std::string why) { return error_about(text, text, std::move(why)); };
    if (text.empty()) return fail("invalid reference format: it is empty");
    if (is_image_id(text))
        return fail(
            fmt::format("invalid repository name ({}), cannot specify 64-byte hexadecimal strings", text));

    // Docker's short forms: the part before the first slash is only a host if it looks like one.
    std::string_view registry = default_registry;
    std::string_view rest = text;
    const size_t slash = text.find('/');
    const std::string_view first = text.substr(0, slash);
    if (slash != std::string_view::npos &&
        (first.find_first_of(".:") != std::string_view::npos || first == "localhost")) {
        registry = first == "index.docker.io" ? default_registry : first;
        rest = text.substr(slash + 1);
    }
    const std::string_view before_tag = rest.substr(0, rest.find(':'));
    if (std::any_of(before_tag.begin(), before_tag.end(), is_upper))
        return fail("invalid reference format: repository name must be lowercase");

    std::string_view full = text;
    std::string completed;
    const bool is_official = registry == default_registry && rest.find('/') == std::string_view::npos;
    if (is_official || registry.data() != text.data()) {
        completed = fmt::format("{}/{}{}", registry, is_official ? "library/" : "", rest);
        full = completed;
    }
    const Parts parts = cut(full);
    if (!is_valid(parts)) {
        if (is_valid(cut(ascii_lower(full)))) return fail("repository name must be lowercase");
        return fail("invalid reference format: " + format_fault(text, parts));
    }
    if (parts.first.size() + 1 + parts.path.size() > longest_name)
        return fail(fmt::format("repository name must not be more than {} characters", longest_name));
    if (parts.digest)
        if (std::string fault = digest_fault(*parts.digest); !fault.empty()) return fail(std::move(fault));

    PullSpec spec;
    if (is_registry(parts.first)) {
        spec.registry_ = parts.first;
        spec.repository_ = parts.path;
    } else {
        spec.repository_ = fmt::format("{}/{}", parts.first, parts.path);
    }
    spec.tag_ = parts.tag.value_or("");
    spec.digest_ = parts.digest.value_or("");
    return spec;
}

std::string PullSpec::name() const {
    return registry_.empty() ? repository_ : registry_ + '/' + repository_;
}

std::string PullSpec::reference() const {
    return !digest_.empty() ? digest_ : !tag_.empty() ? tag_ : "latest";
}

std::string PullSpec::to_string() const {
    std::string text = name();
    if (!tag_.empty() || digest_.empty()) text += ':' + (tag_.empty() ? std::string("latest") : tag_);
    if (!digest_.empty()) text += '@' + digest_;
    return text;
}

} // namespace opcat
