// Random edits of the kind that people make: characters, words, lines and documents are added, removed and
// moved.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace opcat::lsp {

class RandomEdits {
public:
    struct Edit {
        size_t begin; // bytes, at the beginnings of characters
        size_t end;
        std::string text;
    };

    explicit RandomEdits(unsigned seed) : random_(seed) {}

    size_t below(size_t count) { return count == 0 ? 0 : random_() % count; }

    Edit next(std::string_view text) {
        constexpr std::string_view typed[] = {"a",
                                              "1",
                                              ".",
                                              " ",
                                              "\n",
                                              ":",
                                              "-",
                                              "\"",
                                              "'",
                                              "{",
                                              "}",
                                              "[",
                                              "]",
                                              "#",
                                              "\t",
                                              "\u00e4",
                                              "---\n",
                                              "---x\n",
                                              "\r\n",
                                              "  - ",
                                              "\U0001F600",
                                              "\n---\n",
                                              "name",
                                              ": ",
                                              "*a",
                                              "&a ",
                                              "!!str ",
                                              "<<: ",
                                              "olm.channel",
                                              "bar.v1.1.0",
                                              "\n# opcat: ignore[schema]\n",
                                              "\n--- # opcat: ignore[schema]\n"};
        const size_t at = place(text, below(text.size() + 1));
        switch (below(8)) {
        case 0:
        case 1:
        case 2:
            return {at, at, std::string(typed[below(std::size(typed))])};
        case 3: // a character is removed
            return {at, place(text, std::min(at + 1 + below(3), text.size())), ""};
        case 4: { // a line is repeated
            const auto [begin, end] = line(text, at);
            return {end, end, std::string(text.substr(begin, end - begin))};
        }
        case 5: { // a line is removed
            const auto [begin, end] = line(text, at);
            return {begin, end, ""};
        }
        case 6: { // a piece is repeated elsewhere
            const size_t end = place(text, std::min(at + below(200), text.size()));
            const size_t to = place(text, below(text.size() + 1));
            return {to, to, std::string(text.substr(at, end - at))};
        }
        default: { // a word is replaced by another one
            const auto [begin, end] = word(text, at);
            const auto [from, to] = word(text, place(text, below(text.size() + 1)));
            return {begin, end, std::string(text.substr(from, to - from))};
        }
        }
    }

private:
    // The beginning of a character; CR LF counts as one, as editors have it.
    static size_t place(std::string_view text, size_t at) {
        while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U) --at;
        if (at > 0 && at < text.size() && text[at] == '\n' && text[at - 1] == '\r') --at;
        return at;
    }
    struct Part {
        size_t begin;
        size_t end;
    };
    static Part line(std::string_view text, size_t at) {
        const size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
        const size_t after = text.find('\n', at);
        return {before == text.npos ? 0 : before + 1, after == text.npos ? text.size() : after + 1};
    }
    static Part word(std::string_view text, size_t at) {
        constexpr std::string_view ends = " \t\r\n:,{}[]\"'";
        const size_t before = at == 0 ? text.npos : text.find_last_of(ends, at - 1);
        const size_t after = text.find_first_of(ends, at);
        return {before == text.npos ? 0 : before + 1, after == text.npos ? text.size() : after};
    }

    std::mt19937 random_;
};

} // namespace opcat::lsp
