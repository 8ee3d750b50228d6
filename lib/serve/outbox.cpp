#include "opcat/serve/outbox.hpp"

namespace opcat::serve {
namespace {

// Bytes that may wait; those that are shared cost little.
constexpr size_t most_waiting = size_t{256} << 10;
constexpr size_t few_waiting = size_t{16} << 10;
// Memory for copies, and for references to shared bytes.
constexpr size_t most_cost = size_t{48} << 10;
constexpr size_t tight_cost = size_t{8} << 10;
constexpr size_t reference_cost = 1500; // with the small buffer of the header before it

} // namespace

Outbox::Outbox(bufferevent* transport, Budget& budget)
    : transport_(transport), buffer_(libevent().bufferevent_get_output(transport)), budget_(budget),
      share_(budget) {
    libevent().bufferevent_set_max_single_write(transport_, single_write);
    expect_more();
}

void Outbox::expect_more() {
    libevent().bufferevent_setwatermark(transport_, EV_WRITE, most_waiting / 2, 0);
}

size_t Outbox::size() const {
    return libevent().evbuffer_get_length(buffer_);
}

bool Outbox::has_room() {
    return size() < most_waiting && cost_ < (budget_.is_tight() ? tight_cost : most_cost);
}

void Outbox::copy(std::string_view bytes) {
    if (was_empty_) mark_ = Clock::now();
    was_empty_ = false;
    add_copy(buffer_, bytes);
    added_ += bytes.size();
    cost_ += bytes.size();
}

void Outbox::share(std::string_view bytes, const std::shared_ptr<const void>& owner) {
    if (was_empty_) mark_ = Clock::now();
    was_empty_ = false;
    cost_ += add_shared(buffer_, bytes, owner) ? reference_cost : bytes.size();
    added_ += bytes.size();
}

void Outbox::sent() {
    const size_t left = size();
    if (left <= few_waiting) cost_ = left;
    was_empty_ = left == 0;
    // It is counted also where it is beyond the budget: has_room() makes it small then.
    if (!share_.resize(cost_)) static_cast<void>(share_.resize(0));
}

bool Outbox::is_stalled(const Limits& limits, Clock::time_point now) {
    const uint64_t sent_bytes = added_ - size();
    if (was_empty_ || sent_bytes - marked_ >= Limits::least_taken) {
        marked_ = sent_bytes;
        mark_ = now;
        return false;
    }
    return now - mark_ > limits.stall;
}

} // namespace opcat::serve
