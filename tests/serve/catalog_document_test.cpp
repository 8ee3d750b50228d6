// The document of a catalog: its order, its digest, and its compressed parts.
#include "catalog_text.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/serve/catalog_document.hpp"
#include "opcat/serve/libraries.hpp"

using namespace opcat;
using namespace opcat::serve;

namespace {

std::string joined(const DocumentPart& part) {
    std::string text;
    for (const std::string_view piece : part.pieces) text += piece;
    return text;
}

std::string inflated(const std::string& bytes) {
    z_stream stream{};
    constexpr int gzip = 15 + 16;
    REQUIRE(libz().inflateInit2_(&stream, gzip, ZLIB_VERSION, static_cast<int>(sizeof stream)) == Z_OK);
    std::string out(1 << 20, '\0');
    std::string in = bytes;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int result = libz().inflate(&stream, Z_FINISH);
    out.resize(out.size() - stream.avail_out);
    libz().inflateEnd(&stream);
    CHECK(result == Z_STREAM_END); // including the checksum and the length
    CHECK(stream.avail_in == 0);
    return out;
}

} // namespace

TEST_CASE("blobs come in the order of their file, with sorted keys, and the digest depends on nothing else") {
    const LoadedCatalog loaded = load_valid("{schema: b, name: z}\n---\n{name: w, schema: a}\n---\n"
                                            "{schema: olm.package, name: p, x: {b: 1, a: <2>}}\n");
    const CatalogDocument document(loaded.catalog, 0, test_pool());
    CHECK(document.text() == "{\"name\":\"z\",\"schema\":\"b\"}\n{\"name\":\"w\",\"schema\":\"a\"}\n"
                             "{\"name\":\"p\",\"schema\":\"olm.package\",\"x\":{\"a\":\"<2>\",\"b\":1}}\n");
    CHECK(document.digest() == CatalogDocument(loaded.catalog, 5, test_pool()).digest());
    CHECK(document.count("olm.package") == 1);
}

TEST_CASE("every part is available compressed, and is the same after decompression") {
    const LoadedCatalog loaded = load_valid(two_packages);
    CatalogDocument document(loaded.catalog, 0, test_pool());
    std::string ends;
    CHECK_FALSE(document.find_compressed({}, ends));
    document.compress(test_pool());
    const BlobQuery queries[] = {
        {}, {"olm.bundle", "", ""}, {"", "gizmo", ""}, {"", "", "one"}, {"absent", "", ""}};
    for (const BlobQuery& query : queries) {
        const auto part = document.find_compressed(query, ends);
        REQUIRE(part);
        const std::string bytes = joined(*part);
        CHECK(bytes.size() == part->size);
        CHECK(inflated(bytes) == joined(document.find(query)));
    }
}

TEST_CASE("a catalog that is loaded in parts is the same document") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    const std::string filler(1500, 'x');
    for (const char* const name : {"a.yaml", "b.json", "c.yaml"}) {
        std::string text;
        for (int i = 0; i < 2000; ++i)
            text += "{\"schema\": \"example\", \"name\": \"" + std::string(name) + std::to_string(i) +
                    "\", \"filler\": \"" + filler + "\"}\n---\n";
        write_file(directory.path() / name,
                   std::string_view(name).ends_with("json") ? replace_all(text, "---\n", "") : text);
    }
    write_file(directory.path() / "d.yaml", "{schema: 5}\n");
    const LoadOptions options{.names_only = true};
    size_t parts = 0;
    CatalogDocument in_parts(0);
    const Diagnostics problems =
        load_catalog_in_parts(directory.path(), test_pool(), options, [&](const Catalog& part) {
            ++parts;
            in_parts.add(part, test_pool());
        });
    in_parts.finish();
    const LoadedCatalog whole = load_catalog(directory.path(), test_pool(), options);
    CHECK(parts > 1);
    CHECK(in_parts.text() == CatalogDocument(whole.catalog, 0, test_pool()).text());
    REQUIRE(problems.size() == whole.diagnostics.size());
    CHECK(problems.size() == 1);
    CHECK(problems.front().message.find("d.yaml:1:") != std::string::npos);
}
