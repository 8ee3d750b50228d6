#include "references.hpp"

#include "command.hpp"
#include "environment.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/bundle/bundle_directory.hpp"
#include "opcat/legacy_index/legacy_index.hpp"
#include "opcat/template/template.hpp"
#include "sharding.hpp"
#include "terminal/findings.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace opcat {
namespace {

namespace fs = std::filesystem;

const std::string* find_label(const image::Labels& labels, std::string_view name) {
    const auto found = labels.find(std::string(name));
    return found == labels.end() ? nullptr : &found->second;
}

// As in opm, the first label that is there decides.
std::vector<std::string> paths_to_keep(const image::Labels& labels) {
    for (const std::string_view label : {image::database_label, image::configs_label})
        if (const std::string* const path = find_label(labels, label)) return {*path};
    if (find_label(labels, image::bundle_label)) return {"manifests", "metadata"};
    return {};
}

// "quay.io/org/repo:tag": the first part is a host. Only under the name opm may a short name be an image,
// too: a mistyped directory must not be asked for at a registry.
bool names_a_registry(std::string_view reference) {
    const size_t slash = reference.find('/');
    if (slash == reference.npos) return false;
    const std::string_view host = reference.substr(0, slash);
    return host == "localhost" || (host.find_first_of(".:") != host.npos && host.front() != '.');
}

void require_taken(bool taken, std::string_view what, const std::string& reference) {
    if (!taken)
        throw RequestError(fmt::format("{} {} is not allowed here: opm does not take it", what, reference));
}

// "org/repository:tag": as an image of Docker Hub is written elsewhere. A path seldom looks like that.
bool lacks_a_registry(const std::string& reference) {
    const auto spec = PullSpec::parse(reference);
    return spec && (!spec->tag().empty() || !spec->digest().empty());
}

bool is_standard_input(const std::string& reference, const Session& session,
                       const ReferenceOptions& options) {
    return reference == "-" && options.standard_input && !session.as_opm();
}

void require_one_standard_input(const std::vector<std::string>& references, const Session& session,
                                const ReferenceOptions& options) {
    if (std::count_if(references.begin(), references.end(), [&](const std::string& reference) {
            return is_standard_input(reference, session, options);
        }) > 1)
        throw RequestError("standard input can be read only once", "put one of the catalogs into a file");
}

LoadedCatalog load_standard_input(Session& session, const ReferenceOptions& options) {
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(read_input("-"));
    LoadedCatalog loaded = load_catalog(std::move(files), session.pool());
    open_template(loaded, "-", session, options);
    return loaded;
}

// Templates in the directory of a catalog are no part of it.
void note_templates(LoadedCatalog& loaded) {
    for (const OtherBlob& blob : loaded.catalog.others)
        if (const auto kind = find_template_kind(blob.schema); kind && schema_of(*kind) == blob.schema.text)
            loaded.oddities.push_back(
                {.severity = Severity::warning,
                 .rule = "template",
                 .message = "a template in the directory of a catalog is not checked, and not rendered",
                 .where = blob.start(),
                 .notes = {},
                 .help = "name its file, and list it in an .indexignore file if it has to be there"});
    sort_by_place(loaded.oddities);
}

LoadedCatalog load_path(const fs::path& path, Session& session, const ReferenceOptions& options) {
    std::error_code ignored;
    if (!session.as_opm()) require_existing(path, session);
    const bool is_bundle = is_bundle_directory(path);
    require_taken(options.taken == Taken::all || (options.taken == Taken::catalogs && !is_bundle),
                  is_bundle ? "the bundle directory" : "the catalog", path.string());
    if (is_bundle)
        return load_bundle_directory(path, {.image = {}, .image_template = options.image_template});
    if (fs::is_regular_file(path, ignored)) {
        if (is_legacy_index(path)) return load_legacy_index(path, session.pool());
        // opcat takes a file of a catalog for a catalog; to opm it is nothing.
        if (session.as_opm())
            throw RequestError("cannot render " + path.string() + ": a file must be an index database");
    }
    LoadedCatalog loaded = load_catalog(
        path, session.pool(), {.max_file_size = options.max_file_size, .skip_git = !session.as_opm()});
    if (!fs::is_directory(path, ignored))
        open_template(loaded, path.string(), session, options);
    else if (options.templates)
        note_templates(loaded);
    return loaded;
}

// What messages call a path in an image: "quay.io/org/repo:tag:/configs".
std::string place_in(const image::UnpackedImage& image, std::string_view path) {
    while (path.ends_with('/')) path.remove_suffix(1);
    while (path.starts_with('/')) path.remove_prefix(1);
    return path.empty() ? image.name.text + ":" : fmt::format("{}:/{}", image.name.text, path);
}

// Where the image says that its catalog is. Throws Error if there is nothing.
fs::path path_by_label(const image::UnpackedImage& image, std::string_view label, const std::string& path) {
    const fs::path found = image.path(path);
    std::error_code ignored;
    if (fs::exists(found, ignored)) return found;
    throw Error(fmt::format("image {} has no {}, where its label {} says that the catalog is",
                            image.name.text, path, label));
}

// What catalogs call a bundle's image, as it was given. A layout or an archive has no name that a cluster
// could pull.
std::string pull_spec_of(const image::Name& name) {
    if (!name.spec) return {};
    constexpr std::string_view transport = "docker://";
    return name.text.starts_with(transport) ? name.text.substr(transport.size()) : name.text;
}

LoadedCatalog load_image(const image::UnpackedImage& image, Session& session,
                         const ReferenceOptions& options) {
    const Taken taken = options.taken;
    for (const std::string& text : image.warnings) session.print_warning(text);
    const bool is_catalog =
        find_label(image.labels, image::database_label) || find_label(image.labels, image::configs_label);
    require_taken(taken == Taken::all || is_catalog == (taken == Taken::catalogs),
                  is_catalog ? "the catalog image" : "the bundle image", image.name.text);
    if (const std::string* const database = find_label(image.labels, image::database_label))
        return load_legacy_index(path_by_label(image, image::database_label, *database), session.pool(),
                                 place_in(image, *database));
    if (const std::string* const configs = find_label(image.labels, image::configs_label)) {
        const fs::path root = path_by_label(image, image::configs_label, *configs);
        std::error_code ignored;
        if (!fs::is_directory(root, ignored))
            throw Error(fmt::format("{} is not a directory, although its label {} says so",
                                    place_in(image, *configs), image::configs_label));
        return load_catalog(
            root, session.pool(),
            {.max_file_size = options.max_file_size, .shown_root = place_in(image, *configs)});
    }
    if (find_label(image.labels, image::bundle_label))
        return load_bundle_directory(image.path("/"), {.image = pull_spec_of(image.name),
                                                       .image_template = options.image_template,
                                                       .shown_root = place_in(image, "/")});
    throw Error(
        fmt::format("image {} is neither a catalog nor a bundle: it has none of their labels",
                    image.name.text),
        fmt::format("a catalog has the label {}, a bundle {}", image::configs_label, image::bundle_label));
}

// opm takes no reference without a tag, or with tag and digest.
void require_tag_or_digest(const image::Name& name) {
    if (!name.spec || name.spec->tag().empty() != name.spec->digest().empty()) return;
    throw Error(
        fmt::format("cannot pull {}: opm requires either a tag or a digest in a reference", name.text),
        name.spec->tag().empty() ? "add a tag or a digest" : "leave out the tag");
}

// The images among the references, in their order.
std::vector<image::UnpackedImage> pull_images(const std::vector<std::string>& references, Session& session,
                                              const ReferenceOptions& options) {
    std::vector<image::PullRequest> requests;
    for (const std::string& reference : references)
        if (names_image(reference, session))
            requests.push_back({required(image::Name::parse(reference)), paths_to_keep});
    if (requests.empty()) return {};
    if (session.as_opm())
        for (const image::PullRequest& request : requests) require_tag_or_digest(request.name);
    image::Puller puller(image_options(options.images, session));
    std::vector<std::string> names;
    names.reserve(requests.size());
    for (const image::PullRequest& request : requests) names.push_back(request.name.text);
    PullDisplay display(session, std::move(names));
    return puller.pull(requests, session.pool(), display.callback());
}

} // namespace

