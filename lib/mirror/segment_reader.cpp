#include "opcat/mirror/segment_reader.hpp"

#include "opcat/base/error.hpp"
#include "opcat/mirror/archive_format.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace opcat {
namespace {

constexpr size_t buffer_size = size_t{256} << 10;

// Octal digits, and blanks or a zero byte after them.
uint64_t octal(std::string_view text) {
    uint64_t value = 0;
    for (const char c : text) {
        if (c == ' ' || c == '\0') break;
        if (c < '0' || c > '7') throw Error("an entry has no valid size");
        value = value * 8 + static_cast<uint64_t>(c - '0');
    }
    return value;
}

} // namespace

std::optional<SegmentEntry> next_entry(const RegularFile& file, uint64_t& at) {
    std::array<char, tar_block> header{};
    if (file.read_at(at, header) != header.size()) throw Error("it ends too early");
    if (std::all_of(header.begin(), header.end(), [](char c) { return c == '\0'; })) return std::nullopt;
    const std::string_view all(header.data(), header.size());
    unsigned sum = 0;
    for (size_t i = 0; i < all.size(); ++i)
        sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(all[i]);
    if (octal(all.substr(148, 8)) != sum) throw Error("the head of an entry is damaged");
    if (all[156] != '0') throw Error("it has an entry that opcat does not write");
    const std::string_view name = all.substr(0, 100);
    SegmentEntry entry{std::string(name.substr(0, name.find('\0'))), at + tar_block,
                       octal(all.substr(124, 12))};
    if (entry.size > file.size() || entry.at > file.size() - entry.size) throw Error("it ends too early");
    at = entry.at + (entry.size + tar_block - 1) / tar_block * tar_block;
    return entry;
}

void read_part(const RegularFile& file, uint64_t at, uint64_t size,
               const std::function<void(std::string_view)>& take) {
    std::string buffer(static_cast<size_t>(std::min<uint64_t>(buffer_size, std::max<uint64_t>(size, 1))),
                       '\0');
    for (uint64_t done = 0; done < size;) {
        const auto wanted = static_cast<size_t>(std::min<uint64_t>(buffer.size(), size - done));
        const size_t got = file.read_at(at + done, std::span(buffer.data(), wanted));
        if (got == 0) throw Error("it ends too early");
        take(std::string_view(buffer.data(), got));
        done += got;
    }
}

} // namespace opcat
