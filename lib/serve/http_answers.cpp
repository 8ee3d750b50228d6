#include "opcat/serve/http_answers.hpp"

#include "opcat/base/text.hpp"
#include "opcat/kube/labels.hpp"
#include "opcat/serve/http_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace opcat::serve {
namespace {

constexpr std::string_view lines_type = "application/jsonl";
// Smaller bodies are not compressed, as in catalogd.
constexpr size_t least_compressed = 1024;

// A path without empty, "." and ".." segments; a slash at its end stays.
std::string clean_path(std::string_view path) {
    std::vector<std::string_view> segments;
    bool ends_open = true; // the last segment leaves a slash after it
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

} // namespace

HttpAnswer redirect_to(const std::string& path, const HttpRequest& request) {
    const std::string target = escape_for_url(path, "-._~!$'()*+,;=:@/%?&");
    HttpAnswer answer{.status = 307, .headers = {}, .body = {}, .owners = {}};
    answer.headers = {{"Location", target}, {"Vary", "Accept-Encoding"}};
    const std::string page = fmt::format("<a href=\"{}\">Temporary Redirect</a>.\n\n", escape_html(target));
    if (request.method == "GET" || request.method == "HEAD")
        answer.headers.emplace_back("Content-Type", "text/html; charset=utf-8");
    if (request.method == "GET") answer.add_text(page);
    answer.headers.emplace_back("Content-Length",
                                std::to_string(request.method == "GET" ? page.size() : size_t{0}));
    return answer;
}

namespace {

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

    // Returns true if the answer is complete.
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
        // Many ranges, or several that come to more than the whole, are an attack, or a mistake.
        constexpr size_t most_ranges = 16;
        if (ranges.empty() || ranges.size() > most_ranges || sum > size) return false;
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
    const auto pairs = query_fields(text);
    if (!pairs) return std::nullopt;
    BlobQuery query;
    std::array<bool, 3> seen{};
    for (const auto& [name, value] : *pairs) {
        constexpr std::string_view names[] = {"schema", "package", "name"};
        std::string* const fields[] = {&query.schema, &query.package, &query.name};
        const size_t field =
            static_cast<size_t>(std::find(std::begin(names), std::end(names), name) - std::begin(names));
        if (field == std::size(names)) return std::nullopt;
        if (!seen[field]) *fields[field] = value; // the first one counts
        seen[field] = true;
    }
    return query;
}

} // namespace

void HttpAnswer::add_text(std::string text) {
    own_text += text.size();
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

HttpAnswer only_reading() {
    HttpAnswer answer = text_answer(405, "Method Not Allowed");
    answer.headers.emplace_back("Allow", "GET, HEAD");
    return answer;
}

std::optional<HttpAnswer> answer_for_catalogs(const HttpRequest& request, const FindDocument& find,
                                              bool metas) {
    const size_t question = std::min(request.target.find('?'), request.target.size());
    const std::string_view path = request.target.substr(0, question);
    const std::string_view query_text = request.target.substr(std::min(question + 1, request.target.size()));
    const HttpAnswer unknown_page = text_answer(404, "404 page not found");
    if (const std::string clean = clean_path(path); clean != path) {
        const std::string query = question < request.target.size() ? "?" + std::string(query_text) : "";
        return redirect_to(clean + query, request);
    }

    std::vector<std::string> segments;
    for (size_t at = 1; at <= path.size();) {
        const size_t end = std::min(path.find('/', at), path.size());
        auto segment = unescape_url(path.substr(at, end - at));
        if (!segment) return text_answer(400, "400 Bad Request");
        segments.push_back(*std::move(segment));
        at = end + 1;
    }
    const bool known = segments.size() == 5 && segments[0] == "catalogs" && segments[2] == "api" &&
                       segments[3] == "v1" && (segments[4] == "all" || (metas && segments[4] == "metas"));
    if (!known) return unknown_page;
    if (!request.reads()) return only_reading();
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

} // namespace opcat::serve
