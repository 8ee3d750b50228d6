// JSON-RPC messages over two descriptors, as the base protocol of LSP frames them: header lines, of which
// Content-Length counts, an empty line, and that many bytes of JSON.
#pragma once

#include "opcat/base/json.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

namespace opcat::lsp {

using Json = nlohmann::json;

struct MessageLimits {
    size_t header = size_t{8} << 10;
    size_t body = size_t{256} << 20;         // a whole catalog in one file, when it is opened
    int depth = deepest_message;             // of its JSON
    size_t waiting = 10'000;                 // messages that are not handled yet: then the client has to wait
    size_t waiting_bytes = size_t{64} << 20; // of these messages, if there is more than one
};

// The incoming messages, read by a thread of its own so that a request can be cancelled while another one is
// handled.
class Inbox {
public:
    // The descriptor is read until it ends, or until what it has is not the protocol.
    explicit Inbox(int descriptor, MessageLimits limits = {});
    ~Inbox();
    Inbox(const Inbox&) = delete;
    Inbox& operator=(const Inbox&) = delete;

    // The next message; waits for it. Nothing after that time, or when there will be no more.
    std::optional<Json> next(std::chrono::milliseconds most);
    bool is_empty() const;
    bool has_ended() const; // and nothing is left
    // Why it ended, where that was not the end of the input.
    std::string problem() const;
    // Returns true if the client has cancelled a request, which is forgotten.
    bool take_cancelled(const Json& id);

private:
    void read_all();
    // False at the end of the input, and when it cannot be read.
    bool read_more();
    // The length of the body; nothing: there is no header any more, or a wrong one.
    std::optional<size_t> read_header();
    void add(Json message, size_t bytes);
    void finish(std::string problem);

    int descriptor_;
    MessageLimits limits_;
    std::string buffer_;
    size_t used_ = 0;
    std::string failure_; // why the descriptor cannot be read

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    struct Waiting {
        Json message;
        size_t bytes = 0; // of its text
    };
    std::deque<Waiting> messages_;
    size_t bytes_ = 0; // of all of them
    std::set<Json> cancelled_;
    bool ended_ = false;
    bool stopping_ = false;
    std::string problem_;
    int wake_[2] = {-1, -1}; // a pipe: what the destructor writes to ends the thread
    std::thread thread_;
};

// Makes one of two notifications of edits (textDocument/didChange) that follow each other, if they are of the
// same document: `first` then does what both do. Edits before a change of the whole text are dropped. Returns
// whether it could, and sets `dropped` if nothing is left of the first one's edits.
bool merge_edits(Json& first, const Json& second, bool& dropped);

std::string framed(const Json& message);

} // namespace opcat::lsp
