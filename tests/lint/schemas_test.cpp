#include "../catalog/catalog_text.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/catalog/members.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/cue/json_schema.hpp"
#include "opcat/go/types/property.hpp"
#include "opcat/lint/schemas.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

using namespace opcat;

namespace {

const std::string fine_catalog = package() + channel("{name: a}") + bundle("a", "1.0.0");

// Severity, line, marked text and message of each finding.
std::string found_in(const std::string& text, const std::string& user_schema = {}) {
    ThreadPool pool(2);
    Schemas schemas;
    Diagnostics problems;
    if (!user_schema.empty()) schemas.add(std::make_shared<SourceFile>("user.cue", user_schema), problems);
    if (!problems.empty()) return problems.front().message;
    const LoadedCatalog loaded = load_text(text);
    REQUIRE(loaded.diagnostics.empty());
    std::string out;
    for (const Diagnostic& d : schemas.check(loaded.catalog, pool)) {
        CHECK(d.rule == "schema");
        const Position at = d.where.file->position(d.where.offset);
        out += fmt::format("{} {} {}: {}\n", to_string(d.severity), at.line,
                           d.where.file->bytes().substr(d.where.offset, d.where.length), d.message);
        REQUIRE(!d.notes.empty());
        // The files of built-in definitions are part of the program.
        CHECK(bool(d.notes.front().where) == (d.severity == Severity::error));
    }
    return out;
}

} // namespace

TEST_CASE("violations of the format's own definitions that opm accepts are warnings") {
    struct Case {
        std::string_view what;
        std::string text;
        std::string_view findings;
    };
    const Case cases[] = {
        {"a good catalog", fine_catalog, ""},
        {"more fields", package("defaultChannel: stable, extra: {a: 1}"), ""},
        {"no default channel", package("description: x"),
         "warning 2 {: olm.package foo: defaultChannel is missing: it must be a string\n"},
        {"half an icon", package("defaultChannel: stable, icon: {mediatype: x}"),
         "warning 2 {: olm.package foo: icon.base64data is missing: it must be a string\n"},
        {"an empty replaces", channel("{name: a, replaces: \"\"}"),
         "warning 2 \": olm.channel stable: entries[0].replaces must not be empty\n"},
        {"null for a list", channel("{name: a, skips: null}"),
         "warning 2 n: olm.channel stable: entries[0].skips must be a list, not null\n"},
        {"empty names of images",
         with_image("r.example/a", ", relatedImages: [{image: \"\", name: x}, {image: \"\"}]"),
         "warning 2 \": olm.bundle a: relatedImages[0].image must not be empty\n"},
        {"a property without a type", bundle("a", "1.0.0", ", {value: 1}"),
         "warning 2 {: olm.bundle a: properties[1].type is missing: it must be a string\n"},
        {"a property without a value", bundle("a", "1.0.0", ", {type: x, value: null}"),
         "warning 2 n: olm.bundle a: properties[1].value must not be null\n"},
        {"a property type that is known",
         bundle("a", "1.0.0", ", {type: olm.gvk, value: {group: g, version: v, kind: \"\"}}"),
         "warning 2 \": olm.bundle a: properties[1].value.kind must not be empty\n"},
        {"properties of an unknown blob", "{schema: x, properties: [{type: olm.gvk.required, value: {}}]}",
         "warning 1 {: x: properties[0].value.group is missing: it must be a string\n"
         "warning 1 {: x: properties[0].value.kind is missing: it must be a string\n"
         "warning 1 {: x: properties[0].value.version is missing: it must be a string\n"},
        {"an unknown blob", "{schema: x, package: \"\"}", "warning 1 \": x: package must not be empty\n"},
        {"a name that must not be", "{schema: olm.deprecations, package: p, name: nn, entries: []}",
         "warning 1 nn: olm.deprecations nn: name must not be there\n"},
        {"a reference without a name",
         "{schema: olm.deprecations, package: p, entries: [{reference: {schema: olm.bundle}, message: m}]}",
         "warning 1 {: olm.deprecations p: entries[0].reference.name is missing: it must be a string\n"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.what);
        CHECK(found_in(c.text) == c.findings);
    }
}

TEST_CASE("violations of a user's schema are errors") {
    CHECK(found_in("{schema: example.note, text: 1}", "#Note: {schema: \"example.note\", text: string}") ==
          "error 1 1: example.note: text must be a string, not a number\n");
    CHECK(found_in(bundle("a", "1.0.0", ", {type: size, value: -1}"), "#Size: {type: \"size\", value: >0}") ==
          "error 2 -: olm.bundle a: properties[1].value must be >0, not -1\n");
    CHECK(found_in(fine_catalog, "#Bundle: {schema: \"olm.bundle\", image: =~\"@sha256:\", ...}") ==
          "error 6 r.example/foo: olm.bundle a: image must match the regular expression \"@sha256:\", which "
          "\"r.example/foo\" does not\n");
    CHECK(found_in("{schema: x}\n---\n{schema: z, package: p}", "_Meta: {package!: string, ...}") ==
          "error 1 {: x: package is missing: it must be a string\n");
    CHECK(found_in(fine_catalog, "#Bundle: {schema: \"olm.bundle\", image: strin}") == "there is no strin");
}

