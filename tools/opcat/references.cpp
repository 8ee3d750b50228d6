#include "references.hpp"

#include "command.hpp"
#include "environment.hpp"
#include "input.hpp"
#include "opcat/base/batch.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/image/manifest.hpp"
#include "terminal/findings.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <utility>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// The display lives as long as what reports to it.
std::function<image::OnProgress(std::vector<std::string>)> show_pulls(const Session& session) {
    return [&session](std::vector<std::string> names) -> image::OnProgress {
        const auto display = std::make_shared<PullDisplay>(session, std::move(names));
        const image::OnProgress update = display->callback();
        if (!update) return {};
        return
            [display, update](size_t image, const image::PullProgress& progress) { update(image, progress); };
    };
}

} // namespace

OpenOptions opening(const ImageFlags& images, Session& session, StandardInput standard_input,
                    std::optional<TemplateUse> templates) {
    OpenOptions options;
    options.manner = session.manner();
    options.templates = std::move(templates);
    if (standard_input == StandardInput::taken && !session.as_opm())
        options.standard_input = [] { return read_input("-"); };
    options.images = [images, &session] { return image_options(images, session); };
    if (!images.no_cache) options.cache = cache_directory();
    options.temporary = temporary_directory();
    options.progress = show_pulls(session);
    options.warn = [&session](const std::string& warning) { session.print_warning(warning); };
    return options;
}

std::string reference_help(const Session& session) {
    const std::string all = "A catalog or bundle directory, an image (registry/repo:tag, @sha256:...), "
                            "oci:DIR[:TAG], oci-archive:FILE, docker-archive:FILE, ";
    return all + (session.as_opm()
                      ? "or an SQLite index"
                      : "an SQLite index, git:REVISION:PATH (what a commit has), or - for a catalog "
                        "on standard input");
}

void add_reference_flags(Command command, ReferenceFlags& flags, const Session& session) {
    flags.command = command.name();
    command.add_option("REF", flags.references, reference_help(session));
    command.add_option("--refs FILE", flags.file,
                       "A file with more references, one per line; - for standard input");
}

std::vector<std::string> all_references(const ReferenceFlags& flags) {
    std::vector<std::string> all = flags.references;
    if (!flags.file.empty()) {
        const auto file = read_list(flags.file);
        for (const std::string_view line : entries_of_list(*file)) all.emplace_back(line);
    }
    if (all.empty())
        throw RequestError(flags.file.empty() ? "REF is required"
                                              : "there is no reference in " +
                                                    (flags.file == "-" ? "standard input" : flags.file),
                           fmt::format("see opcat {} --help", flags.command));
    return all;
}

void add_template_flags(Command command, TemplateUse& flags) {
    const Command templates = command.under("Templates");
    templates.add_flag(
        "--resolve-images", flags.resolve_images,
        "Pull the bundles of a template; without it, only those in directories and layouts are read");
    templates
        .add_option("--bundle-dir DIR", flags.bundle_directories,
                    "Directory with bundles that a template may name, in addition to its own directory")
        .existing_directory();
}

bool add_schema_files(const std::vector<std::string>& paths, Schemas& schemas, Session& session) {
    bool good = true;
    for (const std::string& path : paths) {
        const std::shared_ptr<const SourceFile> file = read_input(path);
        Diagnostics problems;
        if (schemas.add(file, problems)) continue;
        // A file that is not CUE, such as one with a password that a script names by mistake, is not shown.
        if (path != "-" && fs::path(path).extension() != ".cue") {
            const Position at = file->position(problems.front().where.offset);
            session.print_error(
                fmt::format(
                    "{} is not a schema: it is not CUE, or uses parts that opcat does not support, at "
                    "line {}, column {}",
                    path, at.line, at.column),
                "give a file of CUE a name that ends in .cue to see what is wrong with it");
        } else {
            print_findings(problems, session);
        }
        session.exit_status = exit_usage;
        good = false;
    }
    return good;
}

ImageDigests read_image_lock(const std::string& path) {
    ImageDigests digests;
    const auto file = read_list(path);
    for_each_batch_line(*file, [&](const BatchLine& line) {
        const size_t blank = line.text.find(' ');
        // A digest, or a pull spec of the same repository with one.
        std::string_view digest =
            trim_white_space(blank == line.text.npos ? std::string_view() : line.text.substr(blank));
        const std::string_view spec = line.text.substr(0, blank);
        if (const size_t at = digest.find('@'); at != digest.npos) {
            const auto named = PullSpec::parse(digest);
            const auto locked = PullSpec::parse(spec);
            digest = named && locked && named->registry() == locked->registry() &&
                             named->repository() == locked->repository()
                         ? digest.substr(at + 1)
                         : std::string_view();
        }
        if (!image::is_sha256(digest))
            throw RequestError(fmt::format("{}:{} is not the lock of an image", path, line.number),
                               "each line has a pull spec, a blank, and its digest (sha256:…)");
        const auto [other, is_new] = digests.emplace(spec, digest);
        if (!is_new && other->second != digest)
            throw RequestError(
                fmt::format("{}:{} gives {} another digest than a line before", path, line.number, spec));
    });
    return digests;
}

} // namespace opcat
