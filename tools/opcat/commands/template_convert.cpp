#include "catalog_options.hpp"
#include "command.hpp"
#include "input.hpp"
#include "template/template.hpp"
#include "template_commands.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <map>

namespace opcat {
namespace {

struct Options {
    std::string path = "-";
    Format format = Format::json;
};

void run(const Options& options, TemplateKind kind, Session& session) {
    const auto file = read_input(options.path);
    const ConvertedTemplate converted = convert_to_template(*file, kind, options.format);
    print_findings(converted.diagnostics, session);
    if (!converted.diagnostics.empty()) session.exit_status = exit_findings;
    session.out.write(converted.text);
}

void add_kind(Command convert, TemplateKind kind, const char* description, Session& session) {
    const auto options = std::make_shared<Options>();
    const Command command = convert.add_command(std::string(name_of(kind)), description);
    command.add_option("FILE", options->path, "File of a catalog (default: -, standard input)");
    add_format_option(command, options->format);
    command.callback([options, kind, &session] { run(*options, kind, session); });
}

} // namespace

void add_template_convert(Command tree, const std::string& name, Session& session) {
    const Command convert = tree.add_command(name, "Print a template that stands for a catalog");
    convert.needs_command();
    add_kind(convert, TemplateKind::basic, "Bundles become their images", session);
    add_kind(convert, TemplateKind::substitutes, "The catalog as it is, ready for substitutions", session);
}

} // namespace opcat
