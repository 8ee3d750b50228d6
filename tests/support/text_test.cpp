#include "support/text.hpp"

#include <doctest/doctest.h>

using namespace opcat;

TEST_CASE("display width counts terminal columns") {
    CHECK(display_width("abc") == 3);
    CHECK(display_width("é") == 1);
    CHECK(display_width("e\u0301") == 1);
    CHECK(display_width("操作") == 4);
    CHECK(display_width("\xff") == 1);
}

TEST_CASE("only shortest-form UTF-8 without surrogates is valid") {
    CHECK(is_valid_utf8("plain, é, 操, 😀"));
    CHECK_FALSE(is_valid_utf8("\xc0\x80"));
    CHECK_FALSE(is_valid_utf8("\xed\xa0\x80"));
    CHECK_FALSE(is_valid_utf8("\xf4\x90\x80\x80"));
    CHECK_FALSE(is_valid_utf8("\xe2\x82"));
}

TEST_CASE("names are suggested nearest first, and not when nothing is near") {
    const std::string_view known[] = {"stable", "staging", "candidate", "fast"};
    CHECK(did_you_mean("stabel", known) == "did you mean stable?");
    CHECK(did_you_mean("Fast", known) == "did you mean fast?");
    CHECK(did_you_mean("nightly", known).empty());
}

TEST_CASE("sizes are written for people") {
    CHECK(human_size(0) == "0 B");
    CHECK(human_size(1023) == "1023 B");
    CHECK(human_size(1024) == "1.0 KiB");
    CHECK(human_size(1024 * 1024 - 1) == "1.0 MiB");
    CHECK(human_size(12'900'000) == "12.3 MiB");
    CHECK(human_size(UINT64_MAX) == "16.0 EiB");
}
