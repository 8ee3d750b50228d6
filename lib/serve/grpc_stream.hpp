// One gRPC call in progress: the request as it arrives, the answer as it is sent. No I/O.
#pragma once

#include "opcat/serve/grpc_service.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace opcat::serve {

class GrpcStream {
public:
    using Clock = std::chrono::steady_clock;

    // A header of the request; `name` in lower case.
    void add_header(std::string_view name, std::string_view value);
    // Why the request is refused before its message arrives: an HTTP status other than 200, or a gRPC one.
    struct Refusal {
        int http_status = 200;
        GrpcAnswer answer;
    };
    std::optional<Refusal> check_headers() const;

    // Bytes of the request. Of a message at most `most` bytes are kept.
    void add_data(std::string_view data, size_t most);
    size_t buffered() const { return data_.size(); }
    // The next complete message of the request; nothing if there is none. A failure is the call's answer.
    struct Message {
        std::string text;
        std::optional<GrpcAnswer> failure = std::nullopt;
    };
    std::optional<Message> take_message(size_t most);
    bool has_rest() const { return !data_.empty(); } // of an incomplete message

    const std::string& path() const { return path_; }
    bool acknowledges_experimental() const { return acknowledges_experimental_; }
    Clock::time_point begin() const { return begin_; }
    std::optional<Clock::time_point> deadline() const { return deadline_; }

    // Appends the messages of an answer. Unless more may follow, it ends the call. Answers are never
    // compressed, although requests may be: each call would have a copy of its own of what all calls share.
    void add_answer(GrpcAnswer answer, bool ends);
    bool has_ended() const { return ended_; }
    GrpcStatus status() const { return status_; }
    const std::string& status_message() const { return status_message_; }

    // The next bytes to send, up to `most`; they then count as sent. `sink` receives pieces and the owners of
    // their memory.
    size_t pending() const { return pending_; }
    template <typename Sink>
    void take(size_t most, Sink sink) {
        while (most > 0 && !out_.empty()) {
            const std::shared_ptr<const GrpcAnswer> answer = out_.front();
            const auto& pieces = answer->pieces();
            if (piece_ == pieces.size()) {
                out_.pop_front();
                piece_ = 0;
                continue;
            }
            const std::string_view bytes = pieces[piece_].substr(offset_, most);
            if (!bytes.empty()) sink(bytes, std::shared_ptr<const void>(answer));
            most -= bytes.size();
            pending_ -= bytes.size();
            taken_ += bytes.size();
            offset_ += bytes.size();
            if (offset_ < pieces[piece_].size()) continue;
            ++piece_;
            offset_ = 0;
        }
    }
    // Bytes that take() has given, ever.
    uint64_t taken() const { return taken_; }

    // For the listener.
    bool headers_complete = false;
    bool request_complete = false;
    bool headers_sent = false;
    bool waits_for_catalog = false;
    bool is_watch = false;
    bool dispatched = false;
    bool expired = false;                      // its deadline is over; it is about to be closed
    std::string waiting_message;               // of a call that waits for its turn, or its catalog
    Clock::time_point since = Clock::now();    // of what the client owes: headers, a message, or reading
    uint64_t taken_then = 0;                   // taken() at that time
    std::optional<Clock::time_point> replaced; // since when the answer is of an old version
    size_t own_bytes = 0;                      // of the budget: of the request, or of the answer

private:
    std::string path_;
    std::string method_;
    std::string content_type_;
    std::string encoding_;
    bool acknowledges_experimental_ = false;
    bool acknowledgement_seen_ = false;
    Clock::time_point begin_ = Clock::now();
    std::optional<Clock::time_point> deadline_;
    std::string data_;
    bool too_large_ = false;
    std::deque<std::shared_ptr<const GrpcAnswer>> out_;
    size_t piece_ = 0; // of the first part: the next one, and where in it
    size_t offset_ = 0;
    size_t pending_ = 0;
    uint64_t taken_ = 0;
    bool ended_ = false;
    GrpcStatus status_ = GrpcStatus::ok;
    std::string status_message_;
};

// gRPC's encoding of a message in a header: everything but printable ASCII without '%' becomes %XX.
std::string percent_encoded(std::string_view text);

// "5S", "100m": gRPC's timeouts. Nothing for other texts.
std::optional<std::chrono::nanoseconds> parse_grpc_timeout(std::string_view text);

} // namespace opcat::serve
