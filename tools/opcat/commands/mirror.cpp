#include "opcat/mirror/mirror.hpp"

#include "command.hpp"
#include "commands/mirror.hpp"
#include "input.hpp"
#include "mirror_content.hpp"
#include "mirror_releases.hpp"
#include "oc_mirror_flags.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/mirror/run_record.hpp"
#include "opcat/mirror/run_report.hpp"
#include "opcat/mirror/selection_report.hpp"
#include "outputs.hpp"
#include "terminal/findings.hpp"
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
    Form output = Form::text;
    bool keep_blocked = false;
    bool selection = false;
    bool dry_run = false;
    bool prune = false;
    uint64_t archive_size = 0; // 0: as the ImageSetConfiguration says, or the usual one
    std::string since;
    ReleaseFlags releases;
    bool drop_incomplete = false;
    image::Attachments attachments = image::Attachments::all;
    ResourceNames names;
    std::string mapping;
    std::string missing;
    std::string record;
    std::string shard;
    unsigned finish_shards = 0;
    unsigned max_nested_paths = 0;
};

// What the flags and an ImageSetConfiguration ask for; nothing if that has mistakes, which are shown.
std::optional<OpenImageSet> wanted_set(const MirrorOptions& options, Session& session) {
    const ContentFlags& content = options.content;
    if (content.catalogs.empty() && content.image_set.empty())
        throw RequestError("no catalog is named", "name one, or a file of oc-mirror with --config");
    options.releases.check();
    if (content.image_set.empty()) {
        options.releases.refuse("write --config FILE, too");
        return OpenImageSet();
    }
    auto open = open_image_set(content.image_set, !options.selection, session);
    if (open && open->set.catalogs.empty() && open->set.images.empty() && open->set.releases.empty()) {
        session.print_error(
            fmt::format("{} selects nothing: it names neither catalogs nor images nor releases",
                        content.image_set),
            "name catalogs below mirror.operators, images below mirror.additionalImages, or channels below "
            "mirror.platform");
        session.exit_status = exit_findings;
        return std::nullopt;
    }
    if (open)
        add_releases(open->set, options.releases,
                     options.selection         ? ReleaseContents::releases
                     : options.names.oc_mirror ? ReleaseContents::all_as_oc_mirror
                                               : ReleaseContents::all_images,
                     content.images, session);
    return open;
}

void print_selection(const MirrorOptions& options, Session& session) {
    const auto wanted = wanted_set(options, session);
    if (!wanted) return;
    const BlockedImages blocked(wanted->set.blocked);
    const std::string prefix = options.to.empty() ? std::string() : MirrorTarget::parse(options.to).prefix();
    const auto parts = select_content(
        options.content, wanted->set, blocked, prefix, [](const std::string& reference) { return reference; },
        session);
    if (!parts) return;
    MirrorSelection selected;
    for (const MirrorPart& part : *parts)
        selected.catalogs.push_back({part.reference, &part.catalog, part.blocked});
    for (const ImageSetImage& image : images_of(wanted->set, blocked, prefix, session))
        selected.images.push_back(image.spec.to_string());
    if (options.output == Form::json) {
        session.out.write(selection_as_json(selected));
    } else {
        if (!selected.catalogs.empty())
            session.out.write(table_in_locale(selection_as_rows(selected), session));
        for (const std::string& image : selected.images)
            session.out.write(fmt::format("additional image {}\n", escape_controls(image)));
    }
    session.out.flush();
}

uint64_t segment_size(const MirrorOptions& options, const ImageSet& set) {
    if (options.archive_size > 0) return options.archive_size;
    return set.archive_size ? static_cast<uint64_t>(*set.archive_size) << 30 : usual_segment_size;
}

