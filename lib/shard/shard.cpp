#include "opcat/shard/shard.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace opcat {
namespace {

std::optional<unsigned> number(std::string_view text) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// Returns the part of an item that decides its shard: the digest by which it names its image, or all of it.
std::string_view identity(std::string_view item) {
    constexpr std::string_view mark = "@sha256:";
    const size_t digest = item.rfind(mark);
    return digest == item.npos ? item : item.substr(digest + 1);
}

} // namespace

Shard Shard::parse(std::string_view text) {
    const size_t slash = text.find('/');
    const auto index = number(text.substr(0, slash));
    const auto count = slash == text.npos ? std::nullopt : number(text.substr(slash + 1));
    if (!index || !count || *count == 0)
        throw RequestError(fmt::format("{} is not a shard", go_quote(text)),
                           "write INDEX/COUNT, for example 0/16 to 15/16");
    if (*index >= *count)
        throw RequestError(fmt::format("there is no shard {} of {}", *index, *count),
                           fmt::format("shards are numbered from 0 to {}", *count - 1));
    if (*count > most)
        throw RequestError(fmt::format("{} shards are more than the limit of {}", *count, most));
    return {*index, *count};
}

std::string Shard::to_string() const {
    return fmt::format("{}/{}", index, count);
}

std::string Shard::file_stem() const {
    return fmt::format("shard-{}-of-{}", index, count);
}

std::vector<size_t> items_of(const Shard& shard, std::span<const std::string> items) {
    // Hashes make the order independent of the list's, in which large images are often neighbours.
    std::map<std::string, std::vector<size_t>> by_hash;
    for (size_t i = 0; i < items.size(); ++i) by_hash[sha256_hex(identity(items[i]))].push_back(i);
    std::vector<size_t> own;
    size_t rank = 0;
    for (const auto& [hash, equal] : by_hash)
        if (rank++ % shard.count == shard.index) own.insert(own.end(), equal.begin(), equal.end());
    std::sort(own.begin(), own.end());
    return own;
}

} // namespace opcat
