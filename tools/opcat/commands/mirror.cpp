#include "opcat/mirror/mirror.hpp"

#include "catalog_options.hpp"
#include "command.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/mirror/image_set.hpp"
#include "references.hpp"
#include "selection_flags.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"
#include "terminal/transfers.hpp"

#include <algorithm>
#include <memory>

namespace opcat {
namespace {

namespace fs = std::filesystem;

struct MirrorOptions {
    std::vector<std::string> catalogs;
    std::string to;
    std::string image_set;
    std::string resources = "cluster-resources";
    SelectionFlags selection;
    bool dry_run = false;
    bool prune = false;
    bool keep_going = false;
    bool allow_empty = false;
    std::string shard;
    unsigned finish_shards = 0;
    ImageFlags images;
};

// A catalog to mirror, and the part of it.
struct Wanted {
    std::string reference;
    ImageSetCatalog image_set; // if it comes from one
};

std::vector<Wanted> wanted_catalogs(const MirrorOptions& options, Session& session) {
    std::vector<Wanted> wanted;
    for (const std::string& reference : options.catalogs) wanted.push_back({reference, {}});
    if (options.image_set.empty()) return wanted;
    Diagnostics diagnostics;
    const auto file = read_input(options.image_set);
    std::vector<ImageSetCatalog> catalogs = read_image_set(*file, diagnostics);
    if (!report_findings(diagnostics, session)) return {};
    for (ImageSetCatalog& catalog : catalogs) {
        std::string reference = catalog.reference;
        if (reference.starts_with("oci://")) reference = "oci:" + reference.substr(6); // as oc-mirror has it
        wanted.push_back({reference, std::move(catalog)});
    }
    return wanted;
}

// The wanted part of a catalog; nothing, and the findings are shown, if the catalog is not valid.
std::optional<Catalog> part_of(Catalog catalog, const Wanted& wanted, const Selection& flags,
                               const MirrorOptions& options, bool& is_whole, Session& session) {
    Selection selection = flags;
    if (!wanted.image_set.reference.empty()) {
        std::vector<std::string> warnings;
        selection = selection_of(wanted.image_set, build_upgrade_graph(catalog, session.pool()), warnings);
        for (const std::string& warning : warnings) session.print_warning(warning);
    }
    is_whole = selection.packages.empty();
    if (is_whole) return catalog;
    try {
        FilteredCatalog filtered =
            filter_catalog(catalog, selection, options.selection.with_dependencies, session.pool());
        if (!report_findings(filtered.diagnostics, session)) return std::nullopt;
        if (!session.options.quiet) session.print(to_text(filtered.report));
        return std::move(filtered.catalog);
    } catch (const RequestError& error) { // there may be several catalogs
        throw RequestError(fmt::format("cannot select from {}: {}", wanted.reference, error.what()),
                           error.hint());
    }
}

// The catalog's name in the mirror.
MirrorName target_of(const Wanted& wanted, const Session& session) {
    MirrorName name;
    if (!names_image(wanted.reference, session.manner())) {
        const fs::path path = fs::absolute(wanted.reference).lexically_normal();
        name = {(path.has_filename() ? path : path.parent_path()).filename().string(), "latest"};
    } else {
        const image::Name image = required(image::Name::parse(wanted.reference));
        name = image.spec ? mirror_name(*image.spec)
                          : MirrorName{fs::path(image.path).stem().string(),
                                       image.tag.empty() ? "latest" : image.tag};
    }
    if (!wanted.image_set.target_repository.empty()) name.repository = wanted.image_set.target_repository;
    if (!wanted.image_set.target_tag.empty()) name.tag = wanted.image_set.target_tag;
    const auto spec = PullSpec::parse("localhost/" + name.to_string());
    if (!spec)
        throw RequestError(
            fmt::format("the catalog {} cannot be called {} in the mirror: {}", wanted.reference,
                        name.to_string(), spec.error().message),
            "name it with targetCatalog and targetTag in an ImageSetConfiguration, or rename the "
            "directory");
    return name;
}

// Adds the catalogs' content to the mirror; false if one is not valid.
bool add_catalogs(const MirrorOptions& options, Mirror& mirror, Session& session) {
    const auto flags = selection_of(options.selection, session);
    if (!flags) return false;
    const std::vector<Wanted> wanted = wanted_catalogs(options, session);
    if (session.exit_status != exit_ok) return false;
    if (wanted.empty())
        throw RequestError("no catalog is named", "name one, or a file of oc-mirror with --config");
    std::vector<std::string> references;
    references.reserve(wanted.size());
    for (const Wanted& one : wanted)
        references.push_back(names_image(one.reference, session.manner()) ? mirror.pin(one.reference)
                                                                          : one.reference);
    std::vector<Source> opened = open_each(references, opening(options.images, session), session.pool());
    for (size_t i = 0; i < wanted.size(); ++i) {
        if (!report_findings(opened[i].loaded().diagnostics, session)) return false;
        bool is_whole = false;
        const auto part =
            part_of(std::move(opened[i]).take().catalog, wanted[i], *flags, options, is_whole, session);
        if (!part) return false;
        if (is_whole && !report_findings(find_errors(*part, session.pool()), session)) return false;
        if (!report_empty(*part, Content::package, options.allow_empty,
                          fmt::format("what is to be mirrored of {}", wanted[i].reference),
                          "correct its name, or select something that it has", session))
            return false;
        const bool is_image = names_image(references[i], session.manner());
        mirror.add(target_of(wanted[i], session), is_image ? references[i] : "", *part, is_whole && is_image,
                   session.pool());
    }
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
    if (options.to.empty())
        throw RequestError("no mirror is named", "say where it is: --to REGISTRY/PREFIX or --to dir:DIR");
    ThreadPool& pool = session.pool_for_network();
    Mirror mirror(image_options(options.images, session), options.to);
    if (!options.shard.empty()) mirror.only_shard(Shard::parse(options.shard));
    if (options.finish_shards > 0) mirror.finish_shards(options.finish_shards);
    const bool from_directory =
        std::any_of(options.catalogs.begin(), options.catalogs.end(), Mirror::is_directory);
    if (from_directory &&
        (options.catalogs.size() > 1 || !options.image_set.empty() || options.selection.any()))
        throw RequestError("all that is in dir:DIR is copied, and nothing else",
                           "name it alone, without --config and without flags that select packages");
    if (from_directory)
        mirror.read_directory(options.catalogs.front().substr(options.catalogs.front().find(':') + 1));
    else if (!add_catalogs(options, mirror, session))
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
    command.add_option("CATALOG", options->catalogs,
                       "Catalogs: images, layouts or directories; or dir:DIR, which --to dir:DIR has filled");
    command
        .add_option("--to", options->to,
                    "The destination: REGISTRY[/PREFIX], or dir:DIR for a second step from there")
        .value_name("TARGET");
    command
        .add_option("--config", options->image_set,
                    "Mirror the operators of an ImageSetConfiguration (mirror.openshift.io/v2alpha1)")
        .value_name("FILE");
    add_selection_flags(command, options->selection);
    command.add_flag("--dry-run", options->dry_run, "Only print what would be sent, with sizes");
    const Option prune = command.add_flag(
        "--prune", options->prune,
        "Remove images that earlier runs put there for these catalogs and that are no longer needed");
    command.add_flag("--keep-going", options->keep_going, "Mirror the rest when an image fails, and exit 1");
    add_allow_empty_flag(command, options->allow_empty, session);
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
    add_registry_flags(command, options->images);
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
