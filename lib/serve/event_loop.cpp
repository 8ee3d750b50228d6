#include "opcat/serve/event_loop.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/platform.hpp"

#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

namespace opcat::serve {
namespace {

// Each loop belongs to one thread, so it needs no locks; the environment is not to choose how it waits.
event_base* new_base() {
    const EventCore& core = libevent();
    event_config* const config = core.event_config_new();
    if (!config) throw std::bad_alloc();
    // Changes of interest are passed to the kernel together, and not at all if they cancel out: otherwise a
    // request of HTTP takes four system calls for them. Requires that descriptors are not duplicated.
    core.event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV |
                                           EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST);
    event_base* const base = core.event_base_new_with_config(config);
    core.event_config_free(config);
    if (!base) throw Error("cannot start to serve: the system gives no more event loops");
    return base;
}

} // namespace

EventLoop::EventLoop() : base_(new_base()) {
    if (!make_pipe(wake_pipe_)) {
        libevent().event_base_free(base_);
        throw Error("cannot start to serve: " + system_message(errno));
    }
    for (const int end : wake_pipe_) set_nonblocking(end);
    // Also what keeps the loop running while there is nothing else.
    wake_ = libevent().event_new(base_, wake_pipe_[0], EV_READ | EV_PERSIST, &EventLoop::on_wake, this);
    if (!wake_) throw std::bad_alloc();
    libevent().event_add(wake_, nullptr);
}

EventLoop::~EventLoop() {
    libevent().event_free(wake_);
    for (const int end : wake_pipe_) ::close(end);
    libevent().event_base_free(base_);
}

void EventLoop::post(std::function<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    const char any = 0;
    if (::write(wake_pipe_[1], &any, 1) < 0) return; // full: it is going to wake up anyway
}

void EventLoop::on_wake(evutil_socket_t descriptor, short, void* self) {
    char wakes[512]; // what is left calls this again
    if (::read(descriptor, wakes, sizeof wakes) < 0) return;
    static_cast<EventLoop*>(self)->run_tasks();
}

void EventLoop::run_tasks() {
    std::vector<std::function<void()>> tasks;
    {
        const std::lock_guard lock(mutex_);
        tasks.swap(tasks_);
    }
    for (const auto& task : tasks) task();
}

Timer::Timer(EventLoop& loop, std::chrono::milliseconds interval, std::function<void()> action)
    : interval_(to_timeval(interval)), action_(std::move(action)),
      event_(libevent().event_new(
          loop.base(), -1, EV_PERSIST,
          [](evutil_socket_t, short, void* self) { static_cast<Timer*>(self)->action_(); }, this)) {
    if (!event_) throw std::bad_alloc();
}

Timer::~Timer() {
    libevent().event_free(event_);
}

void Timer::start() {
    libevent().event_add(event_, &interval_);
}

void Timer::stop() {
    libevent().event_del(event_);
}

timeval to_timeval(std::chrono::milliseconds time) {
    timeval value{};
    value.tv_sec = static_cast<time_t>(time.count() / 1000);
    value.tv_usec = static_cast<suseconds_t>(time.count() % 1000 * 1000);
    return value;
}

void add_shared(evbuffer* buffer, std::string_view bytes, const std::shared_ptr<const void>& owner) {
    constexpr size_t few = 2048;
    if (bytes.empty()) return;
    if (bytes.size() <= few) {
        libevent().evbuffer_add(buffer, bytes.data(), bytes.size());
        return;
    }
    using Owner = std::shared_ptr<const void>;
    libevent().evbuffer_add_reference(
        buffer, bytes.data(), bytes.size(),
        [](const void*, size_t, void* held) { delete static_cast<Owner*>(held); }, new Owner(owner));
}

} // namespace opcat::serve
