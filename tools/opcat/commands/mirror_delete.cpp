#include "catalog_options.hpp"
#include "command.hpp"
#include "commands/mirror.hpp"
#include "mirror_content.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/filter/filter.hpp"
#include "opcat/mirror/deletion.hpp"
#include "opcat/mirror/mirror_target.hpp"
#include "outputs.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <memory>
#include <optional>

namespace opcat {
namespace {

constexpr uint64_t most_in_plan = uint64_t{256} << 20;

struct DeleteOptions {
    std::string target;
    std::string config;
    std::string plan;
    bool dry_run = false;
    ImageFlags images;
};

// All catalogs of the mirror: what one of them needs stays.
std::vector<std::unique_ptr<LoadedCatalog>> read_catalogs(MirrorDeletion& deletion, const std::string& prefix,
                                                          const DeleteOptions& options, Session& session) {
    deletion.read(session.pool_for_network());
    std::vector<std::string> references;
    const std::vector<MirrorName> names = deletion.catalogs();
    references.reserve(names.size());
    for (const MirrorName& name : names) references.push_back(fmt::format("{}/{}", prefix, name.to_string()));
    std::vector<std::unique_ptr<LoadedCatalog>> loaded;
    std::vector<Source> opened =
        open_each(references, opening(options.images, session), session.pool_for_network());
    for (size_t i = 0; i < opened.size(); ++i) {
        loaded.push_back(std::make_unique<LoadedCatalog>(std::move(opened[i]).take()));
        if (count_findings(loaded.back()->diagnostics).errors > 0)
            throw Error(
                fmt::format("{} is not a valid catalog, so what it needs is not known", references[i]));
        deletion.add(names[i], loaded.back()->catalog);
    }
    return loaded;
}

// The bundles that the configuration selects of the catalogs in the mirror; nothing, and the findings are
// shown, if that is not possible.
std::optional<std::map<std::string, std::set<std::string>>>
bundles_to_delete(const ImageSet& set, const std::vector<MirrorName>& names,
                  const std::vector<std::unique_ptr<LoadedCatalog>>& loaded, Session& session) {
    std::map<std::string, std::set<std::string>> bundles;
    for (const ImageSetCatalog& item : set.catalogs) {
        MirrorPart part;
        part.reference = item.reference;
        part.item = &item;
        if (names_image(item.reference, session.manner())) part.image = item.reference;
        const MirrorName wanted = target_of(part);
        const auto at = std::find(names.begin(), names.end(), wanted);
        if (at == names.end())
            throw RequestError(fmt::format("the mirror has no catalog {}", wanted.to_string()),
                               "it has " +
                                   listed(names, 8, [](const MirrorName& name) { return name.to_string(); }));
        const Catalog& content = loaded[static_cast<size_t>(at - names.begin())]->catalog;
        const FilteredCatalog selected = filter_catalog(content, item.request, false, session.pool());
        if (!report_findings(selected.diagnostics, session)) {
            session.print(fmt::format(
                "the plan is about what the catalog {} in the mirror offers; images of versions that it no "
                "longer has are removed by mirror with --prune\n",
                wanted.to_string()));
            return std::nullopt;
        }
        for (const Bundle& bundle : selected.catalog.bundles)
            bundles[wanted.to_string()].emplace(std::string_view(bundle.name));
    }
    return bundles;
}

void write_plan(const DeleteOptions& options, Session& session) {
    require_apart({{"--plan", options.plan}}, {options.config});
    require_kind(options.plan, "a plan", [](std::string_view bytes) {
        try {
            (void)DeletionPlan::parse(bytes);
            return true;
        } catch (const Error&) {
            return false;
        }
    });
    const auto open = open_image_set(options.config, false, session, ImageSetUse::removal);
    if (!open) return;
    if (!open->set.releases.empty())
        session.print_warning("the plan has no images of releases: mirror again without them, with --prune");
    const std::string prefix = MirrorTarget::parse(options.target).prefix();
    MirrorDeletion deletion(image_options(options.images, session), prefix);
    const auto loaded = read_catalogs(deletion, prefix, options, session);
    std::set<std::string> additional;
    for (const ImageSetImage& image : open->set.images) additional.insert(image.target().to_string());
    auto bundles = bundles_to_delete(open->set, deletion.catalogs(), loaded, session);
    if (!bundles) return;
    const DeletionPlan plan =
        deletion.plan(*std::move(bundles), std::move(additional), session.pool_for_network());
    write_output(options.plan, plan.to_json());
    if (session.options.quiet) return;
    for (const auto& [image, why] : plan.kept) session.print(fmt::format("stays {}: {}\n", image, why));
    session.print(fmt::format("wrote {}: {} to remove, {} kept\n", options.plan,
                              counted(plan.images.size(), "image"), plan.kept.size()));
    if (!plan.bundles.empty())
        session.print(
            "the catalogs in the mirror still offer these bundles: mirror them again without them\n");
}

void execute_plan(const DeleteOptions& options, Session& session) {
    DeletionPlan plan;
    try {
        plan = DeletionPlan::parse(read_file(options.plan, options.plan, most_in_plan)->bytes());
    } catch (const Error& error) {
        throw error.with_message(fmt::format("cannot read {}: {}", options.plan, error.what()));
    }
    const std::string prefix = MirrorTarget::parse(plan.target).prefix();
    if (!options.target.empty() && MirrorTarget::parse(options.target).prefix() != prefix)
        throw RequestError(fmt::format("the plan is for {}, not {}", prefix, options.target),
                           "write a plan for that mirror");
    MirrorDeletion deletion(image_options(options.images, session), prefix);
    const auto loaded = read_catalogs(deletion, prefix, options, session);
    const DeletionResult result = deletion.execute(plan, options.dry_run, session.pool_for_network());
    for (const auto& [image, why] : result.refused)
        session.print_error(fmt::format("{} stays: {}", image, why));
    if (!session.options.quiet)
        for (const std::string& image : result.removed)
            session.print(fmt::format("{} {}\n", options.dry_run ? "would remove" : "removed", image));
    if (!result.refused.empty()) session.exit_status = exit_findings;
}

void run(const DeleteOptions& options, Session& session) {
    if (MirrorTarget::is_local(options.target))
        throw RequestError("only images in a registry are deleted",
                           "to shrink dir:DIR, mirror to it again with --prune");
    if (options.config.empty()) return execute_plan(options, session);
    if (options.target.empty()) throw RequestError("no mirror is named", "say where it is: REGISTRY/PREFIX");
    write_plan(options, session);
}

} // namespace

void add_mirror_delete(Command mirror, Session& session) {
    const Command command = mirror.add_command(
        "delete", "Remove versions from a mirror: first a plan to review, then its execution");
    auto& options = command.action<DeleteOptions>(run, session);
    options.images.no_cache = true; // the catalogs that are there now count
    command.add_option("TARGET", options.target,
                       "The mirror: REGISTRY[/PREFIX]; in a plan it is named already");
    const Option config = command.add_option("--config FILE", options.config,
                                             "Write a plan: what this ImageSetConfiguration, or oc-mirror's "
                                             "DeleteImageSetConfiguration, selects of the catalogs in the "
                                             "mirror is to go");
    command.add_option("--plan FILE", options.plan, "The plan to write, or without --config to execute")
        .required();
    command.add_flag("--dry-run", options.dry_run, "Only print what the execution would remove")
        .excludes(config);
    add_log_option(command, session);
    add_registry_flags(command, options.images);
    command.footer(
        "An image that another mirrored version needs is never in a plan, and neither is one that no run of "
        "opcat has put there. Signatures and other attachments go with their images. The plan is checked "
        "again "
        "when it is executed: lines may be taken out of it, not added.\n\n"
        "Examples:\n"
        "  opcat mirror delete registry.example/mirror --config old.yaml --plan plan.json\n"
        "  opcat mirror delete --plan plan.json --dry-run\n"
        "  opcat mirror delete --plan plan.json\n\n"
        "Exit status: 1 if something of the plan was not removed.");
}

} // namespace opcat
