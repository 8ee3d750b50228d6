// Lists in sentences.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

namespace opcat {

// "a, b and c"; of more than `most` items the first ones: "a, b and 7 more". `show` makes the text of an
// item, `word` is "and" or "or". Linear in what is shown.
template <class Items, class Show = std::identity>
std::string listed(const Items& items, size_t most = SIZE_MAX, const Show& show = {},
                   std::string_view word = "and") {
    const auto count = static_cast<size_t>(std::size(items));
    std::string text;
    size_t i = 0;
    for (const auto& item : items) {
        if (i == most) return text + fmt::format(" {} {} more", word, count - most);
        if (i > 0) text += i + 1 == count ? fmt::format(" {} ", word) : std::string(", ");
        text += std::invoke(show, item);
        ++i;
    }
    return text;
}

} // namespace opcat
