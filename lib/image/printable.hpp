// Text from the network in messages for people.
#pragma once

#include <string>
#include <string_view>

namespace opcat::image {

// On one line, without control characters or invalid UTF-8, and not long.
std::string printable(std::string_view text);

// Whether a body is a web page.
bool looks_like_html(std::string_view body);

} // namespace opcat::image
