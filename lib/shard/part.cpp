#include "opcat/shard/part.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/stream.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace opcat {

namespace fs = std::filesystem;
namespace {

constexpr std::string_view index_schema = "opcat.shard.v1";
constexpr std::array<std::string_view, 3> output_names{"blobs", "findings", "lines"};
constexpr uint64_t max_index = uint64_t{1} << 30;

std::string json_string(std::string_view text) {
    std::string json;
    append_json_string(json, text);
    return json;
}

// The fields of an index, each of which must be there: opcat has written it.
class IndexReader {
public:
    IndexReader(const fs::path& file, const Value& object) : file_(file), object_(object) {
        if (!object.is_object()) damaged();
    }

    [[noreturn]] void damaged() const {
        throw Error(fmt::format("cannot read {}: it is not an index that opcat has written", file_.string()),
                    "remove it, and run its shard again");
    }
    bool has(std::string_view field) const { return object_.find(field) != nullptr; }
    std::string_view text(std::string_view field) const {
        const Value* const value = object_.find(field);
        if (!value || !value->is_string()) damaged();
        return value->string();
    }
    uint64_t number(std::string_view field) const {
        const Value* const value = object_.find(field);
        if (!value) damaged();
        return number(*value);
    }
    uint64_t number(const Value& value) const {
        if (value.kind() != Value::Kind::integer || value.integer() < 0) damaged();
        return static_cast<uint64_t>(value.integer());
    }
    std::span<const Value> list(std::string_view field) const {
        const Value* const value = object_.find(field);
        if (!value || !value->is_array()) damaged();
        return value->items();
    }
    IndexReader object(const Value& value) const { return {file_, value}; }
    IndexReader object(std::string_view field) const {
        const Value* const value = object_.find(field);
        if (!value) damaged();
        return object(*value);
    }

private:
    const fs::path& file_;
    Value object_;
};

// [size], or [size, kind, package, name] of a blob.
Piece read_piece(const IndexReader& index, const Value& value, uint64_t offset) {
    if (!value.is_array()) index.damaged();
    const auto fields = value.items();
    if (fields.size() != 1 && fields.size() != 4) index.damaged();
    Piece piece{.offset = offset, .size = index.number(fields[0]), .kind = 0, .package = {}, .name = {}};
    if (fields.size() == 1) return piece;
    const uint64_t kind = index.number(fields[1]);
    if (kind > std::numeric_limits<uint8_t>::max() || !fields[2].is_string() || !fields[3].is_string())
        index.damaged();
    piece.kind = static_cast<uint8_t>(kind);
    piece.package = fields[2].string();
    piece.name = fields[3].string();
    return piece;
}

// Returns the size of all pieces.
uint64_t read_items(const IndexReader& index, Part& part) {
    uint64_t offset = 0;
    for (const Value& value : index.list("done")) {
        const IndexReader fields = index.object(value);
        PartItem& item = part.items.emplace_back();
        item.item = fields.number("item");
        item.reference = fields.text("reference");
        const bool ascends = part.items.size() < 2 || part.items[part.items.size() - 2].item < item.item;
        if (item.item >= part.run.items || !ascends) index.damaged();
        for (const Value& piece : fields.list("pieces")) {
            item.pieces.push_back(read_piece(fields, piece, offset));
            if (item.pieces.back().size > std::numeric_limits<uint64_t>::max() - offset) index.damaged();
            offset += item.pieces.back().size;
        }
        if (!fields.has("failure")) continue;
        const IndexReader failure = fields.object("failure");
        item.failure = {.message = std::string(failure.text("message")),
                        .hint = std::string(failure.text("hint")),
                        .exit_status = static_cast<int>(failure.number("exitStatus")),
                        .temporary = failure.number("temporary") != 0};
    }
    return offset;
}

const fs::path& made(const fs::path& directory) {
    make_directories(directory);
    return directory;
}

} // namespace

