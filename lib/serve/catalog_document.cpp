#include "opcat/serve/catalog_document.hpp"

#include "opcat/base/platform.hpp"
#include "opcat/base/shared_library.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/serve/libraries.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

namespace opcat::serve {
namespace {

struct DocumentBlob {
    const Blob* blob;
    std::string_view schema;
    AnyBlob any;
};

// In the order of the files, and within a file of their places. Blobs that the program has made are in the
// order in which catalogs are written.
std::vector<DocumentBlob> in_document_order(const Catalog& catalog) {
    std::unordered_map<const SourceFile*, size_t> order;
    for (const auto& storage : catalog.storage)
        for (const auto& file : storage->files) order.emplace(file.get(), order.size());
    std::vector<DocumentBlob> blobs;
    const auto add = [&](const auto& some, std::string_view schema) {
        for (const auto& blob : some) blobs.push_back({&blob, schema, &blob});
    };
    add(catalog.packages, schema::package);
    add(catalog.channels, schema::channel);
    add(catalog.bundles, schema::bundle);
    add(catalog.deprecations, schema::deprecations);
    for (const OtherBlob& blob : catalog.others) blobs.push_back({&blob, blob.schema, &blob});
    const auto place = [&](const DocumentBlob& blob) {
        const auto found = order.find(blob.blob->file);
        return std::pair(found == order.end() ? order.size() : found->second, blob.blob->value.offset());
    };
    std::stable_sort(blobs.begin(), blobs.end(),
                     [&](const DocumentBlob& a, const DocumentBlob& b) { return place(a) < place(b); });
    return blobs;
}

void append_line(std::string& out, const DocumentBlob& blob) {
    Arena arena;
    Value value = blob.blob->value;
    if (!blob.blob->file) value = std::visit([&](const auto* b) { return to_value(*b, arena); }, blob.any);
    append_compact_json(out, normalised(value, arena));
    out += '\n';
}

// The amount of text that is formatted or compressed at a time, on all threads, before it is appended: the
// additional memory.
constexpr size_t window_blobs = 64;

} // namespace

CatalogDocument::MemoryReturn::~MemoryReturn() {
    return_free_memory();
}

CatalogDocument::CatalogDocument(std::time_t last_modified, size_t expected_bytes)
    : hash_(std::in_place), last_modified_(last_modified) {
    reserve(expected_bytes);
}

// Untouched capacity takes no memory; moving the text does.
void CatalogDocument::reserve(size_t capacity) {
    auto larger = std::make_shared_for_overwrite<char[]>(capacity + SourceFile::padding);
    if (text_size_ > 0) std::memcpy(larger.get(), text_.get(), text_size_);
    text_ = std::move(larger);
    text_capacity_ = capacity;
}

void CatalogDocument::append(std::string_view text) {
    if (text_capacity_ - text_size_ < text.size())
        reserve(std::max(text_size_ + text.size(), text_size_ + text_size_ / 2));
    std::memcpy(text_.get() + text_size_, text.data(), text.size());
    text_size_ += text.size();
}

std::unique_ptr<SourceFile> CatalogDocument::as_file(std::string name) const {
    return std::make_unique<SourceFile>(std::move(name), text_, text_size_);
}

void CatalogDocument::follow(const CatalogDocument& earlier) {
    if (digest_ == earlier.digest_)
        last_modified_ = earlier.last_modified_;
    else
        last_modified_ = std::max(last_modified_, earlier.last_modified_ + 1);
}

CatalogDocument::CatalogDocument(const Catalog& catalog, std::time_t last_modified, ThreadPool& pool)
    : CatalogDocument(last_modified, [&] {
          size_t bytes = 0;
          for (const auto& storage : catalog.storage)
              for (const auto& file : storage->files) bytes += file->bytes().size();
          return bytes + bytes / 8;
      }()) {
    add(catalog, pool);
    finish();
}

void CatalogDocument::add(const Catalog& catalog, ThreadPool& pool) {
    const std::vector<DocumentBlob> blobs = in_document_order(catalog);
    std::vector<std::string> texts(window_blobs);
    for (size_t at = 0; at < blobs.size(); at += window_blobs) {
        const size_t count = std::min(window_blobs, blobs.size() - at);
        pool.for_each(count, [&](size_t i) {
            texts[i].clear();
            append_line(texts[i], blobs[at + i]);
        });
        for (size_t i = 0; i < count; ++i) {
            const DocumentBlob& blob = blobs[at + i];
            lines_.push_back({.begin = text_size_, .size = texts[i].size()});
            keys_.push_back({std::string(blob.schema), std::string(blob.blob->package.text),
                             std::string(blob.blob->name.text)});
            append(texts[i]);
            hash_->update(texts[i]);
        }
    }
}

void CatalogDocument::finish() {
    std::memset(text_.get() + text_size_, 0, SourceFile::padding);
    digest_ = hash_->finish_hex();
    hash_.reset();
    for (uint32_t i = 0; i < lines_.size(); ++i) {
        if (keys_[i].schema.empty()) continue; // no question finds it
        by_schema_[keys_[i].schema].push_back(i);
        by_package_[keys_[i].package].push_back(i);
        by_name_[keys_[i].name].push_back(i);
    }
}

CatalogDocument::LineView CatalogDocument::line(size_t index) const {
    const Keys& keys = keys_[index];
    return {keys.schema, keys.package, keys.name, text().substr(lines_[index].begin, lines_[index].size)};
}

size_t CatalogDocument::count(std::string_view schema) const {
    const auto found = by_schema_.find(schema);
    return found == by_schema_.end() ? 0 : found->second.size();
}

std::vector<uint32_t> CatalogDocument::matching(const BlobQuery& query) const {
    const std::vector<uint32_t>* candidates = nullptr;
    const auto narrow = [&](const Index& index, const std::string& wanted) {
        if (wanted.empty()) return;
        static const std::vector<uint32_t> none;
        const auto found = index.find(wanted);
        const std::vector<uint32_t>& some = found == index.end() ? none : found->second;
        if (!candidates || some.size() < candidates->size()) candidates = &some;
    };
    narrow(by_schema_, query.schema);
    narrow(by_package_, query.package);
    narrow(by_name_, query.name);
    assert(candidates);
    const auto meets = [](const std::string& wanted, const std::string& value) {
        return wanted.empty() || wanted == value;
    };
    std::vector<uint32_t> found;
    for (const uint32_t line : *candidates) {
        const Keys& keys = keys_[line];
        if (meets(query.schema, keys.schema) && meets(query.package, keys.package) &&
            meets(query.name, keys.name))
            found.push_back(line);
    }
    return found;
}

namespace {

// Pieces that follow each other become one.
void add_piece(DocumentPart& part, std::string_view piece) {
    part.size += piece.size();
    if (!part.pieces.empty()) {
        std::string_view& last = part.pieces.back();
        if (last.data() + last.size() == piece.data()) {
            last = {last.data(), last.size() + piece.size()};
            return;
        }
    }
    part.pieces.push_back(piece);
}

} // namespace

DocumentPart CatalogDocument::find(const BlobQuery& query) const {
    DocumentPart part;
    if (query.is_empty()) {
        add_piece(part, text());
        return part;
    }
    for (const uint32_t line : matching(query))
        add_piece(part, text().substr(lines_[line].begin, lines_[line].size));
    return part;
}

namespace {

// Raw deflate data of one line, which ends at a byte and refers to nothing before it.
std::string deflated(std::string_view line) {
    constexpr int level = 6;
    constexpr int raw = -15;
    constexpr int memory = 8;
    const Zlib& zlib = libz();
    z_stream stream{};
    if (zlib.deflateInit2_(&stream, level, Z_DEFLATED, raw, memory, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                           static_cast<int>(sizeof stream)) != Z_OK)
        throw std::bad_alloc();
    const std::unique_ptr<z_stream, decltype(zlib.deflateEnd)> end(&stream, zlib.deflateEnd);
    // A full flush adds five bytes at most to what deflateBound() allows for.
    std::string out(zlib.deflateBound(&stream, line.size()) + 16, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(line.data())); // only read
    stream.avail_in = static_cast<uInt>(line.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int result = zlib.deflate(&stream, Z_FULL_FLUSH);
    out.resize(out.size() - stream.avail_out);
    assert(result == Z_OK && stream.avail_in == 0);
    static_cast<void>(result);
    return out;
}

constexpr std::string_view gzip_header("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
constexpr std::string_view last_block("\x03\0", 2);

void append_little_endian(std::string& out, uint32_t number) {
    for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>((number >> shift) & 0xffU);
}

} // namespace

void CatalogDocument::compress(ThreadPool& pool) {
    compressed_.clear(); // of an attempt for which there was not enough memory
    std::vector<std::string> texts(window_blobs);
    for (size_t at = 0; at < lines_.size(); at += window_blobs) {
        const size_t count = std::min(window_blobs, lines_.size() - at);
        pool.for_each(count, [&](size_t i) {
            Line& line = lines_[at + i];
            const std::string_view text = {text_.get() + line.begin, line.size};
            texts[i] = deflated(text);
            line.checksum = static_cast<uint32_t>(
                libz().crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
        });
        for (size_t i = 0; i < count; ++i) {
            lines_[at + i].compressed_begin = compressed_.size();
            lines_[at + i].compressed_size = texts[i].size();
            compressed_ += texts[i];
        }
    }
    compressed_.shrink_to_fit();
    is_compressed_.store(true, std::memory_order_release);
}

std::optional<DocumentPart> CatalogDocument::find_compressed(const BlobQuery& query,
                                                             std::string& header_and_trailer) const {
    if (!is_compressed()) return std::nullopt;
    std::vector<std::string_view> pieces;
    DocumentPart part;
    uint32_t checksum = 0;
    uint32_t size = 0;
    const auto add = [&](const Line& line) {
        add_piece(part, std::string_view(compressed_).substr(line.compressed_begin, line.compressed_size));
        checksum = static_cast<uint32_t>(
            libz().crc32_combine(checksum, line.checksum, static_cast<z_off_t>(line.size)));
        size += static_cast<uint32_t>(line.size); // modulo 2^32, as the format wants it
    };
    if (query.is_empty())
        for (const Line& line : lines_) add(line);
    else
        for (const uint32_t line : matching(query)) add(lines_[line]);

    header_and_trailer = gzip_header;
    header_and_trailer += last_block;
    append_little_endian(header_and_trailer, checksum);
    append_little_endian(header_and_trailer, size);
    const std::string_view ends = header_and_trailer;
    part.pieces.insert(part.pieces.begin(), ends.substr(0, gzip_header.size()));
    part.pieces.push_back(ends.substr(gzip_header.size()));
    part.size += ends.size();
    return part;
}

LoadedCatalog load_text(std::string_view text, ThreadPool& pool) {
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(std::make_unique<SourceFile>("catalog.jsonl", text));
    return load_catalog(std::move(files), pool);
}

LoadedCatalog load_lines(const CatalogDocument& document, const std::vector<size_t>& lines,
                         ThreadPool& pool) {
    std::string text;
    for (const size_t line : lines) text += document.line(line).text;
    return load_text(text, pool);
}

LoadedCatalog load_all(const CatalogDocument& document, ThreadPool& pool) {
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(document.as_file("catalog.jsonl"));
    return load_catalog(std::move(files), pool);
}

} // namespace opcat::serve
