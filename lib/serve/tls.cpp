#include "opcat/serve/tls.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/serve/libraries.hpp"

#include <fmt/core.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <utility>

namespace opcat::serve {
namespace {

struct Openssl {
    SharedLibrary library{library::ssl};
    OPCAT_MEMBER(SSL_CTX_check_private_key);
    OPCAT_MEMBER(SSL_CTX_ctrl);
    OPCAT_MEMBER(SSL_CTX_free);
    OPCAT_MEMBER(SSL_CTX_get0_certificate);
    OPCAT_MEMBER(SSL_CTX_load_verify_locations);
    OPCAT_MEMBER(SSL_CTX_new);
    OPCAT_MEMBER(SSL_CTX_set_alpn_select_cb);
    OPCAT_MEMBER(SSL_CTX_set_client_CA_list);
    OPCAT_MEMBER(SSL_CTX_set_verify);
    OPCAT_MEMBER(SSL_CTX_use_PrivateKey_file);
    OPCAT_MEMBER(SSL_CTX_use_certificate_chain_file);
    OPCAT_MEMBER(SSL_free);
    OPCAT_MEMBER(SSL_load_client_CA_file);
    OPCAT_MEMBER(SSL_new);
    OPCAT_MEMBER(SSL_up_ref);
    OPCAT_MEMBER(TLS_server_method);
};

struct Crypto {
    SharedLibrary library{library::crypto};
    OPCAT_MEMBER(ASN1_TIME_to_tm);
    OPCAT_MEMBER(ERR_clear_error);
    OPCAT_MEMBER(ERR_get_error);
    OPCAT_MEMBER(ERR_reason_error_string);
    OPCAT_MEMBER(X509_get0_notAfter);
};

struct EventOpenssl {
    SharedLibrary library{library::event_openssl};
    OPCAT_MEMBER(bufferevent_openssl_get_ssl);
    OPCAT_MEMBER(bufferevent_openssl_set_allow_dirty_shutdown);
    OPCAT_MEMBER(bufferevent_openssl_socket_new);
};

const Openssl& openssl() {
    static const Openssl functions;
    return functions;
}

const Crypto& crypto() {
    static const Crypto functions;
    return functions;
}

const EventOpenssl& libevent_openssl() {
    static const EventOpenssl functions;
    return functions;
}

void require(bool good, std::string_view what, const std::string& file) {
    if (good) return;
    const char* const reason = crypto().ERR_reason_error_string(crypto().ERR_get_error());
    crypto().ERR_clear_error();
    std::string why = reason ? reason : "it is not one";
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) why = system_message(ENOENT);
    throw Error(fmt::format("cannot use the {} in {}: {}", what, file, why));
}

// The protocols of a listener as ALPN lists them.
constexpr std::string_view http1 = "http/1.1";
constexpr std::string_view http2 = "h2";

int select_protocol(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned offered_size, void* wanted) {
    const std::string_view protocol = *static_cast<const std::string_view*>(wanted);
    for (unsigned at = 0; at < offered_size; at += 1U + offered[at]) {
        const std::string_view name(reinterpret_cast<const char*>(offered) + at + 1, offered[at]);
        if (name != protocol) continue;
        *chosen = offered + at + 1;
        *size = offered[at];
        return SSL_TLSEXT_ERR_OK;
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

using Context = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;

Context make_context(const TlsFiles& files, const std::string_view& protocol) {
    const Openssl& ssl = openssl();
    Context context(ssl.SSL_CTX_new(ssl.TLS_server_method()), ssl.SSL_CTX_free);
    if (!context) throw std::bad_alloc();
    SSL_CTX* const raw = context.get();
    ssl.SSL_CTX_ctrl(raw, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, nullptr);
    // Clients without end must not fill the memory: no buffers for those that are silent, and no list of all
    // sessions. Tickets make those resumable.
    ssl.SSL_CTX_ctrl(raw, SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS, nullptr);
    ssl.SSL_CTX_ctrl(raw, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, nullptr);
    require(ssl.SSL_CTX_use_certificate_chain_file(raw, files.certificate.c_str()) == 1, "certificate",
            files.certificate);
    require(ssl.SSL_CTX_use_PrivateKey_file(raw, files.key.c_str(), SSL_FILETYPE_PEM) == 1, "key", files.key);
    require(ssl.SSL_CTX_check_private_key(raw) == 1, "key", files.key);
    ssl.SSL_CTX_set_alpn_select_cb(raw, select_protocol, const_cast<std::string_view*>(&protocol));
    if (!files.client_ca.empty()) {
        require(ssl.SSL_CTX_load_verify_locations(raw, files.client_ca.c_str(), nullptr) == 1,
                "CAs of clients", files.client_ca);
        ssl.SSL_CTX_set_client_CA_list(raw, ssl.SSL_load_client_CA_file(files.client_ca.c_str()));
        ssl.SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    return context;
}

} // namespace

struct Tls::Contexts {
    Context http;
    Context grpc;

    int64_t expires() const {
        std::tm when{};
        crypto().ASN1_TIME_to_tm(crypto().X509_get0_notAfter(openssl().SSL_CTX_get0_certificate(http.get())),
                                 &when);
        return ::timegm(&when);
    }
};

std::shared_ptr<const Tls::Contexts> Tls::read(const TlsFiles& files) {
    return std::make_shared<const Contexts>(Contexts{make_context(files, http1), make_context(files, http2)});
}

Tls::Tls(TlsFiles files) : files_(std::move(files)), state_(state()), contexts_(read(files_)) {}

Tls::~Tls() = default;

TreeState Tls::state() const {
    TreeState sum;
    for (const std::string& file : {files_.certificate, files_.key, files_.client_ca})
        if (!file.empty()) sum.fingerprint = sum.fingerprint * 31 + tree_state(file).fingerprint;
    return sum;
}

bufferevent* Tls::accept(event_base* base, int socket, Protocol protocol) const {
    const auto contexts = [&] {
        const std::lock_guard lock(mutex_);
        return contexts_;
    }();
    // It holds the context.
    const std::unique_ptr<SSL, void (*)(SSL*)> ssl(
        openssl().SSL_new(protocol == Protocol::http ? contexts->http.get() : contexts->grpc.get()),
        openssl().SSL_free);
    if (!ssl) return nullptr;
    // libevent takes a reference of its own: if it fails, some of its versions free that, and others do not.
    openssl().SSL_up_ref(ssl.get());
    bufferevent* const connection = libevent_openssl().bufferevent_openssl_socket_new(
        base, socket, ssl.get(), BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE);
    if (!connection) return nullptr;
    libevent_openssl().bufferevent_openssl_set_allow_dirty_shutdown(connection, 1);
    return connection;
}

bool Tls::protects(bufferevent* connection) {
    return libevent_openssl().bufferevent_openssl_get_ssl(connection) != nullptr;
}

bool Tls::reload_if_changed() {
    TreeState now = state();
    if (now == state_) return false;
    state_ = now; // files that are wrong are not tried again and again
    try {
        auto contexts = read(files_);
        const std::lock_guard lock(mutex_);
        contexts_.swap(contexts);
        problem_.clear();
        return true;
    } catch (const Error& error) {
        const std::lock_guard lock(mutex_);
        ++load_errors_;
        problem_ = error.what();
        throw;
    }
}

CertificateFigures Tls::figures() const {
    const std::lock_guard lock(mutex_);
    return {contexts_->expires(), load_errors_, problem_};
}

} // namespace opcat::serve