std::string content_digest(const std::vector<std::string>& paths) {
    Sha256 hash;
    bool is_empty = true;
    const auto add = [&](const fs::path& path, const fs::path& shown) {
        is_empty = false;
        try {
            const auto file = read_file(path, path.string());
            hash.update(fmt::format("{} {}\n", shown.string(), file->bytes().size()));
            hash.update(file->bytes());
        } catch (const Error& error) { // the item fails with it
            hash.update(error.what());
        }
    };
    for (const std::string& path : paths) {
        std::error_code failed;
        if (fs::is_regular_file(path, failed)) add(path, {});
        if (!fs::is_directory(path, failed)) continue;
        std::set<fs::path> files;
        for (fs::recursive_directory_iterator at(path, failed), end; !failed && at != end;
             at.increment(failed))
            if (std::error_code no_file; at->is_regular_file(no_file)) files.insert(at->path());
        if (failed) hash.update(system_message(failed.value()));
        for (const fs::path& file : files) add(file, file.lexically_relative(path));
    }
    return is_empty ? std::string() : hash.finish_hex();
}

std::string run_digest(std::string_view request, std::span<const std::string> items) {
    Sha256 hash;
    const auto add = [&](std::string_view text) {
        hash.update(fmt::format("{}:", text.size()));
        hash.update(text);
    };
    add(request);
    for (const std::string& item : items) add(item);
    return "sha256:" + hash.finish_hex();
}

PartWriter::PartWriter(const fs::path& directory, const Shard& shard, const RunOfShards& run)
    : stem_(made(directory) / shard.file_stem()), data_(fs::path(stem_).concat(".data")) {
    index_ =
        fmt::format("{{\"schema\":\"{}\",\"output\":\"{}\",\"version\":{},\"run\":{},\"content\":{},"
                    "\"shard\":{},\"shards\":{},"
                    "\"items\":{},\"done\":[",
                    index_schema, output_names.at(static_cast<size_t>(run.output)), json_string(run.version),
                    json_string(run.digest), json_string(run.content), shard.index, shard.count, run.items);
}

void PartWriter::begin(size_t item, std::string_view reference) {
    if (!end_of_item_.empty()) index_ += end_of_item_ + ",";
    index_ += fmt::format("\n{{\"item\":{},\"reference\":{},\"pieces\":[", item, json_string(reference));
    end_of_item_ = "]}";
    reference_ = reference;
    pieces_ = 0;
}

void PartWriter::add(std::string_view text, uint8_t kind, std::string_view package, std::string_view name) {
    data_.write(text);
    index_ += fmt::format("{}[{}", pieces_++ > 0 ? "," : "", text.size());
    if (kind != 0 || !package.empty() || !name.empty())
        index_ += fmt::format(",{},{},{}", kind, json_string(package), json_string(name));
    index_ += ']';
}

void PartWriter::fail(const ItemFailure& failure) {
    failures_.push_back({reference_, failure});
    end_of_item_ = "}";
    index_ += fmt::format("],\"failure\":{{\"message\":{},\"hint\":{},\"exitStatus\":{},\"temporary\":{}}}",
                          json_string(failure.message), json_string(failure.hint), failure.exit_status,
                          failure.temporary ? 1 : 0);
}

void PartWriter::commit() {
    constexpr unsigned readable_by_all = 0644;
    data_.commit(readable_by_all, true);
    write_file(fs::path(stem_).concat(".json"), index_ + end_of_item_ + "\n]}\n");
}

namespace {

struct IndexedPart {
    Part part;
    uint64_t size = 0; // that the data must have
};

IndexedPart read_index(const fs::path& index_file) {
    IndexedPart indexed;
    Part& part = indexed.part;
    part.index_file = index_file;
    part.data_file = fs::path(index_file).replace_extension(".data");
    part.text = read_file(index_file, index_file.string(), max_index);
    Diagnostics problems;
    const auto documents = split_into_documents(*part.text, problems);
    Diagnostic problem;
    std::optional<Value> value;
    if (documents.size() == 1) value = read_document(*part.text, documents[0], part.arena, problem);
    const IndexReader index(index_file, value.value_or(Value()));
    if (index.text("schema") != index_schema) index.damaged();
    const auto output = std::find(output_names.begin(), output_names.end(), index.text("output"));
    const uint64_t shards = index.number("shards");
    if (output == output_names.end() || shards == 0 || shards > Shard::most ||
        index.number("shard") >= shards)
        index.damaged();
    part.shard = {static_cast<unsigned>(index.number("shard")), static_cast<unsigned>(shards)};
    part.run = {.output = static_cast<ShardOutput>(output - output_names.begin()),
                .version = std::string(index.text("version")),
                .digest = std::string(index.text("run")),
                .items = index.number("items"),
                .content = std::string(index.has("content") ? index.text("content") : "")};
    indexed.size = read_items(index, part);
    return indexed;
}

} // namespace

