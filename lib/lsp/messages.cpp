#include "opcat/lsp/messages.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/platform.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/thread_pool.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <new>
#include <utility>

namespace opcat::lsp {

namespace {

Json parse_error() {
    return {{"opcat-parse-error", true}};
}

// The document of a notification of edits, if it has the form that can be merged.
const Json* edited_document(const Json& message) {
    if (!message.is_object() || message.contains("id")) return nullptr;
    const auto method = message.find("method");
    if (method == message.end() || *method != "textDocument/didChange") return nullptr;
    const auto params = message.find("params");
    if (params == message.end() || !params->is_object()) return nullptr;
    const auto changes = params->find("contentChanges");
    if (changes == params->end() || !changes->is_array()) return nullptr;
    const auto document = params->find("textDocument");
    const bool complete = document != params->end() && document->is_object() && document->contains("uri") &&
                          document->contains("version") && (*document)["version"].is_number_integer();
    return complete ? &*document : nullptr;
}

} // namespace

bool merge_edits(Json& first, const Json& second, bool& dropped) {
    const Json* const before = edited_document(first);
    const Json* const after = edited_document(second);
    if (!before || !after || (*before)["uri"] != (*after)["uri"] ||
        (*after)["version"].get<int64_t>() < (*before)["version"].get<int64_t>())
        return false;
    Json::array_t& all = first["params"]["contentChanges"].get_ref<Json::array_t&>();
    const Json::array_t& more = second["params"]["contentChanges"].get_ref<const Json::array_t&>();
    const auto is_whole = [](const Json& change) { return change.is_object() && !change.contains("range"); };
    const auto last_whole = std::find_if(more.rbegin(), more.rend(), is_whole);
    dropped = last_whole != more.rend();
    if (dropped) all.clear();
    all.insert(all.end(), dropped ? std::prev(last_whole.base()) : more.begin(), more.end());
    first["params"]["textDocument"]["version"] = (*after)["version"];
    return true;
}

Inbox::Inbox(int descriptor, MessageLimits limits) : descriptor_(descriptor), limits_(limits) {
    if (!make_pipe(wake_)) throw Error("cannot make a pipe: " + system_message(errno));
    thread_ = start_thread("reads the messages of the editor", [this] {
        try {
            read_all();
        } catch (const std::bad_alloc&) {
            finish("there is not enough memory");
        }
    });
}

Inbox::~Inbox() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    ::close(wake_[1]);
    thread_.join();
    ::close(wake_[0]);
}

std::optional<Json> Inbox::next(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, most, [&] { return !messages_.empty() || ended_; });
    if (messages_.empty()) return std::nullopt;
    Json message = std::move(messages_.front().message);
    bytes_ -= messages_.front().bytes;
    messages_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return message;
}

bool Inbox::is_empty() const {
    const std::lock_guard lock(mutex_);
    return messages_.empty();
}

bool Inbox::has_ended() const {
    const std::lock_guard lock(mutex_);
    return ended_ && messages_.empty();
}

std::string Inbox::problem() const {
    const std::lock_guard lock(mutex_);
    return problem_;
}

bool Inbox::take_cancelled(const Json& id) {
    const std::lock_guard lock(mutex_);
    return cancelled_.erase(id) > 0;
}

void Inbox::finish(std::string problem) {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        problem_ = std::move(problem);
    }
    changed_.notify_all();
}

