#include "opcat/bundle_checks/addresses.hpp"

#include <doctest/doctest.h>

using namespace opcat::bundle_checks;

TEST_CASE("mail addresses are those of RFC 5322") {
    for (const char* text :
         {"a@example.com", "Jane Doe <jane@example.com>", "\"Doe, Jane\" <jane@example.com>", "<a@b>",
          " a@b ", "a.b+c@example.com", "a@[127.0.0.1]", "\"a b\"@example.com",
          "J\xc3\xbcrgen <j@example.com>", "a@b (Jane)", "team: a@b;", "j@m\xc3\xbcller.example"}) {
        CAPTURE(text);
        CHECK(is_mail_address(text));
    }
    for (const char* text :
         {"",       " ",     "nope",   "a@",    "@b",    "a b@c",  "a@b c",    "Jane jane@example.com",
          "<a@b",   "a@b>",  "a..b@c", ".a@b",  "a@b.",  "\"\"@b", "a@b, c@d", "team: a@b, c@d;",
          "team:;", "a@b (", "a@[b",   "\"a@b", "a@\xff"}) {
        CAPTURE(text);
        CHECK_FALSE(is_mail_address(text));
    }
}

TEST_CASE("a request URI has a scheme or begins with a slash") {
    for (const char* text :
         {"https://example.com", "/x", "mailto:a", "*", "https://[::1]:80/x",
          "https://user:secret@example.com:8080/x?y=z#f", "//x", "a+b-c.1:x", "https://a/%20 b"}) {
        CAPTURE(text);
        CHECK(is_request_uri(text));
    }
    for (const char* text :
         {"", "example.com", "not a url", "http://a b", ":x", "1a:x", "https://a:b", "https://a/%2",
          "https://%zz", "http://[::1", "https://a\x01", "https://us er@a"}) {
        CAPTURE(text);
        CHECK_FALSE(is_request_uri(text));
    }
}

TEST_CASE("the URL of a webhook has https, a host and nothing else") {
    CHECK(webhook_url_problems("https://example.com:443/convert").empty());
    CHECK(webhook_url_problems("http://example.com").size() == 1);
    CHECK(webhook_url_problems("https:///convert").size() == 1);
    CHECK(webhook_url_problems("https://user@example.com/?a#b").size() == 3);
    CHECK(webhook_url_problems("%").size() == 1);
    CHECK(is_url_with_host("https://example.com/1"));
    CHECK_FALSE(is_url_with_host("/1"));
    CHECK_FALSE(is_url_with_host("mailto:a"));
}
