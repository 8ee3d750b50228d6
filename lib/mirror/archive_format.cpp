#include "opcat/mirror/archive_format.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/manifest.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace opcat {

namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;
constexpr const char* archive_schema = "opcat.mirror-archive.v1";
constexpr std::string_view segment_end = ".tar";
constexpr size_t digits_of_number = 6;
constexpr std::string_view blobs_directory = "blobs/sha256/";

fs::path directory_of(const fs::path& prefix) {
    return prefix.has_parent_path() ? prefix.parent_path() : fs::path(".");
}

const std::string& digest_in(const Json& json, const char* key) {
    const auto at = json.find(key);
    if (at == json.end() || !at->is_string() || !image::is_sha256(at->get_ref<const std::string&>()))
        throw Error(fmt::format("its index has no valid {}", key));
    return at->get_ref<const std::string&>();
}

uint64_t number_in(const Json& json, const char* key) {
    const auto at = json.find(key);
    if (at == json.end() || !at->is_number_unsigned())
        throw Error(fmt::format("its index has no valid {}", key));
    return at->get<uint64_t>();
}

} // namespace

std::string ArchivePiece::path() const {
    const std::string hex = digest.substr(digest.find(':') + 1);
    return std::string(blobs_directory) + hex + (is_whole ? "" : "." + std::to_string(offset));
}

std::optional<ArchivePiece> ArchivePiece::parse(std::string_view path) {
    if (!path.starts_with(blobs_directory)) return std::nullopt;
    path.remove_prefix(blobs_directory.size());
    const size_t dot = path.find('.');
    ArchivePiece piece;
    piece.digest = "sha256:" + std::string(path.substr(0, dot));
    piece.is_whole = dot == path.npos;
    if (!piece.is_whole) {
        const std::string_view digits = path.substr(dot + 1);
        const auto [end, failed] =
            std::from_chars(digits.data(), digits.data() + digits.size(), piece.offset);
        if (failed != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    }
    return image::is_sha256(piece.digest) ? std::optional(std::move(piece)) : std::nullopt;
}

std::string SegmentIndex::to_json() const {
    Json list = Json::array();
    for (const ArchivePiece& piece : pieces) {
        Json one{{"digest", piece.digest}, {"size", piece.size}};
        if (!piece.is_whole) {
            one["offset"] = piece.offset;
            one["content"] = piece.content;
        }
        list.push_back(std::move(one));
    }
    Json json{{"schema", archive_schema},
              {"set", set},
              {"number", number},
              {"last", is_last},
              {"pieces", std::move(list)}};
    if (is_last) {
        json["images"] = images;
        json["after"] = after;
        json["before"] = before;
    }
    return as_document(json);
}

SegmentIndex SegmentIndex::parse(std::string_view text) {
    const Json json = parse_shallow_json<Json>(text).value_or(Json());
    if (!json.is_object() || json.value("schema", Json()) != archive_schema)
        throw Error(fmt::format("its index is not of schema {}", archive_schema));
    SegmentIndex index;
    if (!json.contains("set") || !json["set"].is_string() || !json.contains("last") ||
        !json["last"].is_boolean() || !json.contains("pieces") || !json["pieces"].is_array())
        throw Error("its index lacks fields");
    index.set = json["set"].get<std::string>();
    index.number = number_in(json, "number");
    index.is_last = json["last"].get<bool>();
    for (const Json& one : json["pieces"]) {
        if (!one.is_object()) throw Error("its index lacks fields");
        ArchivePiece piece;
        piece.digest = digest_in(one, "digest");
        piece.size = number_in(one, "size");
        piece.is_whole = !one.contains("offset");
        piece.content = piece.is_whole ? piece.digest : digest_in(one, "content");
        if (!piece.is_whole) piece.offset = number_in(one, "offset");
        index.pieces.push_back(std::move(piece));
    }
    if (!index.is_last) return index;
    index.images = digest_in(json, "images");
    if (const auto after = json.find("after"); after != json.end() && after->is_array())
        for (const Json& set : *after)
            if (set.is_string()) index.after.push_back(set.get<std::string>());
    if (const auto before = json.find("before"); before != json.end() && before->is_object())
        for (const auto& [digest, repository] : before->items())
            if (repository.is_string()) index.before[digest] = repository.get<std::string>();
    return index;
}

fs::path segment_file(const fs::path& prefix, size_t number) {
    return fmt::format("{}-{:06}{}", prefix.string(), number, segment_end);
}

bool is_file_of_archive(const fs::path& file, const fs::path& prefix) {
    std::error_code absent;
    const fs::path place = fs::weakly_canonical(fs::absolute(file), absent);
    const fs::path own = fs::weakly_canonical(fs::absolute(prefix), absent);
    return place.parent_path() == own.parent_path() &&
           place.filename().string().starts_with(own.filename().string() + "-");
}

std::vector<size_t> existing_segments(const fs::path& prefix) {
    const std::string start = prefix.filename().string() + "-";
    std::vector<size_t> numbers;
    std::error_code failure;
    for (fs::directory_iterator at(directory_of(prefix), failure), end; !failure && at != end;
         at.increment(failure)) {
        const std::string name = at->path().filename().string();
        if (!name.starts_with(start) || !name.ends_with(segment_end) ||
            name.size() != start.size() + digits_of_number + segment_end.size())
            continue;
        size_t number = 0;
        const char* const first = name.data() + start.size();
        const auto [rest, wrong] = std::from_chars(first, first + digits_of_number, number);
        if (wrong == std::errc() && rest == first + digits_of_number && number > 0) numbers.push_back(number);
    }
    if (failure && failure != std::errc::no_such_file_or_directory)
        throw Error(fmt::format("cannot read directory {}: {}", directory_of(prefix).string(),
                                system_message(failure.value())));
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

} // namespace opcat
