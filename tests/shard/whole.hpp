// Catalogs rendered by several shards, against the output of one machine.
#pragma once

#include "../catalog/catalog_text.hpp"
#include "../choices.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/shard/merge.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <vector>

namespace opcat::test {

// Few names, so that many blobs have the same one, which shows the order of opm's unstable sort.
inline std::string catalog_of_few_names(Choices& choices) {
    const auto pick = [&](std::string_view letters) { return choices.any_of(letters); };
    std::string text;
    size_t serial = 0; // tells blobs of one name apart
    for (size_t i = choices.below(40); i > 0; --i, ++serial) {
        const char package = pick("pq ");
        const std::string in_package = package == ' ' ? "" : fmt::format(", package: {}", package);
        switch (choices.below(5)) {
        case 0:
            text += fmt::format("---\n{{schema: olm.package, name: {}, description: d{}}}\n", pick("pqr"),
                                serial);
            break;
        case 1:
            text += fmt::format("---\n{{schema: olm.channel, name: {}{}, entries: [{{name: e{}}}]}}\n",
                                pick("abc"), in_package, serial);
            break;
        case 2:
            text += fmt::format("---\n{{schema: olm.bundle, name: {}, image: 'r.example/i:{}'{}}}\n",
                                pick("xyz"), serial, in_package);
            break;
        case 3:
            text += fmt::format("---\n{{schema: olm.deprecations, entries: [{{message: m{}}}]{}}}\n", serial,
                                in_package);
            break;
        default:
            text += fmt::format("---\n{{schema: other.{}, n: {}{}}}\n", pick("abc"), serial, in_package);
        }
    }
    return text;
}

inline void add_blobs(PartWriter& writer, const Catalog& catalog, Format format) {
    for (const AnyBlob& blob : blobs_of(catalog)) {
        std::string text;
        append_blob(text, blob, format);
        const BlobKey key = key_of(blob);
        writer.add(text, static_cast<uint8_t>(key.kind), key.package, key.name);
    }
}

inline std::string merged(const std::filesystem::path& directory) {
    std::vector<Part> parts;
    for (const std::filesystem::path& file : find_parts(directory)) parts.push_back(read_part(file));
    require_whole_run(parts);
    std::string text;
    merge_parts(parts, [&](std::string_view piece) { text += piece; });
    return text;
}

struct ShardsAndWhole {
    std::string merged;
    std::string whole;
};

inline ShardsAndWhole render_in_shards(Choices& choices, ThreadPool& pool) {
    const Format format = choices.one_in(2) ? Format::json : Format::yaml;
    std::vector<std::string> texts(1 + choices.below(12));
    std::vector<std::string> names;
    Catalog whole;
    for (std::string& text : texts) {
        text = catalog_of_few_names(choices);
        names.push_back(fmt::format("catalog-{}", names.size()));
        append(whole, std::move(load_text(text).catalog));
    }
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    const auto shards = static_cast<unsigned>(1 + choices.below(5));
    for (unsigned index = 0; index < shards; ++index) {
        PartWriter writer(directory.path(), {index, shards}, {ShardOutput::blobs, "1", "x", texts.size()});
        for (const size_t item : items_of({index, shards}, names)) {
            writer.begin(item, names[item]);
            add_blobs(writer, load_text(texts[item]).catalog, format);
        }
        writer.commit();
    }
    return {merged(directory.path()), written(whole, format, pool)};
}

} // namespace opcat::test
