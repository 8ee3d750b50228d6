#include "opcat/image/http.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/once.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/blob_sink.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/image/options.hpp"
#include "opcat/image/url.hpp"

#include <fmt/core.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace opcat::image {
namespace fs = std::filesystem;
namespace {

struct ClientCertificate {
    std::filesystem::path certificate;
    std::filesystem::path key;
};

struct Certificates {
    std::vector<std::filesystem::path> authorities; // trusted in addition to the usual ones
    std::optional<ClientCertificate> client;
};

void add_directory(const fs::path& directory, Certificates& certificates) {
    std::error_code unreadable; // like one that is not there
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(directory, unreadable)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        if (file.extension() == ".crt") certificates.authorities.push_back(file);
        if (file.extension() != ".cert") continue;
        fs::path key = file;
        key.replace_extension(".key");
        if (!fs::exists(key))
            throw Error(fmt::format("the key of the client certificate {} is missing: there is no {}",
                                    file.string(), key.string()));
        if (!certificates.client) certificates.client = {file, key};
    }
}

namespace fs = std::filesystem;

// Those for `host` ("quay.io", "localhost:5000"). Throws Error on a certificate without its key.
Certificates find_certificates(const Options& options, const std::string& host) {
    Certificates certificates;
    if (options.cert_directory) add_directory(*options.cert_directory, certificates);
    for (const fs::path& parent : options.host_cert_directories) add_directory(parent / host, certificates);
    return certificates;
}

constexpr int max_redirects = 10;
constexpr size_t max_header_bytes = size_t{256} << 10;
// A server that cannot be reached at all is seldom available a moment later.
constexpr unsigned max_connection_retries = 2;
// A transfer that broke off after so many bytes has earned as many new attempts as the first one had.
constexpr uint64_t progress_between_failures = uint64_t{1} << 20;

