#include "opcat/catalog/load.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/catalog/decode.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/load_pieces.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/source_details.hpp"
#include "opcat/document/source_lines.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/syntax_repair.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/ignore/walk.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_set>

namespace opcat {
namespace {

struct SplitFile {
    std::unique_ptr<SourceFile> file; // null if it could not be read
    std::vector<DocumentRange> documents;
    Diagnostics problems;
    Diagnostics oddities;
};

// Decided by its first line.
std::optional<Diagnostic> find_foreign_line_breaks(const SourceFile& file) {
    const std::string_view bytes = file.bytes();
    const size_t first = bytes.find('\n');
    if (first == bytes.npos || first == 0 || bytes[first - 1] != '\r') return std::nullopt;
    const auto place = [&](size_t at) { return Location{&file, static_cast<uint32_t>(at), 1}; };
    Diagnostic found =
        finding(Severity::note, "line-breaks", place(first - 1), "the lines of this file end in CR and LF",
                "write LF alone, as opm does: programs and reviews that compare catalogs by "
                "lines see every line as changed");
    // Before another CR, which YAML takes for a line break, LF alone would say something else.
    if (bytes.find("\r\r\n") != bytes.npos) return found;
    found.fix.title = "write LF at the ends of lines";
    for (size_t at = bytes.find("\r\n"); at != bytes.npos; at = bytes.find("\r\n", at + 2))
        found.fix.edits.push_back({place(at), ""});
    return found;
}

SplitFile split(std::unique_ptr<SourceFile> file) {
    SplitFile result;
    result.documents = split_into_documents(*file, result.problems);
    if (auto odd = json_read_as_yaml(*file, result.documents)) result.oddities.push_back(*std::move(odd));
    if (auto odd = find_foreign_line_breaks(*file)) result.oddities.push_back(*std::move(odd));
    result.file = std::move(file);
    return result;
}

// Consecutive documents, of one file or of several small ones: the unit of work of a thread.
struct Portion {
    struct Part {
        const SourceFile* file;
        std::vector<DocumentRange> documents;
    };
    std::vector<Part> parts;
    size_t bytes = 0;

