// Requests of HTTP in pieces: what is one request, what is none, and what could be two.
#include "opcat/serve/http_request_reader.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace opcat::serve;
using namespace std::string_literals;
using State = HttpRequestReader::State;

namespace {

HttpRequestReader read_request(const std::string& text, size_t piece, size_t* taken_bytes = nullptr) {
    HttpRequestReader reader({});
    size_t at = 0;
    while (at < text.size() && reader.state() != State::complete && reader.state() != State::refused)
        at += reader.add(std::string_view(text).substr(at, piece));
    if (taken_bytes) *taken_bytes = at;
    return reader;
}

std::string post(const std::string& headers, const std::string& body = {}) {
    return "POST / HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n" + body;
}

std::string chunked(const std::string& body) {
    return post("Transfer-Encoding: chunked\r\n", body);
}

} // namespace

TEST_CASE("what programs read as different requests is refused, however it arrives") {
    const std::string get = "GET / HTTP/1.1\r\n";
    const std::string digits(30, '9');
    const std::pair<const char*, std::string> cases[] = {
        {"two lengths", post("Content-Length: 5\r\nContent-Length: 6\r\n", "123456")},
        {"two equal lengths", post("Content-Length: 5\r\nContent-Length: 5\r\n", "12345")},
        {"a list of lengths", post("Content-Length: 5, 5\r\n", "12345")},
        {"a length with a sign", post("Content-Length: +5\r\n", "12345")},
        {"a negative length", post("Content-Length: -5\r\n", "12345")},
        {"a hexadecimal length", post("Content-Length: 0x5\r\n", "12345")},
        {"a length with a zero before it", post("Content-Length: 05\r\n", "12345")},
        {"a length with a blank in it", post("Content-Length: 1 2\r\n", "12345")},
        {"a length with a fraction", post("Content-Length: 5.0\r\n", "12345")},
        {"an empty length", post("Content-Length:\r\n")},
        {"a length beyond all numbers", post("Content-Length: " + digits + "\r\n")},
        {"a length that overflows to 5", post("Content-Length: 18446744073709551621\r\n", "12345")},
        {"a length and chunks", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
        {"chunks and a length", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")},
        {"two encodings", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
        {"chunked, identity", post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n")},
        {"identity, chunked", post("Transfer-Encoding: identity, chunked\r\n", "0\r\n\r\n")},
        {"identity", post("Transfer-Encoding: identity\r\n")},
        {"gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")},
        {"xchunked", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")},
        {"chunked in quotes", post("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n")},
        {"chunked after a vertical tab", post("Transfer-Encoding: \x0b"
                                              "chunked\r\n",
                                              "0\r\n\r\n")},
        {"an empty encoding", post("Transfer-Encoding:\r\n")},
        {"chunks in HTTP/1.0", "POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        {"a chunk size 0x5", chunked("0x5\r\n12345\r\n0\r\n\r\n")},
        {"a chunk size +5", chunked("+5\r\n12345\r\n0\r\n\r\n")},
        {"a chunk size -1", chunked("-1\r\n12345\r\n0\r\n\r\n")},
        {"a chunk size 05", chunked("05\r\n12345\r\n0\r\n\r\n")},
        {"a chunk size 000", chunked("000\r\n\r\n")},
        {"a chunk size with a blank before it", chunked(" 5\r\n12345\r\n0\r\n\r\n")},
        {"a chunk size with a blank after it", chunked("5 \r\n12345\r\n0\r\n\r\n")},
        {"a chunk size with an underscore", chunked("1_0\r\n12345\r\n0\r\n\r\n")},
        {"no chunk size", chunked("\r\n12345\r\n0\r\n\r\n")},
        {"a chunk size that overflows", chunked("10000000000000005\r\n12345\r\n0\r\n\r\n")},
        {"an extension of a chunk", chunked("5;a=b\r\n12345\r\n0\r\n\r\n")},
        {"an extension with a line feed", chunked("5;\n12345\r\n0\r\n\r\n")},
        {"a chunk longer than it says", chunked("5\r\n123456\r\n0\r\n\r\n")},
        {"a chunk that ends in a line feed", chunked("5\r\n12345\n0\r\n\r\n")},
        {"a chunk that ends in nothing", chunked("5\r\n123450\r\n\r\n")},
        {"a chunk size that ends in a line feed", chunked("5\n12345\r\n0\r\n\r\n")},
        {"a trailer", chunked("0\r\nContent-Length: 5\r\n\r\n")},
        {"a blank before the colon", get + "Host : h\r\n\r\n"},
        {"a tab before the colon", get + "Host: h\r\nContent-Length\t: 5\r\n\r\n12345"},
        {"a line that continues", get + "Host: h\r\nA: b\r\n c\r\n\r\n"},
        {"a first line that continues", get + " Host: h\r\n\r\n"},
        {"a line without a colon", get + "Host: h\r\nA\r\n\r\n"},
        {"an empty name", get + "Host: h\r\n: a\r\n\r\n"},
        {"a name with a control character", get + "Host: h\r\nA\x01: b\r\n\r\n"},
        {"a name with a letter of UTF-8", get + "Host: h\r\n\xc3\xa4: b\r\n\r\n"},
        {"NUL in a value", get + "Host: h\r\nA: b\0c\r\n\r\n"s},
        {"NUL in a name", get + "Host: h\r\nA\0: b\r\n\r\n"s},
        {"NUL in the target", "GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n"s},
        {"DEL in a value", get + "Host: h\r\nA: \x7f\r\n\r\n"},
        {"a line feed alone", "GET / HTTP/1.1\nHost: h\n\n"},
        {"a line feed after a header", get + "Host: h\nA: b\r\n\r\n"},
        {"a carriage return alone", get + "Host: h\rA: b\r\n\r\n"},
        {"two carriage returns", get + "Host: h\r\r\n\r\n"},
        {"no Host", get + "\r\n"},
        {"two Hosts", get + "Host: a\r\nHost: b\r\n\r\n"},
        {"two equal Hosts", get + "Host: a\r\nhost: a\r\n\r\n"},
        {"a Host with a comma", get + "Host: a, b\r\n\r\n"},
        {"a Host with a path", get + "Host: a/b\r\n\r\n"},
        {"a Host with a user", get + "Host: a@b\r\n\r\n"},
        {"a Host with a blank", get + "Host: a b\r\n\r\n"},
        {"a Host with a port that is none", get + "Host: a:b\r\n\r\n"},
        {"a Host with half an address", get + "Host: [::1\r\n\r\n"},
        {"another host in the target", "GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n"},
        {"another port in the target", "GET http://a:1/ HTTP/1.1\r\nHost: a:2\r\n\r\n"},
        {"a target with a user", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"a target without a host", "GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"a target of another scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"a target that is a host", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"},
        {"a blank in the target", "GET / / HTTP/1.1\r\nHost: h\r\n\r\n"},
        {"two blanks after the method", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n"},
        {"a tab after the method", "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n"},
        {"a blank before the method", " GET / HTTP/1.1\r\nHost: h\r\n\r\n"},
        {"a blank after the version", "GET / HTTP/1.1 \r\nHost: h\r\n\r\n"},
        {"no version", "GET /\r\nHost: h\r\n\r\n"},
        {"a version in small letters", "GET / http/1.1\r\nHost: h\r\n\r\n"},
        {"a method that is not a token", "G(T / HTTP/1.1\r\nHost: h\r\n\r\n"},
        {"two empty lines", "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"},
        {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
        {"headers that are too large", get + "Host: h\r\nA: " + std::string(20'000, 'a') + "\r\n\r\n"},
        {"a line that does not end", std::string(20'000, 'a')},
    };
    for (const auto& [name, text] : cases) {
        CAPTURE(name);
        for (const size_t piece : {size_t{1}, size_t{7}, text.size()}) {
            const HttpRequestReader reader = read_request(text, piece);
            REQUIRE(reader.state() == State::refused);
            CHECK(reader.status() == (std::string_view(name) == "HTTP/2" ? 505 : 400));
            CHECK_FALSE(reader.problem().empty());
            CHECK_FALSE(reader.keeps_alive());
        }
    }
}

TEST_CASE("a body beyond the limit is refused by its length, and a long row of chunks by their sum") {
    std::string chunks;
    for (int i = 0; i < 70; ++i) chunks += "400\r\n" + std::string(0x400, 'x') + "\r\n";
    for (const std::string& text :
         {post("Content-Length: 65537\r\n"), chunked("10001\r\n"), chunked(chunks)}) {
        const HttpRequestReader reader = read_request(text, 1000);
        REQUIRE(reader.state() == State::refused);
        CHECK(reader.status() == 413);
    }
}

TEST_CASE("requests are read to their end and not beyond it") {
    struct Case {
        std::string text;
        std::string target;
        bool keeps_alive;
    };
    const Case cases[] = {
        {"GET /a?b=c#d HTTP/1.1\r\nHost: h\r\n\r\n", "/a?b=c#d", true},
        {"\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "/", true},
        {"GET / HTTP/1.1\r\nHost:\r\n\r\n", "/", true},
        {"GET / HTTP/1.1\r\nHost: [::1]:80\r\nA:\tb \t\r\nB:\r\n\r\n", "/", true},
        {"GET /\xff HTTP/1.1\r\nHost: h\r\nA: \xff\r\n\r\n", "/\xff", true},
        {"GET http://H:1 HTTP/1.1\r\nHost: h:1\r\n\r\n", "/", true},
        {"GET HTTPS://h/a?b HTTP/1.1\r\nHost: h\r\n\r\n", "/a?b", true},
        {"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "*", true},
        {"GET / HTTP/1.0\r\n\r\n", "/", false},
        {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "/", true},
        {"GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\nconnection: a, Close\r\n\r\n", "/", false},
        {post("Content-Length: 5\r\n", "12345"), "/", true},
        {post("Content-Length: 0\r\n"), "/", true},
        {chunked("5\r\n12345\r\nA\r\n1234567890\r\n0\r\n\r\n"), "/", true},
        {post("Transfer-Encoding: CHUNKED\r\n", "0\r\n\r\n"), "/", true},
        {post("Expect: 100-continue\r\nContent-Length: 5\r\n"), "/", false},
    };
    for (const auto& [text, target, keeps_alive] : cases) {
        CAPTURE(text);
        for (const size_t piece : {size_t{1}, size_t{7}, size_t{100'000}}) {
            size_t taken = 0;
            const HttpRequestReader reader = read_request(text + "GET /next", piece, &taken);
            REQUIRE(reader.state() == State::complete);
            CHECK(reader.target() == target);
            CHECK(reader.keeps_alive() == keeps_alive);
            CHECK(taken == text.size());
        }
    }
}

TEST_CASE("headers are found in any letter case, and nothing is left of the request before") {
    HttpRequestReader reader({});
    const std::string first = "GET /a HTTP/1.1\r\nHost: h\r\nRange: bytes=1-2\r\nrange: bytes=3-4\r\n\r\n";
    CHECK(reader.add(first) == first.size());
    CHECK(reader.header("RANGE") == "bytes=1-2");
    reader.restart();
    CHECK(reader.is_empty());
    const std::string second = "HEAD /b HTTP/1.1\r\nHost: h\r\n\r\n";
    CHECK(reader.add(second) == second.size());
    REQUIRE(reader.state() == State::complete);
    CHECK(reader.method() == "HEAD");
    CHECK(reader.header("range").empty());
}
