#include "base/source_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <numeric>

namespace opcat {
namespace {

// How many of the bytes are as `is` (without branches) wants them. Counted in lanes of a byte each, of which
// compilers make vector instructions, and which are emptied before they overflow.
template <typename Is>
uint32_t count_bytes(std::string_view text, Is is) {
    constexpr size_t lanes = 32;
    uint32_t count = 0;
    size_t at = 0;
    while (text.size() - at >= lanes) {
        std::array<uint8_t, lanes> counts{};
        const size_t rounds = std::min<size_t>((text.size() - at) / lanes, UINT8_MAX);
        for (size_t round = 0; round < rounds; ++round, at += lanes)
            for (size_t i = 0; i < lanes; ++i)
                counts[i] = static_cast<uint8_t>(counts[i] + static_cast<uint8_t>(is(text[at + i])));
        count = std::accumulate(counts.begin(), counts.end(), count);
    }
    return count +
           static_cast<uint32_t>(std::count_if(text.begin() + static_cast<ptrdiff_t>(at), text.end(), is));
}

} // namespace

SourceFile::SourceFile(std::string path, std::string_view bytes)
    : path_(std::move(path)), size_(bytes.size()) {
    const auto buffer = std::make_shared_for_overwrite<char[]>(size_ + padding);
    std::memcpy(buffer.get(), bytes.data(), size_);
    std::memset(buffer.get() + size_, 0, padding);
    buffer_ = buffer;
}

SourceFile::SourceFile(std::string path, std::shared_ptr<const char[]> buffer, size_t size)
    : path_(std::move(path)), buffer_(std::move(buffer)), size_(size) {}

SourceFile::Counts SourceFile::count(std::string_view text, Counts before) {
    const auto is_line_break = [](char c) { return c == '\n'; };
    const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    return {before.line_breaks + count_bytes(text, is_line_break),
            before.characters + count_bytes(text, begins_character)};
}

const std::vector<SourceFile::Counts>& SourceFile::counts() const {
    std::call_once(counted_, [this] {
        counts_.reserve(size_ / block + 1);
        counts_.push_back({});
        for (size_t at = 0; at + block <= size_; at += block)
            counts_.push_back(count(bytes().substr(at, block), counts_.back()));
    });
    return counts_;
}

SourceFile::Counts SourceFile::counts_before(size_t offset) const {
    const size_t in_block = offset % block;
    return count(bytes().substr(offset - in_block, in_block), counts()[offset / block]);
}

size_t SourceFile::end_of_line(uint32_t number) const {
    // The line break is in the last block before which there are fewer.
    const auto next =
        std::lower_bound(counts().begin(), counts().end(), number,
                         [](const Counts& c, uint32_t breaks) { return c.line_breaks < breaks; });
    size_t at = static_cast<size_t>(next - counts().begin() - 1) * block;
    for (uint32_t breaks = std::prev(next)->line_breaks;; ++at) {
        at = bytes().find('\n', at);
        if (at == bytes().npos || ++breaks == number) return std::min(at, size_);
    }
}

Position SourceFile::position(uint32_t offset) const {
    offset = std::min(offset, static_cast<uint32_t>(size_));
    const Counts before = counts_before(offset);
    const size_t line_start = before.line_breaks == 0 ? 0 : end_of_line(before.line_breaks) + 1;
    const uint32_t column = before.characters - counts_before(line_start).characters + 1;
    const bool after_mark = line_start == 0 && column > 1 && bytes().starts_with("\xef\xbb\xbf");
    return {before.line_breaks + 1,
            after_mark ? column - 1 : column}; // editors do not show a byte order mark
}

std::string_view SourceFile::line(uint32_t number) const {
    if (number == 0) return {};
    const size_t begin = number == 1 ? 0 : end_of_line(number - 1) + 1;
    if (begin > size_) return {};
    std::string_view text = bytes().substr(begin, end_of_line(number) - begin);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

} // namespace opcat
