#include "catalog_options.hpp"
#include "command.hpp"
#include "commands/mirror.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/mirror/check.hpp"
#include "opcat/mirror/check_report.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"
#include "terminal/transfers.hpp"

#include <memory>

namespace opcat {
namespace {

struct CheckOptions {
    std::string target;
    std::string output = "text";
    bool verify = false;
    bool repair = false;
    ImageFlags images;
};

// What the catalogs of the mirror need.
void read_catalogs(MirrorCheck& check, const CheckOptions& options, Session& session) {
    const std::vector<MirrorName> names = check.catalogs();
    std::vector<std::string> references;
    references.reserve(names.size());
    for (const MirrorName& name : names) references.push_back(check.reference_of(name));
    std::vector<SourceOrError> opened =
        open_each_that_can(references, opening(options.images, session), session.pool_for_network());
    for (size_t i = 0; i < names.size(); ++i) {
        if (auto* const source = std::get_if<Source>(&opened[i])) {
            LoadedCatalog loaded = std::move(*source).take();
            if (count_findings(loaded.diagnostics).errors == 0)
                check.add(names[i], loaded.catalog);
            else
                check.add_unreadable(names[i], Error("it is not a valid catalog"));
            continue;
        }
        try {
            std::rethrow_exception(std::get<std::exception_ptr>(opened[i]));
        } catch (const Error& error) {
            check.add_unreadable(names[i], error);
        }
    }
}

void report(const std::vector<CheckedImage>& images, const CheckTotals& totals, const CheckOptions& options,
            Session& session) {
    const FaultyImages faulty = count_faulty(images);
    if (options.output == "json") {
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
    check.read(pool);
    if (const size_t unsettled = check.unsettled(); unsettled > 0)
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
    const auto options = std::make_shared<CheckOptions>();
    options->images.no_cache = true; // the mirror is to be seen, not what was there once
    const Command command = mirror.add_command(
        "check", "Check that all that the catalogs of a mirror need is there: manifests, blobs, signatures");
    command.add_option("TARGET", options->target, "The mirror: REGISTRY[/PREFIX] or dir:DIR").required();
    command.add_flag("--verify", options->verify,
                     "Read every blob and compare its digest: a registry may have a damaged one");
    command.add_flag("--repair", options->repair,
                     "Copy what is missing or damaged again from where it came from, and check it again");
    command.add_option("-o,--output", options->output, "text or json")
        .one_of({"text", "json"})
        .show_default();
    add_registry_flags(command, options->images);
    command.footer(
        "What is needed is read from the catalogs there, and from the record of the runs that filled "
        "the mirror.\n\n"
        "Examples:\n"
        "  opcat mirror check registry.example/mirror\n"
        "  opcat mirror check registry.example/mirror --verify --repair\n"
        "  opcat mirror check dir:disk --verify -o json\n\n"
        "Exit status: 0 if all is there, 1 if something is missing or damaged and was not repaired, "
        "3 if it is not known.");
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
