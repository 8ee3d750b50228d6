// Concepts that `opcat help TOPIC` explains: the pages of docs/topics.
#pragma once

#include <span>
#include <string_view>

namespace opcat {

struct Topic {
    std::string_view name;
    std::string_view markdown; // its first line is the title: "# Channels"
};

std::span<const Topic> topics();

// What stands behind "# " on the first line.
std::string_view title_of(const Topic& topic);

} // namespace opcat
