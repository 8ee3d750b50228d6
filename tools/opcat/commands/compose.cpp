#include "command.hpp"
#include "commands/compose_replace.hpp"
#include "opcat/authoring/dockerfile.hpp"
#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/compose/plan.hpp"
#include "opcat/image/puller.hpp"
#include "opcat/lint/lint.hpp"
#include "references.hpp"
#include "sharding.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <variant>

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

std::string digest_of(std::string_view bytes) {
    return "sha256:" + sha256_hex(bytes);
}

bool lies_in_registry(const std::string& reference, const Session& session) {
    return names_image(reference, session.manner()) &&
           required(image::Name::parse(reference)).transport == image::Transport::registry;
}

// One run: the references in the configuration, and their existing outputs.
class Composer {
public:
    Composer(const ComposeOptions& options, const SourceFile& file, const ComposeConfig& config,
             Session& session)
        : options_(options), file_(file), config_(config), session_(session),
          base_(fs::path(options.config).parent_path()), directory_(base_ / config.name.text),
          lock_path_(fs::path(options.config).replace_extension(".lock")),
          dockerfile_path_(base_ / (std::string(config.name) + ".Dockerfile")) {}

    void run() {
        check_update_names();
        if (!read_lock()) return;
        StagedDirectory staged(directory_);
        refuse_files_of_others();
        if (!read_state()) return;
        const ComposePlan plan =
            plan_compose(config_, state_, [&](std::string_view name) { return is_to_update(name); });
        if (options_.locked && !report_changes(describe_changes(plan))) return;
        for (const ComposeStep& step : plan.steps) tell_if_held(step);
        const bool unchanged =
            plan.removed.empty() && std::all_of(plan.steps.begin(), plan.steps.end(),
                                                [](const ComposeStep& step) { return step.up_to_date; });
        if (unchanged)
            new_lock_ = state_.lock;
        else if (!make(plan, staged))
            return;
        write_what_stands_beside();
        summarise();
    }

private:
    void check_update_names() const {
        std::vector<std::string_view> known;
        for (const ComposeReference& reference : config_.references) known.push_back(reference.name);
        for (const std::string& name : options_.to_update)
            if (std::find(known.begin(), known.end(), name) == known.end())
                throw RequestError(
                    fmt::format("there is no reference {} in {}", go_quote(name), file_.path()),
                    did_you_mean(name, known));
    }

    bool is_to_update(std::string_view name) const {
        return options_.update &&
               (options_.to_update.empty() || std::find(options_.to_update.begin(), options_.to_update.end(),
                                                        name) != options_.to_update.end());
    }

    bool read_lock() {
        std::error_code absent;
        if (!fs::exists(lock_path_, absent)) return true;
        const auto file = read_file(lock_path_, lock_path_.string());
        Diagnostics diagnostics;
        auto lock = read_compose_lock(*file, diagnostics);
        if (lock) state_.lock = *std::move(lock);
        return report_findings(diagnostics, session_);
    }

    [[noreturn]] void throw_not_ours(const fs::path& path) const {
        throw Error(fmt::format("cannot replace {}: this configuration did not make {}", directory_.string(),
                                path.string()),
                    "move it away, or give the catalog another name");
    }

    // The directory is replaced as a whole, so it must not contain anything else.
    void refuse_files_of_others() const {
        std::set<std::string> ours;
        for (const ComposeReference& reference : config_.references) ours.emplace(reference.name.text);
        if (state_.lock.is_of(config_.name))
            for (const Pin& pin : state_.lock.pins) ours.insert(pin.name);
        std::error_code absent;
        for (const auto& entry : fs::recursive_directory_iterator(directory_, absent)) {
            const fs::path inside = entry.path().lexically_relative(directory_);
            const std::string first = inside.begin()->string();
            if (!ours.contains(first) || (inside != first && inside != fs::path(first) / "catalog.yaml"))
                throw_not_ours(entry.path());
        }
    }

    // False if references do not exist: reports all of them, but no more after one that the network kept
    // away.
    bool read_state() {
        const std::vector<ComposeReference>& references = config_.references;
        for (const ComposeReference& reference : references) {
            const fs::path path = directory_ / reference.name.text / "catalog.yaml";
            std::error_code absent;
            existing_.push_back(fs::exists(path, absent) ? read_file(path, path.string()) : nullptr);
            state_.contents.push_back(existing_.back() ? digest_of(existing_.back()->bytes()) : "");
        }
        state_.digests.resize(references.size());
        std::vector<Diagnostics> failed(references.size());
        image::Puller puller(image_options(options_.images, session_));
        std::atomic<bool> offline = false; // then the others would fail, too, after as long a wait
        session_.pool().for_each(references.size(), [&](size_t i) {
            if (offline) return;
            try {
                state_.digests[i] = current_digest(references[i], puller);
            } catch (const Error& error) {
                failed[i].push_back(failed_reference(references[i], failure_of(error)));
                offline = offline || error.temporary();
            }
        });
        bool good = true;
        for (const Diagnostics& findings : failed) good &= report_findings(findings, session_);
        return good;
    }