std::string_view trim(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::optional<uint64_t> parse_number(std::string_view text) {
    uint64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

bool is_redirect(long status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// Other statuses turn a request with a body into one without.
bool keeps_method(long status) {
    return status == 307 || status == 308;
}

// Seconds, or a date.
std::optional<std::chrono::seconds> retry_after(const HttpResponse& answer) {
    const std::string text = answer.header("retry-after");
    if (const auto number = parse_number(text))
        return std::chrono::seconds(std::min<uint64_t>(*number, INT32_MAX));
    const time_t date = curl().getdate(text.c_str(), nullptr);
    if (date == -1) return std::nullopt;
    return std::chrono::seconds(std::max<int64_t>(0, date - std::time(nullptr)));
}

TransferError failure(CURL* handle, CURLcode code, const std::string& host, std::string detail,
                      const Options& options) {
    using Kind = TransferError::Kind;
    if (detail.empty()) detail = curl().easy_strerror(code);
    if (detail[0] >= 'A' && detail[0] <= 'Z' && detail.size() > 1 && detail[1] >= 'a') detail[0] += 32;
    const std::string message = fmt::format("{}: {}", host, printable(detail));
    switch (code) {
    case CURLE_COULDNT_CONNECT:
        return {Kind::unreachable, message, "check the port, and that the server is running"};
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return {Kind::refused, message, "check the host name, and that this machine is on the network"};
    case CURLE_PEER_FAILED_VERIFICATION:
        return {
            Kind::refused, message,
            fmt::format(
                "if {} has a certificate of a CA of your own, put the CA into a directory as a file *.crt "
                "and name the directory with --cert-dir",
                host)};
    case CURLE_SSL_CONNECT_ERROR:
        return {Kind::refused, message,
                fmt::format("{} may speak plain HTTP (--use-http), or ask for a client certificate "
                            "(--cert-dir)",
                            host)};
    // The server's answer is not HTTP, or is nothing that libcurl takes; the next one would be the same.
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_URL_MALFORMAT:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_FILESIZE_EXCEEDED:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_ABORTED_BY_CALLBACK:
        return {Kind::refused, message};
    // libcurl says so of a header that is longer than it takes, too.
    case CURLE_OUT_OF_MEMORY:
        return {Kind::refused, host + ": a line of the answer is too long, or memory has ended"};
    case CURLE_OPERATION_TIMEDOUT: {
        curl_off_t connected = 0;
        curl().easy_getinfo(handle, CURLINFO_APPCONNECT_TIME_T, &connected);
        if (connected == 0) curl().easy_getinfo(handle, CURLINFO_CONNECT_TIME_T, &connected);
        if (connected == 0)
            return {Kind::unreachable, host + " does not answer",
                    "check the host name and the port, and whether a proxy is necessary (HTTPS_PROXY)"};
        return {Kind::broken,
                fmt::format("{} sent nothing for {} seconds", host, options.stall_timeout.count())};
    }
    default:
        return {Kind::broken, message};
    }
}

// Throws TransferError when the options say that it is cancelled.
void sleep_until(std::chrono::steady_clock::time_point end, const Options& options) {
    using namespace std::chrono;
    while (steady_clock::now() < end) {
        if (options.cancelled && *options.cancelled)
            throw TransferError(TransferError::Kind::refused, "the request was cancelled");
        std::this_thread::sleep_until(std::min(end, steady_clock::now() + milliseconds(100)));
    }
}

} // namespace

bool may_pass(long status) {
    return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

std::string HttpResponse::header(const std::string& name) const {
    const auto at = headers.find(name);
    return at == headers.end() ? std::string() : at->second;
}

// Idle handles, each with the connections that it keeps open. The one used last comes first: its connections
// are the most likely to be open still.
struct HttpClient::Pool {
    std::mutex mutex;
    std::vector<CURL*> idle;
    std::map<std::string, Certificates> certificates; // by host

    ~Pool() {
        for (CURL* handle : idle) curl().easy_cleanup(handle);
    }

    CURL* take() {
        {
            const std::lock_guard lock(mutex);
            if (!idle.empty()) {
                CURL* const handle = idle.back();
                idle.pop_back();
                curl().easy_reset(handle);
                return handle;
            }
        }
        CURL* const handle = curl().easy_init();
        if (!handle) throw std::bad_alloc();
        return handle;
    }

    void give_back(CURL* handle) {
        const std::lock_guard lock(mutex);
        idle.push_back(handle);
    }

    const Certificates& certificates_for(const Options& options, const std::string& host) {
        const std::lock_guard lock(mutex);
        auto at = certificates.find(host);
        if (at == certificates.end()) at = certificates.emplace(host, find_certificates(options, host)).first;
        return at->second; // never changed or removed
    }
};

// One exchange with a server, as the callbacks of libcurl see it.
struct HttpClient::Transfer {
    CURL* handle;
    BlobSink* file;
    const Certificates& certificates;
    const Options& options;
    const std::string& host;
    std::chrono::seconds patience; // how long the server may be silent
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    std::chrono::steady_clock::duration in_file{}; // the time that `file` took
    HttpResponse response{};
    size_t header_bytes = 0;
    bool body_begun = false;
    std::exception_ptr thrown{};

    // Exceptions must not pass through C code: they are stored, and the transfer ends.
    template <class Action>
    bool guard(Action action) {
        try {
            action();
            return true;
        } catch (...) {
            thrown = std::current_exception();
            return false;
        }
    }

    static size_t on_header(char* data, size_t, size_t size, void* self) {
        auto& transfer = *static_cast<Transfer*>(self);
        const std::string_view line(data, size);
        const bool ok = transfer.guard([&] {
            auto& headers = transfer.response.headers;
            if (line.starts_with("HTTP/")) headers.clear(); // what came before was of an interim answer
            transfer.header_bytes += size;
            if (transfer.header_bytes > max_header_bytes) throw Error("the answer has too many headers");
            const size_t colon = line.find(':');
            if (colon != std::string_view::npos)
                headers.emplace(ascii_lower(trim(line.substr(0, colon))), trim(line.substr(colon + 1)));
        });
        return ok ? size : 0;
    }

    static size_t on_body(char* data, size_t, size_t size, void* self) {
        auto& transfer = *static_cast<Transfer*>(self);
        return transfer.guard([&] { transfer.take_body({data, size}); }) ? size : 0;
    }

    static CURLcode on_tls(CURL*, void* context, void* self) {
        auto& transfer = *static_cast<Transfer*>(self);
        const bool ok = transfer.guard([&] {
            // The context is an object of libcurl's own library, which must be the one that we load.
            const std::string_view own = curl().version_info(CURLVERSION_NOW)->ssl_version;
            if (!own.starts_with("OpenSSL/3"))
                throw Error(
                    fmt::format(
                        "the certificates of this host need a libcurl with OpenSSL 3; this one has {}", own),
                    "add them to those of the system");
            const SharedLibrary ssl(library::ssl);
            const auto load = OPCAT_FUNCTION(ssl, SSL_CTX_load_verify_locations);
            for (const auto& authority : transfer.certificates.authorities)
                if (load(static_cast<SSL_CTX*>(context), authority.c_str(), nullptr) != 1)
                    throw Error(fmt::format("{} holds no certificate that can be read", authority.string()));
        });
        return ok ? CURLE_OK : CURLE_ABORTED_BY_CALLBACK;
    }

    // libcurl asks about once a second, also while nothing arrives.
    static int on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent) {
        auto& transfer = *static_cast<Transfer*>(self);
        return transfer.guard([&] { transfer.check_pace(static_cast<uint64_t>(received + sent)); }) ? 0 : 1;
    }

    void check_pace(uint64_t bytes) const {
        if (options.cancelled && *options.cancelled)
            throw TransferError(TransferError::Kind::refused, "the request was cancelled");
        // Writing the bytes may be slow, too: that is not the server's time.
        const auto spent = std::chrono::steady_clock::now() - begun - in_file;
        const std::chrono::seconds allowed =
            2 * patience + std::chrono::seconds(bytes / options.slowest_rate);
        if (spent > allowed)
            throw TransferError(TransferError::Kind::broken,
                                fmt::format("{} transferred only {} bytes in {} seconds", host, bytes,
                                            std::chrono::duration_cast<std::chrono::seconds>(spent).count()));
    }

    void read_status() { curl().easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &response.status); }
    bool to_file() const { return file && (response.status == 200 || response.status == 206); }

    void take_body(std::string_view bytes) {
        if (!body_begun) {
            body_begun = true;
            read_status();
            if (to_file()) begin_file();
        }
        if (to_file()) {
            const auto before = std::chrono::steady_clock::now();
            file->write(bytes);
            in_file += std::chrono::steady_clock::now() - before;
            return;
        }
        if (response.body.size() + bytes.size() > max_document_size)
            throw Error(fmt::format("the answer is larger than the limit of {} bytes", max_document_size));
        response.body += bytes;
    }

    // Compares the arriving bytes with the existing ones.
    void begin_file() {
        if (response.header("content-type").starts_with("text/html"))
            throw Error("the server sent an HTML page instead",
                        "there may be a proxy or a login page between this machine and the registry");
        if (response.status == 206) {
            const std::string header = response.header("content-range");
            std::string_view range = header;
            if (!range.starts_with("bytes ")) throw Error("the server sent a part without its range");
            range.remove_prefix(6);
            if (parse_number(range.substr(0, range.find('-'))) != file->size())
                throw Error("the server sent another range than requested");
            return;
        }
        if (file->size() > 0) file->restart();
        const auto length = parse_number(response.header("content-length"));
        if (length && *length != file->expected_size())
            throw Error(fmt::format("the registry has {} bytes of it, but the manifest says {}", *length,
                                    file->expected_size()));
    }
};

HttpClient::HttpClient(const Options& options) : options_(options), pool_(std::make_unique<Pool>()) {
    static Once initialised;
    initialised.run([] { curl().global_init(CURL_GLOBAL_DEFAULT); });
}

HttpClient::~HttpClient() = default;

void HttpClient::wait_for_turn() {
    using namespace std::chrono;
    if (options_.requests_per_second == 0) return;
    steady_clock::time_point turn;
    {
        const std::lock_guard lock(turn_mutex_);
        turn = std::max(next_turn_, steady_clock::now());
        next_turn_ = turn + nanoseconds(seconds(1)) / options_.requests_per_second;
    }
    sleep_until(turn, options_);
}

HttpResponse HttpClient::exchange(const HttpRequest& request, const Url& url, BlobSink* file) {
    wait_for_turn();
    struct Lease {
        Pool& pool;
        CURL* handle;
        curl_slist* headers = nullptr;
        explicit Lease(Pool& from) : pool(from), handle(from.take()) {}
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        ~Lease() {
            curl().slist_free_all(headers);
            pool.give_back(handle);
        }
        void add_header(const std::string& line) {
            curl_slist* const longer = curl().slist_append(headers, line.c_str());
            if (!longer) throw std::bad_alloc();
            headers = longer;
        }
    };
    Lease lease(*pool_);
    CURL* const handle = lease.handle;
    const bool own_origin = url.same_origin(request.url);
    const Certificates& certificates = pool_->certificates_for(options_, url.host);
    const std::chrono::seconds patience = options_.stall_timeout * request.patience;
    Transfer transfer{handle, file, certificates, options_, url.host, patience};
    transfer.response.url = url;
    char error_text[CURL_ERROR_SIZE] = {};
    const auto set = [&](auto option, auto value) { curl().easy_setopt(handle, option, value); };

    set(CURLOPT_URL, url.text.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (url.is_loopback()) set(CURLOPT_PROXY, ""); // else libcurl asks the proxies of the environment
    set(CURLOPT_USERAGENT, options_.user_agent.c_str());
    set(CURLOPT_ERRORBUFFER, static_cast<char*>(error_text));
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_timeout.count()));
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(patience.count()));
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));

    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
    set(CURLOPT_XFERINFODATA, static_cast<void*>(&transfer));

    if (options_.ca_file) set(CURLOPT_CAINFO, options_.ca_file->c_str());
    if (options_.ca_directory) set(CURLOPT_CAPATH, options_.ca_directory->c_str());
    if (!certificates.authorities.empty()) {
        set(CURLOPT_SSL_CTX_FUNCTION, &Transfer::on_tls);
        set(CURLOPT_SSL_CTX_DATA, static_cast<void*>(&transfer));
    }
    if (options_.skip_tls_verify || (request.any_certificate && own_origin)) {
        set(CURLOPT_SSL_VERIFYPEER, 0L);
        set(CURLOPT_SSL_VERIFYHOST, 0L);
    }
    if (certificates.client && request.client_certificate && own_origin) {
        set(CURLOPT_SSLCERT, certificates.client->certificate.c_str());
        set(CURLOPT_SSLKEY, certificates.client->key.c_str());
    }

    if (!request.accept.empty()) lease.add_header("Accept: " + request.accept);
    if (!request.authorization.empty() && own_origin)
        lease.add_header("Authorization: " + request.authorization);
    const std::string range = file && file->size() > 0 ? fmt::format("{}-", file->size()) : std::string();
    if (!range.empty()) set(CURLOPT_RANGE, range.c_str());
    if (request.body) {
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
        set(CURLOPT_POSTFIELDS, request.body->data());
        lease.add_header("Content-Type: " + request.content_type);
        if (!request.content_range.empty()) lease.add_header("Content-Range: " + request.content_range);
        lease.add_header("Expect:"); // else libcurl waits a second for servers that do not know it
    }
    if (request.method == "HEAD")
        set(CURLOPT_NOBODY, 1L);
    else if (request.method != "GET")
        set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    set(CURLOPT_HTTPHEADER, lease.headers);

    const CURLcode code = curl().easy_perform(handle);
    if (transfer.thrown) std::rethrow_exception(transfer.thrown);
    if (code != CURLE_OK) throw failure(handle, code, url.host, static_cast<char*>(error_text), options_);
    transfer.read_status();
    return std::move(transfer.response);
}

