// A catalog as catalogd publishes it: JSON lines, one blob in each (docs/serving.md).
#pragma once

#include "opcat/base/digest.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat::serve {

// Conditions on a blob's own fields. Empty: any value.
struct BlobQuery {
    std::string schema;
    std::string package;
    std::string name;

    bool is_empty() const { return schema.empty() && package.empty() && name.empty(); }
};

// Pieces of text, one after the other, in the document's memory.
struct DocumentPart {
    std::vector<std::string_view> pieces;
    uint64_t size = 0;
};

class CatalogDocument {
public:
    // `last_modified`: when the catalog changed, in seconds since 1970. `expected_bytes`: the approximate
    // length of the text; it is copied if it becomes longer.
    explicit CatalogDocument(std::time_t last_modified, size_t expected_bytes = 0);
    // Adds every blob as a line of compact JSON, its keys sorted at every depth, in the order of the files.
    // Parts of a catalog are added in order; the document must not be read before finish().
    void add(const Catalog& catalog, ThreadPool& pool);
    void finish();
    // Makes the document of a whole catalog.
    CatalogDocument(const Catalog& catalog, std::time_t last_modified, ThreadPool& pool);

    std::string_view text() const { return {text_.get(), text_size_}; }
    // The text, which the file keeps alive and does not copy.
    std::unique_ptr<SourceFile> as_file(std::string name) const;
    std::time_t last_modified() const { return last_modified_; }
    // Before it is served in place of an earlier version: a client that asks for what is newer than that one
    // gets this one, also if both have a file of the same second, or this one has an older file.
    void follow(const CatalogDocument& earlier);
    // The digest of the text, in hex: equal texts have equal digests, on every machine.
    const std::string& digest() const { return digest_; }
    // The blobs as lines, each with the line feed at its end.
    struct LineView {
        std::string_view schema;
        std::string_view package;
        std::string_view name;
        std::string_view text;
    };
    size_t lines() const { return lines_.size(); }
    LineView line(size_t index) const;
    // The indices of the lines of the blobs that meet all conditions, of which there is one.
    std::vector<uint32_t> lines_of(const BlobQuery& query) const { return matching(query); }
    // The number of blobs of this schema.
    size_t count(std::string_view schema) const;

    // The lines of the blobs that meet all conditions. With an empty query: the whole text.
    DocumentPart find(const BlobQuery& query) const;
    // The same compressed by gzip; nothing before compress() has ended. `header_and_trailer` receives the
    // bytes before and after those of the document; the pieces refer to it as well.
    std::optional<DocumentPart> find_compressed(const BlobQuery& query,
                                                std::string& header_and_trailer) const;

    // Compresses each line so that any selection of them forms one compressed answer. To be called once;
    // other threads may request parts at the same time. Takes about a second for 50 MB.
    void compress(ThreadPool& pool);
    bool is_compressed() const { return is_compressed_.load(std::memory_order_acquire); }

private:
    struct Line {
        uint64_t begin;
        uint64_t size;
        uint64_t compressed_begin = 0;
        uint64_t compressed_size = 0;
        uint32_t checksum = 0;
    };
    struct Keys {
        std::string schema;
        std::string package;
        std::string name;
    };
    using Index = std::unordered_map<std::string_view, std::vector<uint32_t>>;

    // In their order.
    std::vector<uint32_t> matching(const BlobQuery& query) const;

    void reserve(size_t capacity);
    void append(std::string_view text);

    // An old version ends with its last reader, and then its memory goes back to the system.
    struct MemoryReturn {
        MemoryReturn() = default;
        MemoryReturn(const MemoryReturn&) = delete;
        MemoryReturn& operator=(const MemoryReturn&) = delete;
        ~MemoryReturn();
    };
    MemoryReturn last_;            // the first member is destroyed last
    std::shared_ptr<char[]> text_; // followed by the padding of a SourceFile
    size_t text_size_ = 0;
    size_t text_capacity_ = 0;
    std::optional<Sha256> hash_; // until finish()
    std::string digest_;
    std::time_t last_modified_;
    std::vector<Line> lines_;
    std::vector<Keys> keys_; // of each line
    Index by_schema_;
    Index by_package_;
    Index by_name_;
    std::string compressed_;
    std::atomic<bool> is_compressed_ = false;
};

// Text of such a document as a catalog.
LoadedCatalog load_text(std::string_view text, ThreadPool& pool);
// Some lines of a document, as a catalog of their own.
LoadedCatalog load_lines(const CatalogDocument& document, const std::vector<size_t>& lines, ThreadPool& pool);

// All of a document.
LoadedCatalog load_all(const CatalogDocument& document, ThreadPool& pool);

} // namespace opcat::serve