TEST_CASE("a blob that is too large to check is a finding of its own") {
    ThreadPool pool(1);
    Schemas schemas;
    Diagnostics problems;
    schemas.add(std::make_shared<SourceFile>("user.cue",
                                             "#Note: {schema: \"example.note\", name: string, text: #Tree}\n"
                                             "#Tree: [...#Tree]\n"),
                problems);
    REQUIRE(problems.empty());
    const LoadedCatalog loaded =
        load_text("\n{\"schema\": \"example.note\", \"name\": \"a\", \"text\": " + std::string(2000, '[') +
                  std::string(2000, ']') + "}");
    REQUIRE(shown(loaded.diagnostics) == "");
    const Diagnostics found = schemas.check(loaded.catalog, pool);
    REQUIRE(found.size() == 1);
    CHECK(found[0].rule == "schema");
    CHECK(found[0].severity == Severity::error);
    CHECK(found[0].message == "example.note a is too deep or too large to check by #Note");
    CHECK(found[0].where.file->position(found[0].where.offset).line == 2);
}

TEST_CASE("a definition is found by its name and by its schema") {
    const Schemas schemas;
    CHECK(schemas.find("#Bundle").front()->name == "olm.bundle");
    CHECK(schemas.find("Bundle") == schemas.find("#Bundle"));
    CHECK(schemas.find("olm.package").front()->definition->name == "#Package");
    CHECK(schemas.find("olm.gvk").front()->definition->name == "#PropertyGVK");
    CHECK(schemas.find("_Meta").front()->of == SchemaUse::Of::every_blob);
    CHECK(schemas.find("#RelatedImage").front()->of == SchemaUse::Of::none);
    CHECK(schemas.find("nonsense").empty());
}

namespace {

using Json = nlohmann::json; // not ordered_json: its layout depends on the compiler, and tests of gcc are
                             // linked with libraries of clang

// The parts of a JSON Schema that say something about one value.
std::vector<const Json*> parts_of(const Json& root, const Json& schema) {
    std::vector<const Json*> parts = {&schema};
    const auto add = [&](const Json& more) {
        for (const Json* part : parts_of(root, more)) parts.push_back(part);
    };
    if (!schema.is_object()) return parts;
    if (schema.contains("$ref"))
        add(root.at(Json::json_pointer(schema.at("$ref").get<std::string>().substr(1))));
    for (const char* several : {"allOf", "anyOf", "oneOf"})
        if (schema.contains(several))
            for (const Json& one : schema.at(several)) add(one);
    return parts;
}

std::string_view json_type(const go::Type& type) {
    using Kind = go::Type::Kind;
    switch (type.kind) {
    case Kind::list:
        return "array";
    case Kind::map:
    case Kind::structure:
        return "object";
    case Kind::boolean:
        return "boolean";
    case Kind::int32:
    case Kind::int64:
        return "integer";
    case Kind::any:
        return {};
    default:
        return "string";
    }
}

// Adds a line for each difference between a schema and a Go type.
void compare(const Json& root, const Json& schema, const go::Type& type, const std::string& path,
             std::string& out) {
    const std::vector<const Json*> parts = parts_of(root, schema);
    std::set<std::string> missing;
    for (const go::Field& field : type.fields) missing.emplace(field.name);
    for (const Json* part : parts) {
        if (!part->is_object()) continue;
        if (part->contains("type") && part->at("type") != json_type(type) && !json_type(type).empty())
            out += path + " has another type in the schema\n";
        if (type.kind == go::Type::Kind::list && part->contains("items"))
            compare(root, part->at("items"), *type.element, path + "[]", out);
        if (type.kind != go::Type::Kind::structure || !part->contains("properties")) continue;
        for (const auto& [name, of_field] : part->at("properties").items()) {
            const std::string place = path + "." + name;
            const go::Field* const field = type.field(name);
            missing.erase(name);
            if (!field) {
                out += place + " is only in the schema\n";
                continue;
            }
            const bool is_described = of_field.is_object() && of_field.contains("description");
            if (is_described && of_field.at("description") != field->meaning)
                out += place + " has another meaning in the schema\n";
            if (of_field.is_object()) compare(root, of_field, *field->type, place, out);
        }
    }
    for (const std::string& name : missing) out += path + "." + name + " is not in the schema\n";
}

// The names of all fields, also of what is in them.
std::set<std::string> names_of_fields(const go::Type& type) {
    if (type.element) return names_of_fields(*type.element);
    std::set<std::string> names;
    for (const go::Field& field : type.fields) {
        names.emplace(field.name);
        names.merge(names_of_fields(*field.type));
    }
    return names;
}

// What is written between backquotes.
std::set<std::string> quoted_in(std::string_view text) {
    std::set<std::string> words;
    for (size_t begin = text.find('`'); begin != text.npos;) {
        const size_t end = text.find('`', begin + 1);
        if (end == text.npos) break;
        std::string word(text.substr(begin + 1, end - begin - 1));
        words.insert(word.substr(word.rfind('.') + 1)); // entries[].replaces
        words.insert(std::move(word));
        begin = text.find('`', end + 1);
    }
    return words;
}

} // namespace

