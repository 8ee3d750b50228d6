#include "opcat/lint/split_blobs.hpp"

#include "opcat/catalog/members.hpp"
#include "opcat/document/source_lines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

namespace opcat {
namespace {

using Place = std::pair<const SourceFile*, uint32_t>;

struct KnownBlob {
    const Blob* blob;
    const go::Type* type;
};

std::map<Place, KnownBlob> known_blobs(const Catalog& catalog) {
    std::map<Place, KnownBlob> all;
    for_each_schema(catalog, [&](const auto& blobs, const go::Type& type) {
        for (const Blob& blob : blobs)
            if (blob.file) all[{blob.file, blob.value.offset()}] = {&blob, &type};
    });
    return all;
}

// Whether an object can be the rest of a blob.
bool continues(const Value& rest, const KnownBlob& before) {
    if (!rest.is_object() || rest.members().empty()) return false;
    return std::ranges::all_of(rest.members(), [&](const Member& member) {
        return before.type->field_in_any_case(member.key.string()) &&
               !before.blob->value.find(member.key.string());
    });
}

// The last line "---" before a document.
Location separator_before(const SourceFile& file, uint32_t document) {
    const size_t at = file.bytes().substr(0, document).rfind("\n---");
    return at == std::string_view::npos ? Location() : Location{&file, static_cast<uint32_t>(at + 1), 3};
}

} // namespace

void explain_split_blobs(const LoadedCatalog& loaded, Diagnostics& findings) {
    std::map<Place, const Blob*> refused;
    std::map<Place, KnownBlob> known;
    for (Diagnostic& finding : findings) {
        if (finding.rule != "schema-missing" || !finding.where || finding.is_rest) continue;
        if (refused.empty()) {
            for (const Blob& blob : loaded.refused) refused[{blob.file, blob.value.offset()}] = &blob;
            known = known_blobs(loaded.catalog);
        }
        const Place place{finding.where.file, finding.where.offset};
        const auto rest = refused.find(place);
        auto before = known.lower_bound(place);
        if (rest == refused.end() || before == known.begin()) continue;
        --before;
        // Nothing is between them.
        const auto other = refused.lower_bound({place.first, before->first.second});
        const Location separator = separator_before(*place.first, place.second);
        if (before->first.first != place.first || other != rest || !separator ||
            separator.offset < before->first.second || !continues(rest->second->value, before->second))
            continue;
        const Blob& blob = *before->second.blob;
        finding.where = separator;
        finding.message = fmt::format("this line cuts the {}{} before it in two", before->second.type->title,
                                      blob.name.empty() ? "" : fmt::format(" \"{}\"", blob.name.text));
        finding.help = "remove it: the fields below it are missing in that blob";
        finding.explains = {.blob = true, .upgrades = false, .packages = {std::string(blob.package.text)}};
    }
}

} // namespace opcat
