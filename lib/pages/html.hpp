// The pieces that all pages are made of. Texts are escaped here or where they are put in, with escape_html().
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::pages {

// A name for the file or folder of something that a catalog names: letters, digits, "-", "_", "." and "="
// only, so it is the same in a path and in a link; never empty, "." or "..", at most 200 bytes. Different
// names have different files.
std::string file_name(std::string_view name);

// "<a …>text</a>"; the text alone if the address is not one of http or https, so that no link runs a script.
std::string outside_link(std::string_view url, std::string_view text);

// "<span class="badge KIND">TEXT</span>".
std::string badge(std::string_view text, std::string_view kind = {});

// A package's icon, or where it has none its first letter in a colour. `link` leads to the image.
std::string icon_image(std::string_view name, std::string_view link);

// The start of a description for a list: without Markdown's marks, at most `longest` bytes.
std::string first_words(std::string_view markdown, size_t longest);

struct PageFrame {
    std::string title;
    std::string root; // link to the folder of the home page: "../../", or empty
    // Name and link of the pages above, the nearest last.
    std::vector<std::pair<std::string, std::string>> above;
    std::string_view search; // what the field for searching says; empty: there is no list to search
};

// The whole page around `main`, which is HTML.
std::string whole_page(const PageFrame& frame, std::string_view main);

} // namespace opcat::pages
