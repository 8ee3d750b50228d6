// A thread's event loop, and tasks from other threads.
#pragma once

#include "opcat/serve/libraries.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
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
    // Returns the number of times that the system has refused to watch a descriptor of this thread's loop.
    // libevent then waits for it in vain.
    static size_t refusals();

    // Runs the task on the loop's thread, soon.
    void post(std::function<void()> task);
    // For requests whose answers take time, on the loop's thread: runs the task now, or after others, so that
    // what takes none (health) is answered in between. The task does not throw.
    void run_in_turn(std::function<void()> task);

private:
    static void on_wake(evutil_socket_t, short, void* self);
    void run_tasks();
    void run_turn();

    event_base* base_;
    int wake_pipe_[2] = {-1, -1};
    event* wake_;
    bool stopped_ = false;
    std::mutex mutex_;
    std::vector<std::function<void()>> tasks_;
    std::deque<std::function<void()>> turns_;
    std::chrono::steady_clock::time_point turn_begin_; // of the time in which `turn_spent_` was spent
    std::chrono::steady_clock::duration turn_spent_{};
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

// Appends bytes that the owners keep alive; only small ones are copied, and the result is then false. Throws
// std::bad_alloc.
bool add_shared(evbuffer* buffer, std::string_view bytes, const std::shared_ptr<const void>& owner);

} // namespace opcat::serve
