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
#include <utility>

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

constexpr std::array schemas_of_templates{kinds[0].schema, kinds[1].schema, kinds[2].schema};

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
    const bool is_of_catalog = schema.text.starts_with("olm.") && !find_template_kind(schema) &&
                               did_you_mean(schema, schemas_of_templates).empty();
    const std::string help =
        is_of_catalog
            ? fmt::format("a catalog becomes a template if its blobs are put below `entries:` of one "
                          "with the schema {}: `opcat template convert basic` does so",
                          schema_of(TemplateKind::basic))
        : wanted ? fmt::format("the schema of {} templates is {}", name_of(*wanted), schema_of(*wanted))
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

LoadedCatalog render(const TemplateFile& file, TemplateKind kind, const LoadBundles& load, Validity validity,
                     ThreadPool& pool) {
    if (kind != TemplateKind::semver && !is_in_first_document(file)) {
        LoadedCatalog result;
        result.diagnostics.push_back(error("template", {&file.file(), 0, 3},
                                           "the first document of the file is empty, and opm reads no other",
                                           "remove the '---' before the template, or what is before that"));
        return result;
    }
    switch (kind) {
    case TemplateKind::basic:
        return render_basic(file, load);
    case TemplateKind::semver:
        return render_semver(file, load);
    case TemplateKind::substitutes:
        break;
    }
    return render_substitutes(file, load, validity, pool);
}

// All blobs but the template.
void note_other_documents(const LoadedCatalog& loaded, Diagnostics& out) {
    const auto note = [&](const Blob& blob) {
        out.push_back(warning("template", blob.start(),
                              "this document is left out: a template is the first document of its file",
                              "put a blob below `entries:`, or another template into a file of its own"));
    };
    const Catalog& catalog = loaded.catalog;
    for (const Package& blob : catalog.packages) note(blob);
    for (const Channel& blob : catalog.channels) note(blob);
    for (const Bundle& blob : catalog.bundles) note(blob);
    for (const Deprecations& blob : catalog.deprecations) note(blob);
    for (size_t i = 1; i < catalog.others.size(); ++i) note(catalog.others[i]);
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
    TemplateFile read{file.get(), std::make_shared<CatalogStorage>(), {}};
    read.storage->files.push_back(std::move(file));
    read.storage->arenas.emplace_back();
    LoadedCatalog result;
    if (const auto root = read_object(read.file(), read.arena(), "a template", "template", result.diagnostics,
                                      Rest::stays)) {
        read.root = *root;
        kind = check_schema(read, kind, result.diagnostics);
        if (kind) result = render(read, *kind, load_bundles, Validity::explained, pool);
    }
    result.catalog.storage.push_back(read.storage);
    sort_by_place(result.diagnostics);
    return result;
}

bool has_other_documents(const SourceFile& file) {
    Diagnostics problems;
    bool is_first = true;
    for (const DocumentRange& range : split_into_documents(file, problems)) {
        Arena arena;
        Diagnostic problem;
        const auto document = read_document(file, range, arena, problem);
        if (!document || document->is_null()) continue;
        if (!std::exchange(is_first, false)) return true;
    }
    return false;
}

std::optional<TemplateKind> template_in(const LoadedCatalog& loaded) {
    const Catalog& catalog = loaded.catalog;
    if (catalog.others.empty()) return std::nullopt;
    const OtherBlob& first = catalog.others.front();
    const auto comes_later = [&](const auto& blobs) {
        return blobs.empty() || blobs.front().value.offset() > first.value.offset();
    };
    if (!comes_later(catalog.packages) || !comes_later(catalog.channels) || !comes_later(catalog.bundles) ||
        !comes_later(catalog.deprecations))
        return std::nullopt;
    for (const KindName& kind : kinds)
        if (kind.schema == first.schema.text) return kind.kind;
    return std::nullopt;
}

