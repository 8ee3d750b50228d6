// What opm's YAML takes and libyaml refuses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace opcat {

// The text of a document for libyaml, in which private-use characters replace those that it would
// stumble over and yaml.v2 does not: \' in double quotes, a ':' before a bracket or comma in plain text
// between brackets, and byte order marks that are not at the front. One replaces one: libyaml counts
// characters, and so its places stay right.
class YamlSubstitutions {
public:
    explicit YamlSubstitutions(std::string_view document);

    // With a line break at the end: opm reads lines and ends each with one, the last one, too, so that a
    // literal text there ends with it.
    std::string_view text() const { return text_.empty() ? document_ : std::string_view(text_); }

    // Exchanges what libyaml stumbled over, in its words and at this byte of the document. False if that is
    // to stay an error, as it is when there is too much of it.
    bool exchange(std::string_view problem, size_t at);

    // What libyaml read, with the characters that were replaced.
    std::string restored(std::string_view read) const;

    // Where in the document this byte of text() stands.
    size_t place(size_t in_text) const;

private:
    enum Kind : uint8_t { nothing, quote, colon, mark };

    bool choose(Kind kind); // false if all characters tried stand in the document
    void add(size_t at, Kind kind);
    void make_text();

    std::string_view document_;
    std::array<std::string, 4> private_; // by kind; empty until one is needed
    std::map<size_t, Kind> exchanged_;   // by the place in the document; marks have no need of theirs
    std::string text_;                   // empty: as the document
    size_t exchanges_ = 0;
};

} // namespace opcat