    Arena arena;
    LoadedCatalog loaded;
};

// Small enough for threads to share a single file, large enough for little overhead.
constexpr size_t portion_bytes = size_t{256} * 1024;

// A member of a JSON object, from its key to the end of its value.
std::string_view json_member(const SourceFile& file, const Value& key) {
    Arena arena;
    Diagnostic ignored;
    uint32_t end = 0;
    if (!read_json(file, key.offset(), arena, end, ignored)) return {};
    const uint32_t colon = skip_json_space(file, end);
    if (!file.bytes().substr(colon).starts_with(':')) return {};
    if (!read_json(file, colon + 1, arena, end, ignored)) return {};
    std::string_view member = file.bytes().substr(key.offset(), end - key.offset());
    return member.substr(0, member.find_last_not_of(" \t\r\n") + 1);
}

// With the comma after it, up to the next member.
Fix remove_repeated_json(const SourceFile& file, const RepeatedKey& key, size_t& budget) {
    const std::string_view bytes = file.bytes();
    const std::string_view before = json_member(file, key.before);
    const std::string_view again = json_member(file, key.again);
    budget -= std::min(budget, before.size() + again.size());
    if (before.empty() || again.empty()) return {};
    const uint32_t comma = skip_json_space(file, key.before.offset() + static_cast<uint32_t>(before.size()));
    if (!bytes.substr(comma).starts_with(',')) return {};
    const uint32_t next = skip_json_space(file, comma + 1);
    return {fmt::format("remove the earlier {}", key.again.string()),
            {{{&file, key.before.offset(), next - key.before.offset()}, ""}},
            before == again};
}

// Removes the field that begins with a key and is the first on its line; nothing for others. Readers use the
// last one, so that nothing changes for them; the intention is only clear if the texts are equal.
Fix remove_repeated(const SourceFile& file, Notation notation, const RepeatedKey& key, size_t& budget) {
    const std::string_view bytes = file.bytes();
    if (notation == Notation::json) return remove_repeated_json(file, key, budget);
    const auto field_at = [&](const Value& value) {
        const auto line = line_begun_at(bytes, value.offset());
        if (!line || line->is_item()) return std::string_view();
        return bytes.substr(line->begin, end_of_field(bytes, *line) - line->begin);
    };
    const std::string_view before = field_at(key.before);
    const std::string_view again = field_at(key.again);
    budget -= std::min(budget, before.size() + again.size());
    if (before.empty() || again.empty()) return {};
    const Location where{&file, static_cast<uint32_t>(before.data() - bytes.data()),
                         static_cast<uint32_t>(before.size())};
    return {fmt::format("remove the earlier {}", key.again.string()), {{where, ""}}, before == again};
}

bool has_schema(const Value& value) {
    return !field_text(value, "schema").empty();
}

void report_repeated_keys(const SourceFile& file, Notation notation, const Value& document,
                          Diagnostics& out) {
    const std::vector<RepeatedKey> repeated = find_repeated_keys(document);
    if (repeated.empty()) return;
    std::unordered_set<uint32_t> keys_of_blob;
    if (document.is_object())
        for (const Member& member : document.members()) keys_of_blob.insert(member.key.offset());
    const auto is_of_blob = [&](const RepeatedKey& key) { return keys_of_blob.contains(key.again.offset()); };
    const auto is_schema = [&](const RepeatedKey& key) {
        return key.again.string() == "schema" && is_of_blob(key);
    };
    // Two blobs without a separator between them: that their other keys are repeated, too, need not be
    // reported.
    const bool two_blobs = std::any_of(repeated.begin(), repeated.end(), is_schema);
    const Blob blob{&file, document, {}, {}};
    // The packages of what may be lost.
    Explains explains{.blob = two_blobs, .upgrades = false, .packages = {}};
    for (const Member& member : document.is_object() ? document.members() : std::span<const Member>())
        if (member.key.string() == "package" || (two_blobs && member.key.string() == "name"))
            explains.packages.emplace_back(member.value.string_or_empty());
    // Each fix looks at the members that it is about, which may be nested in one another.
    // "- name: a" and then "name: b": what is missing is the dash, and removing either loses an item.
    const auto begins_item = [&](const RepeatedKey& key) {
        const std::string_view start = file.bytes().substr(0, key.before.offset());
        return start.ends_with("- ");
    };
    size_t budget = 8 * (file.bytes().size() - document.offset());
    for (const RepeatedKey& key : repeated) {
        if (two_blobs && !is_schema(key) && is_of_blob(key)) continue;
        out.push_back(with_note(
            warning("key-duplicate", blob.at(Text{key.again.string(), key.again.offset()}),
                    fmt::format("{} is given twice", key.again.string()),
                    is_schema(key) ? "if another blob begins here, write a line '---' before it"
                    : begins_item(key)
                        ? "if another item of the list begins here, write \"- \" before it; else only the "
                          "last one counts: remove the other"
                        : "only the last one counts: remove the other"),
            "the one before it", blob.at(Text{key.before.string(), key.before.offset()})));
        // Only the first one names the packages: a list for each would grow with the square of the blobs.
        out.back().explains =
            std::exchange(explains, {.blob = two_blobs, .blob_at = {}, .upgrades = false, .packages = {}});
        if (!is_schema(key) && !begins_item(key) && budget > 0)
            out.back().fix = remove_repeated(file, notation, key, budget);
    }
}

Text text_field(const Value& object, std::string_view field) {
    const Value* const value = object.find(field);
    return value ? Text{value->string_or_empty(), value->offset()} : Text{};
}

void decode_document(const SourceFile& file, const Value& value, Decoding decoding, Arena& arena,
                     LoadedCatalog& loaded) {
    const size_t before = loaded.diagnostics.added();
    decode_blob(file, value, arena, loaded.catalog, loaded.diagnostics, decoding);
    if (loaded.diagnostics.added() > before && value.is_object())
        loaded.refused.push_back({&file, value, text_field(value, "name"), text_field(value, "package")});
}

void parse_document(const SourceFile& file, const DocumentRange& range, Decoding decoding, Arena& arena,
                    LoadedCatalog& loaded) {
    Diagnostic problem;
    const auto value = read_document(file, range, arena, problem, &loaded.remarks);
    if (value) {
        decode_document(file, *value, decoding, arena, loaded);
        report_repeated_keys(file, range.notation, *value, loaded.oddities);
    }
    if (problem.message.empty()) return;
    // A Makefile is not a catalog whose tabs are to be blanks.
    complete_syntax_fix(range, problem, has_schema);
    loaded.diagnostics.push_back(std::move(problem));
}

void parse(Portion& portion, Decoding decoding) {
    for (const auto& [file, documents] : portion.parts)
        for (const DocumentRange& range : documents)
            parse_document(*file, range, decoding, portion.arena, portion.loaded);
}

std::vector<Portion> divide(const std::vector<SplitFile>& files) {
    std::vector<Portion> portions(1);
    for (const SplitFile& file : files) {
        for (const DocumentRange& range : file.documents) {
            if (portions.back().bytes >= portion_bytes) portions.emplace_back();
            Portion& portion = portions.back();
            if (portion.parts.empty() || portion.parts.back().file != file.file.get())
                portion.parts.push_back({file.file.get(), {}});
            portion.parts.back().documents.push_back(range);
            portion.bytes += range.end - range.begin;
        }
    }
    return portions;
}

// After a syntax error in JSON the beginning of the next value is unknown: errors after it are not reported.
// An error of the whole file is found in each of its documents.
void drop_consequences(Diagnostics& diagnostics) {
    const SourceFile* broken = nullptr;
    uint32_t place = 0;
    std::erase_if(diagnostics, [&](const Diagnostic& d) {
        if (d.rule != "syntax" || !d.where) return false;
        if (broken == d.where.file && (place == d.where.offset || begins_as_json(*broken))) return true;
        broken = d.where.file;
        place = d.where.offset;
        return false;
    });
}

template <class T>
void move_to(std::vector<T>& all, std::vector<T>& some) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
}

// Removes the fixes for files that are not catalogs, such as icons or programs. Findings about line breaks
// go, too, if the first document does not load: an editor that looks at a part of a file knows no more.
void drop_fixes_of_others(LoadedCatalog& loaded) {
    std::map<const SourceFile*, uint32_t> others; // the place of the first error
    for (const Diagnostic& finding : loaded.diagnostics)
        if (finding.where && finding.severity == Severity::error && finding.rule != "field-type")
            others.emplace(finding.where.file, finding.where.offset);
    std::erase_if(loaded.oddities, [&](const Diagnostic& finding) {
        if (finding.rule != "line-breaks") return false;
        const auto error = others.find(finding.where.file);
        return error != others.end() && error->second < document_of(finding.where.file->bytes(), 0).end;
    });
    for (Diagnostic& finding : loaded.oddities)
        if (others.contains(finding.where.file)) finding.fix = {};
}

void finish(LoadedCatalog& loaded) {
    sort_by_place(loaded.diagnostics);
    sort_by_place(loaded.oddities);
    drop_fixes_of_others(loaded);
    drop_consequences(loaded.diagnostics);
}

LoadedCatalog parse_all(std::vector<SplitFile> files, Decoding decoding, ThreadPool& pool) {
    std::vector<Portion> portions = divide(files);
    pool.for_each(portions.size(), [&](size_t i) { parse(portions[i], decoding); });

    LoadedCatalog loaded;
    const auto storage = std::make_shared<CatalogStorage>();
    for (SplitFile& file : files) {
        storage->files.push_back(std::move(file.file));
        move_to(loaded.diagnostics, file.problems);
        move_to(loaded.oddities, file.oddities);
    }
    for (Portion& portion : portions) {
        append(loaded.catalog, std::move(portion.loaded.catalog));
        move_to(loaded.diagnostics, portion.loaded.diagnostics);
        move_to(loaded.oddities, portion.loaded.oddities);
        move_to(loaded.refused, portion.loaded.refused);
        move_to(loaded.remarks, portion.loaded.remarks);
        storage->arenas.push_back(std::move(portion.arena));
    }
    loaded.catalog.storage.push_back(storage);
    finish(loaded);
    return loaded;
}

Diagnostic unread(const std::string& message) {
    return {.rule = "file", .message = message, .where = {}, .notes = {}, .help = {}};
}

} // namespace

