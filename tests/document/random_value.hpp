// Values that are hard to write: the same ones in every run.
#pragma once

#include "opcat/document/value.hpp"

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

class RandomValues {
public:
    explicit RandomValues(uint64_t seed) : engine_(seed) {}

    // Nested up to `depth` levels deep.
    Value any(size_t depth) {
        switch (below(depth > 0 ? 9 : 6)) {
        case 0:
            return Value::of_null();
        case 1:
            return Value::of(below(2) == 0);
        case 2:
            return Value::of(static_cast<int64_t>(engine_() >> below(64)) * (below(2) == 0 ? 1 : -1));
        case 3:
            return Value::of_large(engine_() | uint64_t{1} << 63);
        case 4:
            return Value::of(
                static_cast<double>(engine_()) / static_cast<double>(1 + (engine_() >> below(64))) + 0.5);
        case 5:
            return Value::of(string());
        case 6:
            return list(depth - 1);
        default:
            return object(depth - 1);
        }
    }

    Value list(size_t depth) {
        std::vector<Value> items(below(5));
        for (Value& item : items) item = any(depth);
        return Value::of(std::span<const Value>(arena_.copy(std::span<const Value>(items))));
    }

    Value object(size_t depth) {
        std::vector<Member> members(below(6));
        for (size_t i = 0; i < members.size(); ++i)
            members[i] = {Value::of(arena_.copy(std::string(string()) + std::to_string(i))), any(depth)};
        return Value::of(std::span<const Member>(arena_.copy(std::span<const Member>(members))));
    }

    // Pieces of YAML in a row, without text that opm cannot write.
    std::string_view string() {
        static const std::vector<std::string_view> pieces = {
            " ",
            " ",
            "  ",
            "\n",
            "\n\n",
            "\t",
            "\r",
            ":",
            ": ",
            " #",
            "#",
            "-",
            "- ",
            "?",
            "? ",
            "!",
            "&",
            "*",
            "|",
            ">",
            "'",
            "\"",
            "\\",
            "%",
            "@",
            "`",
            ",",
            "[",
            "]",
            "{",
            "}",
            "---",
            "...",
            "~",
            "=",
            "<<",
            "null",
            "yes",
            "n",
            "0",
            "01",
            "1",
            "12",
            "1.5",
            "1e3",
            "0x1f",
            "1:30",
            "2021-01-02",
            ".inf",
            "word",
            "a",
            "b",
            "Z",
            "z",
            "some longer words in a row",
            "aVeryLongWordThatDoesNotBreakAnywhereAtAllAndGoesOnForQuiteAWhileSoThatTheLineIsFull",
            "é",
            "操",
            "😀",
            "\u2028",
            "\u2029",
            "\u00a0",
            "\ufeff",
            "\x01",
            "\x1b",
            "\x07",
            std::string_view("\0", 1)};
        std::string text;
        for (size_t n = below(below(8) == 0 ? 40 : 6); n > 0; --n) text += pieces[below(pieces.size())];
        return arena_.copy(text);
    }

    size_t below(size_t limit) { return engine_() % limit; }
    Arena& arena() { return arena_; }

private:
    std::mt19937_64 engine_;
    Arena arena_;
};

} // namespace opcat
