#include "catalog/write.hpp"

#include "catalog/order.hpp"
#include "catalog/to_value.hpp"
#include "document/json_writer.hpp"
#include "document/yaml_writer.hpp"
#include "support/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opcat {
namespace {

std::string_view name_of(const AnyBlob& blob) {
    return std::visit([](const auto* b) { return b->name.text; }, blob);
}

void append_blob(std::string& out, const AnyBlob& blob, Format format) {
    Arena arena;
    const Value value = std::visit([&arena](const auto* b) { return to_value(*b, arena); }, blob);
    if (format == Format::json) {
        append_json(out, value);
        return;
    }
    out += "---\n";
    if (const Value* const unwritable = append_yaml(out, value)) {
        throw Error(fmt::format("cannot write {} as YAML: a string has a control character or is a key of "
                                "more than 1024 characters ({} bytes long)",
                                name_of(blob).empty() ? "a blob" : name_of(blob),
                                unwritable->string().size()),
                    "write it as JSON (-o json)");
    }
}

// What one thread formats at a time, and how many of them wait to be written.
constexpr size_t blobs_per_piece = 16;
constexpr size_t pieces_at_once = 32;

} // namespace

void write_catalog(const Catalog& catalog, Format format, ThreadPool& pool, const TextSink& sink) {
    struct Piece {
        std::string_view package;
        std::span<const AnyBlob> blobs;
    };
    std::vector<Piece> pieces;
    std::vector<std::string> texts(pieces_at_once); // their memory serves again and again
    const auto write_pieces = [&] {
        pool.for_each(pieces.size(), [&](size_t i) {
            texts[i].clear();
            for (const AnyBlob& blob : pieces[i].blobs) append_blob(texts[i], blob, format);
        });
        for (size_t i = 0; i < pieces.size(); ++i) sink(pieces[i].package, texts[i]);
        pieces.clear();
    };
    const std::vector<PackageBlobs> packages = by_package(catalog);
    for (const PackageBlobs& package : packages) {
        const std::span<const AnyBlob> blobs = package.blobs;
        for (size_t at = 0; at < blobs.size(); at += blobs_per_piece) {
            pieces.push_back(
                {package.package, blobs.subspan(at, std::min(blobs_per_piece, blobs.size() - at))});
            if (pieces.size() == pieces_at_once) write_pieces();
        }
    }
    write_pieces();
}

} // namespace opcat
