// The little of URLs that a registry client needs.
#pragma once

#include <string>
#include <string_view>

namespace opcat::image {

struct Url {
    std::string text;   // in full, without user and fragment
    std::string scheme; // "http", "https"
    std::string host;   // "quay.io", or "localhost:5000" where the port is not the scheme's own

    // An absolute URL, or one relative to `base`. Throws Error if it is none, or not of HTTP.
    static Url parse(const std::string& text, const Url* base = nullptr);

    bool same_origin(const Url& other) const { return scheme == other.scheme && host == other.host; }
    // For messages: without the query, which may hold a signature that is as good as a password.
    std::string shown() const;
};

// Escapes a value for a query or a form.
std::string url_escape(std::string_view value);

} // namespace opcat::image
