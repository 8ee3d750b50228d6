// Answers that take too long for a thread that answers requests, such as those of queries: they are made on a
// thread of their own, one after the other, and kept for a while.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace opcat::serve {

// Makes a page for SlowAnswers, whose makers do not throw: what fails is a paragraph for the page, HTML.
// Nothing: it did not fail. `if_memory_ends`: what its reader may do then.
std::optional<std::string> problem_of(const std::function<void()>& make, std::string_view if_memory_ends);

// Thread-safe.
class SlowAnswers {
public:
    static constexpr size_t most_waiting = 8;
    static constexpr size_t most_kept = 16;
    static constexpr size_t most_bytes_kept = size_t{16} << 20; // or the newest alone

    // `on_finished` is called on the thread after each answer. Throws Error.
    explicit SlowAnswers(std::function<void()> on_finished);
    ~SlowAnswers() { stop(); }
    SlowAnswers(const SlowAnswers&) = delete;
    SlowAnswers& operator=(const SlowAnswers&) = delete;

    struct Answer {
        std::shared_ptr<const std::string> text; // nullptr: too many others wait
    };
    // Nothing: it is being made, by `make`, which does not throw; ask again when it is finished. Equal keys
    // have equal answers.
    std::optional<Answer> find(const std::string& key, std::function<std::string()> make);

    // Waits for the answer that is being made; nothing is made after it.
    void stop();

private:
    struct Job {
        std::string key;
        std::function<std::string()> make;
    };
    struct Kept {
        std::string key;
        std::shared_ptr<const std::string> text;
    };

    void work();
    void keep(Kept answer);

    std::function<void()> on_finished_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;  // the first one is being made
    std::deque<Kept> kept_; // the newest last
    size_t bytes_kept_ = 0;
    bool stopping_ = false;
    std::thread thread_;
};

} // namespace opcat::serve
