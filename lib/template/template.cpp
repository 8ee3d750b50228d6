#include "opcat/template/template.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/decode.hpp"
#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/yaml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <unordered_map>

namespace opcat {
namespace {

struct KindName {
    TemplateKind kind;
    std::string_view name;
    std::string_view schema;
};

constexpr std::array kinds{
    KindName{TemplateKind::basic, "basic", "olm.template.basic"},
    KindName{TemplateKind::semver, "semver", "olm.semver"},
    KindName{TemplateKind::substitutes, "substitutes", "olm.template.substitutes"},
};

const KindName& entry_of(TemplateKind kind) {
    return kinds[static_cast<size_t>(kind)];
}

std::optional<TemplateKind> check_schema(const TemplateFile& file, std::optional<TemplateKind> wanted,
                                         Diagnostics& diagnostics) {
    const Text schema = file.fields(diagnostics).string("schema");
    if (has_errors(diagnostics)) return std::nullopt;
    const auto* const found =
        std::find_if(kinds.begin(), kinds.end(), [&](const KindName& k) { return k.schema == schema.text; });
    if (found != kinds.end() && (!wanted || *wanted == found->kind)) return found->kind;
    const Location where{&file.file(), schema.offset, 1};
    const std::string help =
        wanted ? fmt::format("the schema of {} templates is {}", name_of(*wanted), schema_of(*wanted))
               : "the schema of a template is olm.template.basic, olm.semver or olm.template.substitutes";
    diagnostics.push_back(error("template", where,
                                schema.empty()
                                    ? "the template has no schema"
                                    : fmt::format("{} is not the schema of {} template", schema.text,
                                                  wanted ? fmt::format("a {}", name_of(*wanted)) : "a"),
                                help));
    return std::nullopt;
}

// opm reads semver templates as a whole, the others document by document, of which only the first one counts.
bool is_in_first_document(const TemplateFile& file) {
    Diagnostics told_before;
    return file.root.offset() < split_into_documents(file.file(), told_before).front().end;
}

} // namespace

std::optional<TemplateKind> find_template_kind(std::string_view name) {
    for (const KindName& kind : kinds)
        if (kind.name == name || kind.schema == name) return kind.kind;
    return std::nullopt;
}

std::string_view name_of(TemplateKind kind) {
    return entry_of(kind).name;
}

std::string_view schema_of(TemplateKind kind) {
    return entry_of(kind).schema;
}

LoadedCatalog render_template(std::unique_ptr<SourceFile> file, std::optional<TemplateKind> kind,
                              const LoadBundles& load_bundles, ThreadPool& pool) {
    TemplateFile read{std::make_shared<CatalogStorage>(), {}};
    read.storage->files.push_back(std::move(file));
    read.storage->arenas.emplace_back();
    LoadedCatalog result;
    if (const auto root =
            read_object(read.file(), read.arena(), "a template", "template", result.diagnostics)) {
        read.root = *root;
        kind = check_schema(read, kind, result.diagnostics);
        if (kind && kind != TemplateKind::semver && !is_in_first_document(read)) {
            result.diagnostics.push_back(
                error("template", {&read.file(), 0, 3},
                      "the first document of the file is empty, and opm reads no other",
                      "remove the '---' before the template, or what is before that"));
        } else if (kind == TemplateKind::basic)
            result = render_basic(read, load_bundles);
        else if (kind == TemplateKind::semver)
            result = render_semver(read, load_bundles);
        else if (kind == TemplateKind::substitutes)
            result = render_substitutes(read, load_bundles, pool);
    }
    result.catalog.storage.push_back(read.storage);
    sort_by_place(result.diagnostics);
    return result;
}

LoadedCatalog render_basic(const TemplateFile& file, const LoadBundles& load) {
    LoadedCatalog result;
    static constexpr std::string_view known[] = {"schema", "entries"};
    file.fields(result.diagnostics).refuse_all_but(known, "template", Severity::warning);
    decode_entries(file, result);
    std::vector<BundleReference> references;
    for (const Bundle& bundle : result.catalog.bundles) {
        if (bundle.image.empty() || !bundle.package.empty() || !bundle.properties.empty() ||
            !bundle.related_images.empty())
            result.diagnostics.push_back(
                error("template", bundle.start(),
                      "a bundle in a basic template must have an image, and neither package, properties nor "
                      "relatedImages",
                      "write nothing but schema and image: the rest comes from the bundle"));
        references.push_back({bundle.image, bundle.at(bundle.image)});
    }
    if (has_errors(result.diagnostics)) return result;
    if (auto bundles = load_bundles(references, load, result)) result.catalog.bundles = std::move(*bundles);
    return result;
}

std::optional<std::vector<Bundle>> load_bundles(std::span<const BundleReference> references,
                                                const LoadBundles& load, LoadedCatalog& loaded) {
    std::vector<std::string> names;
    std::vector<Location> places;
    std::unordered_map<std::string_view, size_t> index;
    for (const BundleReference& reference : references) {
        if (!index.emplace(reference.text, names.size()).second) continue;
        names.emplace_back(reference.text);
        places.push_back(reference.where);
    }
    std::vector<LoadedCatalog> catalogs = load(names);
    std::vector<Bundle> bundles;
    for (size_t i = 0; i < catalogs.size(); ++i) {
        LoadedCatalog& one = catalogs[i];
        const bool failed = has_errors(one.diagnostics);
        std::move(one.diagnostics.begin(), one.diagnostics.end(), std::back_inserter(loaded.diagnostics));
        std::move(one.catalog.storage.begin(), one.catalog.storage.end(),
                  std::back_inserter(loaded.catalog.storage));
        const size_t count = one.catalog.bundles.size();
        if (!failed && count != 1)
            loaded.diagnostics.push_back(
                error("template", places[i],
                      fmt::format("{} holds {}, where a template needs exactly one", names[i],
                                  count == 0 ? "no bundle" : counted(count, "bundle"))));
        bundles.push_back(count == 1 ? one.catalog.bundles.front() : Bundle{});
    }
    if (has_errors(loaded.diagnostics)) return std::nullopt;
    std::vector<Bundle> result;
    for (const BundleReference& reference : references) result.push_back(bundles[index[reference.text]]);
    return result;
}

void decode_entries(const TemplateFile& file, LoadedCatalog& loaded) {
    const Value* const entries = file.fields(loaded.diagnostics).array("entries");
    if (!entries) return;
    for (const Value& entry : entries->items())
        decode_blob(file.file(), entry, file.arena(), loaded.catalog, loaded.diagnostics);
}

namespace {

Value object(std::initializer_list<Member> members, Arena& arena) {
    return Value::of(
        std::span<const Member>(arena.copy(std::span<const Member>(members.begin(), members.size()))));
}

// The blob as an entry; nothing if it is none.
std::optional<Value> to_entry(const SourceFile& file, const Value& value, TemplateKind kind, Arena& arena,
                              Diagnostics& diagnostics) {
    const size_t before = diagnostics.added();
    Catalog catalog;
    decode_blob(file, value, arena, catalog, diagnostics);
    if (diagnostics.added() != before) return std::nullopt;
    if (kind == TemplateKind::substitutes || catalog.bundles.empty()) return normalised(value, arena);
    return object({{Value::of("schema"), Value::of(schema::bundle)},
                   {Value::of("image"), Value::of(catalog.bundles.front().image.text)}},
                  arena);
}

std::string write(const Value& value, Format format) {
    std::string text;
    if (format == Format::json) {
        append_json(text, value);
        escape_html_in_json(text); // unlike catalogs
        return text;
    }
    text = "---\n";
    if (append_yaml(text, value))
        throw UnwritableYaml(
            "cannot write the template as YAML: a string has a control character or is a key "
            "of more than 1024 characters");
    return text + "\n";
}

} // namespace

ConvertedTemplate convert_to_template(const SourceFile& file, TemplateKind kind, Format format) {
    assert(kind != TemplateKind::semver);
    ConvertedTemplate result;
    Arena arena;
    std::vector<Value> entries;
    for (const DocumentRange& range : split_into_documents(file, result.diagnostics)) {
        Diagnostic problem;
        const auto value = read_document(file, range, arena, problem);
        if (!value) {
            result.diagnostics.push_back(problem);
            continue;
        }
        if (const auto entry = to_entry(file, *value, kind, arena, result.diagnostics))
            entries.push_back(*entry);
    }
    if (!result.diagnostics.empty()) return result;
    result.has_entries = !entries.empty();
    const Value list = entries.empty() ? Value::of_null() : Value::of(std::span<const Value>(entries));
    const Member schema{Value::of("schema"), Value::of(schema_of(kind))};
    const Member entry_list{Value::of("entries"), list};
    const Member substitutions{Value::of("substitutions"), Value::of(std::span<const Value>())};
    const Value root = kind == TemplateKind::substitutes ? object({schema, entry_list, substitutions}, arena)
                                                         : object({schema, entry_list}, arena);
    result.text = write(root, format);
    return result;
}

} // namespace opcat
