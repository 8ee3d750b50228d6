#include "opcat/filter/filter.hpp"

#include "catalog_options.hpp"
#include "command.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <map>

namespace opcat {
namespace {

struct Options {
    std::string reference;
    std::vector<std::string> packages;
    std::vector<std::string> channels;
    std::vector<std::string> versions;
    std::vector<std::string> files;
    bool with_dependencies = false;
    Format format = Format::json;
    ImageFlags images;
};

void run(const Options& options, Session& session) {
    Selection selection;
    for (const std::string& package : options.packages) selection.add_package(package);
    for (const std::string& channel : options.channels) selection.add_channel(channel);
    for (const std::string& version : options.versions) selection.add_version(version);
    for (const std::string& path : options.files) {
        const auto file = read_input(path);
        Diagnostics diagnostics;
        selection.add_file(*file, diagnostics);
        if (!report_findings(diagnostics, session)) return;
    }
    if (selection.packages.empty())
        throw RequestError("nothing is selected",
                           "name what to keep with --package, --channel, --version or --file");
    const LoadedCatalog loaded =
        load_references({options.reference}, session, {.images = options.images, .standard_input = true});
    if (!report_findings(loaded.diagnostics, session)) return;
    const FilteredCatalog filtered =
        filter_catalog(loaded.catalog, selection, options.with_dependencies, session.pool());
    if (!report_findings(filtered.diagnostics, session)) return;
    write_catalog(filtered.catalog, options.format, session.pool(),
                  [&](std::string_view, std::string_view text) { session.out.write(text); });
    session.out.flush();
    if (!session.options.quiet) session.print(to_text(filtered.report));
}

} // namespace

void add_filter(Command tree, Session& session) {
    const auto options = std::make_shared<Options>();
    const Command command = tree.add_command("filter", "Print the part of a catalog that is asked for");
    command.add_option("REF", options->reference, reference_help(session)).required();
    const auto add = [&](const char* name, std::vector<std::string>& values, const char* type,
                         const char* help) { command.add_option(name, values, help).value_name(type); };
    add("-p,--package", options->packages, "PACKAGE", "Keep this package");
    add("-c,--channel", options->channels, "PACKAGE/CHANNEL",
        "Keep this channel of a package, and none but those named");
    add("--version", options->versions, "'PACKAGE RANGE'",
        "Keep the versions of a package that are in a range, and none but those named");
    add("-f,--file", options->files, "FILE", "Keep what a YAML file says (-: standard input)");
    command.add_flag(
        "--with-dependencies", options->with_dependencies,
        "Keep also the packages that kept versions require, and those that have the APIs they require");
    add_format_option(command, options->format);
    add_image_flags(command, options->images);
    command.footer(
        "The result validates, and every version that stays can be upgraded to the same others as before.\n"
        "What was dropped is reported on standard error.\n\n"
        "Examples:\n  opcat filter catalog/ --package foo --channel bar/stable -o yaml\n"
        "  opcat filter quay.io/example/catalog:v1 --version 'foo>=1.2 <2' --with-dependencies > part.json");
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
