// The data that waits to be sent on a connection: a bounded amount, which the client has to take.
#pragma once

#include "opcat/serve/budget.hpp"
#include "opcat/serve/event_loop.hpp"
#include "opcat/serve/limits.hpp"

#include <chrono>
#include <memory>
#include <string_view>

namespace opcat::serve {

class Outbox {
public:
    using Clock = std::chrono::steady_clock;

    Outbox(bufferevent* transport, Budget& budget);

    // Returns true if it takes more. What is added then may exceed the limit.
    bool has_room();
    bool is_empty() const { return size() == 0; }
    size_t size() const;
    // Both throw std::bad_alloc.
    void copy(std::string_view bytes);
    void share(std::string_view bytes, const std::shared_ptr<const void>& owner);
    // To be called after changes, and when something was sent.
    void sent();
    // Reports again when half of much is sent, not only when all is.
    void expect_more();
    // Returns true if the client has taken too little for too long.
    bool is_stalled(const Limits& limits, Clock::time_point now);

private:
    bufferevent* transport_;
    evbuffer* buffer_;
    Budget& budget_;
    BudgetShare share_;
    size_t cost_ = 0;     // memory for what was added since there was little
    uint64_t added_ = 0;  // ever
    uint64_t marked_ = 0; // what was sent at `mark_`
    Clock::time_point mark_ = Clock::now();
    bool was_empty_ = true;
};

} // namespace opcat::serve
