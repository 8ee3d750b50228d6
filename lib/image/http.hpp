// HTTP as registries need it: connections kept, redirects followed without taking credentials along, failures
// that may pass tried again, bodies resumed where they broke off.
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
    std::string authorization; // the header's value; goes to the origin of `url` only; may be empty
    std::optional<std::string_view> body = {}; // of POST, PUT and PATCH; must outlive the request
    std::string content_type = {};             // of the body
    std::string content_range = {};            // of the body: "0-99"; may be empty
    bool secret_body = false;                  // it is for the origin of `url` alone
    bool any_certificate = false;              // of the origin of `url`
    bool client_certificate = false;           // shown to the origin of `url`, if there is one for it
    unsigned retries = 0;
    // The server may be silent for so many times Options::stall_timeout: it may have much to do first.
    unsigned patience = 1;
};

struct HttpResponse {
    Url url; // that it came from, after all redirects
    long status = 0;
    std::multimap<std::string, std::string> headers; // names in lower case
    std::string body;                                // empty where it went to a file

    std::string header(const std::string& name) const; // the first; empty if there is none
};

// No answer came, or not a whole one.
class TransferError : public Error {
public:
    enum class Kind {
        unreachable, // no connection
        broken,      // it broke off or stalled
        refused,     // repeating it will not help: certificate, name, too many redirects
    };
    TransferError(Kind kind, const std::string& message, std::string hint = {})
        : Error(message, std::move(hint), kind != Kind::refused), kind_(kind) {}
    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

// Whether the same request may succeed later: 408, 429, and most of 5xx.
bool may_pass(long status);

// May be used by several threads.
class HttpClient {
public:
    explicit HttpClient(const Options& options);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // The final answer, of whatever status; its body is at most `max_document_size`. With `file` the body of
    // an answer that succeeds goes into it, beginning after what it already has; all that is expected is then
    // there. Throws TransferError, and Error as `file` throws it. `file` may send requests of its own while
    // it is written to.
    HttpResponse send(const HttpRequest& request, BlobSink* file = nullptr);

    // For who repeats a request in another way: waits as `send` does before attempt number `attempt` (from 0)
    // is repeated, after `answer`, or after none. Throws TransferError if the server asks for too long a
    // wait.
    void wait_before_retry(unsigned attempt, const HttpResponse* answer, const std::string& host) const;

private:
    struct Pool;
    struct Transfer;
    HttpResponse follow(const HttpRequest& request, BlobSink* file);
    HttpResponse exchange(const HttpRequest& request, const Url& url, BlobSink* file);
    // Until Options::requests_per_second allows another request.
    void wait_for_turn();

    const Options& options_;
    std::mutex turn_mutex_;
    std::chrono::steady_clock::time_point next_turn_;
    std::unique_ptr<Pool> pool_;
};

} // namespace opcat::image
