// What is wrong with the text of an expression, in cel-go's layout, because OLM shows that to users.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cel {

// The text as code points, in which all positions count.
class Source {
public:
    explicit Source(std::string_view text);

    const std::u32string& text() const { return text_; }
    // A part as UTF-8.
    std::string part(size_t begin, size_t end) const;

private:
    std::u32string text_;
};

class Issues {
public:
    void add(size_t position, std::string message) { issues_.push_back({position, std::move(message)}); }
    bool empty() const { return issues_.empty(); }

    // Each with its line and a mark under the place, by place.
    std::string to_text(const Source& source) const;

private:
    struct Issue {
        size_t position;
        std::string message;
    };
    std::vector<Issue> issues_;
};

} // namespace opcat::cel
