// The one pool of threads, made in main and passed down, and the few threads outside it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace opcat {

class ThreadPool {
public:
    // `threads` counts the calling thread: 1 means that everything runs in it. If the system refuses to
    // create so many, the pool has fewer.
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

// Starts a thread outside the pool, for what waits most of the time. `purpose`, for messages: "waits for
// signals". Throws Error if the system gives no more threads.
std::thread start_thread(std::string_view purpose, std::function<void()> run);

// Returns the number of processors whose time this process may use, 1.5 for one and a half: the smallest
// limit of its control group (usually the container's) and those above it, by cpu.max (version 2) or
// cpu.cfs_quota_us (version 1), as defined by the kernel's documentation of control groups and CFS bandwidth
// control. Returns nothing if there is no limit, or if it cannot be read. `root` is the directory that
// contains /proc and /sys.
std::optional<double> processor_quota(const std::string& root = "/");

} // namespace opcat
