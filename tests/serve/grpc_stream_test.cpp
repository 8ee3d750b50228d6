// One call: headers, requests in pieces and compressed, timeouts, answers in pieces.
#include "opcat/serve/grpc_stream.hpp"

#include <doctest/doctest.h>

using namespace opcat::serve;
using namespace std::string_literals;
using namespace std::chrono_literals;

namespace {

constexpr size_t limit = 1000;

GrpcStream stream_with(std::string_view method, std::string_view type, std::string_view encoding) {
    GrpcStream stream;
    stream.add_header(":method", method);
    stream.add_header(":path", "/api.Registry/GetPackage");
    stream.add_header("content-type", type);
    stream.add_header("grpc-encoding", encoding);
    return stream;
}

std::string taken(GrpcStream& stream, size_t most) {
    std::string out;
    stream.take(most, [&](std::string_view piece, const auto&) { out += piece; });
    return out;
}

} // namespace

TEST_CASE("headers that are not a call are refused") {
    struct Case {
        const char* method;
        const char* type;
        const char* encoding;
        int http;
        GrpcStatus status;
    };
    const Case cases[] = {{"GET", "application/grpc", "", 405, GrpcStatus::internal},
                          {"POST", "text/html", "", 415, GrpcStatus::internal},
                          {"POST", "application/grpcx", "", 415, GrpcStatus::internal},
                          {"POST", "application/grpc+proto", "zstd", 200, GrpcStatus::unimplemented}};
    for (const Case& c : cases) {
        const auto refusal = stream_with(c.method, c.type, c.encoding).check_headers();
        REQUIRE(refusal);
        CHECK(refusal->http_status == c.http);
        CHECK(refusal->answer.status == c.status);
    }
    for (const char* encoding : {"", "identity", "gzip"})
        CHECK_FALSE(stream_with("POST", "application/grpc", encoding).check_headers());
}

TEST_CASE("a request may come byte by byte") {
    GrpcStream stream = stream_with("POST", "application/grpc", "");
    for (const char byte : message_prefix(3) + "abc") {
        CHECK_FALSE(stream.take_message(limit));
        stream.add_data(std::string_view(&byte, 1), limit);
    }
    const auto message = stream.take_message(limit);
    REQUIRE(message);
    CHECK(message->text == "abc");
    CHECK_FALSE(stream.has_rest());
}

TEST_CASE("a request beyond the limit is refused by its length, and not kept") {
    GrpcStream stream = stream_with("POST", "application/grpc", "");
    stream.add_data(message_prefix(limit + 1), limit);
    stream.add_data(std::string(limit, 'x'), limit);
    CHECK(stream.buffered() <= 5);
    const auto message = stream.take_message(limit);
    REQUIRE(message);
    CHECK(message->failure->status == GrpcStatus::resource_exhausted);
}

TEST_CASE("compressed requests are read; bombs and wrong lengths are refused") {
    // "abc" and 5,000 blanks, by gzip.
    const std::string small = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0"s;
    const std::string large =
        "\037\213\010\000\000\000\000\000\002\377\355\301\061\001\000\000\000\302\240\052\353\237\322\024\176\100\001\000\000\000\000\157\003\140\054\013\207\210\023\000\000"s;
    const auto ask = [&](std::string_view encoding, char flag, const std::string& body) {
        GrpcStream stream = stream_with("POST", "application/grpc", encoding);
        std::string prefix = message_prefix(body.size());
        prefix[0] = flag;
        stream.add_data(prefix + body, limit);
        return *stream.take_message(limit);
    };
    CHECK(ask("gzip", 1, small).text == "abc");
    CHECK(ask("", 1, small).failure->status == GrpcStatus::internal);
    CHECK(ask("gzip", 2, small).failure->status == GrpcStatus::internal);
    CHECK(ask("gzip", 1, "no gzip").failure->status == GrpcStatus::internal);
    CHECK(ask("gzip", 1, large).failure->status == GrpcStatus::internal); // 5,000 are too many
}

TEST_CASE("an answer can be read in pieces of any size") {
    for (const size_t most : {1U, 3U, 7U, 100U}) {
        GrpcStream stream = stream_with("POST", "application/grpc", "");
        GrpcAnswer answer;
        answer.add_message("one");
        answer.add_message("");
        answer.add_message({"t", "wo"});
        stream.add_answer(std::move(answer), true);
        std::string all;
        while (stream.pending() > 0) all += taken(stream, most);
        CHECK(all == message_prefix(3) + "one" + message_prefix(0) + message_prefix(3) + "two");
        CHECK(stream.has_ended());
    }
}

TEST_CASE("timeouts have at most eight digits and a unit") {
    CHECK(parse_grpc_timeout("5S") == 5s);
    CHECK(parse_grpc_timeout("100m") == 100ms);
    CHECK(parse_grpc_timeout("99999999u") == 99'999'999us);
    CHECK(parse_grpc_timeout("7n") == 7ns);
    CHECK(parse_grpc_timeout("2M") == 2min);
    CHECK(parse_grpc_timeout("99999999H") > 10'000h);
    for (const char* text : {"", "S", "5", "5s", "-5S", "123456789S", "5 S"})
        CHECK_FALSE(parse_grpc_timeout(text));
}

TEST_CASE("messages of statuses are plain ASCII in headers") {
    CHECK(percent_encoded("package \"a\" 100%\n\xc3\xa9") == "package \"a\" 100%25%0A%C3%A9");
}
