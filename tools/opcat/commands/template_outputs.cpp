#include "commands/template_outputs.hpp"

#include "command.hpp"
#include "input.hpp"
#include "opcat/authoring/migrate.hpp"
#include "opcat/authoring/output.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/template/missing.hpp"
#include "opcat/workspace/template_set.hpp"
#include "outputs.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// Reads the templates, and opens the bundles that they need, side by side.
TemplateSet opened_set(const std::vector<NamedTemplate>& templates, const RenderFlags& flags,
                       Session& session) {
    TemplateSet set(opening(flags.images, session), flags.bundle_directories, session.pool());
    for (const NamedTemplate& one : templates) {
        std::unique_ptr<SourceFile> file = read_input(one.path);
        warn_of_other_documents(*file, session);
        set.add(one.path, std::move(file), one.kind);
    }
    set.open_bundles();
    return set;
}

// Returns true if there are no errors. Findings are shown.
bool is_good(const Diagnostics& findings, Session& session) {
    print_findings(findings, session);
    if (count_findings(findings).errors == 0) return true;
    session.exit_status = exit_findings;
    return false;
}

// Nothing if there are errors, which are shown.
std::optional<LoadedCatalog> render_one(const TemplateSet& set, const NamedTemplate& what,
                                        const RenderFlags& flags, Session& session) {
    LoadedCatalog rendered = set.render(what.path);
    if (!is_good(rendered.diagnostics, session) ||
        !report_empty(rendered.catalog, Content::blob, flags.allow_empty, what.path,
                      "list the blobs of the catalog below `entries:`", session))
        return std::nullopt;
    if (what.migrate && !is_good(migrate_to_csv_metadata(rendered.catalog, session.pool()), session))
        return std::nullopt;
    return rendered;
}

void say_written(const fs::path& path, const Session& session) {
    session.print(escape_controls(as_people_write(path)) + ": written\n");
}

void warn_of_lost(const fs::path& path, const OutdatedFile& file, const Session& session) {
    constexpr size_t most = 5;
    if (file.is_unreadable())
        session.print_warning(escape_controls(
            fmt::format("{} did not read as a catalog: what it had besides, and has lost, is not known",
                        as_people_write(path))));
    if (const std::vector<std::string> lost = file.lost(); !lost.empty())
        session.print_warning(escape_controls(
            fmt::format("{} has lost what was not rendered: {}", as_people_write(path), listed(lost, most))));
}

// A catalog does not have what its .indexignore hides, whatever the files say. Returns true if there is some.
bool report_hidden(const std::vector<RenderedOutput>& outputs, Session& session) {
    bool is_any = false;
    for (const RenderedOutput& output : outputs)
        for (const fs::path& path : hidden_files(output)) {
            session.print_error(fmt::format("{} is not part of the catalog: an .indexignore leaves it out",
                                            as_people_write(path)),
                                "change the .indexignore, or render to another directory");
            session.exit_status = exit_findings;
            is_any = true;
        }
    return is_any;
}

// Throws Error if a file that is out of date is not one to replace.
void require_replaceable(const std::vector<RenderedOutput>& outputs, const std::vector<OutputState>& states) {
    for (size_t i = 0; i < outputs.size(); ++i)
        for (const OutdatedFile& file : states[i].outdated) {
            const fs::path path = outputs[i].path_of(outputs[i].files[file.index]);
            if (std::error_code absent; !fs::exists(path, absent)) continue;
            require_writable(path);
            require_catalog_file(path);
        }
}

// The same as an error that is shown. Returns true if there is none.
bool report_irreplaceable(const std::vector<RenderedOutput>& outputs, const std::vector<OutputState>& states,
                          const Session& session) {
    try {
        require_replaceable(outputs, states);
        return true;
    } catch (const Error& error) {
        session.print_error(error.what(), error.hint());
        return false;
    }
}

// Says what is out of date, and writes it unless it is only checked.
void finish(const std::vector<RenderedOutput>& outputs, bool check, Session& session) {
    std::vector<OutputState> states;
    states.reserve(outputs.size());
    for (const RenderedOutput& output : outputs) states.push_back(state_of(output, session.pool()));
    size_t outdated = 0;
    bool has_leftovers = false;
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (!states[i].is_current()) ++outdated;
        for (const fs::path& path : states[i].leftovers) {
            session.print_error(
                fmt::format("{} has blobs of a package that is rendered next to it", as_people_write(path)),
                "remove the file if it is of an earlier render: opcat only writes files "
                "that it renders");
            has_leftovers = true;
        }
        if (!check) continue;
        for (const OutdatedFile& file : states[i].outdated)
            for (const std::string& difference : file.differences)
                session.out.write(
                    escape_controls(fmt::format(
                        "{}: {}", as_people_write(outputs[i].path_of(outputs[i].files[file.index])),
                        difference)) +
                    "\n");
    }
    const std::string all = counted(outputs.size(), "catalog");
    if (check || has_leftovers) {
        const bool are_some_hidden = report_hidden(outputs, session);
        if (outdated > 0) session.exit_status = exit_findings;
        session.out.flush();
        if (!check) return session.print_error("nothing was written");
        const bool can_be_written = report_irreplaceable(outputs, states, session) && !has_leftovers;
        if (!session.options.quiet && !are_some_hidden)
            session.print(outdated == 0
                              ? fmt::format("{}: up to date\n", all)
                              : fmt::format("{}: {} out of date{}\n", all, outdated,
                                            can_be_written
                                                ? " (`opcat template render` without --check writes them)"
                                                : ""));
        return;
    }
    require_replaceable(outputs, states);
    for (size_t i = 0; i < outputs.size(); ++i) {
        write_outdated(outputs[i], states[i]);
        if (!session.options.quiet)
            for (const OutdatedFile& file : states[i].outdated)
                say_written(outputs[i].path_of(outputs[i].files[file.index]), session);
        for (const OutdatedFile& file : states[i].outdated)
            warn_of_lost(outputs[i].path_of(outputs[i].files[file.index]), file, session);
    }
    if (!report_hidden(outputs, session) && !session.options.quiet)
        session.print(outdated == 0 ? fmt::format("{}: up to date\n", all)
                                    : fmt::format("{}: {} out of date, written\n", all, outdated));
}

} // namespace

