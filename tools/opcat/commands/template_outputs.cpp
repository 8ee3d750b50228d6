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
#include "opcat/document/stream.hpp"
#include "opcat/ignore/walk.hpp"
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

// Templates that are rendered together: each bundle is opened once, whoever names it.
class TemplateSet {
public:
    TemplateSet(const RenderFlags& flags, Session& session)
        : flags_(flags), session_(session), how_(opening(flags.images, session)) {}

    // Opens the bundles that all templates need, side by side.
    void open_bundles(const std::vector<NamedTemplate>& templates) {
        std::vector<std::string> wanted;
        for (const NamedTemplate& one : templates) {
            warn_of_other_documents(*copy_of(one.path), session_);
            // Without bundles only their names become known; what is wrong is reported when it is rendered.
            render_template(
                copy_of(one.path), one.kind,
                [&](std::span<const std::string> names) {
                    require_own(names, one.path);
                    for (const std::string& name : names)
                        if (bundles_.emplace(name, std::nullopt).second) wanted.push_back(name);
                    return std::optional<std::vector<LoadedCatalog>>();
                },
                session_.pool());
        }
        std::vector<Source> opened = open_each(wanted, how_, session_.pool());
        for (size_t i = 0; i < wanted.size(); ++i) bundles_.at(wanted[i]) = std::move(opened[i]);
    }

    // Nothing if there are errors, which are shown.
    std::optional<LoadedCatalog> render(const NamedTemplate& what) {
        LoadedCatalog rendered = render_template(
            copy_of(what.path), what.kind,
            [&](std::span<const std::string> names) {
                std::vector<LoadedCatalog> all;
                for (const std::string& name : names) all.push_back(Source(*bundles_.at(name)).take());
                return std::optional(std::move(all));
            },
            session_.pool());
        if (!is_good(rendered.diagnostics) ||
            !report_empty(rendered.catalog, Content::blob, flags_.allow_empty, what.path,
                          "list the blobs of the catalog below `entries:`", session_))
            return std::nullopt;
        if (what.migrate && !is_good(migrate_to_csv_metadata(rendered.catalog, session_.pool())))
            return std::nullopt;
        return rendered;
    }

private:
    std::unique_ptr<SourceFile> copy_of(const std::string& path) {
        auto& file = files_[path];
        if (!file) file = read_input(path);
        return std::make_unique<SourceFile>(file->path(), file->bytes());
    }

    void require_own(std::span<const std::string> names, const std::string& path) const {
        try {
            require_own_bundles(names, path, flags_.bundle_directories, session_.manner());
        } catch (const RequestError& error) {
            throw RequestError(fmt::format("{} (the template {} names it)", error.what(), path),
                               error.hint());
        }
    }

    bool is_good(const Diagnostics& findings) {
        print_findings(findings, session_);
        if (count_findings(findings).errors == 0) return true;
        session_.exit_status = exit_findings;
        return false;
    }

    const RenderFlags& flags_;
    Session& session_;
    OpenOptions how_;
    std::map<std::string, std::unique_ptr<SourceFile>> files_;
    std::map<std::string, std::optional<Source>> bundles_; // by reference
};

std::vector<std::string> packages_of(const Catalog& catalog) {
    std::vector<std::string> names;
    for (const PackageBlobs& package : by_package(catalog))
        if (!package.package.empty()) names.emplace_back(package.package);
    return names;
}

RenderedOutput in_file(const Catalog& catalog, const fs::path& place, ThreadPool& pool) {
    RenderedOutput output{.place = place, .is_file = true, .files = {{{}, {}}}, .packages = {}};
    write_catalog(catalog, place.extension() == ".json" ? Format::json : Format::yaml, pool,
                  [&](std::string_view, std::string_view text) { output.files.front().text += text; });
    return output;
}

RenderedOutput in_directory(const Catalog& catalog, const fs::path& place, Layout layout, Format format,
                            ThreadPool& pool) {
    return {.place = place,
            .is_file = false,
            .files = lay_out(catalog, layout, format, pool),
            .packages = packages_of(catalog)};
}

