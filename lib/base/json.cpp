#include "opcat/base/json.hpp"

#include <nlohmann/json.hpp>

namespace opcat {

template <typename Json>
Json parse_json(std::string_view text) {
    return Json::parse(text, nullptr, false);
}

template <typename Json>
std::optional<Json> parse_shallow_json(std::string_view text, int max_depth) {
    bool too_deep = false;
    const auto watch_depth = [&](int depth, typename Json::parse_event_t, Json&) {
        too_deep = too_deep || depth > max_depth;
        return !too_deep;
    };
    Json json = Json::parse(text, watch_depth, false);
    if (too_deep || json.is_discarded()) return std::nullopt;
    return json;
}

template <typename Json>
std::string as_line(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string as_ascii_line(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

template <typename Json>
std::string as_document(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

template nlohmann::json parse_json(std::string_view);
template nlohmann::ordered_json parse_json(std::string_view);
template std::optional<nlohmann::json> parse_shallow_json(std::string_view, int);
template std::optional<nlohmann::ordered_json> parse_shallow_json(std::string_view, int);
template std::string as_line(const nlohmann::json&);
template std::string as_line(const nlohmann::ordered_json&);
template std::string as_document(const nlohmann::json&);
template std::string as_document(const nlohmann::ordered_json&);

} // namespace opcat