bool names_image(const std::string& reference, const Session& session) {
    if (image::Name::has_transport(reference)) return true;
    std::error_code ignored;
    return !fs::exists(reference, ignored) && (session.as_opm() || names_a_registry(reference));
}

namespace {

// opm's flags take "a,b".
bool is_list_of_paths(const std::string& reference) {
    if (reference.find(',') == reference.npos) return false;
    std::error_code ignored;
    const std::vector<std::string> parts = split_list(reference);
    return std::all_of(parts.begin(), parts.end(),
                       [&](const std::string& part) { return fs::exists(part, ignored); });
}

} // namespace

void require_existing(const std::string& reference, const Session& session) {
    std::error_code ignored;
    if (names_image(reference, session) || fs::exists(fs::symlink_status(reference, ignored))) return;
    if (const size_t comma = reference.find(',');
        comma != reference.npos && fs::exists(reference.substr(0, comma), ignored))
        throw Error("cannot read " + reference + ": " + system_message(ENOENT),
                    "write blanks between several references: " + replace_all(reference, ",", " "));
    throw Error("cannot read " + reference + ": " + system_message(ENOENT),
                is_list_of_paths(reference) ? "separate references by blanks, not by commas"
                : lacks_a_registry(reference)
                    ? "if it is an image, write its registry, too: HOST/REPOSITORY:TAG, or docker://NAME for "
                      "those of Docker Hub"
                    : "");
}

