// JSON of others, as nlohmann's values.
#pragma once

#include <optional>
#include <string_view>

namespace opcat {

// Nothing for a text that is not JSON, or is nested deeper than `max_depth`: nlohmann parses deep values
// without recursion, but destroys, compares and writes them with it. `Json`: a kind of nlohmann::basic_json.
template <typename Json>
std::optional<Json> parse_shallow_json(std::string_view text, int max_depth = 100) {
    bool too_deep = false;
    const auto watch_depth = [&](int depth, typename Json::parse_event_t, Json&) {
        too_deep = too_deep || depth > max_depth;
        return !too_deep;
    };
    Json json = Json::parse(text, watch_depth, false);
    if (too_deep || json.is_discarded()) return std::nullopt;
    return json;
}

} // namespace opcat
