// The upgrade graph for a terminal: one lane per channel, newest on top.
#pragma once

#include "graph/graph_view.hpp"

#include <optional>
#include <string>

namespace opcat {

struct TextStyle {
    bool colour = false;
    // For each version, what this OLM upgrades it to next.
    std::optional<Olm> next_steps = std::nullopt;
};

// The lane follows `replaces` down from the head. What an entry skips and is not on the lane branches off
// below it. Linear but for next steps, which are near-linear.
std::string draw_text(const GraphView& view, const TextStyle& style);

} // namespace opcat