Part read_part(const fs::path& index_file) {
    IndexedPart indexed = read_index(index_file);
    const std::string data_file = indexed.part.data_file.string();
    const char* const hint = "run the shard again";
    std::error_code failed;
    const uint64_t size = fs::file_size(indexed.part.data_file, failed);
    if (failed)
        throw Error(fmt::format("cannot read {}: {}", data_file, system_message(failed.value())), hint);
    if (size != indexed.size)
        throw Error(fmt::format("{} has {} bytes where its index says {}", data_file, size, indexed.size),
                    hint);
    return std::move(indexed.part);
}

bool has_part(const fs::path& directory, const Shard& shard, const RunOfShards& run) {
    const fs::path index_file = directory / (shard.file_stem() + ".json");
    std::error_code ignored;
    if (!fs::exists(index_file, ignored)) return false;
    const IndexedPart indexed = read_index(index_file);
    const Part& part = indexed.part;
    const uint64_t size = fs::file_size(part.data_file, ignored);
    return !ignored && size == indexed.size && part.run.digest == run.digest &&
           part.run.version == run.version && part.run.content == run.content &&
           std::none_of(part.items.begin(), part.items.end(),
                        [](const PartItem& item) { return item.failure; });
}

std::vector<fs::path> find_parts(const fs::path& directory) {
    std::vector<fs::path> found;
    std::error_code failed;
    for (fs::directory_iterator at(directory, failed); !failed && at != fs::directory_iterator();
         at.increment(failed)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with("shard-") && name.ends_with(".json")) found.push_back(at->path());
    }
    if (failed)
        throw Error(fmt::format("cannot read {}: {}", directory.string(), system_message(failed.value())));
    if (found.empty())
        throw Error(fmt::format("{} has no complete shard", directory.string()),
                    "name the directory that --shard-output has named; a shard writes its index last");
    std::sort(found.begin(), found.end());
    return found;
}

void require_whole_run(std::span<const Part> parts) {
    const Part& first = parts.front();
    std::vector<const Part*> by_index(first.shard.count, nullptr);
    for (const Part& part : parts) {
        const auto differs = [&](std::string_view what) {
            return RequestError(fmt::format("{} and {} are not of the same run: {}",
                                            first.index_file.string(), part.index_file.string(), what),
                                "merge the shards of one run by themselves; run the others again");
        };
        if (part.run.version != first.run.version)
            throw differs(
                fmt::format("opcat {} wrote one, opcat {} the other", first.run.version, part.run.version));
        if (part.shard.count != first.shard.count)
            throw differs(fmt::format("one is of {}, the other of {}", counted(first.shard.count, "shard"),
                                      counted(part.shard.count, "shard")));
        if (part.run.digest != first.run.digest) throw differs("options or items differ");
        const Part*& place = by_index[part.shard.index];
        if (place)
            throw RequestError(fmt::format("shard {} is given twice: {} and {}", part.shard.index,
                                           place->index_file.string(), part.index_file.string()));
        place = &part;
    }
    std::vector<std::string> missing;
    for (size_t i = 0; i < by_index.size(); ++i)
        if (!by_index[i]) missing.push_back(std::to_string(i));
    if (missing.empty()) return;
    const std::vector<std::string_view> names(missing.begin(), missing.end());
    constexpr size_t columns = 80;
    throw RequestError(missing.size() == 1
                           ? fmt::format("shard {}/{} is missing", missing.front(), by_index.size())
                           : fmt::format("{} of {} shards are missing: {}", missing.size(), by_index.size(),
                                         shorten_list(names, columns)),
                       "run them again with the same options");
}

} // namespace opcat
