#include "opcat/serve/slow_answers.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/platform.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/thread_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace opcat::serve {

std::optional<std::string> problem_of(const std::function<void()>& make, std::string_view if_memory_ends) {
    const auto paragraph = [](std::string_view what, std::string_view help) {
        return fmt::format("<p class=\"warn\" role=\"status\">{}{}</p>\n", escape_html(what),
                           help.empty() ? "" : fmt::format("; {}", escape_html(help)));
    };
    try {
        make();
        return std::nullopt;
    } catch (const Error& error) {
        return paragraph(error.what(), error.hint());
    } catch (const std::bad_alloc&) {
        return paragraph("there is not enough memory for it [limit]", if_memory_ends);
    } catch (const std::exception& error) {
        return paragraph(error.what(), {});
    }
}

SlowAnswers::SlowAnswers(std::function<void()> on_finished)
    : on_finished_(std::move(on_finished)), thread_(start_thread("makes slow answers", [this] { work(); })) {}

std::optional<SlowAnswers::Answer> SlowAnswers::find(const std::string& key,
                                                     std::function<std::string()> make) {
    const std::lock_guard lock(mutex_);
    for (const Kept& kept : kept_)
        if (kept.key == key) return Answer{kept.text};
    if (std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.key == key; }))
        return std::nullopt;
    if (stopping_ || jobs_.size() == most_waiting) return Answer{nullptr};
    jobs_.push_back({key, std::move(make)});
    changed_.notify_one();
    return std::nullopt;
}

void SlowAnswers::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void SlowAnswers::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (stopping_) return;
        // Requests for it find it in its place until it is kept.
        const std::function<std::string()> make = std::move(jobs_.front().make);
        lock.unlock();
        auto text = std::make_shared<const std::string>(make());
        return_free_memory(); // of the catalogs that were read for it
        lock.lock();
        keep({std::move(jobs_.front().key), std::move(text)});
        jobs_.pop_front();
        lock.unlock();
        on_finished_();
        lock.lock();
    }
}

void SlowAnswers::keep(Kept answer) {
    bytes_kept_ += answer.text->size();
    kept_.push_back(std::move(answer));
    while (kept_.size() > 1 && (kept_.size() > most_kept || bytes_kept_ > most_bytes_kept)) {
        bytes_kept_ -= kept_.front().text->size();
        kept_.pop_front();
    }
}

} // namespace opcat::serve
