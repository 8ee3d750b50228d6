#include "catalog_options.hpp"
#include "command.hpp"
#include "environment.hpp"
#include "opcat/authoring/dockerfile.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/bundle/bundle_directory.hpp"
#include "opcat/bundle_checks/bundle_checks.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/ignore/walk.hpp"
#include "opcat/image/builder.hpp"
#include "opcat/image/copier.hpp"
#include "opcat/image/image_stores.hpp"
#include "opcat/lint/lint.hpp"
#include "outputs.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"
#include "terminal/transfers.hpp"

#include <fmt/ranges.h>

#include <charconv>
#include <memory>
#include <optional>
#include <set>

namespace opcat {
namespace {

namespace fs = std::filesystem;

struct BuildOptions {
    std::string directory;
    std::vector<std::string> directories; // of `build files`
    std::string target;
    std::string base{default_opm_image};
    std::vector<std::string> platforms;
    std::vector<std::string> labels;
    std::vector<std::string> annotations;
    image::Packing packing = image::Packing::gzip;
    std::string user;
    std::string working_directory;
    std::vector<std::string> entry_point;
    std::vector<std::string> environment;
    bool no_validate = false;
    bool allow_empty = false;
    ImageFlags images;
};

// The default platforms, on every machine, so that the digest is always the same.
const image::Platform usual_platform{"linux", "amd64", ""};

std::map<std::string, std::string> key_values(const std::vector<std::string>& texts, std::string_view what) {
    std::map<std::string, std::string> values;
    for (const std::string& text : texts) {
        const size_t equals = text.find('=');
        if (equals == text.npos || equals == 0)
            throw RequestError(fmt::format("{} is not {}", go_quote(text), what), "write KEY=VALUE");
        if (!values.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
            throw RequestError(fmt::format("{} is given twice", go_quote(text.substr(0, equals))));
    }
    return values;
}

// https://reproducible-builds.org/specs/source-date-epoch/
uint64_t source_date() {
    const auto text = path_variable("SOURCE_DATE_EPOCH").value_or("0").string();
    uint64_t seconds = 0;
    constexpr uint64_t last = 253402300799; // of the year 9999
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (failed != std::errc() || end != text.data() + text.size() || seconds > last)
        throw RequestError(fmt::format("SOURCE_DATE_EPOCH is {}, not a number of seconds", go_quote(text)));
    return seconds;
}

image::ImageRecipe recipe_of(const BuildOptions& options) {
    image::ImageRecipe recipe;
    recipe.labels = key_values(options.labels, "a label");
    recipe.annotations = key_values(options.annotations, "an annotation");
    std::set<std::string> platforms;
    for (const std::string& platform : options.platforms) {
        recipe.platforms.push_back(required(image::Platform::parse(platform)));
        if (!platforms.insert(recipe.platforms.back().to_string()).second)
            throw RequestError(fmt::format("--platform {} is given twice", platform));
    }
    if (recipe.platforms.empty()) recipe.platforms = {usual_platform};
    recipe.packing = options.packing;
    recipe.time = source_date();
    return recipe;
}

void check_directory(const std::string& path) {
    std::error_code failed;
    if (!fs::is_directory(path, failed))
        throw Error(failed ? fmt::format("cannot read {}: {}", path, system_message(failed.value()))
                           : fmt::format("{} is not a directory", path));
}

// Builds it and writes it to its destination.
void publish(const image::ImageRecipe& recipe, const std::string& what, const BuildOptions& options,
             Session& session) {
    if (options.target.empty()) throw RequestError("no target is named", "say where to put it: -t REF");
    const image::Name target = named_target(options.target);
    std::vector<std::string> sources = options.directories;
    if (!options.directory.empty()) sources.push_back(options.directory);
    if (target.transport != image::Transport::registry) require_apart({{"--tag", target.path}}, sources);
    if (recipe.platforms.size() > 1 && target.transport == image::Transport::docker_archive)
        throw RequestError("an archive for docker load holds one image, for one platform",
                           "name one --platform, or write an oci-archive:");
    std::optional<image::Name> base;
    if (options.base != "scratch") base = named_image(options.base);
    image::ImageStores stores(image_options(options.images, session));
    const auto build = [&]() {
        return image::build_image(recipe, base ? stores.reader(*base) : nullptr, stores.options().temporary);
    };
    const image::CopyJob job{what, target.text, build, [&] { return stores.writer(target); }};
    TransferDisplay display(session);
    const auto results = image::copy_images({&job, 1}, {}, session.pool_for_network(), display.callback());
    if (results.front().failure) throw Error(*results.front().failure);
    session.out.write(results.front().digest + "\n");
}

// Nothing else is published: what .indexignore leaves out may be secret.
void add_catalog(image::LayerEntries& entries, const std::string& path, const std::string& directory) {
    const CatalogListing listing = walk_catalog_directory(directory, {}, {}, Links::within_root, Git::skip);
    if (!listing.problems.empty()) throw Error(listing.problems.front().message);
    entries.try_emplace(path);
    for (const CatalogFile& file : listing.files) image::add_file(entries, path + "/" + file.name, file.path);
}

void build_catalog(const BuildOptions& options, Session& session) {
    if (options.directory.empty())
        throw RequestError("no catalog is named", "opcat build DIR -t REF, or opcat build bundle DIR -t REF");
    check_directory(options.directory);
    session.pool_for_network();
    if (!options.no_validate) {
        const LoadedCatalog loaded = load_catalog(options.directory, session.pool());
        if (!report_findings(find_errors(loaded, session.pool()), session)) {
            session.print_error(
                fmt::format("no image is built: the catalog {} does not validate", options.directory),
                "correct it, or build it anyway with --no-validate");
            return;
        }
        if (!report_empty(loaded.catalog, Content::package, options.allow_empty,
                          fmt::format("no image is built: the catalog {}", options.directory),
                          empty_input_hint, session))
            return;
    }
    image::ImageRecipe recipe = recipe_of(options);
    if (recipe.labels.contains(image::configs_label))
        throw RequestError(
            fmt::format("--label {}: the image has its catalog in /configs", image::configs_label),
            "leave the label out");
    add_catalog(recipe.entries, "configs", options.directory);
    recipe.labels[image::configs_label] = "/configs";
    recipe.alien_labels = {image::configs_label, image::database_label,
                           "operators.operatorframework.io.bundle.manifests.v1"};
    // Without --cache-dir, which the Dockerfile has: opm would refuse to start without that cache, and only
    // opm itself can make one.
    if (options.base != "scratch") {
        recipe.entry_point = {"/bin/opm"};
        recipe.command = {"serve", "/configs"};
    }
    publish(recipe, options.directory, options, session);
}

void build_bundle(BuildOptions options, Session& session) {
    check_directory(options.directory);
    if (!is_bundle_directory(options.directory))
        throw RequestError(
            fmt::format("{} is not a bundle: it lacks manifests/ or metadata/", options.directory));
    if (!options.no_validate) {
        const CheckedBundle checked = check_bundle(options.directory, options.directory, {});
        // Mistakes because of which the image could not be read as a bundle.
        Diagnostics unreadable = load_bundle_directory(options.directory).diagnostics;
        std::erase_if(unreadable, [](const Diagnostic& d) { return d.severity != Severity::error; });
        if (!report_findings(checked.findings, session) || !report_findings(unreadable, session)) {
            session.print_error(
                fmt::format("no image is built: the bundle {} does not validate", options.directory),
                "correct it, or build it anyway with --no-validate");
            return;
        }
    }
    options.base = "scratch";
    image::ImageRecipe recipe = recipe_of(options);
    const fs::path root = options.directory;
    for (const char* folder : {"manifests", "metadata", "tests"}) {
        std::error_code absent;
        if (fs::is_directory(root / folder, absent))
            image::add_directory(recipe.entries, folder, root / folder);
    }
    recipe.labels.merge(bundle_labels(root));
    publish(recipe, options.directory, options, session);
}

void build_files(const BuildOptions& options, Session& session) {
    image::ImageRecipe recipe = recipe_of(options);
    if (options.directories.size() > 1 && options.directories.size() != recipe.platforms.size())
        throw RequestError(
            fmt::format("{} directories are named, and {}", options.directories.size(),
                        counted(recipe.platforms.size(), "platform")),
            "name one directory for all platforms, or one for each --platform in the same order");
    for (const std::string& directory : options.directories) {
        check_directory(directory);
        image::add_directory(recipe.entries_by_platform.emplace_back(), "", directory, image::Tree::root);
    }
    if (!options.user.empty()) recipe.user = options.user;
    if (!options.working_directory.empty()) recipe.working_directory = options.working_directory;
    if (!options.entry_point.empty()) recipe.entry_point = options.entry_point;
    recipe.environment = key_values(options.environment, "a variable");
    publish(recipe, fmt::format("{}", fmt::join(options.directories, ", ")), options, session);
}

void add_build_flags(Command command, BuildOptions& options) {
    command.add_option(
        "-t,--tag REF", options.target,
        "Where to write the image: registry/repo:tag, oci:DIR[:TAG], oci-archive:FILE[:TAG] or "
        "docker-archive:FILE[:REPOSITORY:TAG]");
    command.add_option(
        "--platform OS/ARCH[/VARIANT]", options.platforms,
        "Platform of the image (default: linux/amd64, on every machine); several make an index");
    command.add_option("--label KEY=VALUE", options.labels, "Label of the image");
    command.add_option("--annotation KEY=VALUE", options.annotations, "Annotation of its manifest");
    command.add_choice("--compression", options.packing,
                       {{"gzip", image::Packing::gzip}, {"zstd", image::Packing::zstd}},
                       "Compression of the layer: gzip (default) or zstd");
    options.images.no_cache = true;
    add_registry_flags(command, options.images);
}

constexpr const char* same_digest = "Equal files make an image with the same digest on every machine; it is "
                                    "printed. All files have the time "
                                    "SOURCE_DATE_EPOCH, or 0.\n\n";

void add_no_validate(Command command, BuildOptions& options) {
    command.add_flag("--no-validate", options.no_validate, "Do not check what is in the directory");
}

void add_base(Command command, BuildOptions& options, const std::string& description) {
    command.add_option("--base IMAGE", options.base, description).show_default();
}

void add_build_files(Command build, Session& session) {
    const Command command = build.add_command("files", "Make the image of a root file system");
    auto& options = command.action<BuildOptions>(build_files, session);
    options.base = "scratch";
    command
        .add_option("DIR", options.directories,
                    "What the image has in /: one directory for all platforms, or one for each --platform")
        .required();
    add_build_flags(command, options);
    add_base(command, options, "Image whose layers are reused; scratch: none");
    command.add_option("--entrypoint WORD", options.entry_point,
                       "Entry point of the image; if repeated, its arguments");
    command.add_option("--env KEY=VALUE", options.environment, "Environment variable of the image's process");
    command.add_option("--user USER", options.user, "User of the image's process, or USER:GROUP");
    command.add_option("--workdir DIR", options.working_directory,
                       "Working directory of the image's process");
    command.footer(std::string(same_digest) +
                   "All files belong to root. What is executable has the mode 0755, other files 0644; a "
                   "directory with the sticky bit has 1777, others 0755.\n\n"
                   "Example:\n  opcat build files root-amd64/ root-arm64/ \\\n"
                   "    --platform linux/amd64 --platform linux/arm64 \\\n"
                   "    --entrypoint /bin/opcat --user 1001 -t oci-archive:image.tar");
}

} // namespace

void add_build(Command tree, Session& session) {
    const auto options = std::make_shared<BuildOptions>();
    const Command command =
        tree.add_command("build", "Make the image of a catalog or bundle, without a container engine");
    command.add_option("DIR", options->directory, "Catalog directory");
    add_build_flags(command, *options);
    add_no_validate(command, *options);
    add_allow_empty_flag(command, options->allow_empty, session);
    add_base(command, *options, "Image with /bin/opm, whose layers are reused; scratch: none, for OLM v1");
    command.footer(std::string(same_digest) +
                   "Examples:\n  opcat build catalog/ -t quay.io/example/catalog:latest\n"
                   "  opcat build catalog/ --base scratch --platform linux/amd64 --platform linux/arm64 "
                   "-t oci:layout:v1\n"
                   "  opcat build bundle bundle/ -t quay.io/example/bundle:v1.0.0");
    command.callback([options, command, &session] {
        if (!command.command_given()) build_catalog(*options, session);
    });

    const auto of_bundle = std::make_shared<BuildOptions>();
    const Command bundle = command.add_command("bundle", "Make the image of a bundle directory");
    bundle.add_option("DIR", of_bundle->directory, "Bundle directory").required();
    add_build_flags(bundle, *of_bundle);
    add_no_validate(bundle, *of_bundle);
    bundle.footer(std::string(same_digest) +
                  "The annotations of the bundle become labels of the image.\n\n"
                  "Example:\n  opcat build bundle bundle/ -t quay.io/example/bundle:v1.0.0");
    bundle.callback([of_bundle, &session] { build_bundle(*of_bundle, session); });

    add_build_files(command, session);
}

} // namespace opcat