// Adds the catalogs' content to the mirror; false if one is not valid.
bool add_content(const MirrorOptions& options, const MirrorTarget& target, Mirror& mirror, Session& session) {
    const auto wanted = wanted_set(options, session);
    if (!wanted) return false;
    if (wanted->set.archive_size && target.is_directory())
        session.print_warning("archiveSize has no effect on dir:DIR; --to archive:DIR/NAME writes tar files");
    if (target.is_archive())
        mirror.write_archive(segment_size(options, wanted->set), options.since, options.dry_run);
    const auto blocked = std::make_shared<const BlockedImages>(wanted->set.blocked);
    auto parts = select_content(
        options.content, wanted->set, *blocked, mirror.prefix(),
        [&](const std::string& reference) { return mirror.pin(reference); }, session);
    if (!parts) return false;
    mirror.block(blocked);
    for (MirrorPart& part : *parts) {
        if (!apply_blocked(part, options.keep_blocked, session)) return false;
        const auto spec = PullSpec::parse(part.reference);
        if (!part.image.empty() && spec && blocked->has(*spec, target_of(part), mirror.prefix())) {
            session.print_error(fmt::format("blockedImages blocks the catalog {} itself", part.reference),
                                "remove it from mirror.operators, or block fewer images");
            session.exit_status = exit_findings;
            return false;
        }
        std::optional<SourceTemplate> source;
        if (part.item && !part.item->source_template.empty()) {
            Diagnostics diagnostics;
            const auto file = read_input(part.item->source_template);
            source = SourceTemplate::read(*file, diagnostics);
            if (!report_findings(diagnostics, session)) return false;
        }
        mirror.add({.name = target_of(part),
                    .reference = part.image,
                    .as_it_is = part.is_whole && !part.image.empty(),
                    .platforms = part.item ? part.item->platforms : Platforms(),
                    .source = source},
                   part.catalog, session.pool());
    }
    for (const ImageSetImage& image : images_of(wanted->set, *blocked, mirror.prefix(), session))
        mirror.add(image);
    if (const auto graph = graph_image_of(wanted->set, options.releases, session)) mirror.add(*graph);
    return true;
}

void write_lists(const MirroredImages& mirrored, const MirrorOptions& options) {
    if (!options.mapping.empty()) write_output(options.mapping, mapping_of(mirrored, false));
    if (!options.missing.empty()) write_output(options.missing, mapping_of(mirrored, true));
    if (!options.record.empty()) write_output(options.record, write_run_record(mirrored));
}

// The archives that are read or written: what the names of their files begin with.
std::vector<std::string> archives_of(const MirrorOptions& options, const MirrorTarget& target) {
    std::vector<std::string> names;
    if (target.is_archive()) names.push_back(target.place);
    for (const std::string& catalog : options.content.catalogs)
        if (MirrorTarget::is_local(catalog) && MirrorTarget::parse(catalog).is_archive())
            names.push_back(MirrorTarget::parse(catalog).place);
    return names;
}

