#include "image/challenge.hpp"

#include "support/text.hpp"

#include <vector>

namespace opcat::image {
namespace {

bool is_token(char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7f &&
           std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
}

class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    bool at_end() const { return rest_.empty(); }
    bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }
    void skip() { rest_.remove_prefix(1); }
    void skip_all(std::string_view characters) {
        while (!rest_.empty() && characters.find(rest_.front()) != std::string_view::npos) skip();
    }
    std::string token() {
        size_t length = 0;
        while (length < rest_.size() && is_token(rest_[length])) ++length;
        std::string text(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return text;
    }
    // A token, or a string in quotes.
    std::string value() {
        if (!next_is('"')) return token();
        std::string text;
        for (skip(); !rest_.empty() && !next_is('"'); skip()) {
            if (next_is('\\') && rest_.size() > 1) skip();
            text += rest_.front();
        }
        if (!rest_.empty()) skip();
        return text;
    }

private:
    std::string_view rest_;
};

std::vector<Challenge> parse(std::string_view header) {
    std::vector<Challenge> challenges;
    Reader reader(header);
    while (true) {
        reader.skip_all(" \t,");
        if (reader.at_end()) return challenges;
        const std::string word = ascii_lower(reader.token());
        if (word.empty()) return challenges;
        reader.skip_all(" \t");
        if (reader.next_is('=') && !challenges.empty()) {
            reader.skip();
            reader.skip_all(" \t");
            challenges.back().parameters[word] = reader.value();
        } else {
            challenges.push_back({word, {}});
        }
    }
}

} // namespace

std::string Challenge::parameter(const std::string& name) const {
    const auto at = parameters.find(name);
    return at == parameters.end() ? std::string() : at->second;
}

std::optional<Challenge> find_challenge(std::string_view header, std::string_view scheme) {
    for (Challenge& challenge : parse(header))
        if (challenge.scheme == scheme) return std::move(challenge);
    return std::nullopt;
}

} // namespace opcat::image
