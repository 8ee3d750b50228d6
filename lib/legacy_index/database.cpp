#include "opcat/legacy_index/database.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/shared_library.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <vector>

namespace opcat::legacy {

using go::Route;

namespace {

// The functions of SQLite that we use, by their names without "sqlite3_".
struct Sqlite {
    SharedLibrary library{library::sqlite};
    decltype(&::sqlite3_close) close = OPCAT_FUNCTION(library, sqlite3_close);
    decltype(&::sqlite3_column_bytes) column_bytes = OPCAT_FUNCTION(library, sqlite3_column_bytes);
    decltype(&::sqlite3_column_count) column_count = OPCAT_FUNCTION(library, sqlite3_column_count);
    decltype(&::sqlite3_column_text) column_text = OPCAT_FUNCTION(library, sqlite3_column_text);
    decltype(&::sqlite3_column_type) column_type = OPCAT_FUNCTION(library, sqlite3_column_type);
    decltype(&::sqlite3_db_config) db_config = OPCAT_FUNCTION(library, sqlite3_db_config);
    decltype(&::sqlite3_errcode) errcode = OPCAT_FUNCTION(library, sqlite3_errcode);
    decltype(&::sqlite3_errmsg) errmsg = OPCAT_FUNCTION(library, sqlite3_errmsg);
    decltype(&::sqlite3_exec) exec = OPCAT_FUNCTION(library, sqlite3_exec);
    decltype(&::sqlite3_finalize) finalize = OPCAT_FUNCTION(library, sqlite3_finalize);
    decltype(&::sqlite3_limit) limit = OPCAT_FUNCTION(library, sqlite3_limit);
    decltype(&::sqlite3_open_v2) open_v2 = OPCAT_FUNCTION(library, sqlite3_open_v2);
    decltype(&::sqlite3_prepare_v2) prepare_v2 = OPCAT_FUNCTION(library, sqlite3_prepare_v2);
    decltype(&::sqlite3_progress_handler) progress_handler =
        OPCAT_FUNCTION(library, sqlite3_progress_handler);
    decltype(&::sqlite3_step) step = OPCAT_FUNCTION(library, sqlite3_step);
};

// Loads it on the first call.
const Sqlite& sqlite() {
    static const Sqlite functions;
    return functions;
}

constexpr int max_value_size = 128 * 1024 * 1024;
constexpr int max_statement_size = 64 * 1024;
// Reading a table takes SQLite's virtual machine about one instruction for each byte of it.
constexpr uint64_t max_instructions_per_byte = 4;
constexpr uint64_t max_instructions_besides = 1'000'000; // to read the schema, above all
constexpr uint64_t instructions_between_looks = 10'000;
constexpr uint64_t least_bytes_of_a_row = 4;

std::string as_uri(const std::string& path) {
    std::string uri = "file:";
    for (const char c : path) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("/._-").find(c) != std::string_view::npos;
        if (plain)
            uri += c;
        else
            uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
    return uri + "?mode=ro&immutable=1";
}

int count_look(void* looks_left) {
    auto& left = *static_cast<uint64_t*>(looks_left);
    if (left == 0) return 1;
    --left;
    return 0;
}

struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite().finalize(statement); }
};

} // namespace

