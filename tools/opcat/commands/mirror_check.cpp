#include "catalog_options.hpp"
#include "classic_inputs.hpp"
#include "cluster_flags.hpp"
#include "command.hpp"
#include "commands/mirror.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/mirror/can_start.hpp"
#include "opcat/mirror/check.hpp"
#include "opcat/mirror/check_report.hpp"
#include "opcat/mirror/mirror_target.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"
#include "terminal/transfers.hpp"

#include <memory>

namespace opcat {
namespace {

struct CheckOptions {
    std::string target;
    Form output = Form::text;
    bool verify = false;
    bool repair = false;
    std::vector<std::string> can_start; // files
    bool from_cluster = false;
    ClusterFlags cluster;
    ImageFlags images;
};

// Why a catalog cannot be read; nothing: it can.
std::optional<Error> why_unreadable(SourceOrError& opened) {
    if (const auto* const source = std::get_if<Source>(&opened)) {
        if (count_findings(source->loaded().diagnostics).errors == 0) return std::nullopt;
        return Error("it is not a valid catalog");
    }
    try {
        std::rethrow_exception(std::get<std::exception_ptr>(opened));
    } catch (const Error& error) {
        return error;
    }
}

// The objects of a cluster that say what its operators are and where it pulls images from.
ClusterNeeds read_needs(const CheckOptions& options, Session& session) {
    classic::ClusterState state;
    Diagnostics findings;
    std::vector<std::string> unread;
    read_cluster_files(options.can_start, state, findings);
    if (options.from_cluster) {
        const Connection connection = connect(options.cluster, session);
        std::vector<const char*> kinds{
            "imagedigestmirrorsets.config.openshift.io", "imagetagmirrorsets.config.openshift.io",
            "imagecontentsourcepolicies.operator.openshift.io", "clusterextensions.olm.operatorframework.io",
            "clustercatalogs.olm.operatorframework.io"};
        for (const kube::Object& object : connection.kubectl.list_permitted(
                 "subscriptions.operators.coreos.com,"
                 "clusterserviceversions.operators.coreos.com,"
                 "catalogsources.operators.coreos.com",
                 kinds, cluster::Scope::everywhere(), unread, "!olm.copiedFrom"))
            classic::add_object(object, state, findings);
        for (const std::string& what : unread) session.print_warning(what);
    }
    if (!report_findings(findings, session)) return {};
    std::vector<kube::Object> objects = state.others;
    objects.insert(objects.end(), state.catalog_sources.begin(), state.catalog_sources.end());
    objects.insert(objects.end(), state.subscriptions.begin(), state.subscriptions.end());
    objects.insert(objects.end(), state.csvs.begin(), state.csvs.end());
    ClusterNeeds needs = needs_of(objects);
    needs.is_partial = !unread.empty();
    return needs;
}

void report(const std::vector<StartOfOperator>& operators, const CheckOptions& options, Session& session) {
    if (options.output == Form::json)
        session.out.write(start_as_json(operators));
    else
        session.out.write(table_in_locale(start_as_rows(operators), session, EmptyColumns::kept));
    session.out.flush();
    session.exit_status = exit_ok;
    for (const StartOfOperator& one : operators) {
        for (const StartFault& fault : one.faults)
            session.print(
                fmt::format("{}: {}{}{}{}{}\n", one.name, to_string(fault.state), ": ",
                            fault.image.empty() ? "" : fault.image + ": ", fault.why,
                            fault.bundle.empty() ? "" : fmt::format(" (wanted by {})", fault.bundle)));
        if (one.state() == StartState::bad)
            session.exit_status = exit_findings;
        else if (one.state() == StartState::unknown && session.exit_status == exit_ok)
            session.exit_status = exit_environment;
    }
}

void can_start(MirrorCheck& check, const CheckOptions& options, Session& session) {
    const MirrorTarget target = MirrorTarget::parse(options.target);
    if (target.is_directory()) throw RequestError("a cluster starts from a registry, not from dir:DIR");
    ThreadPool& pool = session.pool_for_network();
    StartCheck start(read_needs(options, session), target.prefix());
    if (session.exit_status != exit_ok) return;
    check.read(pool);
    const auto catalogs = start.catalogs();
    std::vector<std::string> references;
    references.reserve(catalogs.size());
    for (const auto& [image, reference] : catalogs) references.push_back(reference);
    std::vector<SourceOrError> opened =
        open_each_that_can(references, opening(options.images, session), pool);
    std::vector<std::unique_ptr<LoadedCatalog>> loaded;
    for (size_t i = 0; i < catalogs.size(); ++i) {
        if (const auto failure = why_unreadable(opened[i])) {
            start.add_unreadable(catalogs[i].first, *failure);
            continue;
        }
        loaded.push_back(std::make_unique<LoadedCatalog>(std::move(*std::get_if<Source>(&opened[i])).take()));
        start.add(catalogs[i].first, loaded.back()->catalog);
    }
    const std::vector<StartOfOperator> operators = start.run(check, options.verify, pool);
    if (operators.empty())
        throw Error("the objects name no operator",
                    "give the cluster's Subscriptions, ClusterServiceVersions, CatalogSources and mirror "
                    "sets, or its "
                    "ClusterExtensions and ClusterCatalogs");
    report(operators, options, session);
}

// What the catalogs of the mirror need.
void read_catalogs(MirrorCheck& check, const CheckOptions& options, Session& session) {
    const std::vector<MirrorName> names = check.catalogs();
    std::vector<std::string> references;
    references.reserve(names.size());
    for (const MirrorName& name : names) references.push_back(check.reference_of(name));
    std::vector<SourceOrError> opened =
        open_each_that_can(references, opening(options.images, session), session.pool_for_network());
    for (size_t i = 0; i < names.size(); ++i) {
        if (const auto failure = why_unreadable(opened[i])) {
            check.add_unreadable(names[i], *failure);
            continue;
        }
        check.add(names[i], std::move(*std::get_if<Source>(&opened[i])).take().catalog);
    }
}

void report(const std::vector<CheckedImage>& images, const CheckTotals& totals, const CheckOptions& options,
            Session& session) {
    const FaultyImages faulty = count_faulty(images);
    if (options.output == Form::json) {
        session.out.write(check_as_json(images, totals, options.verify));
    } else if (std::any_of(images.begin(), images.end(),
                           [](const CheckedImage& image) { return !image.faults.empty(); })) {
        session.out.write(table_in_locale(check_as_rows(images), session));
    }
    session.out.flush();
    for (const CheckedImage& image : images) {
        for (const PartFault& fault : image.faults)
            if (fault.state == PartState::unknown)
                session.print_warning(fmt::format("{}: {}", image.name, fault.why));
        if (image.not_repaired)
            session.print_error(fmt::format("cannot repair {}: {}", image.name, image.not_repaired->what()),
                                image.not_repaired->hint());
    }
    if (!session.options.quiet) {
        std::string text = fmt::format("{}, {}, {}", counted(images.size(), "image"),
                                       counted(totals.manifests, "manifest"), counted(totals.blobs, "blob"));
        text += options.verify ? fmt::format(" read ({})", human_size(totals.bytes))
                               : " looked for (--verify reads them)";
        size_t repaired = 0;
        for (const CheckedImage& image : images) repaired += image.repaired ? 1 : 0;
        if (repaired > 0) text += fmt::format("; {} repaired", counted(repaired, "image"));
        text += faulty.broken > 0    ? fmt::format("; {} incomplete", counted(faulty.broken, "image"))
                : faulty.unknown > 0 ? ""
                                     : "; nothing is missing";
        if (faulty.unknown > 0) text += fmt::format("; {} not known", counted(faulty.unknown, "image"));
        session.print(text + "\n");
    }
    session.exit_status = faulty.broken > 0 ? exit_findings : faulty.unknown > 0 ? exit_environment : exit_ok;
}

void run(const CheckOptions& options, Session& session) {
    ThreadPool& pool = session.pool_for_network();
    MirrorCheck check(image_options(options.images, session), options.target);
    if (!options.can_start.empty() || options.from_cluster) return can_start(check, options, session);
    const bool is_mirror = check.read(pool);
    const size_t unsettled = check.unsettled();
    if (!is_mirror && unsettled > 0)
        throw Error(fmt::format("no run has ended in {}: an interrupted one has begun to put {} there",
                                options.target, counted(unsettled, "image")),
                    "mirror again: what is there is not sent again");
    if (!is_mirror)
        throw Error(fmt::format("there is no record of a mirror in {}", options.target),
                    "correct its name; only what opcat mirror has filled can be checked");
    if (check.is_unfinished())
        session.print_warning(fmt::format(
            "the last run that filled {} has not ended: what it selected is not looked for", options.target));
    if (unsettled > 0)
        session.print_warning(
            fmt::format("an interrupted run has begun to put {} there, which {} not checked",
                        counted(unsettled, "image"), unsettled == 1 ? "is" : "are"));
    read_catalogs(check, options, session);
    std::vector<CheckedImage> images = check.run(options.verify, pool);
    if (options.repair) {
        TransferDisplay display(session);
        check.repair(images, options.verify, pool, display.callback());
    }
    report(images, check.totals(), options, session);
}

} // namespace

void add_mirror_check(Command mirror, Session& session) {
    const Command command = mirror.add_command(
        "check", "Check that all that the catalogs of a mirror need is there: manifests, blobs, signatures");
    auto& options = command.action<CheckOptions>(run, session);
    options.images.no_cache = true; // the mirror is to be seen, not what was there once
    command.add_option("TARGET", options.target, "The mirror: REGISTRY[/PREFIX] or dir:DIR").required();
    command.add_flag("--verify", options.verify,
                     "Read every blob and compare its digest: a registry may have a damaged one");
    command.add_flag("--repair", options.repair,
                     "Copy what is missing or damaged again from where it came from, and check it again");
    command.add_choice("-o,--output", options.output, {Form::text, Form::json}, "text or json")
        .show_default();
    command.add_option(
        "--can-start FILE", options.can_start,
        "Instead: whether the operators of a cluster start from this mirror, by its objects in files or "
        "directories as kubectl prints them; - is standard input");
    command.add_flag("--from-cluster", options.from_cluster,
                     "The same, with the objects of the cluster itself");
    add_connection_flags(command, options.cluster);
    add_log_option(command, session);
    add_registry_flags(command, options.images);
    command.footer(
        "What is needed is read from the catalogs there, and from the record of the runs that filled "
        "the mirror.\n\n"
        "Examples:\n"
        "  opcat mirror check registry.example/mirror\n"
        "  opcat mirror check registry.example/mirror --verify --repair\n"
        "  opcat mirror check dir:disk --verify -o json\n\n"
        "Exit status: 0 if all is there, 1 if something is missing or damaged and was not repaired, "
        "3 if it is not known.");
}

} // namespace opcat
