// Something that is done once, by the thread that needs it first.
#pragma once

#include <atomic>
#include <mutex>

namespace opcat {

// As std::call_once, for what may throw: it is then tried again by the next caller. std::call_once runs its
// function inside glibc's pthread_once, whose unwinder is that of a shared libgcc; where ours is linked into
// the program and is another version (preset portable), an exception that passes through it ends the program.
class Once {
public:
    template <typename Function>
    void run(Function function) {
        if (done_.load(std::memory_order_acquire)) return;
        const std::lock_guard lock(mutex_);
        if (done_.load(std::memory_order_relaxed)) return;
        function();
        done_.store(true, std::memory_order_release);
    }

private:
    std::atomic<bool> done_ = false;
    std::mutex mutex_;
};

} // namespace opcat
