// The one pool of threads, made in main and handed down.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace opcat {

class ThreadPool {
public:
    // `threads` counts the calling thread: 1 means that everything runs in it. Where the system refuses to
    // make so many, there are fewer.
    explicit ThreadPool(unsigned threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    unsigned threads() const;

    // Calls task(0) … task(count-1), each once, in any order and on any thread of the pool, the calling one
    // included; returns when all are done. If tasks throw, the exception of the lowest index is thrown again
    // after all that were started have ended. Called from inside a task it runs the tasks in that thread, one
    // after the other.
    void for_each(size_t count, const std::function<void(size_t)>& task);

private:
    struct State;
    std::unique_ptr<State> state_;
};

// How many processors' time this process may use, 1.5 for one and a half: the least that its control group
// (that of its container, above all) and those above it allow, by cpu.max (version 2) or cpu.cfs_quota_us
// (version 1), which the kernel's documents on control groups and on CFS bandwidth control define. Nothing if
// they allow everything, or cannot be read. `root` is where /proc and /sys are.
std::optional<double> processor_quota(const std::string& root = "/");

} // namespace opcat