void Inbox::add(Json message, size_t bytes) {
    std::unique_lock lock(mutex_);
    if (message.is_object() && message.value("method", Json()) == "$/cancelRequest") {
        const auto params = message.find("params");
        if (params != message.end() && params->is_object() && params->contains("id")) {
            const Json& id = (*params)["id"];
            // A request that was answered already need not be cancelled.
            const bool waits = std::any_of(messages_.begin(), messages_.end(), [&](const Waiting& other) {
                return other.message.is_object() && other.message.value("id", Json()) == id;
            });
            if (waits) cancelled_.insert(id);
        }
        return;
    }
    const auto has_room = [&] {
        return messages_.empty() ||
               (messages_.size() < limits_.waiting && bytes_ + bytes <= limits_.waiting_bytes);
    };
    bool dropped = false;
    if (!messages_.empty() && bytes_ + bytes <= limits_.waiting_bytes &&
        merge_edits(messages_.back().message, message, dropped)) {
        size_t& of_both = messages_.back().bytes;
        bytes_ += bytes - (dropped ? of_both : 0);
        of_both = bytes + (dropped ? 0 : of_both);
        return;
    }
    changed_.wait(lock, [&] { return stopping_ || has_room(); });
    messages_.push_back({std::move(message), bytes});
    bytes_ += bytes;
    lock.unlock();
    changed_.notify_all();
}

bool Inbox::read_more() {
    std::array<pollfd, 2> wanted{pollfd{descriptor_, POLLIN, 0}, pollfd{wake_[0], POLLIN, 0}};
    while (::poll(wanted.data(), wanted.size(), -1) < 0) {
        if (errno == EINTR) continue;
        failure_ = system_message(errno);
        return false;
    }
    if (wanted[1].revents != 0) return false;
    constexpr size_t piece = size_t{256} << 10;
    buffer_.erase(0, std::exchange(used_, 0));
    const size_t filled = buffer_.size();
    buffer_.resize(filled + piece);
    ssize_t count = 0;
    do count = ::read(descriptor_, buffer_.data() + filled, piece);
    while (count < 0 && errno == EINTR);
    if (count < 0) failure_ = system_message(errno);
    buffer_.resize(filled + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return count > 0;
}

std::optional<size_t> Inbox::read_header() {
    constexpr std::string_view end_of_header = "\r\n\r\n";
    size_t end = 0;
    while ((end = buffer_.find(end_of_header, used_)) == buffer_.npos) {
        const bool is_long = buffer_.size() - used_ > limits_.header;
        if (is_long || !read_more()) {
            finish(is_long                  ? "a header is longer than 8 KiB"
                   : !failure_.empty()      ? failure_
                   : buffer_.size() > used_ ? "the input ends within a message"
                                            : "");
            return std::nullopt;
        }
    }
    std::optional<size_t> length;
    std::string_view lines = std::string_view(buffer_).substr(used_, end - used_);
    while (!lines.empty()) {
        const size_t next = std::min(lines.find("\r\n"), lines.size());
        const std::string_view line = lines.substr(0, next);
        lines.remove_prefix(std::min(next + 2, lines.size()));
        const size_t colon = line.find(':');
        if (ascii_lower(line.substr(0, colon)) != "content-length" || colon == line.npos) continue;
        std::string_view digits = line.substr(colon + 1);
        digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
        size_t value = 0;
        const auto [rest, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (failed == std::errc() && rest == digits.data() + digits.size()) length = value;
    }
    used_ = end + end_of_header.size();
    if (!length || *length > limits_.body) {
        finish(length ? fmt::format("a message of {} bytes is longer than opcat reads", *length)
                      : "a message does not say its Content-Length");
        return std::nullopt;
    }
    return length;
}

void Inbox::read_all() {
    while (const auto length = read_header()) {
        buffer_.reserve(used_ + *length);
        while (buffer_.size() - used_ < *length)
            if (!read_more()) return finish(failure_.empty() ? "the input ends within a message" : failure_);
        const std::string_view body = std::string_view(buffer_).substr(used_, *length);
        add(parse_shallow_json<Json>(body, limits_.depth).value_or(parse_error()), body.size());
        used_ += *length;
        // A large message is rare: its memory is not kept.
        constexpr size_t large = size_t{1} << 20;
        if (used_ > large) {
            buffer_ = buffer_.substr(used_);
            used_ = 0;
        }
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
    }
}

std::string framed(const Json& message) {
    const std::string body = as_line(message);
    return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

} // namespace opcat::lsp
