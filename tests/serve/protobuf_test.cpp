// The wire format, by the examples of its specification, and broken messages.
#include "opcat/serve/protobuf.hpp"

#include <doctest/doctest.h>

using namespace opcat::serve;
using namespace std::string_literals;

TEST_CASE("fields are written as the specification shows them") {
    std::string out;
    protobuf::append_number(out, 1, 150);
    CHECK(out == "\x08\x96\x01"s);
    out.clear();
    protobuf::append_string(out, 2, "testing");
    CHECK(out == "\x12\x07testing"s);
    out.clear();
    protobuf::append_string(out, 2, "");
    protobuf::append_number(out, 1, 0);
    CHECK(out.empty());
    protobuf::append_bytes(out, 2, "");
    CHECK(out == "\x12\0"s);
}

TEST_CASE("the reader returns strings and numbers, and skips other fields") {
    const std::string message = "\x0a\x01"
                                "a"
                                "\x15"
                                "1234"
                                "\x19"
                                "12345678"
                                "\x20\x96\x01"
                                "\x12\0"s;
    protobuf::Reader reader(message);
    CHECK(reader.next()->bytes == "a");
    CHECK(reader.next()->number == 2);
    CHECK(reader.next()->number == 3);
    CHECK(reader.next()->varint == 150);
    CHECK(reader.next()->has_bytes);
    CHECK_FALSE(reader.next());
    CHECK_FALSE(reader.failed());
}

TEST_CASE("an unreadable message is an error, and reading ends") {
    const std::string broken[] = {"\xff\xff\xff"s,
                                  "\x0a\x05"
                                  "ab"s,
                                  "\x08"s,
                                  "\x0b"s,
                                  "\x0c"s,
                                  "\0"s,
                                  "\x15"
                                  "12"s,
                                  "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"s,
                                  "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s};
    for (const std::string& message : broken) {
        protobuf::Reader reader(message);
        while (reader.next()) {
        }
        CHECK(reader.failed());
    }
}
