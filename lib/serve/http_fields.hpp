// Reads header fields and parts of URLs (RFC 9110, RFC 3986).
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::serve {

// Without blanks around it.
std::string_view trim(std::string_view text);

// The items of a list with commas, without blanks around them and without empty ones.
std::vector<std::string_view> list_items(std::string_view text);

// The names and values of a query ("a=1&b"), unescaped; nothing if it cannot be read. Empty pairs are left
// out.
std::optional<std::vector<std::pair<std::string, std::string>>> query_fields(std::string_view query);

// Returns true if a list of entity tags (If-Match, If-None-Match) has one of `tags`, in the strong comparison
// of RFC 9110, 8.8.3.2, or in the weak one.
bool names_tag(std::string_view list, std::span<const std::string> tags, bool weak);

// Returns true if Accept-Encoding allows gzip.
bool takes_gzip(std::string_view accept_encoding);

struct Range {
    uint64_t begin;
    uint64_t size;
};

enum class RangeProblem : uint8_t { none, malformed, beyond_the_end };

// As Go's http.ServeContent reads the header Range, for a body of `size` bytes.
RangeProblem parse_ranges(std::string_view header, uint64_t size, std::vector<Range>& ranges);

// A date of HTTP in one of its three forms.
std::optional<std::time_t> parse_http_date(std::string_view text);
std::string http_date(std::time_t time);

} // namespace opcat::serve
