#include "opcat/bundle_checks/addresses.hpp"

#include "opcat/base/text.hpp"

#include <algorithm>
#include <optional>

namespace opcat::bundle_checks {
namespace {

constexpr bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_beyond_ascii(char c) {
    return static_cast<unsigned char>(c) >= 0x80;
}
bool is_one_of(char c, std::string_view characters) {
    return characters.find(c) != characters.npos;
}

// ---- mail

class MailReader {
public:
    explicit MailReader(std::string_view text) : rest_(text) {}

    bool is_one_address() {
        skip_blanks();
        if (rest_.empty() || !is_valid_utf8(rest_)) return false;
        return address_or_group() && skip_comments() && rest_.empty();
    }

private:
    bool address_or_group() {
        const std::string_view begin = rest_;
        if (mailbox()) return true;
        rest_ = begin;
        if (!rest_.starts_with('<') && !phrase()) return false;
        skip_blanks();
        // A group, which holds one address here.
        if (take(':')) return skip_comments() && address_or_group() && skip_comments() && take(';');
        return take('<') && mailbox() && take('>');
    }

    bool mailbox() {
        skip_blanks();
        const bool is_local = rest_.starts_with('"') ? quoted() > 0 : atom(true, false);
        if (!is_local || !take('@')) return false;
        skip_blanks();
        return rest_.starts_with('[') ? domain_literal() : atom(true, false);
    }

    // Words before an address in angle brackets.
    bool phrase() {
        size_t words = 0;
        while (true) {
            if (words > 0 && !skip_comments()) return false;
            skip_blanks();
            if (rest_.empty()) break;
            const std::string_view begin = rest_;
            if (rest_.front() == '"' ? !quoted() : !atom(true, true)) {
                rest_ = begin;
                break;
            }
            ++words;
        }
        return words > 0;
    }

    // `permissive`: dots may be anywhere.
    bool atom(bool dots, bool permissive) {
        constexpr std::string_view special = "()<>[]:;@\\,\" ";
        size_t size = 0;
        while (size < rest_.size()) {
            const char c = rest_[size];
            const bool printable = c > ' ' && c != 0x7f;
            if (!is_beyond_ascii(c) && (!printable || is_one_of(c, special) || (c == '.' && !dots))) break;
            ++size;
        }
        const std::string_view text = rest_.substr(0, size);
        if (text.empty()) return false;
        if (!permissive && (text.front() == '.' || text.back() == '.' || text.find("..") != text.npos))
            return false;
        rest_.remove_prefix(size);
        return true;
    }

    // Returns the number of characters of a quoted string; nothing if there is none.
    std::optional<size_t> quoted() {
        size_t count = 0;
        for (size_t i = 1; i < rest_.size(); ++i, ++count) {
            if (rest_[i] == '"') {
                rest_.remove_prefix(i + 1);
                return count;
            }
            if (rest_[i] == '\\' && ++i == rest_.size()) return std::nullopt;
            const bool is_text = rest_[i] == ' ' || rest_[i] == '\t' || is_beyond_ascii(rest_[i]) ||
                                 (rest_[i] > ' ' && rest_[i] != 0x7f);
            if (!is_text) return std::nullopt;
        }
        return std::nullopt;
    }

    bool domain_literal() {
        const size_t end = rest_.find(']');
        if (end == rest_.npos || rest_.substr(1, end - 1).find_first_of("[\\") != rest_.npos) return false;
        rest_.remove_prefix(end + 1);
        return true;
    }

    void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