// Reads a file, or the files of a directory. Throws Error for what cannot be read.
std::vector<std::unique_ptr<SourceFile>> read_catalog_files(const fs::path& place, const std::string& shown) {
    const CatalogListing listing = walk_catalog_directory(place, {}, shown, Links::within_root, Git::skip);
    if (!listing.problems.empty())
        throw Error(fmt::format("cannot convert {}: {}", shown, listing.problems.front().message));
    std::vector<std::unique_ptr<SourceFile>> files;
    files.reserve(listing.files.size());
    for (const CatalogFile& file : listing.files)
        files.push_back(read_file(file.path, as_people_write(file.path)));
    return files;
}

void say_written(const fs::path& path, const Session& session) {
    session.print(escape_controls(as_people_write(path)) + ": written\n");
}

// What only the catalog had, such as a deprecation that somebody has made there.
void warn_of_lost(const fs::path& path, const std::vector<std::string>& differences, const Session& session) {
    constexpr std::string_view end = " was not rendered";
    constexpr size_t most = 5;
    std::vector<std::string> lost;
    for (const std::string& one : differences)
        if (one.ends_with(end)) lost.push_back(one.substr(0, one.size() - end.size()));
    if (!lost.empty())
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
            warn_of_lost(outputs[i].path_of(outputs[i].files[file.index]), file.differences, session);
    }
    if (!report_hidden(outputs, session) && !session.options.quiet)
        session.print(outdated == 0 ? fmt::format("{}: up to date\n", all)
                                    : fmt::format("{}: {} out of date, written\n", all, outdated));
}

} // namespace

void warn_of_other_documents(const SourceFile& file, const Session& session) {
    Diagnostics problems;
    bool is_first = true;
    for (const DocumentRange& range : split_into_documents(file, problems)) {
        Arena arena;
        Diagnostic problem;
        const auto document = read_document(file, range, arena, problem);
        if (!document || document->is_null()) continue;
        if (!std::exchange(is_first, false))
            return session.print_warning(fmt::format(
                "{}: what follows the first document is left out: a template is one document", file.path()));
    }
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
    TemplateSet set(rendering, session);
    set.open_bundles({what});
    const auto rendered = set.render(what);
    if (!rendered) return;
    fs::path directory = fs::path(flags.directory).lexically_normal();
    if (!directory.has_filename()) directory = directory.parent_path(); // "catalog/"
    finish({in_directory(rendered->catalog, directory, *find_layout(flags.layout), format, session.pool())},
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
    TemplateSet set(rendering, session);
    set.open_bundles(templates);
    std::vector<RenderedOutput> outputs;
    bool good = true;
    for (const auto& [what, settings] : outputs_of) {
        const auto rendered = set.render(what);
        good = good && rendered;
        if (!rendered) continue;
        for (const CatalogSetting* setting : settings)
            outputs.push_back(setting->is_file()
                                  ? in_file(rendered->catalog, setting->catalog, session.pool())
                                  : in_directory(rendered->catalog, setting->catalog, setting->layout,
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
    struct Made {
        const CatalogSetting* from;
        std::string text;
    };
    std::map<fs::path, Made> made;
    bool good = true;
    for (const CatalogSetting& setting : *catalogs) {
        const fs::path& place = setting.template_file;
        if (place.empty() || fs::exists(place)) continue;
        const std::string shown = as_people_write(setting.catalog);
        const auto files = read_catalog_files(setting.catalog, shown);
        ConvertedTemplate converted =
            convert_to_template(files, kind, place.extension() == ".json" ? Format::json : Format::yaml);
        print_findings(converted.diagnostics, session);
        good = good && converted.diagnostics.empty();
        if (converted.diagnostics.empty() && !converted.has_entries)
            throw RequestError(fmt::format("{} is empty: it has no blob to convert", shown));
        const auto [at, is_first] = made.try_emplace(place, Made{&setting, converted.text});
        if (!is_first && at->second.text != converted.text)
            throw RequestError(fmt::format("{} and {} differ, and {} would be the template of both",
                                           as_people_write(at->second.from->catalog), shown,
                                           as_people_write(place)),
                               "give the versions templates of their own: {version} in the path");
    }
    if (!good) {
        session.exit_status = exit_findings;
        return session.print_error("nothing was written");
    }
    for (const auto& [place, one] : made) {
        make_directories(place.parent_path());
        write_file(place, one.text);
        if (!session.options.quiet) say_written(place, session);
    }
    if (made.empty() && !session.options.quiet)
        session.print("all templates of the configuration exist, and nothing was written\n");
}

} // namespace opcat
