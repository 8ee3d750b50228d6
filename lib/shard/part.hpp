// The result of a shard: two files, NAME.data with the output of its items, one after the other, and
// NAME.json, the index of it. The index is written last: a part that has one is complete.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/file.hpp"
#include "opcat/document/value.hpp"
#include "opcat/shard/shard.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// The way in which the parts of a run are put together again.
enum class ShardOutput : uint8_t {
    blobs,    // of catalogs: in opm's order of all blobs
    findings, // a report of schema opcat.findings.v1 for each item
    lines,    // in the order of the items
};

// The settings that all machines of a run must agree on, or their parts do not fit together.
struct RunOfShards {
    ShardOutput output = ShardOutput::lines;
    std::string version; // of opcat
    std::string digest;  // of the options that the output depends on, and of all items
    size_t items = 0;    // of all shards
    // Of the local files that the output of one shard depends on; empty: there are none. Shards of one run
    // have different ones.
    std::string content = {};
};

// The digest for a run: of a text that says what is asked for, and of the items.
std::string run_digest(std::string_view request, std::span<const std::string> items);

// The digest of the contents of the files and directories among these paths, as far as they can be read;
// empty if there are none.
std::string content_digest(const std::vector<std::string>& paths);

// A stretch of the data. For blobs also what decides its place (catalog/write.hpp).
struct Piece {
    uint64_t offset = 0;
    uint64_t size = 0;
    uint8_t kind = 0; // BlobKind
    std::string_view package;
    std::string_view name;
};

// Why there is no output for an item.
struct ItemFailure {
    std::string message;
    std::string hint;
    int exit_status = 0; // that a run of its own would have had
    bool temporary = false;
};

struct FailedItem {
    std::string reference;
    ItemFailure failure;
};

class PartWriter {
public:
    // Makes `directory` if it is missing. Throws Error.
    PartWriter(const std::filesystem::path& directory, const Shard& shard, const RunOfShards& run);

    // For each item once, ascending: `begin`, then its pieces or its failure. Throws Error.
    void begin(size_t item, std::string_view reference);
    void add(std::string_view text, uint8_t kind = 0, std::string_view package = {},
             std::string_view name = {});
    void fail(const ItemFailure& failure);

    // So far, in the order of the items.
    const std::vector<FailedItem>& failures() const { return failures_; }
    // Puts both files in their places. Throws Error.
    void commit();

private:
    std::filesystem::path stem_;
    StagedFile data_;
    std::string index_;
    std::string end_of_item_; // what closes the current one
    size_t pieces_ = 0;       // that it has
    std::string reference_;   // of the current one
    std::vector<FailedItem> failures_;
};

struct PartItem {
    size_t item = 0;
    std::string_view reference;
    std::vector<Piece> pieces;
    std::optional<ItemFailure> failure = {};
};

// A part as it was read; items refer to its own memory.
struct Part {
    std::filesystem::path index_file;
    std::filesystem::path data_file;
    Shard shard;
    RunOfShards run;
    std::vector<PartItem> items; // ascending
    std::unique_ptr<SourceFile> text = {};
    Arena arena = {};
};

// Throws Error for a file that cannot be read or is damaged, or data of another size than the index says.
Part read_part(const std::filesystem::path& index_file);

// Returns true if there is a complete part of this shard and run, without failures, in `directory`; one
// whose data is lost or cut off is not complete. Throws Error for an index that cannot be read.
bool has_part(const std::filesystem::path& directory, const Shard& shard, const RunOfShards& run);

// The indexes in a directory, by name. Throws Error if there are none.
std::vector<std::filesystem::path> find_parts(const std::filesystem::path& directory);

// Throws RequestError unless these are all parts of one run, each once.
void require_whole_run(std::span<const Part> parts);

} // namespace opcat
