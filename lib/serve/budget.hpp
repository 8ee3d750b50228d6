// Memory that clients can make a server use: one sum for all of them.
#pragma once

#include <atomic>
#include <cstddef>

namespace opcat::serve {

// Counts bytes of requests that are not complete, of answers that were made for one client, and of what waits
// to be sent. Thread-safe.
class Budget {
public:
    static constexpr size_t most = size_t{24} << 20;

    // Returns true if clients get small buffers only.
    bool is_tight() const { return used_.load(std::memory_order_relaxed) > most / 2; }
    // False: it is used up. A large answer is possible while there is nothing else.
    bool take(size_t bytes) {
        const size_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
        if (bytes == 0 || before == 0 || before + bytes <= most) return true;
        give_back(bytes);
        return false;
    }
    void give_back(size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

private:
    std::atomic<size_t> used_ = 0;
};

// Bytes of the budget that an object holds.
class BudgetShare {
public:
    explicit BudgetShare(Budget& budget) : budget_(&budget) {}
    ~BudgetShare() { budget_->give_back(bytes_); }
    BudgetShare(const BudgetShare&) = delete;
    BudgetShare& operator=(const BudgetShare&) = delete;

    // Changes how many; false, and no change, if there are not so many left.
    bool resize(size_t bytes) {
        if (bytes > bytes_ && !budget_->take(bytes - bytes_)) return false;
        if (bytes < bytes_) budget_->give_back(bytes_ - bytes);
        bytes_ = bytes;
        return true;
    }

private:
    Budget* budget_;
    size_t bytes_ = 0;
};

} // namespace opcat::serve