LoadedCatalog load_catalog(std::vector<std::unique_ptr<SourceFile>> files, ThreadPool& pool) {
    std::vector<SplitFile> split_files(files.size());
    pool.for_each(files.size(), [&](size_t i) { split_files[i] = split(std::move(files[i])); });
    return parse_all(std::move(split_files), Decoding::all_fields, pool);
}

std::vector<LoadedCatalog> load_pieces(std::vector<FilePiece> pieces, ThreadPool& pool) {
    // Each portion is what one thread reads, into one arena.
    std::vector<size_t> ends;
    size_t bytes = portion_bytes;
    for (size_t i = 0; i < pieces.size(); ++i) {
        if (bytes >= portion_bytes) {
            ends.push_back(i);
            bytes = 0;
        }
        ends.back() = i + 1;
        bytes += pieces[i].text->bytes().size();
    }
    std::vector<LoadedCatalog> all(pieces.size());
    pool.for_each(ends.size(), [&](size_t portion) {
        const auto storage = std::make_shared<CatalogStorage>();
        Arena& arena = storage->arenas.emplace_back();
        for (size_t i = portion == 0 ? 0 : ends[portion - 1]; i < ends[portion]; ++i) {
            FilePiece& piece = pieces[i];
            LoadedCatalog& loaded = all[i];
            loaded.diagnostics = std::move(piece.problems);
            if (piece.begins_file) {
                if (auto odd = json_read_as_yaml(*piece.text, piece.documents))
                    loaded.oddities.push_back(*std::move(odd));
                if (auto odd = find_foreign_line_breaks(*piece.text))
                    loaded.oddities.push_back(*std::move(odd));
            }
            for (const DocumentRange& range : piece.documents)
                parse_document(*piece.text, range, Decoding::all_fields, arena, loaded);
            finish(loaded);
            // The text goes with its piece, the values with the portion.
            const auto own = std::make_shared<CatalogStorage>();
            own->files.push_back(std::move(piece.text));
            loaded.catalog.storage = {own, storage};
        }
    });
    return all;
}

