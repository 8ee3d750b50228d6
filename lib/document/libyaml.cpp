#include "opcat/document/libyaml.hpp"

#include "opcat/base/text.hpp"
#include "opcat/document/syntax_cause.hpp"

#include <algorithm>

namespace opcat {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view meanings[] = {"", "'", ":", byte_order_mark};

// After each replacement libyaml starts again.
constexpr size_t most_exchanges = 100;
constexpr size_t most_characters = 100'000;

// The first character of the Private Use Area. A document that contains the first hundred is not searched
// further.
constexpr char32_t first_private = 0xe000;
constexpr char32_t most_tries = 100;

// A colon that looks like plain text: after a quote, a delimiter or a blank it may separate a key from its
// value.
bool is_colon_before_mark(std::string_view document, size_t at) {
    constexpr std::string_view marks = ",[]{}?";
    constexpr std::string_view no_text = "\"',[]{} \t\r\n";
    return at > 0 && at + 1 < document.size() && marks.find(document[at + 1]) != marks.npos &&
           no_text.find(document[at - 1]) == no_text.npos;
}

} // namespace

YamlSubstitutions::YamlSubstitutions(std::string_view document) : document_(document) {
    if (!is_utf16(document) && document.find(byte_order_mark, 1) != document.npos) choose(mark);
    if (!private_[mark].empty() || !document.ends_with('\n')) make_text();
}

bool YamlSubstitutions::exchange(std::string_view problem, size_t at) {
    if (++exchanges_ > most_exchanges) return false;
    const size_t before = exchanged_.size();
    if (problem == "found unexpected ':'" && document_.substr(at).starts_with(':')) {
        add(at, colon);
        // The others as well: in plain text or quotes the replacement does no harm.
        for (at = document_.find(':', at + 1); at < document_.size(); at = document_.find(':', at + 1))
            if (is_colon_before_mark(document_, at)) add(at, colon);
    } else if (problem == "found unknown escape character") {
        // The others up to the end of the quoted text are like this one.
        for (; at < document_.size() && document_[at] != '"'; at += document_[at] == '\\' ? 2 : 1) {
            if (!document_.substr(at).starts_with("\\'")) continue;
            add(at, nothing);
            add(at + 1, quote);
        }
    }
    if (exchanged_.size() == before || exchanged_.size() > most_characters) return false;
    make_text();
    return true;
}

std::string YamlSubstitutions::restored(std::string_view read) const {
    std::string text(read);
    for (size_t kind = 0; kind < private_.size(); ++kind)
        if (!private_[kind].empty()) text = replace_all(std::move(text), private_[kind], meanings[kind]);
    return text;
}

size_t YamlSubstitutions::place(size_t in_text) const {
    size_t added = 0; // bytes, by the exchanges before it
    for (const auto& [at, kind] : exchanged_) {
        if (in_text <= at + added) break;
        added += private_[kind].size() - 1;
    }
    return std::min(in_text - added, document_.size());
}

bool YamlSubstitutions::choose(Kind kind) {
    // Each kind has its own step, so that no two characters are equal.
    const auto step = static_cast<char32_t>(private_.size());
    for (char32_t c = first_private + kind; private_[kind].empty() && c < first_private + most_tries * step;
         c += step) {
        std::string character;
        append_utf8(character, c);
        if (document_.find(character) == document_.npos) private_[kind] = std::move(character);
    }
    return !private_[kind].empty();
}

void YamlSubstitutions::add(size_t at, Kind kind) {
    if (exchanged_.size() <= most_characters && choose(kind)) exchanged_[at] = kind;
}

void YamlSubstitutions::make_text() {
    text_.clear();
    size_t done = 0;
    for (const auto& [at, kind] : exchanged_) {
        text_ += document_.substr(done, at - done);
        text_ += private_[kind];
        done = at + 1;
    }
    text_ += document_.substr(done);
    if (!private_[mark].empty()) // the one at the front stays
        text_ = text_.substr(0, 1) + replace_all(text_.substr(1), byte_order_mark, private_[mark]);
    if (!text_.ends_with('\n')) text_ += '\n';
}

} // namespace opcat