image::Name named_image(const std::string& reference) {
    std::error_code ignored;
    if (!image::Name::has_transport(reference) && !names_a_registry(reference))
        throw RequestError(fmt::format("{} is not an image: it has no registry", go_quote(reference)),
                           fs::exists(reference, ignored)
                               ? "`opcat build` makes images of directories; oci:DIR is a layout of images"
                               : "write REGISTRY/REPOSITORY:TAG, or docker://REPOSITORY:TAG for Docker Hub");
    return required(image::Name::parse(reference));
}

std::string reference_help(const Session& session) {
    const std::string all = "A catalog or bundle directory, an image (registry/repo:tag, @sha256:...), "
                            "oci:DIR[:TAG], oci-archive:FILE, docker-archive:FILE, ";
    return all + (session.as_opm() ? "or an SQLite index"
                                   : "an SQLite index, or - for a catalog on standard input");
}

std::vector<LoadedCatalog> load_each_reference(const std::vector<std::string>& references, Session& session,
                                               const ReferenceOptions& options) {
    require_one_standard_input(references, session, options);
    const std::vector<image::UnpackedImage> images = pull_images(references, session, options);
    auto next_image = images.begin();
    std::vector<LoadedCatalog> loaded;
    loaded.reserve(references.size());
    for (const std::string& reference : references)
        loaded.push_back(is_standard_input(reference, session, options)
                             ? load_standard_input(session, options)
                         : names_image(reference, session) ? load_image(*next_image++, session, options)
                                                           : load_path(reference, session, options));
    return loaded;
}

std::vector<CatalogOrFailure> load_each_that_can(const std::vector<std::string>& references, Session& session,
                                                 const ReferenceOptions& options) {
    require_one_standard_input(references, session, options);
    std::vector<CatalogOrFailure> all;
    try {
        for (LoadedCatalog& loaded : load_each_reference(references, session, options))
            all.emplace_back(std::move(loaded));
        return all;
    } catch (const Error& error) {
        all.clear();
        if (references.size() == 1) {
            all.emplace_back(failure_of(error));
            return all;
        }
    }
    for (const std::string& reference : references)
        all.push_back(std::move(load_each_that_can({reference}, session, options).front()));
    return all;
}

void add_reference_flags(Command command, ReferenceFlags& flags, const Session& session) {
    flags.command = command.name();
    command.add_option("REF", flags.references, reference_help(session));
    command
        .add_option("--refs", flags.file, "A file with more references, one per line; - for standard input")
        .value_name("FILE");
}

