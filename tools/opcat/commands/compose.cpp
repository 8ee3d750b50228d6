#include "command.hpp"
#include "commands/compose_replace.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/compose/composition.hpp"
#include "opcat/lint/lint.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace opcat {
namespace {

namespace fs = std::filesystem;

struct ComposeOptions {
    std::string config;
    bool locked = false;
    bool update = false;
    bool allow_empty = false;
    std::vector<std::string> to_update; // none, though `update`: all
    ReplaceFlags replace;
    bool writes_index = false; // flags of --replace are given
    ImageFlags images;
};

void check_update_names(const ComposeOptions& options, const ComposeConfig& config) {
    std::vector<std::string_view> known;
    for (const ComposeReference& reference : config.references) known.push_back(reference.name);
    for (const std::string& name : options.to_update)
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw RequestError(fmt::format("there is no reference {} in {}", go_quote(name), options.config),
                               did_you_mean(name, known));
}

bool is_to_update(std::string_view name, const ComposeOptions& options) {
    return options.update &&
           (options.to_update.empty() ||
            std::find(options.to_update.begin(), options.to_update.end(), name) != options.to_update.end());
}

void report_changes(const std::vector<std::string>& changes, const Composition& composition,
                    const ComposeOptions& options, Session& session) {
    for (const std::string& change : changes) session.print_error(change);
    session.print_error(
        fmt::format("{} is not up to date with {}", composition.lock_path().string(), options.config),
        "run without --locked to add new references, with --update to follow tags");
    session.exit_status = exit_findings;
}

void tell_if_held(const ComposeStep& step, const Session& session) {
    if (step.change == ComposeStep::Change::held)
        session.print_warning(fmt::format(
            "{} names another image now; {} stays at the locked one (--update {} takes the new one)",
            step.reference->image.text, step.reference->name.text, step.reference->name.text));
}

// Returns true if the catalogs can be put together. Findings are shown.
bool check(const std::vector<LoadedCatalog>& catalogs, const ComposeConfig& config,
           const Composition& composition, bool allow_empty, Session& session) {
    bool good = true;
    for (size_t i = 0; i < catalogs.size(); ++i) {
        const ComposeReference& reference = config.references[i];
        good &= report_findings(catalogs[i].diagnostics, session) &&
                report_empty(catalogs[i].catalog, Content::blob, allow_empty,
                             fmt::format("{} ({})", reference.name.text, reference.image.text),
                             "correct its image, or remove the reference", session);
    }
    if (!good || !report_findings(composition.check(catalogs), session)) return false;
    Catalog whole;
    for (const LoadedCatalog& one : catalogs) append(whole, Catalog(one.catalog));
    return report_findings(find_errors(whole, session.pool()), session) &&
           report_empty(whole, Content::package, allow_empty, config.name.text, "correct its references",
                        session);
}

// Makes the directory. Nothing, and that is shown, if it is left as it is.
std::optional<Composed> make(const ComposePlan& plan, const ComposeOptions& options,
                             const ComposeConfig& config, Composition& composition, Session& session) {
    const std::vector<LoadedCatalog> catalogs = composition.load(plan);
    if (!check(catalogs, config, composition, options.allow_empty, session)) {
        session.print_error(fmt::format("{} is left as it is", composition.directory().string()));
        return std::nullopt;
    }
    Composed made = composition.write(plan, catalogs);
    if (options.locked && !(made.lock == composition.lock())) {
        report_changes({"the references now give another catalog than the locked one"}, composition, options,
                       session);
        return std::nullopt;
    }
    if (options.locked && !made.edited.empty()) {
        for (const fs::path& file : made.edited)
            session.print_error(fmt::format("{} is not what the lock says", file.string()),
                                "run without --locked to write it again");
        session.exit_status = exit_findings;
        return std::nullopt;
    }
    if (made.changed > 0 || !plan.removed.empty()) composition.publish();
    return made;
}

void summarise(const Composed& made, const ComposePlan& plan, const ComposeConfig& config,
               const Composition& composition, const Session& session) {
    if (session.options.quiet) return;
    const size_t all = config.references.size();
    for (const std::string& name : plan.removed)
        session.print(fmt::format("removed {}: it is no longer a reference\n",
                                  (composition.directory() / name).string()));
    std::string text = fmt::format("{}: {}", composition.directory().string(), counted(all, "reference"));
    const std::pair<size_t, const char*> parts[] = {
        {made.added, "new"}, {made.changed - made.added, "changed"}, {all - made.changed, "unchanged"}};
    for (const auto& [count, what] : parts)
        if (count > 0)
            text += count == all ? fmt::format(", all {}", what) : fmt::format(", {} {}", count, what);
    session.print(text + "\n");
    const fs::path base = composition.dockerfile_path().parent_path();
    if (made.changed + plan.removed.size() > 0 && !config.repo.empty())
        session.print(fmt::format("to build its image: docker build -f {} -t {}:{} {}\n",
                                  composition.dockerfile_path().string(), config.repo.text,
                                  config.tag.empty() ? "latest" : config.tag.text,
                                  base.empty() ? "." : base.string()));
}

void compose(const ComposeOptions& options, const SourceFile& file, const ComposeConfig& config,
             Session& session) {
    Composition composition(file, config, opening(options.images, session), session.pool());
    check_update_names(options, config);
    if (!report_findings(composition.read_lock(), session)) return;
    composition.take_directory();
    if (!report_findings(composition.read_state(), session)) return;
    const ComposePlan plan =
        composition.plan([&](std::string_view name) { return is_to_update(name, options); });
    if (options.locked)
        if (const auto changes = describe_changes(plan); !changes.empty())
            return report_changes(changes, composition, options, session);
    for (const ComposeStep& step : plan.steps) tell_if_held(step, session);
    Composed made{.lock = composition.lock(), .edited = {}};
    const bool unchanged =
        plan.removed.empty() && std::all_of(plan.steps.begin(), plan.steps.end(),
                                            [](const ComposeStep& step) { return step.up_to_date; });
    if (!unchanged) {
        auto changed = make(plan, options, config, composition, session);
        if (!changed) return;
        made = *std::move(changed);
    }
    composition.write_files_of(made.lock);
    summarise(made, plan, config, composition, session);
}

// `--update catalog.yaml` means the configuration, as `--update NAME catalog.yaml` means both.
void tell_config_from_name(ComposeOptions& options) {
    if (!options.config.empty() || options.to_update.empty()) return;
    options.config = options.to_update.back();
    options.to_update.pop_back();
}

void run(ComposeOptions options, Session& session) {
    tell_config_from_name(options);
    if (options.config.empty()) throw RequestError("CONFIG is required", "see opcat compose --help");
    if (!options.replace.fragments.empty())
        return replace_in_index(options.config, options.replace, options.images, session);
    if (options.writes_index)
        throw RequestError("-o and --output-dir are for the index of --replace", "add --replace FRAGMENT");
    const auto file = read_file(options.config, options.config);
    Arena arena;
    Diagnostics diagnostics;
    const auto config = read_compose_config(*file, arena, diagnostics);
    if (report_findings(diagnostics, session)) compose(options, *file, *config, session);
}

} // namespace