Database::Database(const std::string& path, const std::string& shown) : shown_(shown) {
    // Without them, the file is not what its programs see: it lacks changes, or has half of them.
    for (const char* const end : {"-wal", "-journal"}) {
        std::error_code absent;
        if (const auto size = std::filesystem::file_size(path + end, absent); !absent && size > 0)
            throw Error(
                fmt::format("cannot read {}: {}{} has changes of it that are not finished", shown_, shown_,
                            end),
                fmt::format("end the programs that use it, or let SQLite finish them: sqlite3 {} 'PRAGMA "
                            "wal_checkpoint(TRUNCATE)'",
                            shown_));
    }
    // An absolute path, so that it cannot begin with "//", which is a host in a URI.
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    if (sqlite().open_v2(as_uri(path).c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
        const std::string message = sqlite().errmsg(handle_);
        sqlite().close(handle_);
        throw Error(fmt::format("cannot open {}: {}", shown_, message));
    }
    std::error_code ignored;
    size_ = std::filesystem::file_size(path, ignored);
    sqlite().progress_handler(handle_, instructions_between_looks, count_look, &looks_left_);
    allow_work();
    sqlite().limit(handle_, SQLITE_LIMIT_LENGTH, max_value_size);
    sqlite().limit(handle_, SQLITE_LIMIT_SQL_LENGTH, max_statement_size);
    sqlite().limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
    for (const auto& [option, on] :
         {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
          std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0),
          std::pair(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)})
        sqlite().db_config(handle_, option, on, nullptr);
    sqlite().exec(handle_, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", nullptr, nullptr, nullptr);
}

Database::~Database() {
    sqlite().close(handle_);
}

void Database::allow_work() const {
    looks_left_ = (max_instructions_besides + size_ * max_instructions_per_byte) / instructions_between_looks;
}

void Database::fail(std::string_view doing) const {
    if (sqlite().errcode(handle_) == SQLITE_INTERRUPT) fail_as_endless();
    throw Error(fmt::format("cannot {} {}: {}", doing, shown_, sqlite().errmsg(handle_)));
}

void Database::fail_as_endless() const {
    throw Error(
        fmt::format("cannot read {}: it is damaged: reading one of its tables gives more than the file "
                    "can hold",
                    shown_));
}

void Database::query(std::string_view sql, const std::function<void(Row)>& each) const {
    allow_work();
    sqlite3_stmt* raw = nullptr;
    if (sqlite().prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &raw, nullptr) != SQLITE_OK)
        fail("query");
    const std::unique_ptr<sqlite3_stmt, Finalizer> statement(raw);
    std::vector<std::optional<std::string_view>> row(static_cast<size_t>(sqlite().column_count(raw)));
    uint64_t bytes = 0;
    int result = SQLITE_ROW;
    while ((result = sqlite().step(raw)) == SQLITE_ROW) {
        bytes += least_bytes_of_a_row;
        for (size_t i = 0; i < row.size(); ++i) {
            const int column = static_cast<int>(i);
            row[i].reset();
            const int type = sqlite().column_type(raw, column);
            if (type == SQLITE_NULL) continue;
            const void* const text = sqlite().column_text(raw, column);
            const auto size = static_cast<size_t>(sqlite().column_bytes(raw, column));
            if (type == SQLITE_TEXT || type == SQLITE_BLOB) bytes += size; // numbers grow when they are text
            row[i] = std::string_view(static_cast<const char*>(text), size);
        }
        // Pages that are visited repeatedly, in a cycle or not, would give infinitely many rows.
        if (bytes > size_) fail_as_endless();
        each(row);
    }
    if (result != SQLITE_DONE) fail("read");
}

void Database::check_table(std::string_view table, std::span<const std::string_view> columns) const {
    const auto refuse = [&](std::string_view why) {
        throw Error(
            fmt::format("cannot render {}: it is not an index database of a known form: {}", shown_, why),
            "opm before 1.15 wrote older forms; let a newer opm rebuild the index");
    };
    // Views, virtual tables and computed columns are code of the file's author.
    bool is_table = false;
    query(fmt::format("SELECT type FROM pragma_table_list('{}')", table),
          [&](Row row) { is_table = row[0] == "table"; });
    if (!is_table) refuse(fmt::format("it has no table {}", table));
    std::map<std::string, bool, std::less<>> stored;
    query(fmt::format("SELECT name, hidden FROM pragma_table_xinfo('{}')", table),
          [&](Row row) { stored.emplace(row[0].value_or(""), row[1] == "0"); });
    for (const std::string_view column : columns) {
        const auto found = stored.find(column);
        if (found == stored.end()) refuse(fmt::format("it has no column {}.{}", table, column));
        if (!found->second) refuse(fmt::format("its column {}.{} is computed", table, column));
    }
}

namespace {

class Properties {
public:
    Properties(CatalogStorage& storage, Diagnostics& problems)
        : storage_(storage), arena_(storage.arenas.front()), problems_(problems) {}

    void add(std::string_view type,
             std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
        std::vector<Member> members;
        for (const auto& [key, text] : fields)
            members.push_back({Value::of(key), Value::of(arena_.copy(text))});
        add(type, Value::of(std::span<const Member>(arena_.copy(std::span<const Member>(members)))));
    }

    void add(std::string_view type, const Value& value) {
        std::string json;
        append_compact_json(json, value);
        values_.emplace(std::pair(std::string(type), std::move(json)), value);
    }

    // The JSON text of a column, checked; nothing if it is none.
    std::optional<Value> read(const TypedText& column, std::string_view go_type = {}) {
        storage_.files.push_back(std::make_unique<SourceFile>(column.type, column.json));
        const SourceFile& file = *storage_.files.back();
        Diagnostic problem;
        uint32_t end = 0;
        const auto value = read_json(file, 0, arena_, end, problem);
        if (!value || skip_json_space(file, end) != file.bytes().size()) {
            refuse(fmt::format("the value of {} is not JSON: {}", column.type,
                               value ? "text follows it" : problem.message));
            return std::nullopt;
        }
        if (!go_type.empty()) {
            const auto misfit = go::find_misfit(*value, go::type_named(go_type), Route::text);
            if (misfit) {
                refuse(misfit->message("the value of " + column.type));
                return std::nullopt;
            }
        }
        return value;
    }

    std::vector<Property> take() {
        std::vector<Property> properties;
        for (const auto& [key, value] : values_)
            properties.push_back({.type = {arena_.copy(key.first), 0},
                                  .value = arena_.copy(std::span<const Value>(&value, 1)).data(),
                                  .offset = 0,
                                  .json = arena_.copy(key.second)});
        return properties;
    }

private:
    void refuse(std::string message) { problems_.push_back(error("legacy-index", {}, std::move(message))); }

