// Covers lib/legacy_index.
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/legacy_index/legacy_index.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

// The schema after opm's migrations, as far as catalogs need it.
constexpr std::string_view schema = R"(
    CREATE TABLE operatorbundle (name TEXT PRIMARY KEY, csv TEXT, bundle TEXT, bundlepath TEXT, skiprange TEXT,
                                 version TEXT, replaces TEXT, skips TEXT, substitutesfor TEXT);
    CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT, add_mode INTEGER);
    CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT,
                          PRIMARY KEY(name, package_name));
    CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT,
                                operatorbundle_name TEXT, replaces INTEGER, depth INTEGER);
    CREATE TABLE properties (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT,
                             operatorbundle_path TEXT);
    CREATE TABLE dependencies (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT,
                               operatorbundle_path TEXT);
    CREATE TABLE related_image (image TEXT, operatorbundle_name TEXT);
)";

constexpr std::string_view rows = R"(
    INSERT INTO package VALUES ('foo', 'stable', 0);
    INSERT INTO channel VALUES ('stable', 'foo', 'foo.v3');
    INSERT INTO operatorbundle (name, bundle, bundlepath, skiprange, version) VALUES
        ('foo.v1', '', 'quay.io/foo:1', NULL, '1.0.0'),
        ('foo.v2', '', 'quay.io/foo:2', '', '2.0.0'),
        ('foo.v3', '{"kind": "ClusterServiceVersion", "metadata": {"name": "foo.v3"}, "spec": {
                      "icon": [{"base64data": "a G k=", "mediatype": "image/png"}],
                      "relatedImages": [{"name": "x", "image": "quay.io/x:1"}]}} {"kind":"Service"}',
         'quay.io/foo:3', '<3.0.0', '3.0.0'),
        ('stray', NULL, NULL, NULL, NULL);
    INSERT INTO channel_entry VALUES
        (1, 'stable', 'foo', 'foo.v3', 3, 0),
        (2, 'stable', 'foo', 'foo.v3', 4, 1),
        (3, 'stable', 'foo', 'foo.v2', NULL, 2),
        (4, 'stable', 'foo', 'foo.v1', NULL, 3);
    INSERT INTO properties (type, value, operatorbundle_name) VALUES
        ('olm.package', '{"version":"3.0.0", "packageName":"foo"}', 'foo.v3'),
        ('olm.package', '{"version":"3.0.0","packageName":"foo"}', 'foo.v3'),
        ('olm.gvk', '{"group":"g","kind":"K","version":"v1","plural":"ks"}', 'foo.v3'),
        ('other', '[1]', 'nobody');
    INSERT INTO dependencies (type, value, operatorbundle_name) VALUES
        ('olm.gvk', '{"group":"h","kind":"H","version":"v1"}', 'foo.v2'),
        ('olm.package', '{"packageName":"bar","version":">1.0.0"}', 'foo.v3'),
        ('olm.constraint', '{}', 'foo.v3');
    INSERT INTO related_image VALUES ('quay.io/y:1', 'foo.v3'), ('quay.io/x:1', 'foo.v3');
)";

class Index {
public:
    explicit Index(std::string_view more = {}, std::string_view tables = schema) {
        sqlite3* handle = nullptr;
        REQUIRE(sqlite3_open(path().c_str(), &handle) == SQLITE_OK);
        std::string sql(tables);
        if (tables == schema) sql += rows;
        sql += more;
        char* message = nullptr;
        sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message);
        const std::string problem = message ? message : "";
        sqlite3_free(message);
        sqlite3_close(handle);
        REQUIRE(problem.empty());
    }
    std::string path() const { return (directory_.path() / "index of foo?.db").string(); }
    LoadedCatalog load() const {
        ThreadPool pool(1);
        return load_legacy_index(path(), pool);
    }

private:
    TemporaryDirectory directory_{fs::temp_directory_path()};
};

std::string rendered(const Catalog& catalog) {
    ThreadPool pool(1);
    std::string text;
    write_catalog(catalog, Format::json, pool,
                  [&](std::string_view, std::string_view piece) { text += piece; });
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
}

} // namespace

