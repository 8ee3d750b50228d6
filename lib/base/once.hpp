// An initialisation that the first thread that needs it does.
#pragma once

#include <atomic>
#include <mutex>

namespace opcat {

// Like std::call_once, for functions that may throw: the next caller then tries again. std::call_once runs
// its function inside glibc's pthread_once, whose unwinder is that of a shared libgcc. If ours is linked
// statically in another version (preset portable), an exception that passes through it ends the program.
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
