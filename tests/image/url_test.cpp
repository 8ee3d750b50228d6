#include "opcat/image/url.hpp"
#include "tar_builder.hpp"

using namespace opcat::image;

TEST_CASE("addresses are resolved, compared by origin and shown without secrets") {
    const Url base = Url::parse("https://quay.io/v2/a/blobs/x");
    CHECK(Url::parse("/other?sig=secret", &base).text == "https://quay.io/other?sig=secret");
    CHECK(Url::parse("/other?sig=secret", &base).shown() == "https://quay.io/other");
    CHECK(Url::parse("https://user:word@cdn.example/x").text == "https://cdn.example/x");
    CHECK(Url::parse("https://quay.io:443/x").same_origin(base));
    CHECK(Url::parse("//cdn.example/x", &base).host == "cdn.example");
    CHECK_FALSE(Url::parse("http://quay.io/x").same_origin(base));
    CHECK_FALSE(Url::parse("https://quay.io:8443/x").same_origin(base));
    CHECK_FALSE(Url::parse("https://quay.io.evil.example/x").same_origin(base));
    for (const char* bad :
         {"file:///etc/passwd", "ftp://a/b", "gopher://a", "", "http://", "no spaces please://x"})
        CHECK(error_of([&] { Url::parse(bad); }).ends_with("is not a web address"));
    CHECK(error_of([] { Url::parse("file:///x?token=secret"); }).find("secret") == std::string::npos);
    CHECK(url_escape("a b&c=/:") == "a%20b%26c%3D%2F%3A");
}

TEST_CASE("no proxy is used for this machine") {
    for (const char* local : {"http://localhost/", "http://localhost:5000/v2/", "https://127.0.0.1:5000/",
                              "http://127.1.2.3/", "http://[::1]/", "http://[::1]:5000/"})
        CHECK_MESSAGE(Url::parse(local).is_loopback(), local);
    for (const char* other : {"https://quay.io/", "http://localhost.example/", "http://127.example:5000/",
                              "http://128.0.0.1/", "http://[::2]/", "http://10.0.0.1:5000/"})
        CHECK_MESSAGE(!Url::parse(other).is_loopback(), other);
}