TEST_CASE("an index database becomes the same catalog as with opm") {
    const Index index;
    CHECK(is_legacy_index(index.path()));
    const LoadedCatalog loaded = index.load();
    REQUIRE(loaded.diagnostics.size() == 1);
    CHECK(loaded.diagnostics[0].severity == Severity::warning);
    CHECK(loaded.diagnostics[0].message.ends_with("a format that is deprecated"));
    const std::string text = rendered(loaded.catalog);
    CAPTURE(text);
    for (
        const std::string_view part :
        {R"({"schema":"olm.package","name":"foo","defaultChannel":"stable","icon":{"base64data":"aGk=","mediatype":"image/png"}})",
         R"("entries":[{"name":"foo.v1"},{"name":"foo.v2"},{"name":"foo.v3","replaces":"foo.v2","skips":["foo.v1"],"skipRange":"<3.0.0"}])",
         R"("name":"foo.v1","package":"foo","image":"quay.io/foo:1","properties":[{"type":"olm.package","value":{"packageName":"foo","version":"1.0.0"}}]})",
         R"({"type":"olm.gvk.required","value":{"group":"h","kind":"H","version":"v1"}})",
         R"([{"type":"olm.gvk","value":{"group":"g","kind":"K","version":"v1"}},{"type":"olm.package","value":{"version":"3.0.0","packageName":"foo"}},{"type":"olm.package.required","value":{"packageName":"bar","versionRange":">1.0.0"}},{"type":"olm.bundle.object")",
         R"({"data":"eyJraW5kIjoiU2VydmljZSJ9"})",
         R"("relatedImages":[{"name":"x","image":"quay.io/x:1"},{"name":"","image":"quay.io/y:1"}])"})
        CHECK_MESSAGE(text.find(part) != text.npos, part);
    CHECK(text.find("stray") == text.npos);
    CHECK(text.find("olm.constraint") == text.npos);
}

TEST_CASE("an icon that cannot be read is left out with a warning") {
    const Index index(
        "UPDATE operatorbundle SET bundle = replace(bundle, 'a G k=', '%%%') WHERE name = 'foo.v3';");
    const LoadedCatalog loaded = index.load();
    REQUIRE(loaded.diagnostics.size() == 2);
    CHECK(std::any_of(loaded.diagnostics.begin(), loaded.diagnostics.end(), [](const Diagnostic& finding) {
        return finding.severity == Severity::warning &&
               finding.message.ends_with("the icon of foo.v3 is not base64");
    }));
    CHECK(rendered(loaded.catalog).find("\"icon\"") == std::string::npos);
}

TEST_CASE("what opm refuses is an error that names the database") {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"UPDATE package SET default_channel = 'beta';", "package foo has no channel beta"},
        {"UPDATE channel SET head_operatorbundle_name = 'foo.v9';", "foo.v9, the head of channel stable"},
        {"UPDATE channel SET head_operatorbundle_name = 'foo.v2';",
         "foo.v2, the head of a default channel, has no"},
        {"INSERT INTO channel_entry VALUES (9, 'beta', 'foo', 'foo.v1', NULL, 0);",
         "channel beta of package foo"},
        {"UPDATE operatorbundle SET bundle = '{' WHERE name = 'foo.v1';",
         "the manifests of bundle foo.v1 are not JSON"},
        {"UPDATE operatorbundle SET bundle = '{\"kind\":\"Service\"}' WHERE name = 'foo.v1';",
         "bundle foo.v1 has no ClusterServiceVersion"},
        {"UPDATE properties SET value = '{';", "the value of olm.package is not JSON"},
        {"UPDATE properties SET value = '{\"group\":1}' WHERE type = 'olm.gvk';", "group must be a string"},
        {"INSERT INTO properties (type, value, operatorbundle_name) VALUES "
         "('olm.package', '{\"packageName\":\"foo\",\"version\":\"x\"}', 'foo.v1');",
         ""},
    };
    for (const auto& [sql, expected] : cases) {
        CAPTURE(sql);
        const Index index(sql);
        const LoadedCatalog loaded = index.load();
        bool matched = false;
        std::string all;
        for (const Diagnostic& d : loaded.diagnostics) {
            matched =
                matched || (d.severity == Severity::error && d.message.find(expected) != std::string::npos);
            all += d.message + "\n";
        }
        CAPTURE(all);
        CHECK(matched);
    }
}

TEST_CASE("a database with changes that are not finished is an error") {
    ThreadPool pool(1);
    for (const char* const end : {"-wal", "-journal"}) {
        const Index index;
        CHECK_NOTHROW(load_legacy_index(index.path(), pool));
        std::ofstream(index.path() + end) << "x";
        CHECK_THROWS_WITH_AS(load_legacy_index(index.path(), pool),
                             doctest::Contains((std::string(end) + " has changes of it").c_str()), Error);
    }
}

