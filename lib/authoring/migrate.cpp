#include "opcat/authoring/migrate.hpp"

#include "opcat/base/error.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/source_details.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/encode.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/lint/checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace opcat {
namespace {

// Writing leaves out what belongs to no package.
void check_packages(const Catalog& catalog, Diagnostics& diagnostics) {
    const auto check = [&](const Blob& blob, std::string_view package, std::string_view schema) {
        if (package.empty())
            diagnostics.push_back(error("package-unknown", blob.start(),
                                        std::string(schema) + " without a package would be lost",
                                        "say to which package it belongs"));
    };
    for (const Package& p : catalog.packages) check(p, p.name, schema::package);
    for (const Channel& c : catalog.channels) check(c, c.package, schema::channel);
    for (const Bundle& b : catalog.bundles) check(b, b.package, schema::bundle);
    for (const Deprecations& d : catalog.deprecations) check(d, d.package, schema::deprecations);
}

// One finding for all comments of the file: there may be many.
void check_comments(const SourceFile& file, Diagnostics& diagnostics) {
    const std::vector<Location> comments = find_yaml_comments(file);
    if (comments.empty()) return;
    diagnostics.push_back(error(
        "format-loss", comments.front(),
        comments.size() == 1 ? "this comment would be lost"
                             : fmt::format("{} comments would be lost, this is the first", comments.size())));
}

void check_fields(const Catalog& catalog, Diagnostics& diagnostics) {
    Diagnostics unknown;
    for (const PackageIndex& package : index_packages(catalog)) check_unknown_fields(package, unknown);
    sort_by_place(unknown);
    for (Diagnostic& finding : unknown) {
        finding.severity = Severity::error;
        finding.rule = "format-loss";
        finding.message += ": it would be lost";
        if (!finding.help.starts_with("did you mean")) finding.help = "remove it";
        diagnostics.push_back(std::move(finding));
    }
}

Format format_of(const SourceFile& file) {
    Diagnostics ignored; // loading has them, too
    const auto documents = split_into_documents(file, ignored);
    return !documents.empty() && documents.front().notation == Notation::json ? Format::json : Format::yaml;
}

LoadedCatalog load(std::unique_ptr<SourceFile> file, ThreadPool& pool) {
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(std::move(file));
    return load_catalog(std::move(files), pool);
}

std::string write(const Catalog& catalog, Format format, ThreadPool& pool) {
    std::string all;
    write_catalog(catalog, format, pool, [&](std::string_view, std::string_view text) { all += text; });
    return all;
}

// opm writes some texts as YAML that means something else.
void check_that_it_reads_back(const Catalog& catalog, const std::string& text, const std::string& path,
                              ThreadPool& pool) {
    const LoadedCatalog again = load(std::make_unique<SourceFile>(path, text), pool);
    if (again.diagnostics.empty() &&
        write(again.catalog, Format::json, pool) == write(catalog, Format::json, pool))
        return;
    throw Error(
        fmt::format("cannot normalise {}: as opm writes it, it would read back as something else", path),
        "in YAML, opm loses the line break U+0085 of a text, and takes a key << for a merge: write the file "
        "as JSON");
}

} // namespace

NormalisedFile normalise_file(std::unique_ptr<SourceFile> file, bool drop_comments, ThreadPool& pool) {
    const Format format = format_of(*file);
    Diagnostics losses;
    if (!drop_comments) check_comments(*file, losses);
    const std::string path = file->path();
    const std::string before(file->bytes());
    NormalisedFile result;
    result.loaded = load(std::move(file), pool);
    check_packages(result.loaded.catalog, result.loaded.diagnostics);
    check_fields(result.loaded.catalog, losses);
    std::move(losses.begin(), losses.end(), std::back_inserter(result.loaded.diagnostics));
    if (!result.loaded.diagnostics.empty()) return result;
    result.text = write(result.loaded.catalog, format, pool);
    result.changed = result.text != before;
    if (result.changed) check_that_it_reads_back(result.loaded.catalog, result.text, path, pool);
    return result;
}

