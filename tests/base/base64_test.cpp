#include "opcat/base/base64.hpp"

#include <doctest/doctest.h>

#include <cctype>
#include <random>

using namespace opcat;

TEST_CASE("base64 is read as Go's StdEncoding reads it") {
    const struct {
        std::string_view text;
        std::optional<std::string> bytes;
    } cases[] = {
        {"", ""},
        {"Zg==", "f"},
        {"Zm8=", "fo"},
        {"Zm9v", "foo"},
        {"Zm9v\r\nYmFy\n", "foobar"}, // line breaks are skipped
        {"Zm9vYg=\n=", "foob"},       // also inside of the padding
        {"Zh==", "f"},                // bits after the last byte do not count
        {"Zg", std::nullopt},         // padding is required
        {"Zg=", std::nullopt},
        {"Zg===", std::nullopt},
        {"Zm9v====", std::nullopt},
        {"=", std::nullopt},
        {"Z===", std::nullopt},
        {"Zg==Zg==", std::nullopt}, // nothing may follow it
        {"Zm 9v", std::nullopt},    // blanks are not line breaks
        {"Zm9_", std::nullopt},     // the other alphabet
        {"\xc3\xa9"
         "AA=",
         std::nullopt},
    };
    for (const auto& [text, bytes] : cases) {
        CAPTURE(text);
        for (const size_t digits_before : {0, 28, 32, 64}) { // long texts are read in blocks
            const std::string longer = std::string(digits_before, 'A') + std::string(text);
            CHECK(is_base64(longer) == bytes.has_value());
            const auto decoded = decode_base64(longer);
            REQUIRE(decoded.has_value() == bytes.has_value());
            if (bytes) CHECK(*decoded == std::string(digits_before / 4 * 3, '\0') + *bytes);
            CHECK(is_canonical_base64(longer) == (decoded && encode_base64(*decoded) == longer));
        }
    }
}

TEST_CASE("the first corrupt byte is the one that Go's decoder reports") {
    const std::pair<std::string_view, size_t> cases[] = {
        {"Zg?=", 2},    {"=", 0},        // padding needs two digits before it
        {"Zm9vZ=", 5},  {"Zg=", 3},      // a missing '=': the end
        {"Zg=\n", 4},   {"Zg=A", 2},     // instead of the second '=': the byte before what is there
        {"Zg=\nA", 3},  {"Zg==Zg==", 4}, // nothing may follow
        {"Zm8=\nA", 5}, {"Zg\r\n=\n=A", 7}, {"Zm9vZ", 4}, // an incomplete group: its beginning
        {"Zm9vZm8", 4},
    };
    for (const auto& [text, at] : cases) {
        CAPTURE(text);
        CHECK_FALSE(is_base64(text));
        CHECK(base64_corrupt_at(text) == at);
    }
}

TEST_CASE("every byte that is not a digit of base64 is found, wherever it is in a long text") {
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        const bool digit = std::isalnum(byte) != 0 || c == '+' || c == '/';
        for (const size_t at : {0, 1, 31, 32, 63, 66}) {
            std::string text(68, 'A');
            text[at] = c;
            CAPTURE(byte);
            CHECK(is_base64(text) == digit);
            CHECK(decode_base64(text).has_value() == digit);
        }
    }
}

TEST_CASE("what is written is read back") {
    std::mt19937_64 random{1};
    for (size_t size = 0; size < 200; ++size) {
        std::string bytes;
        for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(random());
        const std::string text = encode_base64(bytes);
        CHECK(text.size() == (size + 2) / 3 * 4);
        REQUIRE(decode_base64(text) == bytes);
    }
}