    CatalogStorage& storage_;
    Arena& arena_;
    Diagnostics& problems_;
    std::map<std::pair<std::string, std::string>, Value> values_; // by type and JSON text
};

} // namespace

Objects read_objects(const BundleRow& row, CatalogStorage& storage) {
    Objects objects;
    if (row.objects.empty()) return objects;
    storage.files.push_back(std::make_unique<SourceFile>(row.name, row.objects));
    const SourceFile& file = *storage.files.back();
    uint32_t at = skip_json_space(file, 0);
    while (at < file.bytes().size()) {
        Diagnostic problem;
        uint32_t end = at;
        const auto value = read_json(file, at, storage.arenas.front(), end, problem);
        if (!value) {
            objects.problem = problem.message;
            objects.csv.reset();
            return objects;
        }
        const std::string_view text = file.bytes().substr(at, end - at);
        objects.texts.push_back(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
        const Value* const kind = value->find("kind");
        if (!objects.csv && kind && kind->string_or_empty() == "ClusterServiceVersion") objects.csv = value;
        at = skip_json_space(file, end);
    }
    return objects;
}

std::vector<RelatedImage> related_images(const BundleRow& row, const Objects& objects, Arena& arena) {
    std::vector<RelatedImage> images;
    std::set<std::string> unnamed = row.images;
    const Value* const spec = objects.csv ? find_field(*objects.csv, "spec", Route::text) : nullptr;
    const Value* const listed = spec ? find_field(*spec, "relatedImages", Route::text) : nullptr;
    if (listed && listed->is_array()) {
        for (const Value& image : listed->items()) {
            images.push_back(
                {{field_text(image, "name", Route::text), 0}, {field_text(image, "image", Route::text), 0}});
            unnamed.erase(std::string(images.back().image.text));
        }
    }
    for (const std::string& image : unnamed) images.push_back({{}, {arena.copy(image), 0}});
    return images;
}

std::vector<Property> properties_of(const BundleRow& row, const std::string& package, const Objects& objects,
                                    CatalogStorage& storage, Diagnostics& problems) {
    Properties properties(storage, problems);
    const auto add_gvk = [&](std::string_view type, const Value& value) {
        properties.add(type, {{"group", field_text(value, "group", Route::text)},
                              {"kind", field_text(value, "kind", Route::text)},
                              {"version", field_text(value, "version", Route::text)}});
    };
    bool has_package = false;
    for (const TypedText& property : row.properties) {
        const bool is_gvk = property.type == property_type::gvk;
        const auto value = properties.read(property, is_gvk ? "property.GVK" : "");
        if (!value) continue;
        if (is_gvk)
            add_gvk(property_type::gvk, *value);
        else
            properties.add(property.type, *value);
        has_package = has_package || property.type == property_type::package;
    }
    if (!has_package)
        properties.add(property_type::package, {{"packageName", package}, {"version", row.version}});
    for (const TypedText& dependency : row.dependencies) {
        if (dependency.type == property_type::gvk) {
            if (const auto value = properties.read(dependency, "property.GVK"))
                add_gvk(property_type::gvk_required, *value);
        } else if (dependency.type == property_type::package) {
            if (const auto value = properties.read(dependency, "property.Package"))
                properties.add(property_type::package_required,
                               {{"packageName", field_text(*value, "packageName", Route::text)},
                                {"versionRange", field_text(*value, "version", Route::text)}});
        }
    }
    for (const std::string_view object : objects.texts)
        properties.add(property_type::bundle_object, {{"data", encode_base64(object)}});
    return properties.take();
}

std::map<BundleInChannel, Edges> upgrade_edges(const std::vector<EdgeRow>& rows) {
    std::map<int64_t, const EdgeRow*> by_id;
    std::optional<int64_t> least;
    for (const EdgeRow& row : rows) {
        by_id.emplace(row.id, &row);
        if (row.depth) least = least ? std::min(*least, *row.depth) : *row.depth;
    }
    const auto replaced = [&](const EdgeRow& row) -> const EdgeRow* {
        const auto found = row.replaces ? by_id.find(*row.replaces) : by_id.end();
        return found == by_id.end() ? nullptr : found->second;
    };

    std::set<const EdgeRow*> met;
    for (const auto& [id, head] : by_id)
        if (least && head->depth == least)
            for (const EdgeRow* row = head; row && met.insert(row).second;) row = replaced(*row);

    std::map<BundleInChannel, Edges> result;
    for (const auto& [id, row] : by_id) {
        Edges& edges = result[{row->bundle, row->package, row->channel}];
        const EdgeRow* const from = replaced(*row);
        if (!from) continue;
        if (met.contains(row))
            edges.replaces = std::max(edges.replaces, from->bundle);
        else
            edges.skips.push_back(from->bundle);
    }
    return result;
}

} // namespace opcat::legacy
