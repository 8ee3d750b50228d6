// The one pool of threads, made in main and handed down.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

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

} // namespace opcat