HttpResponse HttpClient::follow(const HttpRequest& request, BlobSink* file) {
    Url url = request.url;
    for (int hop = 0; hop <= max_redirects; ++hop) {
        HttpResponse response = exchange(request, url, file);
        const std::string location = response.header("location");
        const bool follow = request.body ? keeps_method(response.status) && !request.secret_body
                                         : is_redirect(response.status);
        if (!follow || location.empty()) return response;
        const Url next = Url::parse(location, &url);
        if (url.scheme == "https" && next.scheme == "http" && !options_.skip_tls_verify)
            throw TransferError(TransferError::Kind::refused,
                                fmt::format("{} redirects to plain HTTP at {}", url.host, next.host));
        if (request.body && !request.body->empty() && !options_.may_upload_to(next.host, request.url.host))
            throw TransferError(
                TransferError::Kind::refused,
                fmt::format("{} asks for what is pushed to be sent to another host, {}", url.host, next.host),
                "if that is the registry's storage, allow it: --allow-upload-host " + next.host);
        url = next;
    }
    throw TransferError(TransferError::Kind::refused,
                        fmt::format("{} redirects more than {} times", request.url.host, max_redirects));
}

void HttpClient::wait_before_retry(unsigned attempt, const HttpResponse* answer,
                                   const std::string& host) const {
    using namespace std::chrono;
    milliseconds delay = options_.first_retry_delay * (1U << std::min(attempt, 10U));
    delay = std::min<milliseconds>(delay, options_.longest_retry_delay);
    if (const auto asked = answer ? retry_after(*answer) : std::nullopt) {
        if (*asked > options_.longest_retry_delay)
            throw TransferError(TransferError::Kind::refused,
                                fmt::format("{} asks to come back in {} seconds", host, asked->count()));
        delay = *asked;
    }
    sleep_until(steady_clock::now() + delay, options_);
}

