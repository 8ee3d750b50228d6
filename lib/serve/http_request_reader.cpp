#include "opcat/serve/http_request_reader.hpp"

#include "opcat/base/text.hpp"
#include "opcat/serve/http_fields.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace opcat::serve {
namespace {

bool is_token(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

bool is_control(char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

// A number in its only spelling: without a sign, zeros before it, or blanks.
std::optional<size_t> number_in(std::string_view text, int base) {
    if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
    size_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// The host, and maybe a port.
bool is_authority(std::string_view text) {
    const size_t bracket = text.starts_with('[') ? text.find(']') : 0;
    if (bracket == text.npos) return false;
    const size_t colon = text.find(':', bracket);
    const std::string_view host = text.substr(0, colon);
    const std::string_view port = colon == text.npos ? std::string_view() : text.substr(colon + 1);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto in_host = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view("-._~!$&'()*+;=%").find(c) != std::string_view::npos;
    };
    const auto in_brackets = [&](char c) { return in_host(c) || c == ':'; };
    const bool host_fits = bracket == 0 ? std::all_of(host.begin(), host.end(), in_host)
                                        : host.size() == bracket + 1 && bracket > 1 &&
                                              std::all_of(host.begin() + 1, host.end() - 1, in_brackets);
    return host_fits && port.size() <= 5 && std::all_of(port.begin(), port.end(), is_digit);
}

} // namespace

void HttpRequestReader::refuse(int status, std::string problem) {
    state_ = State::refused;
    status_ = status;
    problem_ = std::move(problem);
    keeps_alive_ = false;
}

void HttpRequestReader::restart() {
    HttpRequestReader fresh(limits_);
    fresh.head_.swap(head_); // its memory
    fresh.head_.clear();
    constexpr size_t common = 2048;
    if (fresh.head_.capacity() > common) fresh.head_ = {};
    std::swap(*this, fresh);
}

size_t HttpRequestReader::add(std::string_view bytes) {
    size_t taken = 0;
    while (taken < bytes.size() && (state_ == State::head || state_ == State::body))
        taken += state_ == State::head ? add_to_head(bytes.substr(taken)) : add_to_body(bytes.substr(taken));
    return taken;
}

// Up to a line feed, or all of it.
size_t HttpRequestReader::add_to_head(std::string_view bytes) {
    const size_t feed = bytes.find('\n');
    const std::string_view some = bytes.substr(0, feed == bytes.npos ? feed : feed + 1);
    if (head_.size() + some.size() > limits_.header_bytes) {
        refuse(400, "the headers are too large");
        return some.size();
    }
    const size_t before = head_.size();
    head_ += some;
    // A line ends in CR LF, and has neither elsewhere.
    for (size_t at = before; at < head_.size(); ++at) {
        const bool after_return = at > 0 && head_[at - 1] == '\r';
        if (after_return != (head_[at] == '\n')) {
            refuse(400, "a line does not end in CR LF");
            return some.size();
        }
    }
    if (head_ == "\r\n") { // clients may send one before a request
        if (std::exchange(blank_line_, true)) refuse(400, "there is no request line");
        head_.clear();
        return some.size();
    }
    if (head_.ends_with("\r\n\r\n")) {
        head_.resize(head_.size() - 2);
        read_head();
    }
    return some.size();
}

void HttpRequestReader::read_head() {
    std::string_view rest = head_;
    bool first = true;
    while (!rest.empty()) {
        const size_t end = rest.find("\r\n");
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 2);
        if (!(std::exchange(first, false) ? read_request_line(line) : read_field(line))) return;
    }
    if (!read_host() || !read_body_length()) return;
    read_connection();
    if (chunk_ == Chunk::none && left_ == 0)
        state_ = State::complete;
    else
        state_ = expects_continue_ ? State::complete : State::body;
}

bool HttpRequestReader::read_request_line(std::string_view line) {
    const size_t first = line.find(' ');
    const size_t last = line.rfind(' ');
    if (first == line.npos || first == last) {
        refuse(400, "the request line is not a method, a target and a version");
        return false;
    }
    method_ = line.substr(0, first);
    target_ = line.substr(first + 1, last - first - 1);
    const std::string_view version = line.substr(last + 1);
    const bool target_fits = !target_.empty() && std::none_of(target_.begin(), target_.end(), [](char c) {
        return is_control(c) || c == ' ';
    });
    const bool is_version = version.size() == 8 && version.starts_with("HTTP/") && version[6] == '.';
    if (!is_token(method_) || !target_fits || !is_version) {
        refuse(400, "the request line is not a method, a target and a version");
        return false;
    }
    if (version != "HTTP/1.1" && version != "HTTP/1.0") {
        refuse(505, "the version is not HTTP/1.1 or HTTP/1.0");
        return false;
    }
    is_http10_ = version == "HTTP/1.0";
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (ascii_lower(target_.substr(0, scheme.size())) != scheme) continue;
        const std::string_view rest = target_.substr(scheme.size());
        const size_t end = std::min(rest.find_first_of("/?"), rest.size());
        authority_ = ascii_lower(rest.substr(0, end));
        target_ = rest.substr(end);
        if (authority_.empty() || !is_authority(authority_) || target_.starts_with('?')) {
            refuse(400, "the target names no host");
            return false;
        }
        if (target_.empty()) target_ = "/";
    }
    if (target_ != "*" && !target_.starts_with('/')) {
        refuse(400, "the target is not a path");
        return false;
    }
    return true;
}

