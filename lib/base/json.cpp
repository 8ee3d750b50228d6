#include "opcat/base/json.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace opcat {

template <typename Json>
Json parse_json(std::string_view text) {
    return Json::parse(text, nullptr, false);
}

namespace {

// Returns true if anything is inside of more than `max_depth` brackets. Not by a callback of nlohmann's
// parser: with one, each object that ends takes the time of the list that it is in.
bool is_too_deep(std::string_view text, int max_depth) {
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (in_string) {
            // Strings are long: whole files.
            i = text.find_first_of("\"\\", i);
            if (i == text.npos) return false;
            if (text[i] == '\\')
                ++i;
            else
                in_string = false;
            continue;
        }
        const char c = text[i];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
        if (c == ']' || c == '}') {
            --depth;
            continue;
        }
        if (depth > max_depth) return true;
        if (c == '[' || c == '{') ++depth;
        in_string = c == '"';
    }
    return false;
}

} // namespace

template <typename Json>
std::optional<Json> parse_shallow_json(std::string_view text, int max_depth) {
    if (is_too_deep(text, max_depth)) return std::nullopt;
    Json json = parse_json<Json>(text);
    if (json.is_discarded()) return std::nullopt;
    return json;
}

namespace {

// DEL and the control characters from U+0080 to U+009F, which the library writes as they are. Outside of
// strings JSON has none.
std::string with_controls_escaped(std::string text) {
    const auto is_special = [](std::string_view rest) {
        return rest[0] == '\x7f' ||
               (rest[0] == '\xc2' && rest.size() > 1 && static_cast<unsigned char>(rest[1]) < 0xa0);
    };
    size_t at = text.find_first_of("\x7f\xc2");
    while (at != text.npos && !is_special(std::string_view(text).substr(at)))
        at = text.find_first_of("\x7f\xc2", at + 1);
    if (at == text.npos) return text;
    std::string out = text.substr(0, at);
    for (std::string_view rest = std::string_view(text).substr(at); !rest.empty();) {
        if (!is_special(rest)) {
            const size_t end = std::min(rest.find_first_of("\x7f\xc2", 1), rest.size());
            out += rest.substr(0, end);
            rest.remove_prefix(end);
            continue;
        }
        const size_t length = rest[0] == '\x7f' ? 1 : 2;
        out += fmt::format("\\u{:04x}", static_cast<unsigned char>(rest[length - 1]));
        rest.remove_prefix(length);
    }
    return out;
}

} // namespace

namespace {

class RepeatedKeys : public nlohmann::json::json_sax_t {
public:
    bool start_object(size_t /*size*/) override {
        keys_.emplace_back();
        return true;
    }
    bool key(std::string& name) override {
        if (keys_.back().insert(name).second) return true;
        found = name;
        return false;
    }
    bool end_object() override {
        keys_.pop_back();
        return true;
    }
    bool start_array(size_t /*size*/) override { return true; }
    bool end_array() override { return true; }
    bool null() override { return true; }
    bool boolean(bool /*value*/) override { return true; }
    bool number_integer(number_integer_t /*value*/) override { return true; }
    bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
    bool string(string_t& /*value*/) override { return true; }
    bool binary(binary_t& /*value*/) override { return true; }
    bool parse_error(size_t /*at*/, const std::string& /*token*/,
                     const nlohmann::detail::exception& /*error*/) override {
        return false;
    }

    std::string found;

private:
    std::vector<std::unordered_set<std::string>> keys_; // of each open object
};

} // namespace

std::string repeated_key(std::string_view text) {
    RepeatedKeys keys;
    (void)nlohmann::json::sax_parse(text, &keys);
    return keys.found;
}

template <typename Json>
std::string as_line(const Json& json) {
    return with_controls_escaped(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string as_ascii_line(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

template <typename Json>
std::string as_document(const Json& json) {
    return with_controls_escaped(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
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