std::vector<std::string> all_references(const ReferenceFlags& flags) {
    std::vector<std::string> all = flags.references;
    if (!flags.file.empty()) {
        const auto file = read_list(flags.file);
        for (std::string_view line : lines_of(file->bytes())) {
            line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
            line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
            if (!line.empty() && line.front() != '#') all.emplace_back(line);
        }
    }
    if (all.empty())
        throw RequestError(flags.file.empty() ? "REF is required"
                                              : "there is no reference in " +
                                                    (flags.file == "-" ? "standard input" : flags.file),
                           fmt::format("see opcat {} --help", flags.command));
    return all;
}

LoadedCatalog load_references(const std::vector<std::string>& references, Session& session,
                              const ReferenceOptions& options) {
    LoadedCatalog all;
    for (LoadedCatalog& loaded : load_each_reference(references, session, options)) {
        append(all.catalog, std::move(loaded.catalog));
        all.bundles_unknown |= loaded.bundles_unknown;
        std::move(loaded.diagnostics.begin(), loaded.diagnostics.end(), std::back_inserter(all.diagnostics));
    }
    return all;
}

std::vector<BundleFiles> load_bundle_files(const std::vector<std::string>& references, Session& session,
                                           const ImageFlags& flags) {
    std::vector<image::UnpackedImage> images = pull_images(references, session, {.images = flags});
    auto next_image = images.begin();
    std::vector<BundleFiles> all;
    for (const std::string& reference : references) {
        if (!names_image(reference, session)) {
            std::error_code failed;
            if (!fs::is_directory(reference, failed))
                throw Error(failed
                                ? fmt::format("cannot read {}: {}", reference, system_message(failed.value()))
                                : fmt::format("{} is not a directory", reference),
                            "name the directory of a bundle, or its image");
            all.push_back({.directory = reference, .shown = reference});
            continue;
        }
        image::UnpackedImage& image = *next_image++;
        for (const std::string& text : image.warnings) session.print_warning(text);
        if (!find_label(image.labels, image::bundle_label))
            throw Error(fmt::format("image {} is not a bundle: it has no label {}", image.name.text,
                                    image::bundle_label));
        BundleFiles files{.directory = image.path("/"), .shown = place_in(image, "/")};
        files.image = std::move(image);
        all.push_back(std::move(files));
    }
    return all;
}

namespace {

// The file or directory that a reference to a bundle names; empty for an image in a registry.
fs::path local_path_of(const std::string& reference, const Session& session) {
    if (!names_image(reference, session)) return reference;
    return required(image::Name::parse(reference)).path;
}

} // namespace

void require_own_bundles(std::span<const std::string> references, const std::string& path,
                         const std::vector<std::string>& bundle_directories, const Session& session) {
    std::vector<fs::path> directories(bundle_directories.begin(), bundle_directories.end());
    if (path != "-") directories.push_back(fs::absolute(path).parent_path());
    for (const std::string& reference : references) {
        const fs::path named = local_path_of(reference, session);
        if (named.empty()) continue;
        std::error_code failed;
        const fs::path real = fs::weakly_canonical(named, failed);
        const bool is_own =
            !failed && std::any_of(directories.begin(), directories.end(), [&](const fs::path& directory) {
                const fs::path top = fs::weakly_canonical(directory, failed);
                return std::mismatch(top.begin(), top.end(), real.begin(), real.end()).first == top.end();
            });
        if (!is_own)
            throw RequestError(fmt::format("{} is outside of the template's directory", reference),
                               "--bundle-dir DIR lets the template name bundles in another directory");
    }
}

namespace {

// Whether bundles can be read without a request to a registry.
bool are_at_hand(std::span<const std::string> names, Session& session, const ImageFlags& flags) {
    // The first use of a cache makes it: there is nothing to look for before.
    std::error_code absent;
    const auto cache = flags.no_cache ? std::nullopt : cache_directory();
    const bool has_cache = cache && fs::exists(*cache, absent);
    std::optional<image::Puller> puller;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        if (image::Name::has_transport(name) && !local_path_of(name, session).empty()) return true;
        if (!names_image(name, session)) return true;
        const auto parsed = image::Name::parse(name);
        if (!parsed || !has_cache) return false;
        if (!puller) puller.emplace(image_options(flags, session));
        return puller->is_cached(*parsed);
    });
}

} // namespace

