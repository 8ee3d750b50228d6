#include "opcat/base/thread_pool.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace opcat {
namespace {

// Spins for a short time before it sleeps: jobs follow each other closely, and waking a thread takes longer
// than many jobs.
template <typename Ready>
void expect(const Ready& ready) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (!ready() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

thread_local bool inside_task = false;

// One call of for_each: indices are handed out in order, so that the lowest failing one is always started.
struct Job {
    size_t count;
    const std::function<void(size_t)>& task;
    std::atomic<size_t> next{0};
    std::mutex mutex{};
    std::exception_ptr failure{};
    size_t failed_index = 0;

    void work() {
        inside_task = true;
        for (size_t i = next++; i < count; i = next++) {
            try {
                task(i);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!failure || i < failed_index) {
                    failure = std::current_exception();
                    failed_index = i;
                }
                next = count;
            }
        }
        inside_task = false;
    }
};

} // namespace

struct ThreadPool::State {
    std::mutex mutex;
    std::condition_variable work_is_there;
    std::condition_variable work_is_done;
    Job* job = nullptr;
    std::atomic<size_t> generation = 0;
    std::atomic<size_t> busy = 0;
    std::atomic<bool> stopping = false;
    std::mutex one_caller;
    std::vector<std::thread> threads;

    void serve() {
        size_t seen = 0;
        std::unique_lock lock(mutex);
        while (true) {
            lock.unlock();
            expect([&] { return stopping || generation != seen; });
            lock.lock();
            work_is_there.wait(lock, [&] { return stopping || generation != seen; });
            if (stopping) return;
            seen = generation;
            Job* const current = job;
            if (!current) continue;
            ++busy;
            lock.unlock();
            current->work();
            lock.lock();
            if (--busy == 0) work_is_done.notify_all();
        }
    }
};

ThreadPool::ThreadPool(unsigned threads) : state_(std::make_unique<State>()) {
    try {
        for (unsigned i = 1; i < threads; ++i)
            state_->threads.emplace_back([state = state_.get()] { state->serve(); });
    } catch (const std::exception&) {
        // The system refuses more threads, or memory for them: the existing ones do all of the work.
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopping = true;
    }
    state_->work_is_there.notify_all();
    for (auto& thread : state_->threads) thread.join();
}

unsigned ThreadPool::threads() const {
    return static_cast<unsigned>(state_->threads.size()) + 1;
}

void ThreadPool::for_each(size_t count, const std::function<void(size_t)>& task) {
    if (inside_task || state_->threads.empty() || count < 2) {
        for (size_t i = 0; i < count; ++i) task(i);
        return;
    }
    const std::lock_guard one_caller(state_->one_caller);
    Job job{count, task};
    {
        const std::lock_guard lock(state_->mutex);
        state_->job = &job;
        ++state_->generation;
    }
    state_->work_is_there.notify_all();
    job.work();
    {
        std::unique_lock lock(state_->mutex);
        state_->job = nullptr;
        lock.unlock();
        expect([&] { return state_->busy == 0; });
        lock.lock();
        state_->work_is_done.wait(lock, [&] { return state_->busy == 0; });
    }
    if (job.failure) std::rethrow_exception(job.failure);
}

std::thread start_thread(std::string_view purpose, std::function<void()> run) {
    try {
        return std::thread(std::move(run));
    } catch (const std::system_error& refused) {
        throw Error(
            fmt::format("cannot start the thread that {}: {}", purpose,
                        system_message(refused.code().value())),
            "the limit on threads is reached: see ulimit -u, or the limit on processes of the container");
    }
}

namespace fs = std::filesystem;
namespace {

// Microseconds in each period of so many; "max" (version 2) and -1 (version 1) are no limit.
std::optional<double> quota_of(const fs::path& group) {
    double quota = 0;
    double period = 0;
    std::ifstream(group / "cpu.max") >> quota >> period;
    if (period == 0) {
        std::ifstream(group / "cpu.cfs_quota_us") >> quota;
        std::ifstream(group / "cpu.cfs_period_us") >> period;
    }
    return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

bool lists(std::string_view controllers, std::string_view wanted) {
    return ("," + std::string(controllers) + ",").find("," + std::string(wanted) + ",") != std::string::npos;
}

} // namespace

std::optional<double> processor_quota(const std::string& root_path) {
    const fs::path root = root_path;
    std::optional<double> least;
    std::ifstream memberships(root / "proc/self/cgroup");
    // "0::/kubepods/pod7" in version 2, "4:cpu,cpuacct:/kubepods/pod7" in version 1.
    for (std::string line; std::getline(memberships, line);) {
        const size_t first = line.find(':');
        const size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
        if (second == line.npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (!controllers.empty() && !lists(controllers, "cpu")) continue;
        const fs::path groups = root / (controllers.empty() ? "sys/fs/cgroup" : "sys/fs/cgroup/cpu");
        // A container may see its own group as the topmost, and see another path.
        fs::path group = fs::path(line.substr(second + 1)).lexically_normal().relative_path();
        for (bool more = true; more; group = group.parent_path()) {
            more = !group.empty();
            if (const auto quota = quota_of(groups / group)) least = least ? std::min(*least, *quota) : quota;
        }
    }
    return least;
}

} // namespace opcat
