#include "opcat/lint/schemas.hpp"

#include "built_in_schemas.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/members.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <optional>

namespace opcat {
namespace {

using Of = SchemaUse::Of;

SchemaUse use_of(const cue::Schema& schema, const cue::Definition& definition) {
    SchemaUse use{Of::none, {}, &schema, &definition, false};
    if (definition.name == "_Meta") {
        use.of = Of::every_blob;
    } else if (const auto blob = schema.constant(definition, "schema")) {
        use.of = Of::blob;
        use.name = *blob;
    } else if (const auto property = schema.constant(definition, "type")) {
        use.of = Of::property;
        use.name = *property;
    }
    return use;
}

// Blobs with the names of their schemas.
std::vector<std::pair<const Blob*, std::string_view>> blobs_and_schemas_of(const Catalog& catalog) {
    std::vector<std::pair<const Blob*, std::string_view>> blobs;
    for_each_schema(catalog, [&](const auto& some, const go::Type& type) {
        for (const Blob& blob : some) blobs.emplace_back(&blob, type.title);
    });
    for (const OtherBlob& other : catalog.others) blobs.emplace_back(&other, other.schema.text);
    return blobs;
}

std::string title_of(const Blob& blob, std::string_view schema) {
    const std::string_view name = blob.name.empty() ? blob.package.text : blob.name.text;
    return name.empty() ? std::string(schema) : fmt::format("{} {}", schema, name);
}

// Equal mistakes in one blob are reported once: programs that generate catalogs repeat their mistakes.
std::vector<std::vector<cue::Violation>> alike(std::vector<cue::Violation> violations) {
    std::vector<std::vector<cue::Violation>> groups;
    for (cue::Violation& violation : violations) {
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
            return group.front().message == violation.message &&
                   group.front().schema.begin == violation.schema.begin;
        });
        if (same == groups.end())
            groups.emplace_back().push_back(std::move(violation));
        else
            same->push_back(std::move(violation));
    }
    return groups;
}

// Returns the paths of all violations but the first.
std::string paths_of(const std::vector<cue::Violation>& same) {
    return listed(std::span(same).subspan(1), 3, &cue::Violation::path);
}

// `property` is the index of the property that the value is; nothing: it is the blob.
void report(const Blob& blob, std::string_view schema, const SchemaUse& use, const Value& value,
            std::optional<size_t> property, Diagnostics& out) {
    const cue::Outcome outcome = use.schema->check(*use.definition, value);
    if (outcome.state == cue::State::complete && !outcome.gave_up) return;
    if (outcome.gave_up) {
        // Whoever adds a schema relies on it: what it does not accept is an error of the catalog.
        out.push_back(error(use.built_in ? "limit" : "schema", blob.at(value.offset()),
                            fmt::format("{} is too deep or too large to check by {}", title_of(blob, schema),
                                        use.definition->name)));
        return;
    }
    const std::string path = property ? fmt::format("properties[{}]", *property) : std::string();
    for (const auto& same : alike(use.schema->violations(*use.definition, value, path))) {
        const cue::Violation& first = same.front();
        const Value& at = *first.value;
        Diagnostic found =
            finding(use.built_in ? Severity::warning : Severity::error, "schema",
                    at.is_string() ? blob.at(Text{at.string(), at.offset()}) : blob.at(at.offset()),
                    fmt::format("{}: {} {}", title_of(blob, schema),
                                first.path.empty() ? "the blob" : first.path, first.message),
                    first.help);
        std::string note = "required by " + use.definition->name;
        if (first.alternatives > 0)
            note += fmt::format(" (in the nearest of {} alternatives)", first.alternatives);
        // The files of built-in definitions are part of the program: nobody can open them.
        if (use.built_in)
            found.notes.push_back(
                {fmt::format("{}: `opcat schema show '{}'` prints it", note, use.definition->name), {}});
        else
            found.notes.push_back({std::move(note), use.schema->where(first.schema)});
        if (same.size() > 1) found.notes.push_back({"the same is so for " + paths_of(same), {}});
        out.push_back(std::move(found));
    }
}

// What applies to nothing would seem to be checked.
void report_unused(const SourceFile& file, std::span<const SchemaUse> uses, Diagnostics& problems) {
    constexpr const char* help =
        "a definition with schema: \"x\" is for blobs of that schema, with type: \"x\" for "
        "properties of that type, and _Meta for every blob";
    std::vector<const cue::Definition*> used;
    for (const SchemaUse& use : uses)
        if (use.of != Of::none) used.push_back(use.definition);
    if (used.empty())
        return problems.push_back(
            error("schema-file", {&file, 0, 0},
                  "the file checks nothing: none of its definitions is for blobs or properties", help));
    for (const cue::Declaration* one : cue::unused_declarations(*uses.front().schema, used))
        problems.push_back(
            error("schema-file", uses.front().schema->where(one->range),
                  one->name.empty()
                      ? "this checks nothing: it is in no definition for blobs or properties"
                      : fmt::format("{} checks nothing: it is neither for blobs nor for properties, and "
                                    "no definition that is refers to it",
                                    one->name),
                  help));
}

} // namespace

