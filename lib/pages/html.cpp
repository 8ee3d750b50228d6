#include "opcat/pages/html.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opcat::pages {

std::string file_name(std::string_view name) {
    constexpr size_t longest = 200;
    std::string out;
    for (const char c : name) {
        const bool plain = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                           c == '_' || (c == '.' && !out.empty());
        if (plain)
            out += c;
        else
            out += fmt::format("={:02X}", static_cast<unsigned char>(c));
    }
    if (out.empty()) return "=";
    if (out.size() <= longest) return out;
    constexpr size_t digits = 32;
    return out.substr(0, longest - digits - 2) + "==" + sha256_hex(name).substr(0, digits);
}

std::string outside_link(std::string_view url, std::string_view text) {
    const std::string shown = escape_html(text.empty() ? url : text);
    const std::string scheme = ascii_lower(url.substr(0, 8));
    if (!scheme.starts_with("https://") && !scheme.starts_with("http://")) return shown;
    return fmt::format("<a href=\"{}\" rel=\"noopener noreferrer nofollow\">{}</a>", escape_html(url), shown);
}

std::string badge(std::string_view text, std::string_view kind) {
    return fmt::format("<span class=\"badge{}{}\">{}</span>", kind.empty() ? "" : " ", kind,
                       escape_html(text));
}

std::string icon_image(std::string_view name, std::string_view link) {
    if (!link.empty())
        return fmt::format(
            "<img class=\"icon\" src=\"{}\" alt=\"\" loading=\"lazy\" width=\"48\" height=\"48\">",
            escape_html(link));
    constexpr unsigned colours = 6;
    unsigned sum = 0;
    for (const char c : name) sum += static_cast<unsigned char>(c);
    std::string letter(name.substr(0, utf8_sequence_length(name)));
    if (letter.size() == 1 && letter[0] >= 'a' && letter[0] <= 'z')
        letter[0] = static_cast<char>(letter[0] - 32);
    return fmt::format("<span class=\"icon letter colour{}\" aria-hidden=\"true\">{}</span>", sum % colours,
                       escape_html(letter));
}

std::string first_words(std::string_view markdown, size_t longest) {
    std::string out;
    for (const std::string_view line : lines_of(markdown)) {
        const size_t begin = line.find_first_not_of(" \t\r");
        if (begin == line.npos) {
            if (!out.empty()) break;
            continue;
        }
        // A heading or a picture is not what says what the package does.
        if (out.empty() &&
            (line[begin] == '#' || line[begin] == '!' || line[begin] == '<' || line[begin] == '='))
            continue;
        for (const char c : line.substr(begin))
            if (c != '*' && c != '`' && c != '\r') out += c;
        out += ' ';
        if (out.size() > longest) break;
    }
    while (out.ends_with(' ')) out.pop_back();
    if (out.size() <= longest) return out;
    size_t end = out.rfind(' ', longest);
    if (end == out.npos || end < longest / 2) {
        end = longest;
        while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0U) == 0x80U) --end;
    }
    return out.substr(0, end) + "…";
}

std::string search_status(std::string_view noun) {
    return fmt::format("<p id=\"status\" class=\"sub\" role=\"status\" data-noun=\"{}\"></p>\n", noun);
}

std::string whole_page(const PageFrame& frame, std::string_view main) {
    std::string crumbs;
    for (const auto& [name, link] : frame.above)
        crumbs += fmt::format("<a href=\"{}\">{}</a> <span aria-hidden=\"true\">›</span> ", escape_html(link),
                              escape_html(name));
    std::string search;
    // Without script there is nothing to search with; page.js shows it.
    if (!frame.search.empty())
        search = fmt::format(
            "<input id=\"search\" type=\"search\" hidden placeholder=\"{0}  /\" aria-label=\"{0}\" "
            "autocomplete=\"off\" spellcheck=\"false\">",
            escape_html(frame.search));
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"opcat\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n"
        "<title>{title}</title>\n<link rel=\"icon\" type=\"image/svg+xml\" href=\"{root}opcat.svg\">\n"
        "<link rel=\"stylesheet\" href=\"{root}pages.css\">\n"
        "<script src=\"{root}pages.js\" defer></script>\n</head>\n<body>\n"
        "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
        "<header><nav aria-label=\"Pages above\">{crumbs}<span "
        "aria-current=\"page\">{title}</span></nav>{search}"
        "</header>\n<main id=\"main\">\n{main}</main>\n</body>\n</html>\n",
        fmt::arg("title", escape_html(frame.title)), fmt::arg("root", frame.root), fmt::arg("crumbs", crumbs),
        fmt::arg("search", search), fmt::arg("main", main));
}

} // namespace opcat::pages
