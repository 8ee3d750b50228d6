#include "support/source_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace opcat {
namespace {

// Characters that begin in the bytes. Counted in lanes of a byte each, of which compilers make vector
// instructions, and which are emptied before they overflow.
uint32_t count_characters(const char* begin, size_t size) {
    constexpr size_t lanes = 32;
    const auto begins = [](char c) {
        return static_cast<uint8_t>((static_cast<unsigned char>(c) & 0xc0) != 0x80);
    };
    uint32_t count = 0;
    const char* at = begin;
    const char* const end = begin + size;
    while (static_cast<size_t>(end - at) >= lanes) {
        std::array<uint8_t, lanes> counts{};
        const size_t rounds = std::min<size_t>(static_cast<size_t>(end - at) / lanes, UINT8_MAX);
        for (size_t round = 0; round < rounds; ++round, at += lanes)
            for (size_t i = 0; i < lanes; ++i) counts[i] = static_cast<uint8_t>(counts[i] + begins(at[i]));
        count = std::accumulate(counts.begin(), counts.end(), count);
    }
    return std::accumulate(at, end, count, [&](uint32_t sum, char c) { return sum + begins(c); });
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

const SourceFile::Index& SourceFile::index() const {
    std::call_once(indexed_, [this] {
        const std::string_view text = bytes();
        index_.line_starts.push_back(0);
        for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
            index_.line_starts.push_back(static_cast<uint32_t>(at + 1));
        uint32_t characters = 0;
        for (size_t at = 0; at <= size_; at += block) {
            index_.characters_before.push_back(characters);
            characters += count_characters(text.data() + at, std::min<size_t>(block, size_ - at));
        }
    });
    return index_;
}

uint32_t SourceFile::characters_before(uint32_t offset) const {
    const uint32_t rest = offset % block;
    return index().characters_before[offset / block] + count_characters(buffer_.get() + offset - rest, rest);
}

Position SourceFile::position(uint32_t offset) const {
    offset = std::min(offset, static_cast<uint32_t>(size_));
    const auto& starts = index().line_starts;
    const auto next = std::upper_bound(starts.begin(), starts.end(), offset);
    const auto line = static_cast<uint32_t>(next - starts.begin());
    const uint32_t column = characters_before(offset) - characters_before(starts[line - 1]) + 1;
    const bool after_mark = line == 1 && column > 1 && bytes().starts_with("\xef\xbb\xbf");
    return {line, after_mark ? column - 1 : column}; // editors do not show a byte order mark
}

std::string_view SourceFile::line(uint32_t number) const {
    const auto& starts = index().line_starts;
    if (number == 0 || number > starts.size()) return {};
    const size_t begin = starts[number - 1];
    const size_t end = number < starts.size() ? starts[number] - 1 : size_;
    std::string_view text = bytes().substr(begin, end - begin);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

} // namespace opcat
