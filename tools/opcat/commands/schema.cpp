#include "opcat/cue/schema.hpp"

#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cue/json_schema.hpp"
#include "opcat/lint/schemas.hpp"
#include "opcat/policy/json_schema.hpp"
#include "references.hpp"
#include "terminal/session.hpp"

#include <memory>

namespace opcat {
namespace {

struct SchemaOptions {
    std::vector<std::string> schema_files;
    std::string name;
    Form format = Form::jsonschema;
};

std::string purpose_of(const SchemaUse& use) {
    switch (use.of) {
    case SchemaUse::Of::every_blob:
        return "every blob";
    case SchemaUse::Of::blob:
        return fmt::format("blobs of schema {}", use.name);
    case SchemaUse::Of::property:
        return fmt::format("properties of type {}", use.name);
    case SchemaUse::Of::none:
        return "part of others";
    }
    return {};
}

// Throws RequestError.
std::vector<const SchemaUse*> schemas_named(const Schemas& schemas, const std::string& name) {
    if (auto uses = schemas.find(name); !uses.empty()) return uses;
    std::vector<std::string_view> known;
    for (const SchemaUse& use : schemas.uses()) {
        known.push_back(use.definition->name);
        if (!use.name.empty()) known.push_back(use.name);
    }
    const std::string near = did_you_mean(name, known);
    throw RequestError(fmt::format("there is no schema \"{}\"", name),
                       near.empty() ? "`opcat schema list` lists all of them" : near);
}

void list(const Schemas& schemas, Session& session) {
    std::string lines;
    for (const SchemaUse& use : schemas.uses()) {
        const std::string comment = use.schema->comment(use.definition->documentation);
        lines += fmt::format("{}\t{}\t{}\n", use.definition->name, purpose_of(use),
                             escape_controls(comment.substr(0, comment.find('\n'))));
    }
    session.out.write(align_columns("DEFINITION\tFOR\tDESCRIPTION\n" + lines));
}

void show(const Schemas& schemas, const std::string& name, Session& session) {
    std::string text;
    for (const SchemaUse* const use : schemas_named(schemas, name))
        text += (text.empty() ? "" : "\n") + text_of(*use->schema, *use->definition) + "\n";
    session.out.write(text);
}

std::string as_json_schema(const Schemas& schemas, const std::string& name) {
    std::vector<cue::JsonSchemaCase> cases;
    if (!name.empty()) {
        const std::vector<const SchemaUse*> uses = schemas_named(schemas, name);
        for (const SchemaUse* const use : uses) cases.push_back({use->schema, use->definition});
        return to_json_schema(cases, uses.front()->definition->name);
    }
    for (const SchemaUse& use : schemas.uses()) {
        if (use.of == SchemaUse::Of::every_blob) cases.push_back({use.schema, use.definition});
        if (use.of == SchemaUse::Of::blob)
            cases.push_back({use.schema, use.definition, {}, "schema", use.name});
        if (use.of == SchemaUse::Of::property)
            cases.push_back({use.schema, use.definition, "properties", "type", use.name});
    }
    return to_json_schema(cases, "A blob of a file-based catalog");
}

std::string as_cue(const Schemas& schemas, const std::string& name) {
    std::vector<cue::SchemaPart> parts;
    const auto part_of = [&](const cue::Schema* schema) -> cue::SchemaPart& {
        if (parts.empty() || parts.back().schema != schema) parts.push_back({schema});
        return parts.back();
    };
    if (name.empty())
        for (const SchemaUse& use : schemas.uses()) part_of(use.schema);
    else
        for (const SchemaUse* const use : schemas_named(schemas, name))
            part_of(use->schema).definitions.push_back(use->definition);
    return cue::to_cue(parts);
}

// Of files in a repository of operators; empty for another name.
std::string_view operator_file_schema(std::string_view name) {
    return name == "ci.yaml"               ? policy::ci_schema()
           : name == "release-config.yaml" ? policy::release_config_schema()
                                           : std::string_view();
}

void export_schema(const SchemaOptions& options, const Schemas& schemas, Session& session) {
    const std::string_view of_file = operator_file_schema(options.name);
    const bool as_cue_text = options.format == Form::cue;
    if (!of_file.empty() && as_cue_text)
        throw RequestError(fmt::format("the schema of {} is not in CUE", options.name),
                           "leave out --format cue");
    session.out.write(!of_file.empty() ? std::string(of_file)
                      : as_cue_text    ? as_cue(schemas, options.name)
                                       : as_json_schema(schemas, options.name));
}

void add_schema_option(Command command, SchemaOptions& options) {
    command.add_option("--schema FILE", options.schema_files, "A file of CUE definitions to add");
}

} // namespace

void add_schema(Command tree, Session& session) {
    const Command command = tree.add_command("schema", "Show and export the schemas of blobs");
    command.needs_command();
    command.footer("Example:\n  opcat schema list");

    const auto options = std::make_shared<SchemaOptions>();
    const auto add = [&](const char* name, const char* description,
                         void (*run)(const SchemaOptions&, const Schemas&, Session&)) {
        const Command sub = command.add_command(name, description);
        add_schema_option(sub, *options);
        sub.callback([options, &session, run] {
            Schemas schemas;
            schemas.add_descriptions();
            if (add_schema_files(options->schema_files, schemas, session)) run(*options, schemas, session);
        });
        return sub;
    };
    add("list", "List the definitions and their purpose",
        [](const SchemaOptions&, const Schemas& schemas, Session& s) { list(schemas, s); })
        .footer("Example:\n  opcat schema list --schema notes.cue");

    const Command shown =
        add("show", "Show one definition as it is written, with what added files say of the same",
            [](const SchemaOptions& o, const Schemas& schemas, Session& s) { show(schemas, o.name, s); });
    shown.add_option("NAME", options->name, "A definition, a schema of blobs or a type of properties")
        .required();
    shown.footer("Examples:\n  opcat schema show olm.bundle\n  opcat schema show '#PropertyGVK'");

    const Command exported = add("export", "Write definitions for other programs", export_schema);
    exported.add_option(
        "NAME", options->name,
        "One definition, with all that it needs; ci.yaml or release-config.yaml: the JSON Schema of "
        "these files of a repository of operators; without it, all definitions");
    exported.add_choice("--format", options->format, {Form::jsonschema, Form::cue},
                        "jsonschema (2020-12) or cue");
    exported.footer(
        "Examples:\n  opcat schema export > catalog.schema.json      # for editors, see docs/schemas.md\n"
        "  opcat schema export --format cue olm.bundle > bundle.cue\n"
        "  opcat schema export ci.yaml > ci.schema.json");
}

} // namespace opcat