LoadedCatalog load_parsed(std::span<const ParsedDocument> documents) {
    const auto storage = std::make_shared<CatalogStorage>();
    Arena& arena = storage->arenas.emplace_back();
    LoadedCatalog loaded;
    for (const auto& [file, value] : documents)
        decode_document(*file, value, Decoding::all_fields, arena, loaded);
    loaded.catalog.storage.push_back(storage);
    finish(loaded);
    return loaded;
}

namespace {

CatalogListing list_files(const std::filesystem::path& root, const LoadOptions& options) {
    return walk_catalog_directory(root, {}, options.shown_root,
                                  options.follow_links ? Links::follow : Links::within_root,
                                  options.skip_git ? Git::skip : Git::walk);
}

// `root` is what they were found in, or the only one of them.
LoadedCatalog load_files(std::span<const CatalogFile> listed, const std::filesystem::path& root,
                         ThreadPool& pool, const LoadOptions& options) {
    const auto shown = [&](const CatalogFile& file) {
        if (options.shown_root.empty()) return file.path.string();
        return file.path == root ? options.shown_root : options.shown_root + "/" + file.name;
    };
    std::vector<SplitFile> files(listed.size());
    std::vector<std::string> failures(listed.size());
    FileMemory memory;
    pool.for_each(files.size(), [&](size_t i) {
        try {
            // Cut while its bytes are still in the processor's cache.
            files[i] =
                split(read_file(listed[i].path, shown(listed[i]), options.max_file_size, &memory, &pool));
        } catch (const Error& error) {
            failures[i] = error.what();
        }
    });
    std::erase_if(files, [](const SplitFile& file) { return !file.file; });

    LoadedCatalog loaded =
        parse_all(std::move(files), options.names_only ? Decoding::names_only : Decoding::all_fields, pool);
    Diagnostics not_read;
    for (const std::string& failure : failures)
        if (!failure.empty()) not_read.push_back(unread(failure));
    loaded.diagnostics.insert(loaded.diagnostics.begin(), std::make_move_iterator(not_read.begin()),
                              std::make_move_iterator(not_read.end()));
    return loaded;
}

} // namespace

LoadedCatalog load_catalog(const std::filesystem::path& root, ThreadPool& pool, const LoadOptions& options) {
    const CatalogListing listing = list_files(root, options);
    LoadedCatalog loaded = load_files(listing.files, root, pool, options);
    Diagnostics not_read;
    for (const WalkProblem& problem : listing.problems) not_read.push_back(unread(problem.message));
    loaded.diagnostics.insert(loaded.diagnostics.begin(), std::make_move_iterator(not_read.begin()),
                              std::make_move_iterator(not_read.end()));
    return loaded;
}

Diagnostics load_catalog_in_parts(const std::filesystem::path& root, ThreadPool& pool,
                                  const LoadOptions& options,
                                  const std::function<void(const Catalog&)>& take) {
    constexpr uint64_t part_bytes = uint64_t{4} << 20;
    const CatalogListing listing = list_files(root, options);
    Diagnostics all;
    for (const WalkProblem& problem : listing.problems) all.push_back(unread(problem.message));
    const std::span<const CatalogFile> files(listing.files);
    for (size_t begin = 0; begin < files.size();) {
        size_t end = begin;
        for (uint64_t bytes = 0; end < files.size() && bytes < part_bytes; ++end) {
            std::error_code failed; // is found again when the file is read
            const uint64_t size = std::filesystem::file_size(files[end].path, failed);
            bytes += failed ? 0 : size;
        }
        LoadedCatalog part = load_files(files.subspan(begin, end - begin), root, pool, options);
        for (Diagnostic& finding : part.diagnostics) {
            // Its place goes with the part.
            const std::string place = place_of(finding.where);
            if (!place.empty()) finding.message = place + ": " + finding.message;
            finding.where = {};
            for (Note& note : finding.notes) note.where = {};
            finding.fix = {};
            all.push_back(std::move(finding));
        }
        take(part.catalog);
        begin = end;
    }
    return all;
}

} // namespace opcat