void add_compose(Command tree, Session& session) {
    const auto options = std::make_shared<ComposeOptions>();
    const Command command =
        tree.add_command("compose", "Make one catalog directory from the catalogs that a file names");
    command
        .add_option("CONFIG", options->config,
                    "YAML file: name, repo, tag and references, each with name and image; with --replace, an "
                    "index: a catalog of any kind")
        .value_name("CONFIG|INDEX");
    const Option update =
        command
            .add_option("--update [NAME]", options->to_update,
                        "Use the new image of this reference, or of all, if its tag has moved")
            .optional_value();
    add_allow_empty_flag(command, options->allow_empty, session);
    const Option locked =
        command.add_flag("--locked", options->locked, "Fail if the result would differ from the lock")
            .excludes(update);
    const Command group = command.under("One package of an index");
    group
        .add_option("--replace FRAGMENT", options->replace.fragments,
                    "Print the index with the packages of this catalog in place of those that it has")
        .excludes(update)
        .excludes(locked);
    const Option format = add_format_option(group, options->replace.format);
    const Option directory = group.add_option("--output-dir", options->replace.directory,
                                              "Write DIR/PACKAGE/catalog.json or .yaml for each package "
                                              "instead; DIR is new, or empty");
    add_image_flags(command, options->images);
    command.footer(
        "Writes NAME/REFERENCE/catalog.yaml, NAME.Dockerfile and CONFIG's lock (catalog.lock), all next to "
        "CONFIG.\n"
        "Nothing is changed unless every reference is available and the result validates.\n\n"
        "Examples:\n  opcat compose catalog.yaml\n  opcat compose catalog.yaml --update etcd-operator\n"
        "  opcat compose catalog.yaml --locked\n"
        "  opcat compose index/ --replace catalog/foo --output-dir new-index -o yaml");
    command.callback([options, update, format, directory, &session] {
        options->writes_index = format.given() || directory.given();
        options->update = update.given();
        std::erase(options->to_update, "");
        run(*options, session);
    });
}

} // namespace opcat
