// HTTP as registries need it: one request at a time per thread, connections kept, redirects followed without
// taking credentials along, failures that may pass tried again, bodies resumed where they broke off.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/image/options.hpp"
#include "opcat/image/url.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace opcat::image {

class PartialFile;

struct HttpRequest {
    Url url;
    std::string accept;              // may be empty
    std::string authorization;       // the header's value; goes to the origin of `url` only; may be empty
    std::optional<std::string> form; // sent by POST
    bool any_certificate = false;    // of the origin of `url`
    bool client_certificate = false; // shown to the origin of `url`, if there is one for it
    unsigned retries = 0;
};

struct HttpResponse {
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
        : Error(message, std::move(hint)), kind_(kind) {}
    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

// May be used by several threads.
class HttpClient {
public:
    explicit HttpClient(const Options& options);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // The final answer, of whatever status; its body is at most `max_document_size`. With `file` the body of
    // an answer that succeeds goes into it, beginning after what it already has; all that is expected is then
    // there. Throws TransferError, and Error as `file` throws it.
    HttpResponse send(const HttpRequest& request, PartialFile* file = nullptr);

private:
    struct Pool;
    struct Transfer;
    HttpResponse follow(const HttpRequest& request, PartialFile* file);
    HttpResponse exchange(const HttpRequest& request, const Url& url, PartialFile* file);
    void wait_before_retry(unsigned attempt, const HttpResponse* answer, const std::string& host) const;

    const Options& options_;
    std::unique_ptr<Pool> pool_;
};

} // namespace opcat::image