void open_template(LoadedCatalog& loaded, const LoadBundles& load, ThreadPool& pool) {
    const auto kind = template_in(loaded);
    if (!kind) return;
    const OtherBlob& blob = loaded.catalog.others.front();
    const TemplateFile read{blob.file, std::make_shared<CatalogStorage>(), blob.value};
    read.storage->arenas.emplace_back();
    // Empty documents after the template are left out as well.
    std::erase_if(loaded.diagnostics, [](const Diagnostic& d) { return d.rule == "schema-missing"; });
    note_other_documents(loaded, loaded.diagnostics);
    LoadedCatalog opened = render(read, *kind, load, Validity::left_to_caller, pool);
    opened.catalog.storage.insert(opened.catalog.storage.begin(), loaded.catalog.storage.begin(),
                                  loaded.catalog.storage.end());
    opened.catalog.storage.push_back(read.storage);
    opened.diagnostics.append(std::move(loaded.diagnostics));
    sort_by_place(opened.diagnostics);
    opened.oddities.append(std::move(loaded.oddities));
    sort_by_place(opened.oddities);
    // An error in this kind.
    if (kind == TemplateKind::semver)
        std::erase_if(opened.oddities, [](const Diagnostic& d) { return d.rule == "key-duplicate"; });
    opened.remarks = std::move(loaded.remarks);
    opened.refused.insert(opened.refused.end(), loaded.refused.begin(), loaded.refused.end());
    loaded = std::move(opened);
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
    auto catalogs = load(names);
    if (!catalogs) return std::nullopt;
    std::vector<Bundle> bundles;
    bool is_unknown = false;
    for (size_t i = 0; i < catalogs->size(); ++i) {
        LoadedCatalog& one = (*catalogs)[i];
        const bool failed = has_errors(one.diagnostics);
        // A finding about a bundle has its own place, or else that of the bundle's name.
        for (Diagnostic& problem : one.diagnostics)
            if (!problem.where) problem.where = places[i];
        std::move(one.diagnostics.begin(), one.diagnostics.end(), std::back_inserter(loaded.diagnostics));
        std::move(one.catalog.storage.begin(), one.catalog.storage.end(),
                  std::back_inserter(loaded.catalog.storage));
        const size_t count = one.catalog.bundles.size();
        is_unknown = is_unknown || one.bundles_unknown;
        if (!failed && count != 1 && !one.bundles_unknown)
            loaded.diagnostics.push_back(
                error("template", places[i],
                      fmt::format("{} holds {}, where a template needs exactly one", names[i],
                                  count == 0 ? "no bundle" : counted(count, "bundle"))));
        bundles.push_back(count == 1 ? one.catalog.bundles.front() : Bundle{});
    }
    if (is_unknown || has_errors(loaded.diagnostics)) return std::nullopt;
    std::vector<Bundle> result;
    for (const BundleReference& reference : references) {
        result.push_back(bundles[index[reference.text]]);
        if (!result.back().file) result.back().origin = {reference.where.file, reference.where.offset, 0};
    }
    return result;
}

void decode_entries(const TemplateFile& file, LoadedCatalog& loaded) {
    const Value* const entries = file.fields(loaded.diagnostics).array("entries");
    if (!entries) return;
    for (const Value& entry : entries->items()) {
        const size_t before = loaded.diagnostics.added();
        decode_blob(file.file(), entry, file.arena(), loaded.catalog, loaded.diagnostics);
        if (loaded.diagnostics.added() > before && entry.is_object())
            loaded.refused.push_back({&file.file(), entry, {}, {}});
    }
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

ConvertedTemplate convert_to_template(std::span<const std::unique_ptr<SourceFile>> files, TemplateKind kind,
                                      Format format) {
    assert(kind != TemplateKind::semver);
    ConvertedTemplate result;
    Arena arena;
    std::vector<Value> entries;
    for (const auto& file : files)
        for (const DocumentRange& range : split_into_documents(*file, result.diagnostics)) {
            Diagnostic problem;
            const auto value = read_document(*file, range, arena, problem);
            if (!value) {
                result.diagnostics.push_back(problem);
                continue;
            }
            if (const auto entry = to_entry(*file, *value, kind, arena, result.diagnostics))
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
