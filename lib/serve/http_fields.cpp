#include "opcat/serve/http_fields.hpp"

#include "opcat/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace opcat::serve {

std::string_view trim(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string_view> list_items(std::string_view text) {
    std::vector<std::string_view> items;
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        if (const auto item = trim(text.substr(0, comma)); !item.empty()) items.push_back(item);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return items;
}

std::optional<std::vector<std::pair<std::string, std::string>>> query_fields(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> fields;
    while (!query.empty()) {
        const size_t end = std::min(query.find('&'), query.size());
        const std::string_view pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        if (pair.empty()) continue;
        if (pair.find(';') != pair.npos) return std::nullopt;
        const size_t equals = std::min(pair.find('='), pair.size());
        auto name = unescape_url(pair.substr(0, equals), true);
        auto value = unescape_url(pair.substr(std::min(equals + 1, pair.size())), true);
        if (!name || !value) return std::nullopt;
        fields.emplace_back(*std::move(name), *std::move(value));
    }
    return fields;
}

bool names_tag(std::string_view list, std::span<const std::string> tags, bool weak) {
    for (std::string_view item : list_items(list)) {
        if (weak && item.starts_with("W/")) item.remove_prefix(2);
        if (std::find(tags.begin(), tags.end(), item) != tags.end()) return true;
    }
    return false;
}

bool takes_gzip(std::string_view accept_encoding) {
    for (const std::string_view item : list_items(accept_encoding)) {
        const size_t semicolon = std::min(item.find(';'), item.size());
        if (ascii_lower(trim(item.substr(0, semicolon))) != "gzip") continue;
        const std::string parameter = ascii_lower(trim(item.substr(std::min(semicolon + 1, item.size()))));
        if (!parameter.starts_with("q=")) return true;
        // "0", "0.0", "0.00", "0.000"
        return parameter.find_first_not_of("0.", 2) != parameter.npos;
    }
    return false;
}

RangeProblem parse_ranges(std::string_view header, uint64_t size, std::vector<Range>& ranges) {
    constexpr std::string_view unit = "bytes=";
    if (!header.starts_with(unit)) return RangeProblem::malformed;
    const auto number = [](std::string_view text) -> std::optional<uint64_t> {
        int64_t value = 0;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failed != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
        return static_cast<uint64_t>(value);
    };
    bool some_beyond = false;
    for (const std::string_view item : list_items(header.substr(unit.size()))) {
        const size_t dash = item.find('-');
        if (dash == item.npos) return RangeProblem::malformed;
        const std::string_view first = trim(item.substr(0, dash));
        const std::string_view last = trim(item.substr(dash + 1));
        if (first.empty()) {
            const auto count = number(last);
            if (!count) return RangeProblem::malformed;
            const uint64_t length = std::min(*count, size);
            if (*count == 0)
                some_beyond = true;
            else
                ranges.push_back({size - length, length});
            continue;
        }
        const auto begin = number(first);
        const auto end = last.empty() ? std::optional(size) : number(last);
        if (!begin || !end) return RangeProblem::malformed;
        if (*begin >= size) {
            some_beyond = true;
            continue;
        }
        if (!last.empty() && *end < *begin) return RangeProblem::malformed;
        ranges.push_back({*begin, std::min(*end, size - 1) - *begin + 1});
    }
    return some_beyond && ranges.empty() ? RangeProblem::beyond_the_end : RangeProblem::none;
}

std::optional<std::time_t> parse_http_date(std::string_view text) {
    if (text.empty()) return std::nullopt;
    const std::string copy(text);
    for (const char* const form :
         {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"}) {
        std::tm time{};
        const char* const end = ::strptime(copy.c_str(), form, &time);
        if (end && *end == '\0') return ::timegm(&time);
    }
    return std::nullopt;
}

std::string http_date(std::time_t time) {
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    std::array<char, 64> text{};
    const size_t size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return {text.data(), size};
}

} // namespace opcat::serve
