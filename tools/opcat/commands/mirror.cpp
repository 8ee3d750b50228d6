#include "opcat/mirror/mirror.hpp"

#include "command.hpp"
#include "mirror_content.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/mirror/selection_report.hpp"
#include "terminal/session.hpp"
#include "terminal/transfers.hpp"

#include <algorithm>
#include <memory>

namespace opcat {
namespace {

namespace fs = std::filesystem;

struct MirrorOptions {
    ContentFlags content;
    std::string to;
    std::string resources = "cluster-resources";
    std::string output = "text";
    bool keep_blocked = false;
    bool selection = false;
    bool dry_run = false;
    bool prune = false;
    bool keep_going = false;
    std::string shard;
    unsigned finish_shards = 0;
};

// What the flags and an ImageSetConfiguration ask for; nothing if that has mistakes, which are shown.
std::optional<OpenImageSet> wanted_set(const MirrorOptions& options, Session& session) {
    const ContentFlags& content = options.content;
    if (content.catalogs.empty() && content.image_set.empty())
        throw RequestError("no catalog is named", "name one, or a file of oc-mirror with --config");
    if (content.image_set.empty()) return OpenImageSet();
    auto open = open_image_set(content.image_set, !options.selection, session);
    if (open && open->set.catalogs.empty() && open->set.images.empty()) {
        session.print_error(fmt::format("there are no images to copy: {} names none", content.image_set),
                            "name catalogs below mirror.operators, or images below mirror.additionalImages");
        session.exit_status = exit_findings;
        return std::nullopt;
    }
    return open;
}

void print_selection(const MirrorOptions& options, Session& session) {
    const auto wanted = wanted_set(options, session);
    if (!wanted) return;
    const auto parts = select_content(
        options.content, wanted->set, BlockedImages(wanted->set.blocked), options.to,
        [](const std::string& reference) { return reference; }, session);
    if (!parts) return;
    std::vector<SelectedCatalog> selected;
    for (const MirrorPart& part : *parts) selected.push_back({part.reference, &part.catalog, part.blocked});
    session.out.write(options.output == "json" ? selection_as_json(selected)
                                               : table_in_locale(selection_as_rows(selected), session));
    session.out.flush();
}

// Adds the catalogs' content to the mirror; false if one is not valid.
bool add_content(const MirrorOptions& options, Mirror& mirror, Session& session) {
    const auto wanted = wanted_set(options, session);
    if (!wanted) return false;
    if (wanted->set.archive_size && Mirror::is_directory(options.to))
        session.print_warning("not supported by opcat: archiveSize (dir: is not divided into archives)");
    const auto blocked = std::make_shared<const BlockedImages>(wanted->set.blocked);
    auto parts = select_content(
        options.content, wanted->set, *blocked, mirror.prefix(),
        [&](const std::string& reference) { return mirror.pin(reference); }, session);
    if (!parts) return false;
    mirror.block(blocked);
    for (MirrorPart& part : *parts) {
        if (!apply_blocked(part, options.keep_blocked, session)) return false;
        mirror.add(target_of(part), part.image, part.catalog, part.is_whole && !part.image.empty(),
                   session.pool());
    }
    for (const ImageSetImage& image : wanted->set.images) mirror.add(image);
    return true;
}

void print_sizes(const std::vector<image::CopyResult>& results, Session& session) {
    std::string rows = "TO SEND\tSIZE\tIMAGE\tTARGET\n";
    for (const image::CopyResult& result : results)
        if (result.done)
            rows += fmt::format("{:>9}\t{:>9}\t{}\t{}\n", human_size(result.bytes_sent),
                                result.changed ? human_size(result.bytes) : "there", result.from, result.to);
    session.out.write(table_in_locale(rows, session));
    session.out.flush();
}

// Prints what was done, and what was not.
void report(const MirroredImages& mirrored, const MirrorOptions& options, const Session& session) {
    size_t changed = 0;
    size_t there = 0;
    uint64_t sent = 0;
    for (const image::CopyResult& result : mirrored.results) {
        if (result.failure) session.print_error(result.failure->what(), result.failure->hint());
        if (!result.done) continue;
        ++(result.changed ? changed : there);
        sent += result.bytes_sent;
    }
    if (session.options.quiet) return;
    std::string text = fmt::format("{} {}, {}; {} were there already", counted(changed, "image"),
                                   options.dry_run ? "to copy" : "copied", human_size(sent), there);
    if (mirrored.failed > 0) text += fmt::format("; {} failed", mirrored.failed);
    session.print(text + "\n");
}

void run(const MirrorOptions& options, Session& session) {
    if (options.selection) return print_selection(options, session);
    if (options.output != "text") throw RequestError("-o is for --selection", "leave it out");
    if (options.to.empty())
        throw RequestError("no mirror is named", "say where it is: --to REGISTRY/PREFIX or --to dir:DIR");
    ThreadPool& pool = session.pool_for_network();
    Mirror mirror(image_options(options.content.images, session), options.to);
    if (!options.shard.empty()) mirror.only_shard(Shard::parse(options.shard));
    if (options.finish_shards > 0) mirror.finish_shards(options.finish_shards);
    const ContentFlags& content = options.content;
    const bool from_directory =
        std::any_of(content.catalogs.begin(), content.catalogs.end(), Mirror::is_directory);
    if (from_directory &&
        (content.catalogs.size() > 1 || !content.image_set.empty() || content.selection.any()))
        throw RequestError("all that is in dir:DIR is copied, and nothing else",
                           "name it alone, without --config and without flags that select packages");
    if (from_directory)
        mirror.read_directory(content.catalogs.front().substr(content.catalogs.front().find(':') + 1));
    else if (!add_content(options, mirror, session))
        return;

    MirroredImages mirrored;
    {
        TransferDisplay display(session);
        mirrored = mirror.copy({.stop_at_failure = !options.keep_going, .dry_run = options.dry_run}, pool,
                               options.dry_run ? image::OnCopyProgress() : display.callback());
    }
    if (options.dry_run) print_sizes(mirrored.results, session);
    report(mirrored, options, session);
    if (mirrored.failed > 0) session.exit_status = options.keep_going ? exit_findings : exit_environment;
    if (options.dry_run || (mirrored.failed > 0 && !options.keep_going)) return;
    if (options.prune) {
        const PrunedImages pruned = mirror.prune(pool);
        if (!session.options.quiet)
            for (const std::string& image : pruned.images) session.print(fmt::format("removed {}\n", image));
    }
    if (Mirror::is_directory(options.to) || !options.shard.empty()) return;
    const std::vector<ResourceFile> files = mirror.resources();
    make_directories(options.resources);
    for (const ResourceFile& file : files) write_file(fs::path(options.resources) / file.name, file.text);
    if (!session.options.quiet)
        session.print(fmt::format("wrote {} to {}\n", counted(files.size(), "file"), options.resources));
}

} // namespace

void add_mirror(Command tree, Session& session) {
    const auto options = std::make_shared<MirrorOptions>();
    const Command command =
        tree.add_command("mirror", "Copy catalogs with all images of their bundles to another registry");
    command.add_option("CATALOG", options->content.catalogs,
                       "Catalogs: images, layouts or directories; or dir:DIR, which --to dir:DIR has filled");
    command
        .add_option("--to", options->to,
                    "The destination: REGISTRY[/PREFIX], or dir:DIR for a second step from there")
        .value_name("TARGET");
    command
        .add_option(
            "--config", options->content.image_set,
            "Mirror what an ImageSetConfiguration of oc-mirror v2 selects (operators, additionalImages)")
        .value_name("FILE");
    add_selection_flags(command, options->content.selection);
    command.add_flag("--selection", options->selection, "Only print what is selected of the catalogs");
    command.add_option("-o,--output", options->output, "With --selection: text or json")
        .one_of({"text", "json"})
        .show_default();
    command.add_choice(
        "--blocked", options->keep_blocked, {{"drop", false}, {"keep", true}},
        "What becomes of bundles whose images the ImageSetConfiguration blocks: they leave the "
        "catalog, or are deprecated in it");
    command.add_flag("--dry-run", options->dry_run, "Only print what would be sent, with sizes");
    const Option prune = command.add_flag(
        "--prune", options->prune,
        "Remove images that earlier runs put there for these catalogs and that are no longer needed");
    command.add_flag("--keep-going", options->keep_going, "Mirror the rest when an image fails, and exit 1");
    add_allow_empty_flag(command, options->content.allow_empty, session);
    command
        .add_option(
            "--resources", options->resources,
            "Directory for what clusters need: mirror sets, CatalogSources, ClusterCatalogs, registries.conf")
        .value_name("DIR")
        .show_default();
    const std::string shards = "Shards";
    const Option shard = command
                             .add_option("--shard", options->shard,
                                         "Copy only part I (from 0) of N of the images, and no catalog; "
                                         "other machines copy the other parts")
                             .value_name("I/N")
                             .group(shards);
    shard.excludes(prune);
    command
        .add_option("--finish-shards", options->finish_shards,
                    "After N shards: copy what is missing, publish the catalogs and write the resources")
        .value_name("N")
        .between(1, Shard::most)
        .group(shards)
        .excludes(shard);
    add_registry_flags(command, options->content.images);
    command.footer("Without a selection each catalog is mirrored whole; else the part that `opcat filter` "
                   "keeps, which is "
                   "always valid and keeps upgrade paths. Only what the mirror lacks is sent: run it again "
                   "after a failure.\n\n"
                   "Examples:\n"
                   "  opcat mirror quay.io/example/catalog:v1 --package foo --to registry.example/mirror\n"
                   "  opcat mirror --config image-set.yaml --to dir:disk\n"
                   "  opcat mirror dir:disk --to registry.example/mirror --dry-run");
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
