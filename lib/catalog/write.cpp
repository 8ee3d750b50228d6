#include "catalog/write.hpp"

#include "base/error.hpp"
#include "catalog/order.hpp"
#include "catalog/to_value.hpp"
#include "document/json_writer.hpp"
#include "document/yaml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

std::string_view name_of(const AnyBlob& blob) {
    return std::visit([](const auto* b) { return b->name.text; }, blob);
}

void append_blob(std::string& out, const AnyBlob& blob, Format format) {
    Arena arena;
    const auto* const bundle = std::get_if<const Bundle*>(&blob);
    const Value value = bundle ? to_value(**bundle, arena, format == Format::json)
                               : std::visit([&arena](const auto* b) { return to_value(*b, arena); }, blob);
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

// What one thread formats at a time, about, and how many of these for each thread wait to be written.
constexpr size_t piece_bytes = size_t{128} * 1024;
constexpr size_t pieces_per_thread = 4;
// To grow into memory that was never touched costs nothing; to move into some that is larger costs a page
// fault for each page, again and again.
constexpr size_t text_capacity = 8 * piece_bytes;

} // namespace

void write_catalog(const Catalog& catalog, Format format, ThreadPool& pool, const TextSink& sink) {
    struct Piece {
        std::string_view package;
        std::span<const AnyBlob> blobs;
    };
    std::vector<Piece> pieces;
    std::vector<std::string> texts(pieces_per_thread * pool.threads()); // their memory serves again and again
    // What is written tells how large a blob is.
    size_t blobs_written = 1;
    size_t bytes_written = piece_bytes / 4;
    const auto write_pieces = [&] {
        pool.for_each(pieces.size(), [&](size_t i) {
            texts[i].clear();
            texts[i].reserve(text_capacity);
            for (const AnyBlob& blob : pieces[i].blobs) append_blob(texts[i], blob, format);
        });
        for (size_t i = 0; i < pieces.size(); ++i) {
            sink(pieces[i].package, texts[i]);
            blobs_written += pieces[i].blobs.size();
            bytes_written += texts[i].size();
        }
        pieces.clear();
    };
    const std::vector<PackageBlobs> packages = by_package(catalog);
    for (const PackageBlobs& package : packages) {
        const std::span<const AnyBlob> blobs = package.blobs;
        for (size_t at = 0; at < blobs.size();) {
            const size_t blobs_per_piece = std::max<size_t>(1, piece_bytes * blobs_written / bytes_written);
            pieces.push_back(
                {package.package, blobs.subspan(at, std::min(blobs_per_piece, blobs.size() - at))});
            at += pieces.back().blobs.size();
            if (pieces.size() == texts.size()) write_pieces();
        }
    }
    write_pieces();
}

} // namespace opcat