void warn_of_other_documents(const SourceFile& file, const Session& session) {
    if (has_other_documents(file))
        session.print_warning(fmt::format(
            "{}: what follows the first document is left out: a template is one document", file.path()));
}

AllFlags add_all_flags(Command command, bool& all, const std::string& description,
                       ConfigurationFlags& configuration, const std::vector<Option>& of_one) {
    const Command files = command.under("Files");
    const AllFlags flags{
        files.add_flag("--all", all, description),
        files.add_option("--config FILE", configuration.file,
                         "With --all: the configuration, instead of .opcat.yaml here or above")};
    for (const Option& one : of_one) flags.all.excludes(one);
    return flags;
}

void add_output_flags(Command command, OutputFlags& flags, const std::vector<Option>& of_one) {
    const auto [all, configuration] =
        add_all_flags(command, flags.all, "Render what is out of date of the catalogs that .opcat.yaml names",
                      flags.configuration, of_one);
    const Command files = command.under("Files");
    files.add_flag("--check", flags.check,
                   "Write nothing; say what differs, and exit with 1 if something does");
    files
        .add_option("--output-dir", flags.directory,
                    "Write the files of the catalog into this directory; its other files stay")
        .excludes(all)
        .excludes(configuration);
    files
        .add_option("--layout", flags.layout,
                    "What has a file of its own: each package, also each bundle, also each channel")
        .one_of({layout_names.begin(), layout_names.end()})
        .show_default()
        .excludes(all);
}

void render_to_directory(const NamedTemplate& what, Format format, const OutputFlags& flags,
                         const RenderFlags& rendering, Session& session) {
    const auto rendered = render_one(opened_set({what}, rendering, session), what, rendering, session);
    if (!rendered) return;
    fs::path directory = fs::path(flags.directory).lexically_normal();
    if (!directory.has_filename()) directory = directory.parent_path(); // "catalog/"
    finish({output_in_directory(rendered->catalog, directory, *find_layout(flags.layout), format,
                                session.pool())},
           flags.check, session);
}

void render_all(const OutputFlags& flags, const RenderFlags& rendering, Session& session) {
    const auto catalogs = configured_catalogs(flags.configuration, session);
    if (!catalogs) return;
    std::map<NamedTemplate, std::vector<const CatalogSetting*>> outputs_of;
    for (const CatalogSetting& setting : *catalogs)
        if (!setting.template_file.empty())
            outputs_of[{as_people_write(setting.template_file), {}, setting.takes_csv_metadata()}].push_back(
                &setting);
    if (outputs_of.empty()) throw RequestError("no catalog of the configuration has a template");
    std::vector<NamedTemplate> templates;
    templates.reserve(outputs_of.size());
    for (const auto& [what, outputs] : outputs_of) templates.push_back(what);
    const TemplateSet set = opened_set(templates, rendering, session);
    std::vector<RenderedOutput> outputs;
    bool good = true;
    for (const auto& [what, settings] : outputs_of) {
        const auto rendered = render_one(set, what, rendering, session);
        good = good && rendered;
        if (!rendered) continue;
        for (const CatalogSetting* setting : settings)
            outputs.push_back(setting->is_file()
                                  ? output_in_file(rendered->catalog, setting->catalog, session.pool())
                                  : output_in_directory(rendered->catalog, setting->catalog, setting->layout,
                                                        Format::yaml, session.pool()));
    }
    if (!good) return session.print_error("nothing was written");
    std::sort(outputs.begin(), outputs.end(),
              [](const RenderedOutput& a, const RenderedOutput& b) { return a.place < b.place; });
    finish(outputs, flags.check, session);
}

void convert_all(TemplateKind kind, const ConfigurationFlags& configuration, Session& session) {
    const auto catalogs = configured_catalogs(configuration, session);
    if (!catalogs) return;
    const auto made = missing_templates(*catalogs, kind, as_people_write, [&](const Diagnostics& findings) {
        print_findings(findings, session);
    });
    if (!made) {
        session.exit_status = exit_findings;
        return session.print_error("nothing was written");
    }
    for (const auto& [place, text] : *made) {
        make_directories(place.parent_path());
        write_file(place, text);
        if (!session.options.quiet) say_written(place, session);
    }
    if (made->empty() && !session.options.quiet)
        session.print("all templates of the configuration exist, and nothing was written\n");
}

} // namespace opcat
