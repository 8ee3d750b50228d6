// The part of libcurl that is loaded at run time, and the URLs of registries.
#pragma once

#include "opcat/base/shared_library.hpp"

#include <curl/curl.h>

#include <string>
#include <string_view>

namespace opcat::image {

struct Url {
    std::string text;   // complete, without user and fragment
    std::string scheme; // "http", "https"
    std::string host;   // "quay.io", or "localhost:5000" where the port is not the scheme's own

    // An absolute URL, or one relative to `base`. Throws Error if it is not valid, or not of HTTP.
    static Url parse(const std::string& text, const Url* base = nullptr);

    bool same_origin(const Url& other) const { return scheme == other.scheme && host == other.host; }
    // Returns true if the host is "localhost" or a loopback address, for which Go's programs use no proxy.
    bool is_loopback() const;
    // For messages: without the query, which may contain a signature that must stay secret.
    std::string shown() const;
};

bool is_http_url(std::string_view text);
// Escapes a value for a query or a form.
std::string url_escape(std::string_view value);

// The functions of libcurl that we use, by their names without "curl_".
struct Curl {
    SharedLibrary library{library::curl};
    decltype(&::curl_easy_cleanup) easy_cleanup = OPCAT_FUNCTION(library, curl_easy_cleanup);
    decltype(&::curl_easy_escape) easy_escape = OPCAT_FUNCTION(library, curl_easy_escape);
    decltype(&::curl_easy_getinfo) easy_getinfo = OPCAT_FUNCTION(library, curl_easy_getinfo);
    decltype(&::curl_easy_init) easy_init = OPCAT_FUNCTION(library, curl_easy_init);
    decltype(&::curl_easy_perform) easy_perform = OPCAT_FUNCTION(library, curl_easy_perform);
    decltype(&::curl_easy_reset) easy_reset = OPCAT_FUNCTION(library, curl_easy_reset);
    decltype(&::curl_easy_setopt) easy_setopt = OPCAT_FUNCTION(library, curl_easy_setopt);
    decltype(&::curl_easy_strerror) easy_strerror = OPCAT_FUNCTION(library, curl_easy_strerror);
    decltype(&::curl_free) free = OPCAT_FUNCTION(library, curl_free);
    decltype(&::curl_getdate) getdate = OPCAT_FUNCTION(library, curl_getdate);
    decltype(&::curl_global_init) global_init = OPCAT_FUNCTION(library, curl_global_init);
    decltype(&::curl_slist_append) slist_append = OPCAT_FUNCTION(library, curl_slist_append);
    decltype(&::curl_slist_free_all) slist_free_all = OPCAT_FUNCTION(library, curl_slist_free_all);
    decltype(&::curl_url) url = OPCAT_FUNCTION(library, curl_url);
    decltype(&::curl_url_cleanup) url_cleanup = OPCAT_FUNCTION(library, curl_url_cleanup);
    decltype(&::curl_url_get) url_get = OPCAT_FUNCTION(library, curl_url_get);
    decltype(&::curl_url_set) url_set = OPCAT_FUNCTION(library, curl_url_set);
    decltype(&::curl_version_info) version_info = OPCAT_FUNCTION(library, curl_version_info);
};

// Loads it on the first call. Throws Error if it is not installed.
const Curl& curl();

} // namespace opcat::image
