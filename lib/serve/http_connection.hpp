// One HTTP/1.1 connection, for http_listener.cpp.
#pragma once

#include "opcat/serve/http_listener.hpp"
#include "opcat/serve/http_request_reader.hpp"
#include "opcat/serve/outbox.hpp"

#include <memory>
#include <string>

namespace opcat::serve {

class HttpListener::Connection : public std::enable_shared_from_this<HttpListener::Connection> {
public:
    using Clock = std::chrono::steady_clock;

    Connection(HttpListener& listener, OwnedConnection transport, std::unique_ptr<Places::Place> place);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Each of these may remove the connection from its listener.
    void catalogs_changed(bool replaced);
    void check_times(Clock::time_point now);
    void answer();

    // Returns true if there is an answer that the client has not received.
    bool is_busy() const { return state_ == State::answers || state_ == State::waits; }
    bool waits() const { return state_ == State::waits; }

private:
    enum class State : uint8_t {
        reads,   // a request, or nothing
        queued,  // the request is complete
        waits,   // for a catalog
        answers, // the answer is being sent
        ends, // all is sent: what the client still sends is thrown away for a moment, so that it reads that
    };

    void close() { listener_.connections_.remove(this); }
    void on_event(short what);
    void read();
    void write();
    void send(HttpAnswer answer);
    void fill();
    void finish();

    HttpListener& listener_;
    OwnedConnection transport_;
    std::unique_ptr<Places::Place> place_;
    HttpRequestReader reader_;
    Outbox outbox_;
    State state_ = State::reads;
    Clock::time_point since_ = Clock::now(); // of the state, of the head or of the body
    bool in_body_ = false;
    bool has_asked_ = false; // before
    bool closes_ = false;
    Clock::time_point asked_;

    // The answer.
    HttpAnswer answer_;
    std::shared_ptr<const void> owner_; // of its body
    size_t piece_ = 0;                  // the next one, and where in it
    size_t offset_ = 0;
    BudgetShare share_;
    std::optional<Clock::time_point> replaced_; // since when it is of an old version
};

} // namespace opcat::serve
