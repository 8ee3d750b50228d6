// A thread's event loop, and tasks from other threads.
#pragma once

#include "opcat/serve/libraries.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace opcat::serve {

// Bytes that a connection writes with one system call: libevent's own choice is 16 KiB.
constexpr size_t single_write = size_t{1} << 20;

// All objects of a loop are created and used on its thread; other threads may only call post().
class EventLoop {
public:
    EventLoop();
    ~EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    event_base* base() const { return base_; }
    // Has the system watch what was added so far, so that a refusal is noticed: throws Error. To be called
    // before run(), on any thread.
    void watch();
    void run();
    void stop();
    // How often the system has refused to watch a descriptor of this thread's loop. libevent then waits for
    // it in vain.
    static size_t refusals();

    // Runs the task on the loop's thread, soon.
    void post(std::function<void()> task);

private:
    static void on_wake(evutil_socket_t, short, void* self);
    void run_tasks();

    event_base* base_;
    int wake_pipe_[2] = {-1, -1};
    event* wake_;
    bool stopped_ = false;
    std::mutex mutex_;
    std::vector<std::function<void()>> tasks_;
};

// Calls an action repeatedly while it is started.
class Timer {
public:
    Timer(EventLoop& loop, std::chrono::milliseconds interval, std::function<void()> action);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    void start();

private:
    timeval interval_;
    std::function<void()> action_;
    event* event_;
};

struct FreeConnection {
    void operator()(bufferevent* connection) const { libevent().bufferevent_free(connection); }
};
using OwnedConnection = std::unique_ptr<bufferevent, FreeConnection>;

timeval to_timeval(std::chrono::milliseconds time);

// Appends a copy. Throws std::bad_alloc: what was lost silently would end up in the middle of an answer.
void add_copy(evbuffer* buffer, std::string_view bytes);

// Appends bytes that the owners keep alive; only small ones are copied. Throws std::bad_alloc.
void add_shared(evbuffer* buffer, std::string_view bytes, const std::shared_ptr<const void>& owner);

} // namespace opcat::serve