    // Empty: it is not in a registry. Throws Error if it does not exist.
    std::string current_digest(const ComposeReference& reference, image::Puller& puller) const {
        const std::string image(reference.image);
        if (lies_in_registry(image, session_)) return puller.digest(required(image::Name::parse(image)));
        require_existing(location_of(reference, {}));
        return {};
    }

    // A finding about its line in the configuration.
    Diagnostic failed_reference(const ComposeReference& reference, const ItemFailure& failure) const {
        return error(failure.exit_status == exit_usage ? "compose" : "file",
                     {&file_, reference.image.offset, 1}, failure.message, failure.hint);
    }

    bool report_changes(const std::vector<std::string>& changes) {
        for (const std::string& change : changes) session_.print_error(change);
        if (changes.empty()) return true;
        session_.print_error(fmt::format("{} is not up to date with {}", lock_path_.string(), file_.path()),
                             "run without --locked to add new references, with --update to follow tags");
        session_.exit_status = exit_findings;
        return false;
    }

    void tell_if_held(const ComposeStep& step) const {
        if (step.change == ComposeStep::Change::held)
            session_.print_warning(fmt::format(
                "{} names another image now; {} stays at the locked one (--update {} takes the new one)",
                step.reference->image.text, step.reference->name.text, step.reference->name.text));
    }

    // The reference for the loader. Local paths are relative to the configuration.
    std::string location_of(const ComposeReference& reference, const std::string& digest) const {
        const std::string image(reference.image);
        if (!digest.empty()) return required(image::Name::parse(image)).spec->name() + "@" + digest;
        const size_t path = image::Name::has_transport(image) ? image.find(':') + 1 : 0;
        return image.substr(0, path) + (base_ / image.substr(path)).string();
    }

    // A reference that cannot be loaded is a finding about its line, in the place of its catalog.
    std::vector<LoadedCatalog> load(const ComposePlan& plan) {
        std::vector<std::string> to_load;
        for (const ComposeStep& step : plan.steps)
            if (!step.up_to_date) to_load.push_back(location_of(*step.reference, step.digest));
        std::vector<SourceOrError> pulled =
            open_each_that_can(to_load, opening(options_.images, session_), session_.pool());
        auto next = pulled.begin();
        std::vector<LoadedCatalog> all;
        for (size_t i = 0; i < plan.steps.size(); ++i) {
            if (!plan.steps[i].up_to_date) {
                SourceOrError& opened = *next++;
                if (const auto* const error = std::get_if<std::exception_ptr>(&opened))
                    all.emplace_back().diagnostics.push_back(
                        failed_reference(*plan.steps[i].reference, failure_of(*error)));
                else
                    all.push_back(std::get<Source>(std::move(opened)).take());
                continue;
            }
            std::vector<std::unique_ptr<SourceFile>> files;
            files.push_back(std::move(existing_[i]));
            all.push_back(load_catalog(std::move(files), session_.pool()));
        }
        return all;
    }

    bool check(const std::vector<LoadedCatalog>& catalogs) {
        bool good = true;
        for (size_t i = 0; i < catalogs.size(); ++i) {
            const ComposeReference& reference = config_.references[i];
            good &= report_findings(catalogs[i].diagnostics, session_) &&
                    report_empty(catalogs[i].catalog, Content::blob, options_.allow_empty,
                                 fmt::format("{} ({})", reference.name.text, reference.image.text),
                                 "correct its image, or remove the reference", session_);
        }
        if (!good) return false;
        std::vector<ComposeSource> sources;
        Catalog whole;
        for (size_t i = 0; i < catalogs.size(); ++i) {
            sources.push_back({&config_.references[i], &catalogs[i].catalog});
            append(whole, Catalog(catalogs[i].catalog));
        }
        if (!report_findings(check_sources(sources, file_), session_)) return false;
        return report_findings(find_errors(whole, session_.pool()), session_) &&
               report_empty(whole, Content::package, options_.allow_empty, config_.name.text,
                            "correct its references", session_);
    }