void run(const MirrorOptions& options, Session& session) {
    if (options.selection) return print_selection(options, session);
    if (options.to.empty())
        throw RequestError("no mirror is named",
                           "say where it is: --to REGISTRY/PREFIX, dir:DIR or archive:DIR/NAME");
    ThreadPool& pool = session.pool_for_network();
    const MirrorTarget target = MirrorTarget::parse(options.to);
    std::vector<std::string> inputs = options.content.catalogs;
    if (!options.content.image_set.empty()) inputs.push_back(options.content.image_set);
    for (const std::string& catalog : options.content.catalogs)
        if (MirrorTarget::is_local(catalog)) inputs.push_back(MirrorTarget::parse(catalog).place);
    const std::vector<OutputPath> lists{{"--mapping", options.mapping, is_mapping},
                                        {"--missing", options.missing, is_mapping},
                                        {"--record", options.record, that_has("\"opcat.mirror-record.")}};
    std::vector<std::string> mirrors = inputs;
    if (target.is_directory()) mirrors.push_back(target.place);
    require_apart(lists, mirrors);
    for (const OutputPath& file : lists)
        for (const std::string& name : archives_of(options, target))
            if (!file.path.empty() && is_file_of_archive(file.path, name))
                throw RequestError(
                    fmt::format("{} {} has a name of a file of the archive", file.flag, file.path),
                    "name another file");
    std::vector<OutputPath> outputs = lists;
    if (target.is_registry()) outputs.push_back({"--resources", options.resources});
    if (!target.is_registry()) outputs.push_back({"--to", target.place});
    require_apart(outputs, inputs);
    for (const OutputPath& file : lists) require_place(file.flag, file.path, PlaceFor::file);
    if (target.is_registry()) require_place("--resources", options.resources, PlaceFor::directory);
    if (target.is_directory()) require_place("--to", target.place, PlaceFor::directory);
    if (target.is_registry())
        require_own_resources(options.resources, expected_resources(options.names), target.prefix());
    Mirror mirror(image_options(options.content.images, session), target);
    if (options.max_nested_paths > 0) mirror.limit_paths(options.max_nested_paths);
    if (options.drop_incomplete) mirror.keep_contents();
    if (!options.shard.empty()) mirror.only_shard(Shard::parse(options.shard));
    if (options.finish_shards > 0) mirror.finish_shards(options.finish_shards);
    const ContentFlags& content = options.content;
    const bool is_second_step =
        std::any_of(content.catalogs.begin(), content.catalogs.end(), MirrorTarget::is_local);
    if (is_second_step &&
        (content.catalogs.size() > 1 || !content.image_set.empty() || content.selection.any()))
        throw RequestError("all that is in dir:DIR or archive:PREFIX is copied, and nothing else",
                           "name it alone, without --config and without flags that select packages");
    if (is_second_step && options.drop_incomplete)
        throw RequestError("--drop-incomplete is for catalogs, and the first step has left only their images",
                           "give the flag when you fill the directory or the archive");
    if (!target.is_archive() && (options.archive_size > 0 || !options.since.empty()))
        throw RequestError("--archive-size and --since are for archives", "write --to archive:DIR/NAME");
    if (target.is_archive() && options.prune)
        throw RequestError("an archive has nothing to prune", "give --prune when you push it");
    if (is_second_step) {
        options.releases.refuse("the first step has mirrored what it is for: leave it out");
        if (target.is_archive())
            mirror.write_archive(segment_size(options, {}), options.since, options.dry_run);
        mirror.read(content.catalogs.front(), pool);
    } else if (!add_content(options, target, mirror, session)) {
        return;
    }

    mirror.check(options.names);
    const MirrorRun how{.keep_going = options.content.keep_going,
                        .drop_incomplete = options.drop_incomplete,
                        .dry_run = options.dry_run,
                        .prune = options.prune,
                        .attachments = options.attachments};
    MirroredImages mirrored;
    {
        TransferDisplay display(session);
        mirrored = mirror.copy(how, pool, options.dry_run ? image::OnCopyProgress() : display.callback());
    }
    if (const size_t hidden = mirrored.hidden_attachments.size(); hidden > 0)
        session.print_warning(
            fmt::format("the registry of {} does not let this account look for all that is attached to {}: "
                        "signatures may be missing",
                        hidden == 1 ? mirrored.hidden_attachments.front() : counted(hidden, "image"),
                        hidden == 1 ? "it" : "them"));
    if (mirrored.is_source_unfinished)
        session.print_warning(
            fmt::format("the last run that filled {} has not ended: what it selected may not be there",
                        content.catalogs.front()));
    const bool is_json = options.output == Form::json;
    if (options.dry_run && !is_json) print_sizes(mirrored, session);
    report_run(mirrored, how, session);
    session.exit_status = status_of(mirrored, how);
    const bool stopped = session.exit_status == exit_environment;
    std::vector<std::string> removed;
    if (!stopped) removed = remove_superfluous(mirror, mirrored, how, session, pool);
    write_lists(mirrored, options);
    if (is_json) {
        session.out.write(run_as_json(mirrored, removed, options.dry_run));
        session.out.flush();
    }
    if (stopped && target.is_archive() && !session.options.quiet)
        session.print("what has arrived is kept: the same command goes on\n");
    if (stopped || options.dry_run || !target.is_registry() || !options.shard.empty()) return;
    const std::vector<ResourceFile> files = mirror.resources(options.names);
    require_own_resources(options.resources, files, target.prefix());
    make_directories(options.resources);
    for (const ResourceFile& file : files) write_file(fs::path(options.resources) / file.name, file.text);
    if (!session.options.quiet)
        session.print(fmt::format("wrote {} to {}\n", counted(files.size(), "file"), options.resources));
}

} // namespace

