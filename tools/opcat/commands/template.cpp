#include "catalog_options.hpp"
#include "command.hpp"
#include "commands/template_outputs.hpp"
#include "input.hpp"
#include "opcat/authoring/migrate.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/graph/draw.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <algorithm>

namespace opcat {
namespace {

struct ConvertOptions {
    std::string path = "-";
    Format format = Format::json;
    bool allow_empty = false;
    bool all = false;
    ConfigurationFlags configuration;
};

void convert(const ConvertOptions& options, TemplateKind kind, Session& session) {
    if (options.all) return convert_all(kind, options.configuration, session);
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(read_input(options.path));
    const ConvertedTemplate converted = convert_to_template(files, kind, options.format);
    print_findings(converted.diagnostics, session);
    if (!converted.diagnostics.empty()) session.exit_status = exit_findings;
    if (converted.diagnostics.empty() && !converted.has_entries &&
        !report_empty({}, Content::blob, options.allow_empty, files.front()->path(),
                      "name the file of a catalog", session))
        return;
    session.out.write(converted.text);
}

void add_kind(Command convert, TemplateKind kind, const char* description, Session& session) {
    const auto options = std::make_shared<ConvertOptions>();
    const std::string name(name_of(kind));
    const Command command = convert.add_command(name, description);
    const Option file =
        command.add_option("FILE", options->path, "File of a catalog (default: -, standard input)");
    const Option format = add_format_option(command, options->format);
    add_allow_empty_flag(command, options->allow_empty, session);
    if (!session.as_opm()) {
        add_all_flags(command, options->all,
                      "Make the templates that .opcat.yaml names and that do not exist",
                      options->configuration, {file, format});
        command.footer(fmt::format("Examples:\n"
                                   "  opcat template convert {0} catalog.yaml -o yaml > foo.yaml\n"
                                   "  opcat template convert {0} --all      # docs/configuration.md",
                                   name));
    }
    command.callback([options, kind, &session] { opcat::convert(*options, kind, session); });
}

} // namespace

static void add_template_convert(Command tree, const std::string& name, Session& session) {
    const Command convert = tree.add_command(name, "Print the template of a catalog");
    convert.needs_command();
    if (!session.as_opm())
        convert.footer("Example:\n  opcat template convert basic catalog.yaml -o yaml > foo.yaml");
    add_kind(convert, TemplateKind::basic, "Bundles become their images", session);
    add_kind(convert, TemplateKind::substitutes, "Keep the catalog unchanged, ready for substitutions",
             session);
}

namespace {

struct TemplateOptions {
    std::vector<std::string> arguments; // [kind] [file]
    Form format = Form::json;
    bool migrate = false;
    bool allow_empty = false;
    std::vector<std::string> bundle_directories; // in addition to that of the template
    ImageFlags image_flags;
    OutputFlags outputs;
};

struct Input {
    std::optional<TemplateKind> kind;
    std::string path = "-";
};

Input parse(const std::vector<std::string>& arguments) {
    Input input;
    if (arguments.empty()) return input;
    input.kind = find_template_kind(arguments.front());
    if (arguments.size() == 2 && !input.kind)
        throw RequestError("invalid template type " + go_quote(arguments.front()),
                           "it must be basic, semver or substitutes");
    if (arguments.size() == 2 || !input.kind) input.path = arguments.back();
    return input;
}

bool report(const Diagnostics& findings, Session& session) {
    print_findings(findings, session);
    if (count_findings(findings).errors == 0) return true;
    session.exit_status = exit_findings;
    return false;
}

void write(const Catalog& catalog, Form format, Session& session) {
    if (format != Form::mermaid) {
        write_catalog(catalog, format == Form::json ? Format::json : Format::yaml, session.pool(),
                      [&](std::string_view, std::string_view text) { session.out.write(text); });
        return;
    }
    // As opm does it here, other than in `render-graph`.
    const MermaidGraph graph = draw_mermaid(catalog, {.classic_semantics = true});
    if (report(graph.diagnostics, session)) session.out.write(graph.text);
}

void run(const TemplateOptions& options, Session& session) {
    const RenderFlags rendering{options.bundle_directories, options.image_flags, options.allow_empty};
    if (options.outputs.all) {
        if (!options.arguments.empty())
            throw RequestError("--all renders the templates of .opcat.yaml", "leave out the template");
        return render_all(options.outputs, rendering, session);
    }
    const Input input = parse(options.arguments);
    if (!options.outputs.directory.empty()) {
        if (options.format == Form::mermaid)
            throw RequestError("a directory of catalogs is JSON or YAML", "-o json, or -o yaml");
        return render_to_directory({input.path, input.kind, options.migrate},
                                   options.format == Form::json ? Format::json : Format::yaml,
                                   options.outputs, rendering, session);
    }
    if (options.outputs.check)
        throw RequestError("--check compares with files", "add --all, or --output-dir DIR");
    const auto load_bundles = [&](std::span<const std::string> references) {
        const auto with_template = [&](const Error& error) {
            return fmt::format("{} (the template {} names it)", error.what(),
                               input.path == "-" ? "on standard input" : input.path);
        };
        try {
            // opm takes images only, which is said below.
            if (!session.as_opm())
                require_own_bundles(references, input.path, options.bundle_directories, session.manner());
            OpenOptions how = opening(options.image_flags, session);
            how.taken = session.as_opm() ? Taken::bundle_images : Taken::all;
            std::vector<LoadedCatalog> bundles;
            for (Source& bundle : open_each({references.begin(), references.end()}, how, session.pool()))
                bundles.push_back(std::move(bundle).take());
            return bundles;
        } catch (const RequestError& error) {
            throw RequestError(with_template(error), error.hint());
        } catch (const Error& error) {
            throw Error(with_template(error), error.hint());
        }
    };
    std::unique_ptr<SourceFile> file = read_input(input.path);
    if (!session.as_opm()) warn_of_other_documents(*file, session);
    LoadedCatalog rendered = render_template(std::move(file), input.kind, load_bundles, session.pool());
    if (!report(rendered.diagnostics, session)) return;
    if (!report_empty(rendered.catalog, Content::blob, options.allow_empty, "the result",
                      "list the blobs of the catalog below `entries:`", session))
        return;
    if (options.migrate && !report(migrate_to_csv_metadata(rendered.catalog, session.pool()), session))
        return;
    write(rendered.catalog, options.format, session);
}

} // namespace

static void add_template_render(Command tree, const std::string& name, Session& session) {
    const auto options = std::make_shared<TemplateOptions>();
    const Command command = tree.add_command(name, "Print the catalog of a template");
    command
        .add_option("TEMPLATE", options->arguments,
                    "Its type (default: as its schema says), and its file (default: standard input)")
        .value_name("[basic|semver|substitutes] [FILE|-]")
        .at_most(2);
    const Option format =
        command
            .add_choice("-o,--output", options->format, {Form::json, Form::yaml, Form::mermaid},
                        "Format: json, yaml or mermaid")
            .show_default();
    const Option level = add_migrate_option(command, options->migrate);
    add_allow_empty_flag(command, options->allow_empty, session);
    if (!session.as_opm()) add_output_flags(command, options->outputs, {format, level});
    if (!session.as_opm())
        command
            .add_option("--bundle-dir DIR", options->bundle_directories,
                        "Directory with bundles that the template may name, in addition to its own directory")
            .existing_directory();
    add_image_flags(command, options->image_flags);
    command.callback([options, &session] { run(*options, session); });
}

void add_template(Command tree, Session& session) {
    const Command command = tree.add_command("template", "Convert templates to catalogs and back");
    command.needs_command();
    command.footer("Example:\n  opcat template render foo.yaml -o yaml > catalog/foo/catalog.yaml");
    add_template_render(command, "render", session);
    command.find("render")->footer(
        "Examples:\n"
        "  opcat template render foo.yaml -o yaml > catalog/foo/catalog.yaml\n"
        "  opcat template render semver foo.yaml -o mermaid\n"
        "  opcat template render foo.yaml --output-dir catalog --layout bundle -o yaml\n"
        "  opcat template render --all --check      # docs/configuration.md");
    add_template_convert(command, "convert", session);
}

void add_opm_render_template(Command alpha, Session& session) {
    add_template_render(alpha, "render-template", session);
}

void add_opm_convert_template(Command alpha, Session& session) {
    add_template_convert(alpha, "convert-template", session);
}

} // namespace opcat