TEST_CASE("the definitions of the format have the fields that opm and OLM decode, with the same meanings") {
    const std::tuple<std::string_view, const go::Type&, std::string_view> cases[] = {
        {"#Package", go::types::package, ""},
        {"#Channel", go::types::channel, ""},
        {"#Bundle", go::types::bundle, ""},
        // Of every blob, but opm has no place for it here.
        {"#Deprecations", go::types::deprecations, "#Deprecations.properties is only in the schema\n"},
        {"#PropertyPackage", go::types::property_package, ""},
        {"#PropertyPackageRequired", go::types::package_required, ""},
        {"#PropertyGVK", go::types::gvk, ""},
        {"#PropertyGVKRequired", go::types::gvk, ""},
        {"#PropertyCSVMetadata", go::types::csv_metadata, ""},
        {"#PropertyBundleObject", go::types::bundle_object, ""},
        {"#PropertyChannel", go::types::channel_property, ""},
    };
    Schemas schemas;
    schemas.add_descriptions();
    for (const auto& [definition, type, differences] : cases) {
        const SchemaUse& use = *schemas.find(definition).front();
        const cue::JsonSchemaCase one{.schema = use.schema, .definition = use.definition};
        const Json schema = parse_json<Json>(cue::to_json_schema({&one, 1}, definition));
        const Json* const of_blob = parts_of(schema, schema).at(1);
        const Json& described =
            use.of == SchemaUse::Of::property ? of_blob->at("properties").at("value") : *of_blob;
        std::string found;
        compare(schema, described, type, std::string(definition), found);
        CHECK(found == differences);
    }
}

TEST_CASE("definitions that only describe are not checked") {
    ThreadPool pool(1);
    Schemas schemas;
    CHECK(schemas.find("olm.csv.metadata").empty());
    schemas.add_descriptions();
    CHECK(!schemas.find("olm.csv.metadata").empty());
    const LoadedCatalog loaded =
        load_text("{schema: x, properties: [{type: olm.csv.metadata, value: {labels: 5}}]}");
    CHECK(schemas.check(loaded.catalog, pool).empty());
}

TEST_CASE("every definition of a blob or of a property is compared with a Go type") {
    Schemas schemas;
    schemas.add_descriptions();
    for (const SchemaUse& use : schemas.uses()) {
        CAPTURE(use.name);
        if (use.of == SchemaUse::Of::blob) CHECK(type_of_schema(use.name));
        if (use.of == SchemaUse::Of::property)
            CHECK((type_of_value(use.name) || use.name == property_type::bundle_object));
    }
}

TEST_CASE("the specification names the fields of all blobs and of the values of properties") {
    const auto file = read_file(OPCAT_TESTDATA "/../docs/spec/catalog-format.md", "catalog-format.md");
    const std::string_view text = file->bytes();
    for (const std::string_view schema :
         {schema::package, schema::channel, schema::bundle, schema::deprecations}) {
        const size_t begin = text.find(fmt::format("## {}\n", schema));
        REQUIRE(begin != text.npos);
        const std::set<std::string> quoted = quoted_in(text.substr(begin, text.find("\n## ", begin) - begin));
        for (const std::string& name : names_of_fields(*type_of_schema(schema))) {
            CAPTURE(name);
            CHECK((quoted.contains(name) || name == "schema"));
        }
    }
    for (const std::string_view property : {property_type::package, property_type::package_required,
                                            property_type::gvk, property_type::channel}) {
        const size_t begin = text.find(fmt::format("| `{}` |", property));
        REQUIRE(begin != text.npos);
        const std::set<std::string> quoted = quoted_in(text.substr(begin, text.find('\n', begin) - begin));
        for (const std::string& name : names_of_fields(*type_of_value(property))) {
            CAPTURE(name);
            CHECK(quoted.contains(name));
        }
    }
}