void open_template(LoadedCatalog& loaded, const std::string& reference, Session& session,
                   const ReferenceOptions& options) {
    const auto kind = template_in(loaded);
    if (!kind) return;
    if (!options.templates)
        throw RequestError(
            fmt::format("{} is a template, not a catalog", reference == "-" ? "standard input" : reference),
            "`opcat template render` makes the catalog");
    const auto fail = [](LoadedCatalog& bundle, const ItemFailure& failure) {
        bundle.diagnostics.push_back({.rule = failure.exit_status == exit_usage ? "template" : "file",
                                      .message = failure.message,
                                      .where = {},
                                      .notes = {},
                                      .help = failure.hint});
    };
    // Of bundles that are not loaded: the names that cannot be those of bundles.
    const auto check_names = [&](std::span<const std::string> names) {
        std::vector<LoadedCatalog> bundles(names.size());
        for (size_t i = 0; i < names.size(); ++i) {
            bundles[i].bundles_unknown = true;
            try {
                if (names_image(names[i], session))
                    static_cast<void>(required(image::Name::parse(names[i])));
                else if (std::error_code ignored; !fs::exists(names[i], ignored))
                    throw RequestError(
                        fmt::format("{} is neither an image of a registry nor a directory", names[i]),
                        "write HOST/REPOSITORY:TAG or HOST/REPOSITORY@DIGEST");
            } catch (const Error& error) {
                fail(bundles[i], failure_of(error));
            }
        }
        return bundles;
    };
    const auto load = [&](std::span<const std::string> names) -> std::optional<std::vector<LoadedCatalog>> {
        if (!options.templates->resolve_images && !are_at_hand(names, session, options.images))
            return check_names(names);
        std::vector<LoadedCatalog> bundles(names.size());
        std::vector<std::string> allowed;
        for (size_t i = 0; i < names.size(); ++i) {
            try {
                require_own_bundles(names.subspan(i, 1), reference, options.templates->bundle_directories,
                                    session);
                allowed.push_back(names[i]);
            } catch (const Error& error) {
                fail(bundles[i], failure_of(error));
            }
        }
        if (allowed.empty()) return bundles;
        std::vector<CatalogOrFailure> found =
            load_each_that_can(allowed, session, {.images = options.images});
        auto next = found.begin();
        for (LoadedCatalog& bundle : bundles) {
            if (has_errors(bundle.diagnostics)) continue;
            if (const auto* const failure = std::get_if<ItemFailure>(&*next))
                fail(bundle, *failure);
            else
                bundle = std::get<LoadedCatalog>(std::move(*next));
            ++next;
        }
        return bundles;
    };
    opcat::open_template(loaded, load, session.pool());
    if (kind == TemplateKind::semver && options.templates->needs_channels && loaded.bundles_unknown &&
        !has_errors(loaded.diagnostics))
        throw RequestError(fmt::format("{} has no channels yet: those of a semver template come from the "
                                       "versions of its bundles",
                                       reference == "-" ? "the template" : reference),
                           "--resolve-images pulls the bundles");
    if (loaded.bundles_unknown && options.templates->needs_channels)
        session.print_warning(fmt::format("the bundles of {} are unknown: their versions are those in their "
                                          "names, and nothing else counts (--resolve-images pulls them)",
                                          reference == "-" ? "the template" : reference));
}

void add_template_flags(Command command, TemplateFlags& flags) {
    const std::string group = "Templates";
    command
        .add_flag(
            "--resolve-images", flags.resolve_images,
            "Pull the bundles of a template; without it, only those in directories and layouts are read")
        .group(group);
    command
        .add_option("--bundle-dir", flags.bundle_directories,
                    "Directory with bundles that a template may name, in addition to its own directory")
        .value_name("DIR")
        .existing_directory()
        .group(group);
}

bool add_schema_files(const std::vector<std::string>& paths, Schemas& schemas, Session& session) {
    bool good = true;
    for (const std::string& path : paths) {
        const std::shared_ptr<const SourceFile> file = read_input(path);
        Diagnostics problems;
        if (schemas.add(file, problems)) continue;
        // What is not CUE, such as a file with a password that a script names by mistake, is not shown.
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

} // namespace opcat
