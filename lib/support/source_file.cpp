#include "support/source_file.hpp"

#include <algorithm>
#include <cstring>

namespace opcat {

SourceFile::SourceFile(std::string path, std::string_view bytes)
    : path_(std::move(path)), buffer_(new char[bytes.size() + padding]), size_(bytes.size()) {
    std::memcpy(buffer_.get(), bytes.data(), bytes.size());
    std::memset(buffer_.get() + size_, 0, padding);
}

SourceFile::SourceFile(std::string path, std::unique_ptr<char[]> buffer, size_t size)
    : path_(std::move(path)), buffer_(std::move(buffer)), size_(size) {}

const std::vector<uint32_t>& SourceFile::line_starts() const {
    std::call_once(lines_found_, [this] {
        line_starts_.push_back(0);
        const std::string_view text = bytes();
        for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
            line_starts_.push_back(static_cast<uint32_t>(at + 1));
    });
    return line_starts_;
}

Position SourceFile::position(uint32_t offset) const {
    offset = std::min(offset, static_cast<uint32_t>(size_));
    const auto& starts = line_starts();
    const auto next = std::upper_bound(starts.begin(), starts.end(), offset);
    const auto line = static_cast<uint32_t>(next - starts.begin());
    uint32_t column = 1;
    for (uint32_t at = starts[line - 1]; at < offset; ++at)
        if ((static_cast<unsigned char>(buffer_[at]) & 0xc0) != 0x80) ++column;
    return {line, column};
}

std::string_view SourceFile::line(uint32_t number) const {
    const auto& starts = line_starts();
    if (number == 0 || number > starts.size()) return {};
    const size_t begin = starts[number - 1];
    const size_t end = number < starts.size() ? starts[number] - 1 : size_;
    std::string_view text = bytes().substr(begin, end - begin);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

} // namespace opcat
