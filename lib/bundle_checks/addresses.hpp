// Addresses of mail and of the web, as Go's net/mail and net/url read them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opcat::bundle_checks {

// One address of RFC 5322: "a@example.com", "Jane Doe <jane@example.com>".
bool is_mail_address(std::string_view text);

// Returns true if an HTTP request may have this target: a URL with a scheme, or a path that begins with '/'.
bool is_request_uri(std::string_view text);

// A URL with a scheme and a host.
bool is_url_with_host(std::string_view text);

// Why the URL of a webhook, which the API server calls, is wrong.
std::vector<std::string> webhook_url_problems(std::string_view text);

} // namespace opcat::bundle_checks
