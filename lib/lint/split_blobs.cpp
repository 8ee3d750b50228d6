#include "opcat/lint/split_blobs.hpp"

#include "opcat/catalog/members.hpp"
#include "opcat/document/source_lines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace opcat {
namespace {

// The path of a file, the part that has a piece of it, and the offset in that.
using Place = std::tuple<std::string_view, size_t, uint32_t>;

struct KnownBlob {
    const Blob* blob;
    const go::Type* type;
};

struct Blobs {
    std::map<Place, KnownBlob> known;
    std::map<Place, const Blob*> others;
    std::map<std::pair<const SourceFile*, uint32_t>, Place> places; // of others

    explicit Blobs(std::span<const LoadedCatalog* const> parts) {
        for (size_t i = 0; i < parts.size(); ++i) {
            const auto place_of = [&](const Blob& blob) {
                return Place{blob.file->path(), i, blob.value.offset()};
            };
            // Blobs of other schemas have no type to tell whose rest it is.
            for_each_schema(parts[i]->catalog, [&](const auto& blobs, const go::Type& type) {
                for (const Blob& blob : blobs)
                    if (blob.file) known[place_of(blob)] = {&blob, &type};
            });
            const auto add_other = [&](const Blob& blob) {
                if (!blob.file) return;
                others[place_of(blob)] = &blob;
                places.emplace(std::pair{blob.file, blob.value.offset()}, place_of(blob));
            };
            for (const Blob& blob : parts[i]->refused) add_other(blob);
            for (const Blob& blob : parts[i]->catalog.others) add_other(blob);
        }
    }
};

// Returns true if an object can be the rest of a blob.
bool continues(const Value& rest, const KnownBlob& before) {
    if (!rest.is_object() || rest.members().empty()) return false;
    return std::ranges::all_of(rest.members(), [&](const Member& member) {
        return before.type->field_in_any_case(member.key.string()) &&
               !before.blob->value.find(member.key.string());
    });
}

// The last line "---" before a document.
Location separator_before(const SourceFile& file, uint32_t document) {
    const std::string_view bytes = file.bytes().substr(0, document);
    const size_t at = bytes.rfind("\n---");
    if (at != bytes.npos) return {&file, static_cast<uint32_t>(at + 1), 3};
    return bytes.starts_with("---") ? Location{&file, 0, 3} : Location();
}

} // namespace

void explain_split_blobs(std::span<const LoadedCatalog* const> parts, Diagnostics& findings) {
    std::optional<Blobs> blobs;
    for (Diagnostic& finding : findings) {
        if (finding.rule != "schema-missing" || !finding.where || finding.is_rest) continue;
        if (!blobs) blobs.emplace(parts);
        const auto place = blobs->places.find({finding.where.file, finding.where.offset});
        if (place == blobs->places.end()) continue;
        const auto rest = blobs->others.find(place->second);
        auto before = blobs->known.lower_bound(place->second);
        if (before == blobs->known.begin()) continue;
        --before;
        const auto& [path, part, offset] = before->first;
        const auto& [path_of_rest, part_of_rest, offset_of_rest] = rest->first;
        // Nothing is between them.
        const Location separator = separator_before(*finding.where.file, finding.where.offset);
        if (path != path_of_rest || blobs->others.lower_bound(before->first) != rest || !separator ||
            (part == part_of_rest && separator.offset < offset) ||
            !continues(rest->second->value, before->second))
            continue;
        const Blob& blob = *before->second.blob;
        finding.where = separator;
        finding.message = fmt::format("this line cuts the {}{} before it in two", before->second.type->title,
                                      blob.name.empty() ? "" : fmt::format(" \"{}\"", blob.name.text));
        finding.help = "remove it: the fields below it are missing in that blob";
        finding.explains = {.blob = true,
                            .blob_at = blob.start(),
                            .upgrades = false,
                            .packages = {std::string(blob.package.text)}};
    }
}

} // namespace opcat
