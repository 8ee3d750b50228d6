#include "opcat/serve/http_answers.hpp"

#include "opcat/base/text.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

namespace opcat::serve {
namespace {

constexpr std::string_view lines_type = "application/jsonl";
// Smaller bodies are not compressed, as in catalogd.
constexpr size_t least_compressed = 1024;

std::string_view trim(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The items of a list with commas, without blanks around them and without empty ones.
std::vector<std::string_view> list_items(std::string_view text) {
    std::vector<std::string_view> items;
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        if (const auto item = trim(text.substr(0, comma)); !item.empty()) items.push_back(item);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return items;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = ascii_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Nothing if an escape is not one.
std::optional<std::string> unescaped(std::string_view text, bool plus_is_blank) {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus_is_blank) {
            out += ' ';
        } else if (text[i] == '%') {
            const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0) return std::nullopt;
            out += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

// A path without empty, "." and ".." segments; a slash at its end stays.
std::string clean_path(std::string_view path) {
    std::vector<std::string_view> segments;
    bool ends_open = true; // the last segment leaves a slash behind it
    for (size_t at = 0; at < path.size();) {
        const size_t end = std::min(path.find('/', at), path.size());
        const std::string_view segment = path.substr(at, end - at);
        ends_open = end < path.size() || segment.empty();
        if (segment == "..") {
            if (!segments.empty()) segments.pop_back();
        } else if (!segment.empty() && segment != ".") {
            segments.push_back(segment);
        }
        at = end + 1;
    }
    if (segments.empty()) return "/";
    return fmt::format("/{}{}", fmt::join(segments, "/"), ends_open ? "/" : "");
}

// What may not be in a Location or between quotes in HTML becomes an escape of URLs.
std::string escaped_for_location(std::string_view target) {
    constexpr std::string_view plain = "-._~!$'()*+,;=:@/%?&";
    std::string out;
    for (const char c : target) {
        const bool is_plain = (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') ||
                              plain.find(c) != plain.npos;
        if (is_plain)
            out += c;
        else
            fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

HttpAnswer redirect_to(const std::string& target, const HttpRequest& request) {
    HttpAnswer answer{.status = 307, .headers = {}, .body = {}, .owners = {}};
    answer.headers = {{"Location", target}, {"Vary", "Accept-Encoding"}};
    const std::string shown = replace_all(replace_all(target, "&", "&amp;"), "'", "&#39;");
    const std::string page = fmt::format("<a href=\"{}\">Temporary Redirect</a>.\n\n", shown);
    if (request.method == "GET" || request.method == "HEAD")
        answer.headers.emplace_back("Content-Type", "text/html; charset=utf-8");
    if (request.method == "GET") answer.add_text(page);
    answer.headers.emplace_back("Content-Length",
                                std::to_string(request.method == "GET" ? page.size() : size_t{0}));
    return answer;
}

// Both in the strong comparison of RFC 9110, 8.8.3.2, or in the weak one.
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

struct Range {
    uint64_t begin;
    uint64_t size;
};

enum class RangeProblem : uint8_t { none, malformed, beyond_the_end };

// As Go's http.ServeContent reads the header.
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

// One request for one document, whose path and parameters are right.
class DocumentAnswer {
public:
    DocumentAnswer(const HttpRequest& request, std::shared_ptr<const CatalogDocument> document)
        : request_(request),
          document_(std::move(document)), tags_{fmt::format("\"{}\"", document_->digest()),
                                                fmt::format("\"{}-gzip\"", document_->digest())} {
        answer_.headers = {{"Vary", "Accept-Encoding"},
                           {"Last-Modified", http_date(document_->last_modified())}};
        answer_.owners.push_back(document_);
    }

    HttpAnswer all() {
        if (!meets_conditions()) return std::move(answer_);
        const std::string_view range = request_.header("Range");
        if (!range.empty() && range_counts())
            if (serve_ranges(range)) return std::move(answer_);
        serve({}, true);
        return std::move(answer_);
    }

    HttpAnswer metas(const BlobQuery& query) {
        if (!meets_conditions()) return std::move(answer_);
        serve(query, false);
        return std::move(answer_);
    }

private:
    bool is_head() const { return request_.method == "HEAD"; }
    void add(std::string name, std::string value) {
        answer_.headers.emplace_back(std::move(name), std::move(value));
    }

    // RFC 9110, 13.2.2, without If-Range.
    bool meets_conditions() {
        const std::time_t changed = document_->last_modified();
        const auto fail = [&](int status) {
            answer_.status = status;
            add("ETag", tags_[0]);
            if (status == 412) add("Content-Length", "0");
            return false;
        };
        const std::string_view match = request_.header("If-Match");
        const std::string_view none_match = request_.header("If-None-Match");
        if (!match.empty()) {
            if (trim(match) != "*" && !names_tag(match, tags_, false)) return fail(412);
        } else if (const auto since = parse_http_date(request_.header("If-Unmodified-Since"))) {
            if (changed > *since) return fail(412);
        }
        if (!none_match.empty()) {
            if (trim(none_match) == "*" || names_tag(none_match, tags_, true)) return fail(304);
        } else if (const auto since = parse_http_date(request_.header("If-Modified-Since"))) {
            if (changed <= *since) return fail(304);
        }
        return true;
    }

    bool range_counts() const {
        const std::string_view condition = request_.header("If-Range");
        if (condition.empty()) return true;
        if (condition.starts_with('"')) return condition == tags_[0];
        return parse_http_date(condition) == document_->last_modified();
    }

    // Whether the answer is complete.
    bool serve_ranges(std::string_view header) {
        const uint64_t size = document_->text().size();
        std::vector<Range> ranges;
        const RangeProblem problem = parse_ranges(header, size, ranges);
        if (problem == RangeProblem::beyond_the_end && size == 0) return false;
        if (problem != RangeProblem::none) {
            answer_ =
                text_answer(416, problem == RangeProblem::malformed ? "invalid range"
                                                                    : "invalid range: failed to overlap");
            if (problem == RangeProblem::beyond_the_end)
                add("Content-Range", fmt::format("bytes */{}", size));
            if (is_head()) answer_.body.clear();
            return true;
        }
        uint64_t sum = 0;
        for (const Range& range : ranges) sum += range.size;
        // Several ranges that come to more than the whole are an attack, or a mistake.
        if (ranges.empty() || sum > size) return false;
        answer_.status = 206;
        add("ETag", tags_[0]);
        add("Accept-Ranges", "bytes");
        const auto content_range = [&](const Range& range) {
            const auto last = static_cast<int64_t>(range.begin + range.size) - 1; // -1 in an empty document
            return fmt::format("bytes {}-{}/{}", range.begin, last, size);
        };
        if (ranges.size() == 1) {
            add("Content-Range", content_range(ranges[0]));
            add("Content-Type", std::string(lines_type));
            add("Content-Length", std::to_string(ranges[0].size));
            if (!is_head()) answer_.body.push_back(document_->text().substr(ranges[0].begin, ranges[0].size));
            return true;
        }
        serve_parts(ranges, content_range);
        return true;
    }

    template <typename ContentRange>
    void serve_parts(const std::vector<Range>& ranges, const ContentRange& content_range) {
        // It cannot be in the text whose digest it is.
        const std::string& boundary = document_->digest();
        uint64_t length = 0;
        const auto add_text = [&](std::string text) {
            length += text.size();
            if (!is_head()) answer_.add_text(std::move(text));
        };
        for (size_t i = 0; i < ranges.size(); ++i) {
            add_text(fmt::format("{}--{}\r\nContent-Range: {}\r\nContent-Type: {}\r\n\r\n",
                                 i == 0 ? "" : "\r\n", boundary, content_range(ranges[i]), lines_type));
            length += ranges[i].size;
            if (!is_head()) answer_.body.push_back(document_->text().substr(ranges[i].begin, ranges[i].size));
        }
        add_text(fmt::format("\r\n--{}--\r\n", boundary));
        add("Content-Type", "multipart/byteranges; boundary=" + boundary);
        add("Content-Length", std::to_string(length));
    }

    void serve(const BlobQuery& query, bool with_ranges) {
        DocumentPart part = document_->find(query);
        const bool compress =
            !is_head() && part.size >= least_compressed && takes_gzip(request_.header("Accept-Encoding"));
        bool compressed = false;
        if (compress) {
            const auto ends = std::make_shared<std::string>();
            if (auto smaller = document_->find_compressed(query, *ends)) {
                part = *std::move(smaller);
                answer_.owners.push_back(ends);
                compressed = true;
            }
        }
        add("Content-Type", std::string(lines_type));
        add("ETag", tags_[compressed ? 1 : 0]);
        if (compressed)
            add("Content-Encoding", "gzip");
        else if (with_ranges)
            add("Accept-Ranges", "bytes");
        add("Content-Length", std::to_string(part.size));
        if (!is_head()) answer_.body = std::move(part.pieces);
    }

    const HttpRequest& request_;
    std::shared_ptr<const CatalogDocument> document_;
    std::array<std::string, 2> tags_; // of the plain body and of the compressed one
    HttpAnswer answer_;
};

// Nothing if the query is refused.
std::optional<BlobQuery> parse_query(std::string_view text) {
    BlobQuery query;
    std::array<bool, 3> seen{};
    while (!text.empty()) {
        const size_t end = std::min(text.find('&'), text.size());
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (pair.empty()) continue;
        if (pair.find(';') != pair.npos) return std::nullopt;
        const size_t equals = std::min(pair.find('='), pair.size());
        const auto name = unescaped(pair.substr(0, equals), true);
        auto value = unescaped(pair.substr(std::min(equals + 1, pair.size())), true);
        if (!name || !value) return std::nullopt;
        constexpr std::string_view names[] = {"schema", "package", "name"};
        std::string* const fields[] = {&query.schema, &query.package, &query.name};
        const size_t field =
            static_cast<size_t>(std::find(std::begin(names), std::end(names), *name) - std::begin(names));
        if (field == std::size(names)) return std::nullopt;
        if (!seen[field]) *fields[field] = *std::move(value); // the first one counts
        seen[field] = true;
    }
    return query;
}

} // namespace

void HttpAnswer::add_text(std::string text) {
    const auto owned = std::make_shared<const std::string>(std::move(text));
    body.push_back(*owned);
    owners.push_back(owned);
}

HttpAnswer text_answer(int status, std::string text) {
    text += '\n';
    HttpAnswer answer{.status = status, .headers = {}, .body = {}, .owners = {}};
    answer.headers = {{"Content-Type", "text/plain; charset=utf-8"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Vary", "Accept-Encoding"},
                      {"Content-Length", std::to_string(text.size())}};
    answer.add_text(std::move(text));
    return answer;
}

std::optional<HttpAnswer> answer_for_catalogs(const HttpRequest& request, const FindDocument& find,
                                              const CatalogPathOptions& options) {
    const size_t question = std::min(request.target.find('?'), request.target.size());
    const std::string_view path = request.target.substr(0, question);
    const std::string_view query_text = request.target.substr(std::min(question + 1, request.target.size()));
    const HttpAnswer unknown_page = text_answer(404, "404 page not found");
    if (const std::string clean = clean_path(path); clean != path) {
        const std::string query = question < request.target.size() ? "?" + std::string(query_text) : "";
        return redirect_to(escaped_for_location(clean + query), request);
    }

    std::vector<std::string> segments;
    for (size_t at = 1; at <= path.size();) {
        const size_t end = std::min(path.find('/', at), path.size());
        auto segment = unescaped(path.substr(at, end - at), false);
        if (!segment) return text_answer(400, "400 Bad Request");
        segments.push_back(*std::move(segment));
        at = end + 1;
    }
    const bool known = segments.size() == 5 && segments[0] == "catalogs" && segments[2] == "api" &&
                       segments[3] == "v1" &&
                       (segments[4] == "all" || (options.metas && segments[4] == "metas"));
    if (!known) return unknown_page;
    if (request.method != "GET" && request.method != "HEAD") {
        HttpAnswer answer = text_answer(405, "Method Not Allowed");
        answer.headers.emplace_back("Allow", "GET, HEAD");
        return answer;
    }
    const std::string& name = segments[1];
    if (name.size() > kube::longest_subdomain)
        return text_answer(400, fmt::format("invalid catalog name: must be no more than {} characters",
                                            kube::longest_subdomain));
    if (const auto problems = kube::subdomain_errors(name); !problems.empty())
        return text_answer(400, "invalid catalog name: " + problems.front());
    const bool all = segments[4] == "all";
    const auto query = all ? BlobQuery() : parse_query(query_text);
    if (!query) return text_answer(400, "400 Bad Request");
    const auto document = find(name);
    if (!document) return text_answer(404, "404 Not Found");
    if (!*document) return std::nullopt;
    DocumentAnswer answer(request, *document);
    return all ? answer.all() : answer.metas(*query);
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