Schemas::Schemas() {
    add_built_in("blobs.cue", embedded::blobs_cue, Role::format);
    add_built_in("properties.cue", embedded::properties_cue, Role::format);
}

void Schemas::add_descriptions() {
    add_built_in("metadata.cue", embedded::metadata_cue, Role::description);
}

void Schemas::add_built_in(std::string_view name, std::string_view text, Role role) {
    Diagnostics problems;
    add(std::make_shared<SourceFile>(fmt::format("opcat/schemas/{}", name), text), role, problems);
    assert(problems.empty());
}

bool Schemas::add(const std::shared_ptr<const SourceFile>& file, Diagnostics& problems) {
    const size_t before = problems.added();
    const size_t uses = uses_.size();
    add(file, Role::project, problems);
    if (problems.added() == before) report_unused(*file, std::span(uses_).subspan(uses), problems);
    return problems.added() == before;
}

void Schemas::add(const std::shared_ptr<const SourceFile>& file, Role role, Diagnostics& problems) {
    auto compiled = cue::Schema::compile(file, problems);
    if (!compiled) return;
    const auto schema = std::make_shared<const cue::Schema>(*std::move(compiled));
    schemas_.push_back(schema);
    for (const cue::Definition& definition : schema->definitions()) {
        SchemaUse use = use_of(*schema, definition);
        use.built_in = role != Role::project;
        uses_.push_back(use);
        if (role == Role::description) continue;
        if (use.of == Of::blob) of_blobs_.emplace(use.name, use);
        if (use.of == Of::property) of_properties_.emplace(use.name, use);
        if (use.of == Of::every_blob) of_every_blob_.push_back(use);
    }
}

std::vector<const SchemaUse*> Schemas::find(std::string_view name) const {
    std::vector<const SchemaUse*> found;
    const auto add_all_that = [&](const auto& matches) {
        for (const SchemaUse& use : uses_)
            if (matches(use) && std::ranges::find(found, &use) == found.end()) found.push_back(&use);
    };
    const auto add_all_for = [&](Of of, std::string_view what) {
        add_all_that([&](const SchemaUse& use) { return use.of == of && use.name == what; });
    };
    add_all_that([&](const SchemaUse& use) {
        const std::string_view definition = use.definition->name;
        return definition == name || (definition.starts_with('#') && definition.substr(1) == name);
    });
    if (!found.empty()) {
        const SchemaUse& first = *found.front();
        if (first.of == Of::blob || first.of == Of::property) add_all_for(first.of, first.name);
        return found;
    }
    add_all_for(Of::blob, name);
    if (found.empty()) add_all_for(Of::property, name);
    return found;
}

void Schemas::check_blob(const Blob& blob, std::string_view schema, Diagnostics& out) const {
    const auto [begin, end] = of_blobs_.equal_range(schema);
    bool has_built_in = false;
    for (auto use = begin; use != end; ++use) {
        has_built_in |= use->second.built_in;
        // A bundle by itself or in an index database is in no file: the program gave it its form.
        if (use->second.built_in && !blob.file) continue;
        report(blob, schema, use->second, blob.value, std::nullopt, out);
    }
    // The format's own definitions contain what every blob has.
    for (const SchemaUse& use : of_every_blob_)
        if (!use.built_in || !has_built_in) report(blob, schema, use, blob.value, std::nullopt, out);
    const Value* const properties = blob.value.find("properties");
    if (!properties || !properties->is_array()) return;
    const std::span<const Value> items = properties->items();
    for (size_t i = 0; i < items.size(); ++i) {
        const Value* const type = items[i].find("type");
        const auto [first, last] =
            of_properties_.equal_range(type ? type->string_or_empty() : std::string_view());
        for (auto use = first; use != last; ++use) report(blob, schema, use->second, items[i], i, out);
    }
}

Diagnostics Schemas::check(const Catalog& catalog, ThreadPool& pool) const {
    constexpr size_t portion = 8;
    auto blobs = blobs_and_schemas_of(catalog);
    // Blobs that the program made are in no file, and their form needs no check.
    std::erase_if(blobs, [](const auto& blob) { return !blob.first->value.is_object(); });
    const size_t portions = (blobs.size() + portion - 1) / portion;
    std::vector<Diagnostics> found(portions);
    pool.for_each(portions, [&](size_t i) {
        for (size_t k = i * portion; k < std::min(blobs.size(), (i + 1) * portion); ++k)
            check_blob(*blobs[k].first, blobs[k].second, found[i]);
    });
    Diagnostics all;
    for (Diagnostics& some : found) std::move(some.begin(), some.end(), std::back_inserter(all));
    sort_by_place(all);
    return all;
}

} // namespace opcat
