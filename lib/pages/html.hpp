// HTML that all pages share. Texts are escaped here or where they are inserted, with escape_html().
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::pages {

// A name for the file or folder of a name in a catalog: only letters, digits, "-", "_", "." and "=", so it is
// the same in a path and in a link; never empty, "." or "..", at most 200 bytes. Different names have
// different files.
std::string file_name(std::string_view name);

// "<a …>text</a>"; only the text if the address is not http or https, so that no link runs a script.
std::string outside_link(std::string_view url, std::string_view text);

// "<span class="badge KIND">TEXT</span>".
std::string badge(std::string_view text, std::string_view kind = {});

// A package's icon, or if it has none its first letter on a colour. `link` is the image's link.
std::string icon_image(std::string_view name, std::string_view link);

// The beginning of a description for a list: without Markdown's marks, at most `longest` bytes.
std::string first_words(std::string_view markdown, size_t longest);

// Returns the line that says what a search of the page's list shows, also to screen readers. `noun`: of an
// item.
std::string search_status(std::string_view noun);

struct PageFrame {
    std::string title;
    std::string root; // link to the folder of the home page: "../../", or empty
    // Name and link of the pages above, the nearest last.
    std::vector<std::pair<std::string, std::string>> above;
    std::string_view search; // the search field's placeholder; empty: there is no list to search
};

// The whole page around `main`, which is HTML.
std::string whole_page(const PageFrame& frame, std::string_view main);

} // namespace opcat::pages
