// Requests of HTTP/1.1 as they arrive (RFC 9112). No I/O.
#pragma once

#include "opcat/serve/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::serve {

// Reads one request after the other. What programs could take for two different requests is refused, also
// where the RFC lets a server repair it: a proxy in front of the server must not see other requests than the
// server does.
class HttpRequestReader {
public:
    explicit HttpRequestReader(const Limits& limits) : limits_(limits) {}

    enum class State : uint8_t { head, body, complete, refused };

    // Takes bytes until the request is complete or refused; returns how many.
    size_t add(std::string_view bytes);
    State state() const { return state_; }
    // Returns true if there is not one byte of the next request.
    bool is_empty() const { return state_ == State::head && head_.empty() && !blank_line_; }
    // For the next request.
    void restart();

    // For a request whose head is complete.
    std::string_view method() const { return method_; }
    std::string_view target() const { return target_; } // in origin form: "/path?query", or "*"
    // The value of its first field of this name, in any letter case; empty: absent.
    std::string_view header(std::string_view name) const;
    // Returns true if the connection stays open after the answer.
    bool keeps_alive() const { return keeps_alive_; }
    void refuse_more() { keeps_alive_ = false; }
    bool is_http10() const { return is_http10_; }

    // For a refused request.
    int status() const { return status_; }
    const std::string& problem() const { return problem_; }

private:
    using Field = std::pair<std::string_view, std::string_view>;

    void refuse(int status, std::string problem);
    size_t add_to_head(std::string_view bytes);
    size_t add_to_body(std::string_view bytes);
    void read_head();
    bool read_request_line(std::string_view line);
    bool read_field(std::string_view line);
    bool read_host();
    bool read_body_length();
    void read_connection();
    void read_chunk_line();
    size_t count(std::string_view name) const;

    Limits limits_;
    State state_ = State::head;
    std::string head_; // up to and without the last CR LF
    bool blank_line_ = false;
    std::string authority_; // of a target in absolute form
    std::string_view method_;
    std::string_view target_;
    std::vector<Field> fields_; // in head_
    bool keeps_alive_ = false;
    bool is_http10_ = false;
    bool expects_continue_ = false; // waits for permission to send the body: it gets the answer instead

    // The body, of which nothing is kept.
    enum class Chunk : uint8_t { none, size, data, end_of_data, end };
    Chunk chunk_ = Chunk::none; // none: the body has a length
    std::string line_;          // between chunks
    size_t left_ = 0;           // of the body, or of the chunk
    size_t body_bytes_ = 0;

    int status_ = 0;
    std::string problem_;
};

} // namespace opcat::serve
