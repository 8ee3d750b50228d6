// HTTP for registries: connections are kept, redirects followed without passing on credentials, temporary
// failures retried, and interrupted bodies resumed.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/image/options.hpp"
#include "opcat/image/url.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace opcat::image {

class BlobSink;

struct HttpRequest {
    Url url;
    std::string method = "GET";
    std::string accept;        // may be empty
    std::string authorization; // the header's value; only sent to the origin of `url`; may be empty
    std::optional<std::string_view> body = {}; // of POST, PUT and PATCH; must outlive the request
    std::string content_type = {};             // of the body
    std::string content_range = {};            // of the body: "0-99"; may be empty
    bool secret_body = false;                  // only for the origin of `url`
    bool any_certificate = false;              // of the origin of `url`
    bool client_certificate = false;           // for the origin of `url`, if there is one for it
    unsigned retries = 0;
    // The server may be silent for this multiple of Options::stall_timeout: it may need time before it
    // answers.
    unsigned patience = 1;
};

struct HttpResponse {
    Url url; // of the answer, after all redirects
    long status = 0;
    std::multimap<std::string, std::string> headers; // names in lower case
    std::string body;                                // empty if it went to a file

    std::string header(const std::string& name) const; // the first of this name; empty if there is none
};

// No answer arrived, or an incomplete one.
class TransferError : public Error {
public:
    enum class Kind {
        unreachable, // no connection
        broken,      // the connection broke or stalled
        refused,     // a retry will not help: certificate, name, too many redirects
    };
    TransferError(Kind kind, const std::string& message, std::string hint = {})
        : Error(message, std::move(hint), kind != Kind::refused), kind_(kind) {}
    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

// Returns true if the same request may succeed later: 408, 429, and most of 5xx.
bool may_pass(long status);

// May be used by several threads.
class HttpClient {
public:
    explicit HttpClient(const Options& options);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // The final answer, of any status; its body is at most `max_document_size`. With `file`, the body of a
    // successful answer is appended to it, and the file is then complete. Throws TransferError, and Error as
    // `file` does. `file` may send requests of its own while it is written to.
    HttpResponse send(const HttpRequest& request, BlobSink* file = nullptr);

    // For callers that retry a request in another way: waits as `send` does before it repeats attempt number
    // `attempt` (from 0), after `answer`, or after none. Throws TransferError if the server asks for too long
    // a wait.
    void wait_before_retry(unsigned attempt, const HttpResponse* answer, const std::string& host) const;

private:
    struct Pool;
    struct Transfer;
    HttpResponse follow(const HttpRequest& request, BlobSink* file);
    HttpResponse exchange(const HttpRequest& request, const Url& url, BlobSink* file);
    // Waits until Options::requests_per_second allows another request.
    void wait_for_turn();

    const Options& options_;
    std::mutex turn_mutex_;
    std::chrono::steady_clock::time_point next_turn_;
    std::unique_ptr<Pool> pool_;
};

} // namespace opcat::image