void add_mirror(Command tree, Session& session) {
    const auto options = std::make_shared<MirrorOptions>();
    options->content.images.pinned = std::make_shared<image::PinnedNames>();
    const Command command =
        tree.add_command("mirror", "Copy catalogs with all images of their bundles to another registry");
    command.add_option(
        "CATALOG", options->content.catalogs,
        "Catalogs: images, layouts or directories; or dir:DIR or archive:PREFIX, which --to has filled");
    command.add_option(
        "--to TARGET", options->to,
        "The destination: REGISTRY[/PREFIX]; or dir:DIR, or archive:PREFIX for PREFIX-000001.tar "
        "and so on, "
        "for a second step from there");
    command.add_option("--config FILE", options->content.image_set,
                       "Mirror what an ImageSetConfiguration of oc-mirror v2 selects (operators, "
                       "additionalImages, platform)");
    add_selection_flags(command, options->content.selection);
    const Option selection =
        command.add_flag("--selection", options->selection, "Only print what is selected of the catalogs");
    command
        .add_choice("-o,--output", options->output, {Form::text, Form::json},
                    "What is printed of the selection or the run: text or json")
        .show_default();
    command.add_choice(
        "--blocked", options->keep_blocked, {{"drop", false}, {"keep", true}},
        "What becomes of bundles whose images the ImageSetConfiguration blocks: they leave the "
        "catalog, or are deprecated in it");
    const Option dry_run =
        command
            .add_flag("--dry-run", options->dry_run,
                      "Only print what would be sent, with sizes, what --prune would remove, and every image "
                      "that cannot be copied")
            .excludes(selection);
    const Option prune = command.add_flag(
        "--prune", options->prune,
        "Remove images that earlier runs put there for these catalogs and that are no longer needed");
    command.add_flag(
        "--keep-going", options->content.keep_going,
        "Mirror the rest when an image fails; the exit status says for what: 4 for catalogs, 8 for "
        "additionalImages, 12 for both");
    command.add_flag("--drop-incomplete", options->drop_incomplete,
                     "Like --keep-going, and bundles whose images failed leave the catalogs");
    command.add_option("--mapping FILE", options->mapping, "Write SOURCE=TARGET of every image to this file")
        .output_file()
        .excludes(selection);
    command.add_option("--missing FILE", options->missing, "The same, of the images that the mirror lacked")
        .output_file()
        .excludes(selection);
    add_release_flags(command, options->releases);
    const Command archives = command.under("Archives");
    archives.add_size("--archive-size", options->archive_size,
                      "The largest size of a segment (default: archiveSize of --config, else 500GiB)");
    archives.add_option(
        "--since last|DATE", options->since,
        "Carry only blobs that no archive of this name has carried: none at all (last), or none "
        "before a DATE");
    command
        .add_option(
            "--record FILE", options->record,
            "Write what is in the mirror after the run to this file, as JSON: source, digest, and the "
            "bundles that need it (`opcat mirror diff` compares two)")
        .output_file()
        .excludes(selection)
        .excludes(dry_run);
    add_allow_empty_flag(command, options->content.allow_empty, session);
    command
        .add_option(
            "--resources DIR", options->resources,
            "Directory for what clusters need: mirror sets, CatalogSources, ClusterCatalogs, registries.conf")
        .show_default();
    const Command resources = command.under("Resources");
    resources.add_option("--name NAME", options->names.catalog,
                         "The name of the CatalogSource and the ClusterCatalog");
    resources.add_option("--resource-prefix PREFIX", options->names.prefix,
                         "Put this before the names of all objects and of their files");
    resources.add_option("--namespace NAMESPACE", options->names.ns, "The namespace of the CatalogSources")
        .show_default();
    resources
        .add_option("--poll", options->names.poll, "How often clusters look for a new image of a catalog")
        .duration();
    resources.add_flag("--oc-mirror-names", options->names.oc_mirror,
                       "Call files, objects and releases as oc-mirror v2 does, and write mirror sets of "
                       "whole paths");
    const Command shards = command.under("Shards");
    const Option shard = shards.add_option("--shard I/N", options->shard,
                                           "Copy only part I (from 0) of N of the images, and no catalog; "
                                           "other machines copy the other parts");
    shard.excludes(prune);
    prune.excludes(selection);
    shards
        .add_option("--finish-shards N", options->finish_shards,
                    "After N shards: copy what is missing, publish the catalogs and write the resources")
        .between(1, Shard::most)
        .excludes(shard);
    command
        .add_option(
            "--max-nested-paths N", options->max_nested_paths,
            "How many parts the path of an image may have in the registry, with those of PREFIX: what "
            "comes after them is joined by -")
        .between(2, 100);
    add_attachments_option(command, options->attachments);
    add_oc_mirror_flags(command);
    add_log_option(command, session);
    add_registry_flags(command, options->content.images);
    command.footer(
        "Without a selection each catalog is mirrored whole; with flags that select the part that `opcat "
        "filter` keeps, with --config what oc-mirror v2 keeps. Both are valid. Only what the mirror lacks is "
        "sent: run it again after a failure.\n\n"
        "Examples:\n"
        "  opcat mirror quay.io/example/catalog:v1 --package foo --to registry.example/mirror\n"
        "  opcat mirror --config image-set.yaml --to dir:disk\n"
        "  opcat mirror dir:disk --to registry.example/mirror --dry-run\n"
        "  opcat mirror --config image-set.yaml --to archive:usb/july --archive-size 4GiB --since last\n"
        "  opcat mirror archive:usb/july --to registry.example/mirror");
    add_mirror_check(command, session);
    add_mirror_delete(command, session);
    add_mirror_diff(command, session);
    command.callback([options, command, &session] {
        if (command.command_given()) return; // which has answered
        // A dry run finds everything.
        options->content.keep_going =
            options->content.keep_going || options->drop_incomplete || options->dry_run;
        run(*options, session);
    });
}

} // namespace opcat