namespace {

// The value of olm.csv.metadata, in the shape in which opm decodes it.
Value metadata_of(const Value& csv, go::Route route, Arena& arena) {
    struct Origin {
        std::string_view field, from;
    };
    constexpr Origin spec_fields[] = {{"apiServiceDefinitions", "apiservicedefinitions"},
                                      {"crdDescriptions", "customresourcedefinitions"},
                                      {"description", "description"},
                                      {"displayName", "displayName"},
                                      {"installModes", "installModes"},
                                      {"keywords", "keywords"},
                                      {"links", "links"},
                                      {"maintainers", "maintainers"},
                                      {"maturity", "maturity"},
                                      {"minKubeVersion", "minKubeVersion"},
                                      {"nativeAPIs", "nativeAPIs"},
                                      {"provider", "provider"}};
    std::vector<Member> members;
    const auto take = [&](const Value* object, const Origin& origin) {
        const Value* const found = object ? find_field(*object, origin.from, route) : nullptr;
        if (found) members.push_back({Value::of(origin.field), *found});
    };
    const Value* const metadata = find_field(csv, "metadata", route);
    take(metadata, {"annotations", "annotations"});
    take(metadata, {"labels", "labels"});
    const Value* const spec = find_field(csv, "spec", route);
    for (const Origin& origin : spec_fields) take(spec, origin);
    const Value collected = Value::of(std::span<const Member>(members));
    return go::recode(collected, go::type_named("property.CSVMetadata"), route, arena);
}

class Migration {
public:
    Migration(Bundle& bundle, Arena& arena, Diagnostics& diagnostics)
        : bundle_(bundle), arena_(arena), diagnostics_(diagnostics) {}

    void run() {
        std::vector<Property> properties(bundle_.properties.begin(), bundle_.properties.end());
        const auto is_metadata = [](const Property& p) { return p.type == property_type::csv_metadata; };
        if (bundle_.keep_unmodified || bundle_.image.empty() ||
            std::any_of(properties.begin(), properties.end(), is_metadata))
            return;
        replace_objects(properties);
        bundle_.properties = arena_.copy(std::span<const Property>(properties));
    }

private:
    // The first object that is a ClusterServiceVersion counts.
    void replace_objects(std::vector<Property>& properties) {
        for (const Property& property : properties) {
            const auto object = bundle_object_in(property);
            if (!object || !object->is_csv()) continue;
            if (!object->is_json && begins_as_json(*object->file)) { // opm makes JSON of other YAML only
                error(
                    property.offset,
                    "the ClusterServiceVersion in an olm.bundle.object begins with a brace, but is not JSON");
                return;
            }
            const auto misfit =
                go::find_misfit(object->value, go::type_named("ClusterServiceVersion"), object->route());
            if (misfit) {
                error(property.offset,
                      fmt::format("the ClusterServiceVersion in an olm.bundle.object does not decode: {}",
                                  misfit->message()));
                return;
            }
            const Value value = metadata_of(object->value, object->route(), arena_);
            std::string json; // with the fields in opm's order
            append_compact_json(json, value);
            const Property metadata{{property_type::csv_metadata, 0},
                                    arena_.copy(std::span<const Value>(&value, 1)).data(),
                                    property.offset,
                                    arena_.copy(json)};
            std::erase_if(properties,
                          [](const Property& p) { return p.type == property_type::bundle_object; });
            properties.push_back(metadata);
            return;
        }
    }

    void error(uint32_t offset, std::string message) {
        diagnostics_.push_back({.rule = "csv-metadata",
                                .message = fmt::format("bundle {}: {}", bundle_.name.text, message),
                                .where = bundle_.at(offset),
                                .notes = {},
                                .help = {}});
    }

    Bundle& bundle_;
    Arena& arena_;
    Diagnostics& diagnostics_;
};

constexpr size_t bundles_per_task = 16;

} // namespace

Diagnostics migrate_to_csv_metadata(Catalog& catalog, ThreadPool& pool) {
    const size_t tasks = (catalog.bundles.size() + bundles_per_task - 1) / bundles_per_task;
    const auto storage = std::make_shared<CatalogStorage>();
    storage->arenas.resize(tasks);
    std::vector<Diagnostics> found(tasks);
    pool.for_each(tasks, [&](size_t task) {
        const size_t end = std::min((task + 1) * bundles_per_task, catalog.bundles.size());
        for (size_t i = task * bundles_per_task; i < end; ++i)
            Migration(catalog.bundles[i], storage->arenas[task], found[task]).run();
    });
    catalog.storage.push_back(storage);
    Diagnostics all;
    for (Diagnostics& some : found) std::move(some.begin(), some.end(), std::back_inserter(all));
    return all;
}

} // namespace opcat
