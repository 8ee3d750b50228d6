#include "opcat/serve/event_loop.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/platform.hpp"

#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <new>
#include <thread>
#include <utility>

namespace opcat::serve {
namespace {

// A loop belongs to one thread.
thread_local size_t refused_on_this_thread = 0;

// libevent reports what the system refuses only here. Other messages are about connections that break, which
// is not news.
void on_message(int severity, const char* message) {
    if (severity >= EVENT_LOG_WARN && std::string_view(message).starts_with("Epoll "))
        ++refused_on_this_thread;
}

// libevent ends the process where it gets no descriptors for a loop.
void require_descriptors() {
    int pipes[4][2]; // more than it takes; without files, which a container may lack
    size_t count = 0;
    while (count < std::size(pipes) && make_pipe(pipes[count])) ++count;
    const std::string why = count == std::size(pipes) ? std::string() : system_message(errno);
    while (count-- > 0)
        for (const int end : pipes[count]) ::close(end);
    if (!why.empty())
        throw Error("cannot start the server: " + why, "raise the limit of open files (ulimit -n)");
}

// Each loop belongs to one thread, so it needs no locks; the environment is not to choose how it waits.
event_base* new_base() {
    require_descriptors();
    const EventCore& core = libevent();
    core.event_set_log_callback(on_message);
    event_config* const config = core.event_config_new();
    if (!config) throw std::bad_alloc();
    // Changes of interest are passed to the kernel together, and not at all if they cancel out: otherwise a
    // request of HTTP takes four system calls for them. Requires that descriptors are not duplicated.
    core.event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV |
                                           EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST);
    event_base* const base = core.event_base_new_with_config(config);
    core.event_config_free(config);
    if (!base) throw Error("cannot start the server: the system gives no more event loops");
    return base;
}

} // namespace

EventLoop::EventLoop() : base_(new_base()) {
    if (!make_pipe(wake_pipe_)) {
        libevent().event_base_free(base_);
        throw Error("cannot start the server: " + system_message(errno));
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

void EventLoop::watch() {
    const size_t before = refusals();
    libevent().event_base_loop(base_, EVLOOP_NONBLOCK);
    if (refusals() != before)
        throw Error(
            "cannot start the server: the system refuses to watch a socket",
            "there is not enough memory, or the limit in /proc/sys/fs/epoll/max_user_watches is reached");
}

void EventLoop::run() {
    // A wait that fails is repeated: without this thread its connections would never be answered. The pause
    // is for failures that stay.
    constexpr std::chrono::milliseconds pause(10);
    while (libevent().event_base_dispatch(base_) < 0 && !stopped_) std::this_thread::sleep_for(pause);
}

void EventLoop::stop() {
    stopped_ = true;
    libevent().event_base_loopbreak(base_);
}

size_t EventLoop::refusals() {
    return refused_on_this_thread;
}

void EventLoop::post(std::function<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    const char any = 0;
    // A pipe that is full is going to wake it up anyway. After other failures the next task wakes it up.
    constexpr int tries = 3;
    for (int i = 0; i < tries && ::write(wake_pipe_[1], &any, 1) < 0 && errno != EAGAIN; ++i) {
    }
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

namespace {

// Tasks take half of each 10 ms before the first of them has to wait.
constexpr std::chrono::milliseconds turn_period{10};
constexpr std::chrono::milliseconds turn_time{5};

} // namespace

void EventLoop::run_in_turn(std::function<void()> task) {
    const auto now = std::chrono::steady_clock::now();
    if (now - turn_begin_ > turn_period) {
        turn_begin_ = now;
        turn_spent_ = {};
    }
    if (turns_.empty() && turn_spent_ < turn_time) {
        task();
        turn_spent_ += std::chrono::steady_clock::now() - now;
        return;
    }
    turns_.push_back(std::move(task));
    if (turns_.size() == 1) post([this] { run_turn(); });
}

void EventLoop::run_turn() {
    const auto end = std::chrono::steady_clock::now() + turn_time;
    do {
        const auto task = std::move(turns_.front());
        task();
        turns_.pop_front();
    } while (!turns_.empty() && std::chrono::steady_clock::now() < end);
    if (!turns_.empty()) post([this] { run_turn(); });
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

timeval to_timeval(std::chrono::milliseconds time) {
    timeval value{};
    value.tv_sec = static_cast<time_t>(time.count() / 1000);
    value.tv_usec = static_cast<suseconds_t>(time.count() % 1000 * 1000);
    return value;
}

void add_copy(evbuffer* buffer, std::string_view bytes) {
    if (libevent().evbuffer_add(buffer, bytes.data(), bytes.size()) != 0) throw std::bad_alloc();
}

bool add_shared(evbuffer* buffer, std::string_view bytes, const std::shared_ptr<const void>& owner) {
    constexpr size_t few = 2048;
    if (bytes.size() <= few) {
        add_copy(buffer, bytes);
        return false;
    }
    using Owner = std::shared_ptr<const void>;
    auto held = std::make_unique<Owner>(owner);
    const auto release = [](const void*, size_t, void* owned) { delete static_cast<Owner*>(owned); };
    if (libevent().evbuffer_add_reference(buffer, bytes.data(), bytes.size(), release, held.get()) != 0)
        throw std::bad_alloc();
    static_cast<void>(held.release());
    return true;
}

} // namespace opcat::serve