    // A reference that is not in the lock may have an output nevertheless: of a run that was killed before it
    // wrote the lock. Otherwise its file belongs to somebody else.
    void refuse_to_replace(const ComposeReference& reference, const std::string& there,
                           const std::string& made) const {
        const bool is_ours = state_.lock.is_of(config_.name) && state_.lock.find(reference.name);
        if (there.empty() || there == made || is_ours) return;
        throw_not_ours(directory_ / reference.name.text / "catalog.yaml");
    }

    // Published only when complete.
    bool make(const ComposePlan& plan, StagedDirectory& staged) {
        const std::vector<LoadedCatalog> catalogs = load(plan);
        if (!check(catalogs)) {
            session_.print_error(fmt::format("{} is left as it is", directory_.string()));
            return false;
        }
        for (size_t i = 0; i < plan.steps.size(); ++i) {
            const ComposeReference& reference = *plan.steps[i].reference;
            std::string text;
            write_catalog(catalogs[i].catalog, Format::yaml, session_.pool(),
                          [&](std::string_view, std::string_view piece) { text += piece; });
            const std::string content = digest_of(text);
            refuse_to_replace(reference, state_.contents[i], content);
            if (state_.contents[i].empty()) ++new_;
            if (content != state_.contents[i]) ++changed_;
            if (content != state_.contents[i] && !state_.contents[i].empty())
                edited_.push_back(directory_ / reference.name.text / "catalog.yaml");
            fs::create_directory(staged.path() / reference.name.text);
            write_file(staged.path() / reference.name.text / "catalog.yaml", text);
            new_lock_.pins.push_back(
                {std::string(reference.name), std::string(reference.image), plan.steps[i].digest, content});
        }
        std::sort(new_lock_.pins.begin(), new_lock_.pins.end(),
                  [](const Pin& a, const Pin& b) { return a.name < b.name; });
        new_lock_.catalog = config_.name;
        if (options_.locked && !(new_lock_ == state_.lock))
            return report_changes({"the references now give another catalog than the locked one"});
        if (options_.locked && !edited_.empty()) {
            for (const fs::path& file : edited_)
                session_.print_error(fmt::format("{} is not what the lock says", file.string()),
                                     "run without --locked to write it again");
            session_.exit_status = exit_findings;
            return false;
        }
        if (changed_ > 0 || !plan.removed.empty()) staged.commit();
        return true;
    }

    // A Dockerfile only depends on the name: an existing one may have been edited, and stays.
    void write_what_stands_beside() const {
        std::error_code absent;
        if (!fs::exists(dockerfile_path_, absent))
            write_file(dockerfile_path_, to_text(Dockerfile{.directory = std::string(config_.name),
                                                            .base_image = std::string(default_opm_image),
                                                            .builder_image = std::string(default_opm_image),
                                                            .labels = {}}));
        if (!(new_lock_ == state_.lock)) write_file(lock_path_, to_text(new_lock_));
    }

    void summarise() const {
        if (session_.options.quiet) return;
        const size_t all = config_.references.size();
        std::string text = fmt::format("{}: {}", directory_.string(), counted(all, "reference"));
        const std::pair<size_t, const char*> parts[] = {
            {new_, "new"}, {changed_ - new_, "changed"}, {all - changed_, "unchanged"}};
        for (const auto& [count, what] : parts)
            if (count > 0)
                text += count == all ? fmt::format(", all {}", what) : fmt::format(", {} {}", count, what);
        session_.print(text + "\n");
        if (changed_ > 0 && !config_.repo.empty())
            session_.print(fmt::format("to build its image: docker build -f {} -t {}:{} {}\n",
                                       dockerfile_path_.string(), config_.repo.text,
                                       config_.tag.empty() ? "latest" : config_.tag.text,
                                       base_.empty() ? "." : base_.string()));
    }

    const ComposeOptions& options_;
    const SourceFile& file_;
    const ComposeConfig& config_;
    Session& session_;
    fs::path base_, directory_, lock_path_, dockerfile_path_;
    ComposeState state_;
    std::vector<std::unique_ptr<SourceFile>> existing_; // of each reference; nullptr: none
    ComposeLock new_lock_;
    size_t changed_ = 0;           // references whose catalog.yaml is another than before
    size_t new_ = 0;               // of these, the ones that had none
    std::vector<fs::path> edited_; // the others
};

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
    if (report_findings(diagnostics, session)) Composer(options, *file, *config, session).run();
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
