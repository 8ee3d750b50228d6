#include "base/thread_pool.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace opcat {
namespace {

// Waits for what will come soon, or not for long: one job follows another closely, and to wake a thread that
// sleeps takes longer than many a job.
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
    } catch (const std::system_error&) {
        // The system has no more: those that there are do all of the work.
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

} // namespace opcat