HttpResponse HttpClient::send(const HttpRequest& request, BlobSink* file) {
    uint64_t earlier = file ? file->size() : 0; // bytes, at the last failure
    for (unsigned attempt = 0;; ++attempt) {
        const bool last = attempt >= request.retries;
        try {
            HttpResponse response = follow(request, file);
            if (response.status == 416 && file && file->size() > 0) {
                file->restart(); // it cannot be resumed
                if (last)
                    throw TransferError(TransferError::Kind::broken,
                                        request.url.host + " does not resume it");
                continue;
            }
            const bool succeeded = response.status == 200 || response.status == 206;
            if (succeeded && file && file->size() < file->expected_size())
                throw TransferError(TransferError::Kind::broken,
                                    fmt::format("{} ended it after {} of {} bytes", request.url.host,
                                                file->size(), file->expected_size()));
            if (!may_pass(response.status) || last) return response;
            wait_before_retry(attempt, &response, request.url.host);
        } catch (const TransferError& error) {
            const bool unreachable = error.kind() == TransferError::Kind::unreachable;
            const bool progress = file && file->size() >= earlier + progress_between_failures;
            if (file) earlier = file->size();
            if (progress) attempt = 0;
            if (error.kind() == TransferError::Kind::refused || (last && !progress) ||
                (unreachable && attempt >= max_connection_retries))
                throw;
            wait_before_retry(attempt, nullptr, request.url.host);
        }
    }
}

} // namespace opcat::image