    // False for a comment that is not closed.
    bool skip_comments() {
        skip_blanks();
        while (rest_.starts_with('(')) {
            size_t depth = 0;
            size_t i = 0;
            do {
                if (i == rest_.size()) return false;
                const char c = rest_[i];
                i += c == '\\' ? 2 : 1;
                if (c == '(') ++depth;
                if (c == ')') --depth;
            } while (depth > 0 && i <= rest_.size());
            if (depth > 0) return false;
            rest_.remove_prefix(i);
            skip_blanks();
        }
        return true;
    }

    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    std::string_view rest_;
};

// ---- the web

struct Url {
    std::string scheme; // in lower case
    std::string_view host;
    bool has_user = false;
    std::string_view query;
};

constexpr std::string_view hex_digits = "0123456789abcdefABCDEF";

// Returns true if every '%' begins an escape.
bool has_good_escapes(std::string_view text) {
    for (size_t i = text.find('%'); i != text.npos; i = text.find('%', i + 3))
        if (i + 2 >= text.size() || !is_one_of(text[i + 1], hex_digits) ||
            !is_one_of(text[i + 2], hex_digits))
            return false;
    return true;
}

bool is_optional_port(std::string_view text) {
    return text.empty() || (text[0] == ':' && std::all_of(text.begin() + 1, text.end(), is_digit));
}

bool is_host(std::string_view host) {
    if (host.starts_with('[')) {
        const size_t end = host.rfind(']');
        if (end == host.npos || !is_optional_port(host.substr(end + 1))) return false;
    } else if (const size_t colon = host.rfind(':'); colon != host.npos) {
        if (!is_optional_port(host.substr(colon))) return false;
    }
    if (!has_good_escapes(host)) return false;
    for (size_t i = 0; i < host.size(); ++i) {
        const char c = host[i];
        // Only bytes beyond ASCII, and the '%' of a zone, are escaped in a host.
        if (c == '%' && host[i + 1] < '8' && host.substr(i, 3) != "%25") return false;
        if (!is_beyond_ascii(c) && !is_letter(c) && !is_digit(c) && !is_one_of(c, "%!$&'()*+,;=:[]<>\"-_.~"))
            return false;
    }
    return true;
}

bool is_user(std::string_view user) {
    return has_good_escapes(user) && std::all_of(user.begin(), user.end(), [](char c) {
               return is_letter(c) || is_digit(c) || is_one_of(c, "-._:~!$&'()*+,;=%@");
           });
}

// Cuts the scheme off `rest`. False for a text that begins with ':'.
bool take_scheme(std::string_view& rest, std::string& scheme) {
    for (size_t i = 0; i < rest.size(); ++i) {
        const char c = rest[i];
        if (is_letter(c) || (i > 0 && (is_digit(c) || is_one_of(c, "+-.")))) continue;
        if (c != ':') return true;
        if (i == 0) return false;
        scheme = ascii_lower(rest.substr(0, i));
        rest.remove_prefix(i + 1);
        return true;
    }
    return true;
}

// `of_request`: the target of an HTTP request, not a reference in a document.
std::optional<Url> parse_url(std::string_view text, bool of_request) {
    Url url;
    const bool has_controls = std::any_of(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
    if (has_controls || (text.empty() && of_request)) return std::nullopt;
    if (text == "*") return url;
    std::string_view rest = text;
    if (!take_scheme(rest, url.scheme)) return std::nullopt;
    if (const size_t mark = rest.find('?'); mark != rest.npos) {
        url.query = rest.substr(mark + 1);
        rest = rest.substr(0, mark);
    }
    if (!rest.starts_with('/')) {
        if (!url.scheme.empty()) return url; // mailto:a
        const std::string_view segment = rest.substr(0, rest.find('/'));
        if (of_request || segment.find(':') != segment.npos) return std::nullopt;
    }
    const bool may_have_host = !url.scheme.empty() || (!of_request && !rest.starts_with("///"));
    if (may_have_host && rest.starts_with("//")) {
        rest.remove_prefix(2);
        const std::string_view authority = rest.substr(0, rest.find('/'));
        rest.remove_prefix(authority.size());
        const size_t at = authority.rfind('@');
        url.has_user = at != authority.npos;
        if (url.has_user && !is_user(authority.substr(0, at))) return std::nullopt;
        url.host = url.has_user ? authority.substr(at + 1) : authority;
        if (!is_host(url.host)) return std::nullopt;
    }
    if (!has_good_escapes(rest)) return std::nullopt;
    return url;
}

} // namespace

bool is_mail_address(std::string_view text) {
    return MailReader(text).is_one_address();
}

bool is_request_uri(std::string_view text) {
    return parse_url(text, true).has_value();
}

bool is_url_with_host(std::string_view text) {
    const auto url = parse_url(text, true);
    return url && !url->scheme.empty() && !url->host.empty();
}

std::vector<std::string> webhook_url_problems(std::string_view text) {
    const size_t mark = text.find('#');
    const std::string_view fragment = mark == text.npos ? std::string_view() : text.substr(mark + 1);
    const auto url = parse_url(text.substr(0, mark), false);
    if (!url || !has_good_escapes(fragment)) return {"the url of the webhook is not a URL"};
    std::vector<std::string> problems;
    if (url->scheme != "https") problems.emplace_back("the url of the webhook does not begin with https");
    if (url->host.empty()) problems.emplace_back("the url of the webhook has no host");
    if (url->has_user) problems.emplace_back("the url of the webhook has a user");
    if (!fragment.empty()) problems.emplace_back("the url of the webhook has a fragment");
    if (!url->query.empty()) problems.emplace_back("the url of the webhook has a query");
    return problems;
}

} // namespace opcat::bundle_checks
