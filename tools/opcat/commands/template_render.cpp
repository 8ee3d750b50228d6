#include "authoring/csv_metadata.hpp"
#include "base/error.hpp"
#include "base/go_quote.hpp"
#include "catalog/write.hpp"
#include "catalog_options.hpp"
#include "command.hpp"
#include "graph/mermaid.hpp"
#include "input.hpp"
#include "references.hpp"
#include "template/template.hpp"
#include "template_commands.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <map>

namespace opcat {
namespace {

struct Options {
    std::vector<std::string> arguments; // [kind] [file]
    std::string format = "json";
    bool migrate = false;
    ImageFlags image_flags;
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
        throw UsageError("invalid template type " + go_quote(arguments.front()),
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

void write(const Catalog& catalog, const std::string& format, Session& session) {
    if (format != "mermaid") {
        write_catalog(catalog, format == "json" ? Format::json : Format::yaml, session.pool(),
                      [&](std::string_view, std::string_view text) { session.out.write(text); });
        return;
    }
    // As opm does it here, other than in `render-graph`.
    const MermaidGraph graph = draw_mermaid(catalog, {.classic_semantics = true});
    if (report(graph.diagnostics, session)) session.out.write(graph.text);
}

void run(const Options& options, Session& session) {
    const Input input = parse(options.arguments);
    const auto load_bundles = [&](std::span<const std::string> references) {
        const auto with_template = [&](const Error& error) {
            return fmt::format("{} (the template {} names it)", error.what(),
                               input.path == "-" ? "on standard input" : input.path);
        };
        try {
            return load_each_reference({references.begin(), references.end()}, session,
                                       {.images = options.image_flags,
                                        .taken = session.as_opm() ? Taken::bundle_images : Taken::all});
        } catch (const UsageError& error) {
            throw UsageError(with_template(error), error.hint());
        } catch (const Error& error) {
            throw Error(with_template(error), error.hint());
        }
    };
    LoadedCatalog rendered =
        render_template(read_input(input.path), input.kind, load_bundles, session.pool());
    if (!report(rendered.diagnostics, session)) return;
    if (options.migrate && !report(migrate_to_csv_metadata(rendered.catalog, session.pool()), session))
        return;
    write(rendered.catalog, options.format, session);
}

} // namespace

void add_template_render(Command tree, const std::string& name, Session& session) {
    const auto options = std::make_shared<Options>();
    const Command command = tree.add_command(name, "Print the catalog that a template stands for");
    command
        .add_option("TEMPLATE", options->arguments,
                    "Its type (default: as its schema says), and its file (default: standard input)")
        .value_name("[basic|semver|substitutes] [FILE|-]")
        .at_most(2);
    command.add_option("-o,--output", options->format, "Format: json, yaml or mermaid")
        .one_of({"json", "yaml", "mermaid"})
        .show_default();
    add_migrate_option(command, options->migrate);
    add_image_flags(command, options->image_flags);
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