TEST_CASE("a file that is not such a database is an error") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    ThreadPool pool(1);
    const fs::path file = directory.path() / "x.db";
    std::ofstream(file) << std::string("SQLite format 3\0 and then nothing of it", 39);
    CHECK(is_legacy_index(file));
    CHECK_THROWS_AS(load_legacy_index(file, pool), Error);
    std::ofstream(file) << "schema: olm.package\n";
    CHECK_FALSE(is_legacy_index(file));
    CHECK_THROWS_AS(is_legacy_index(directory.path() / "nowhere"), Error);

    const Index other({}, "CREATE TABLE package (name TEXT)");
    CHECK_THROWS_WITH_AS(other.load(), doctest::Contains("it has no column package.default_channel"), Error);
}

TEST_CASE("a damaged database is an error, wherever the damage is") {
    const Index index;
    const std::string good(read_file(index.path(), "x")->bytes());
    ThreadPool pool(1);
    for (size_t at = 100; at < good.size(); at += 97) {
        std::string bad = good;
        for (size_t i = at; i < std::min(at + 8, bad.size()); ++i) bad[i] = static_cast<char>(~bad[i]);
        const TemporaryDirectory directory(fs::temp_directory_path());
        const fs::path file = directory.path() / "x.db";
        std::ofstream(file, std::ios::binary) << bad;
        try {
            (void)load_legacy_index(file, pool);
        } catch (const Error&) {
        }
        CHECK(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()) == 1);
    }
}

TEST_CASE("no code of the file is run") {
    // Each of these would take forever, or all memory.
    const std::pair<std::string_view, std::string_view> cases[] = {
        {R"(CREATE VIEW related_image AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            SELECT i AS image, i AS operatorbundle_name FROM n;)",
         "it has no table related_image"},
        {"CREATE VIRTUAL TABLE related_image USING fts5(image, operatorbundle_name);",
         "it has no table related_image"},
        {R"(CREATE TABLE related_image (operatorbundle_name TEXT, image TEXT AS (printf('%.*c', 100000000, 'x')));
            INSERT INTO related_image (operatorbundle_name) VALUES ('foo.v1');)",
         "its column related_image.image is computed"},
    };
    for (const auto& [sql, expected] : cases) {
        CAPTURE(sql);
        const Index index("DROP TABLE related_image;" + std::string(sql));
        CHECK_THROWS_WITH_AS(index.load(), doctest::Contains(expected.data()), Error);
    }
}

TEST_CASE("pages that are read repeatedly are damage, and reading is limited by the size of the file") {
    // Every inner page of the tables leads to the next one only, some hundred times each.
    for (const std::string_view names : {"'foo.v1'", "NULL"}) {
        CAPTURE(names);
        const Index index(fmt::format(R"(PRAGMA page_size = 512; VACUUM;
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
                INSERT INTO operatorbundle (rowid, csv) SELECT i, {} FROM n;)",
                                      names));
        std::string bytes(read_file(index.path(), "x")->bytes());
        constexpr size_t page_size = 512;
        constexpr char inner_page = 5;
        std::vector<size_t> inner;
        for (size_t page = 1; page < bytes.size() / page_size; ++page)
            if (bytes[page * page_size] == inner_page) inner.push_back(page);
        REQUIRE(inner.size() > 10);
        const auto put_child = [&](size_t at, size_t page) {
            for (size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>((page + 1) >> (24 - 8 * i));
        };
        const auto two_bytes = [&](size_t at) {
            return static_cast<size_t>(static_cast<unsigned char>(bytes[at])) << 8 |
                   static_cast<unsigned char>(bytes[at + 1]);
        };
        for (size_t i = 0; i < 8; ++i) { // SQLite refuses trees of more than 20 levels
            const size_t start = inner[i] * page_size;
            put_child(start + 8, inner[i + 1]);
            for (size_t cell = 0; cell < two_bytes(start + 3); ++cell)
                put_child(start + two_bytes(start + 12 + 2 * cell), inner[i + 1]);
        }
        const TemporaryDirectory directory(fs::temp_directory_path());
        const fs::path file = directory.path() / "x.db";
        std::ofstream(file, std::ios::binary) << bytes;
        ThreadPool pool(1);
        CHECK_THROWS_WITH_AS(load_legacy_index(file, pool), doctest::Contains("more than the file can hold"),
                             Error);
    }
}
