#include "opcat/image/url.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <memory>

namespace opcat::image {
namespace {

struct Free {
    void operator()(CURLU* url) const { curl().url_cleanup(url); }
    void operator()(char* text) const { curl().free(text); }
};
using Handle = std::unique_ptr<CURLU, Free>;

std::string get(CURLU* url, CURLUPart part) {
    char* text = nullptr;
    if (curl().url_get(url, part, &text, 0) != CURLUE_OK) return {};
    const std::unique_ptr<char, Free> owned(text);
    return text;
}

} // namespace

Url Url::parse(const std::string& text, const Url* base) {
    const Handle url(curl().url());
    if (!url) throw std::bad_alloc();
    if (base) curl().url_set(url.get(), CURLUPART_URL, base->text.c_str(), 0);
    const CURLUcode failed = curl().url_set(url.get(), CURLUPART_URL, text.c_str(), 0);
    Url result;
    result.scheme = get(url.get(), CURLUPART_SCHEME);
    if (failed != CURLUE_OK || (result.scheme != "http" && result.scheme != "https"))
        throw Error(fmt::format("\"{}\" is not a web address", printable(text.substr(0, text.find('?')))));
    // A server that redirects us must not decide which login we use.
    curl().url_set(url.get(), CURLUPART_USER, nullptr, 0);
    curl().url_set(url.get(), CURLUPART_PASSWORD, nullptr, 0);
    curl().url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0);
    result.text = get(url.get(), CURLUPART_URL);
    result.host = get(url.get(), CURLUPART_HOST);
    const std::string port = get(url.get(), CURLUPART_PORT);
    if (!port.empty() && port != (result.scheme == "https" ? "443" : "80")) result.host += ':' + port;
    return result;
}

bool Url::is_loopback() const {
    if (host.starts_with("[::1]")) return true;
    const std::string_view name = std::string_view(host).substr(0, host.find(':'));
    return name == "localhost" ||
           (name.starts_with("127.") && name.find_first_not_of("0123456789.") == name.npos);
}

std::string Url::shown() const {
    return printable(text.substr(0, text.find('?')));
}

bool is_http_url(std::string_view text) {
    return text.starts_with("https://") || text.starts_with("http://");
}

std::string url_escape(std::string_view value) {
    char* const escaped = curl().easy_escape(nullptr, value.data(), static_cast<int>(value.size()));
    if (!escaped) throw std::bad_alloc();
    const std::unique_ptr<char, Free> owned(escaped);
    return escaped;
}

const Curl& curl() {
    static const Curl functions;
    return functions;
}

} // namespace opcat::image