bool HttpRequestReader::read_field(std::string_view line) {
    const size_t colon = line.find(':');
    // Blanks at its begin continue the line before, and those before the colon belong to nothing: others read
    // both differently.
    if (colon == line.npos || !is_token(line.substr(0, colon))) {
        refuse(400, "a header is not a name, a colon and a value");
        return false;
    }
    const std::string_view value = trim(line.substr(colon + 1));
    if (std::any_of(value.begin(), value.end(), [](char c) { return is_control(c) && c != '\t'; })) {
        refuse(400, "a header has a control character");
        return false;
    }
    fields_.emplace_back(line.substr(0, colon), value);
    return true;
}

size_t HttpRequestReader::count(std::string_view name) const {
    return static_cast<size_t>(std::count_if(fields_.begin(), fields_.end(), [&](const Field& field) {
        return field.first.size() == name.size() && ascii_lower(field.first) == ascii_lower(name);
    }));
}

std::string_view HttpRequestReader::header(std::string_view name) const {
    const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const Field& field) {
        return field.first.size() == name.size() && ascii_lower(field.first) == ascii_lower(name);
    });
    return found == fields_.end() ? std::string_view() : found->second;
}

bool HttpRequestReader::read_host() {
    const size_t hosts = count("Host");
    const std::string host = ascii_lower(header("Host"));
    const bool number_fits = hosts == 1 || (hosts == 0 && is_http10_);
    if (!number_fits || !is_authority(host))
        refuse(400, "a request has one header Host, with a host and maybe a port");
    else if (hosts == 1 && !authority_.empty() && host != authority_)
        refuse(400, "the target and the header Host name different hosts");
    return state_ != State::refused;
}

bool HttpRequestReader::read_body_length() {
    const size_t lengths = count("Content-Length");
    const size_t encodings = count("Transfer-Encoding");
    if (encodings > 0) {
        if (encodings > 1 || lengths > 0 || is_http10_ ||
            ascii_lower(header("Transfer-Encoding")) != "chunked")
            refuse(400, "the length of the body is not clear");
        chunk_ = Chunk::size;
        return state_ != State::refused;
    }
    if (lengths == 0) return true;
    const auto length = number_in(header("Content-Length"), 10);
    if (lengths > 1 || !length)
        refuse(400, "the length of the body is not clear");
    else if (*length > limits_.http_body_bytes)
        refuse(413, "the body is too large");
    else
        left_ = *length;
    return state_ != State::refused;
}

void HttpRequestReader::read_connection() {
    keeps_alive_ = !is_http10_;
    for (const auto& [name, value] : fields_) {
        if (ascii_lower(name) != "connection") continue;
        for (const std::string_view option : list_items(value)) {
            const std::string word = ascii_lower(option);
            if (word == "close") {
                keeps_alive_ = false;
                return;
            }
            if (word == "keep-alive") keeps_alive_ = true;
        }
    }
    expects_continue_ = count("Expect") > 0 && (chunk_ != Chunk::none || left_ > 0);
    if (expects_continue_) keeps_alive_ = false; // whether the body follows is not known
}

size_t HttpRequestReader::add_to_body(std::string_view bytes) {
    if (chunk_ == Chunk::none || chunk_ == Chunk::data) {
        const size_t some = std::min(left_, bytes.size());
        left_ -= some;
        if (left_ == 0 && chunk_ == Chunk::none) state_ = State::complete;
        if (left_ == 0 && chunk_ == Chunk::data) chunk_ = Chunk::end_of_data;
        return some;
    }
    line_ += bytes[0];
    constexpr size_t longest = 16; // the digits of a number, CR and LF
    const bool after_return = line_.size() > 1 && line_[line_.size() - 2] == '\r';
    if (after_return != (bytes[0] == '\n') || line_.size() > longest)
        refuse(400, "a chunk of the body has no size");
    else if (bytes[0] == '\n')
        read_chunk_line();
    return 1;
}

// Neither extensions nor trailers: nobody needs them here, and programs read them differently.
void HttpRequestReader::read_chunk_line() {
    const std::string line = std::exchange(line_, {});
    const std::string_view text = std::string_view(line).substr(0, line.size() - 2);
    if (chunk_ != Chunk::size) {
        if (!text.empty()) return refuse(400, "a chunk of the body does not end where it says");
        if (chunk_ == Chunk::end)
            state_ = State::complete;
        else
            chunk_ = Chunk::size;
        return;
    }
    const auto size = number_in(text, 16);
    if (!size) return refuse(400, "a chunk of the body has no size");
    if (*size > limits_.http_body_bytes - body_bytes_) return refuse(413, "the body is too large");
    body_bytes_ += *size;
    left_ = *size;
    chunk_ = left_ == 0 ? Chunk::end : Chunk::data;
}

} // namespace opcat::serve
