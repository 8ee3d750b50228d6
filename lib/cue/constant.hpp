// Constants of a schema, and how they are written.
#pragma once

#include "opcat/document/value.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace opcat::cue {

// CUE distinguishes integers from other numbers: 1 and 1.0 are different values. Integers have up to 64 bits
// and a sign; all others are doubles, never NaN.
struct Number {
    bool is_integer = true;
    bool negative = false; // of an integer other than 0
    uint64_t magnitude = 0;
    double real = 0;

    static Number of(uint64_t magnitude, bool negative = false) {
        return {true, negative && magnitude > 0, magnitude, 0};
    }
    static Number of_real(double value) { return {false, false, 0, value}; }
    // The value is a number.
    static Number of(const Value& value);
};

// By value: 1 equals 1.0. Exact.
std::weak_ordering compare(const Number& a, const Number& b);

struct Constant {
    enum class Kind : uint8_t { null, boolean, number, string, bytes };

    Kind kind = Kind::null;
    bool boolean = false;
    Number number = {};
    std::string text = {}; // of a string (UTF-8), or bytes

    static Constant of(bool value) { return {.kind = Kind::boolean, .boolean = value}; }
    static Constant of(Number value) { return {.kind = Kind::number, .number = value}; }
    // Explicit, because otherwise a literal would become a boolean.
    static Constant of(const char* text) { return of(std::string(text)); }
    static Constant of(std::string text, Kind kind = Kind::string) {
        return {.kind = kind, .text = std::move(text)};
    }
};

// The same value of the same kind.
bool operator==(const Constant& a, const Constant& b);

// Written in CUE, on one line.
std::string to_string(const Constant& constant);
std::string to_string(const Number& number);

// `text` is a number as CUE writes it: 1_000, 0x1f, 0o17, 0b11, .5, 1e3, 1.5K, 4Gi. It is at byte
// `begin`. Throws SyntaxError, also for integers that 64 bits cannot hold.
Number parse_number(std::string_view text, uint32_t begin);

// `text` is a string or bytes with its quotes: "a", 'b', #"raw"#, of one line or several. Throws SyntaxError.
Constant parse_string(std::string_view text, uint32_t begin);

} // namespace opcat::cue
