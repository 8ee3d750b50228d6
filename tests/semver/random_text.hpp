// Texts that resemble versions and ranges, the same in every run.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::semver {

class RandomText {
public:
    // Puts up to `longest` of the pieces in a row.
    std::string of(const std::vector<std::string_view>& pieces, size_t longest) {
        std::string text;
        for (size_t n = below(longest + 1); n > 0; --n) text += pieces[below(pieces.size())];
        return text;
    }

    std::string range() {
        static const std::vector<std::string_view> pieces = {"1",
                                                             "2",
                                                             "0",
                                                             "01",
                                                             "x",
                                                             "X",
                                                             "*",
                                                             "|",
                                                             "||",
                                                             " || ",
                                                             ".",
                                                             ".",
                                                             ".",
                                                             "-",
                                                             "+",
                                                             " ",
                                                             " ",
                                                             "\t",
                                                             ",",
                                                             ">",
                                                             "<",
                                                             "=",
                                                             "!",
                                                             "~",
                                                             "^",
                                                             "v",
                                                             " - ",
                                                             "1.2.3",
                                                             "rc.1",
                                                             "a",
                                                             ".x",
                                                             "é",
                                                             "١",
                                                             "\xff",
                                                             "18446744073709551615",
                                                             "9223372036854775807",
                                                             ">=1.0.0",
                                                             std::string_view("\0", 1)};
        return of(pieces, 14);
    }

    // Valid in strict form.
    std::string version() {
        static const std::vector<std::string_view> numbers = {"0", "1", "2", "10", "18446744073709551615"};
        static const std::vector<std::string_view> identifiers = {
            "0", "1", "10", "9", "a", "A", "rc", "-", "1a", "18446744073709551615"};
        const auto pick = [this](const auto& from) { return std::string(from[below(from.size())]); };
        const auto list = [&] {
            std::string joined = pick(identifiers);
            while (below(2) == 0) joined += "." + pick(identifiers);
            return joined;
        };
        std::string text = pick(numbers) + "." + pick(numbers) + "." + pick(numbers);
        if (below(2) == 0) text += "-" + list();
        if (below(4) == 0) text += "+" + list();
        return text;
    }

private:
    size_t below(size_t limit) { return engine_() % limit; }

    std::mt19937_64 engine_{20240501};
};

} // namespace opcat::semver
