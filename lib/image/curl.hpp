// libcurl, loaded when the first transfer begins.
#pragma once

#include "base/shared_library.hpp"

#include <curl/curl.h>

namespace opcat::image {

// The functions of libcurl that we use, by their names without "curl_".
struct Curl {
    SharedLibrary library{library::curl};
    decltype(&::curl_easy_cleanup) easy_cleanup = library["curl_easy_cleanup"];
    decltype(&::curl_easy_escape) easy_escape = library["curl_easy_escape"];
    decltype(&::curl_easy_getinfo) easy_getinfo = library["curl_easy_getinfo"];
    decltype(&::curl_easy_init) easy_init = library["curl_easy_init"];
    decltype(&::curl_easy_perform) easy_perform = library["curl_easy_perform"];
    decltype(&::curl_easy_reset) easy_reset = library["curl_easy_reset"];
    decltype(&::curl_easy_setopt) easy_setopt = library["curl_easy_setopt"];
    decltype(&::curl_easy_strerror) easy_strerror = library["curl_easy_strerror"];
    decltype(&::curl_free) free = library["curl_free"];
    decltype(&::curl_getdate) getdate = library["curl_getdate"];
    decltype(&::curl_global_init) global_init = library["curl_global_init"];
    decltype(&::curl_slist_append) slist_append = library["curl_slist_append"];
    decltype(&::curl_slist_free_all) slist_free_all = library["curl_slist_free_all"];
    decltype(&::curl_url) url = library["curl_url"];
    decltype(&::curl_url_cleanup) url_cleanup = library["curl_url_cleanup"];
    decltype(&::curl_url_get) url_get = library["curl_url_get"];
    decltype(&::curl_url_set) url_set = library["curl_url_set"];
};

// Loads it on the first call. Throws Error if it is not there.
const Curl& curl();

} // namespace opcat::image
