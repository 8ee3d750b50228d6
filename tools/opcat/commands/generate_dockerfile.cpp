#include "catalog_options.hpp"
#include "command.hpp"
#include "input.hpp"
#include "opcat/authoring/dockerfile.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/lint/lint.hpp"
#include "outputs.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

namespace opcat {
namespace {

namespace fs = std::filesystem;

struct GenerateDockerfileOptions {
    std::string directory;
    std::string base_image{default_opm_image};
    std::string builder_image{default_opm_image};
    std::vector<std::string> labels; // each may be a list
    std::string binary_image;
    std::string output;
    bool binary_less = false;
    bool serve = false;
    bool force = false;
    bool no_validate = false;
};

std::map<std::string, std::string> parse_labels(const std::vector<std::string>& lists) {
    std::map<std::string, std::string> labels;
    for (const std::string& list : lists) {
        for (const std::string& label : split_list(list)) {
            const size_t equals = label.find('=');
            if (equals == label.npos)
                throw RequestError("invalid label " + go_quote(label),
                                   "labels are key=value, separated by commas; \"key=value, with a comma\" "
                                   "needs its double quotes");
            labels[label.substr(0, equals)] = label.substr(equals + 1);
        }
    }
    return labels;
}

// The normal path of the directory, so that it has a name for the file.
fs::path named_directory(const std::string& given, const Session& session) {
    fs::path path = fs::path(given).lexically_normal();
    if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
    const bool has_name = path != "." && path.filename() != "..";
    if (session.as_opm() || has_name) return path;
    path = fs::absolute(path).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

bool validates(const fs::path& directory, Session& session) {
    const LoadedCatalog loaded = load_catalog(directory, session.pool());
    if (!report_findings(find_errors(loaded, session.pool()), session)) return false;
    if (!loaded.catalog.packages.empty()) return true;
    session.print_error(fmt::format("{} has no package", directory.string()), std::string(empty_input_hint));
    session.exit_status = exit_findings;
    return false;
}

void run(const GenerateDockerfileOptions& options, Session& session) {
    const fs::path directory = named_directory(options.directory, session);
    const std::string name = directory.filename().string();
    if (!session.as_opm()) require_apart({{"--output", options.output}}, {options.directory});
    const auto labels = parse_labels(options.labels);
    const std::string text =
        options.serve ? to_text(ServingDockerfile{name, options.base_image, labels})
                      : to_text(Dockerfile{name, options.binary_less ? "scratch" : options.base_image,
                                           options.builder_image, labels});
    const fs::path path =
        options.output.empty() ? fs::path(directory.string() + ".Dockerfile") : fs::path(options.output);
    std::error_code failed;
    if (!options.force && fs::symlink_status(path, failed).type() != fs::file_type::not_found)
        throw Error(fmt::format("cannot write {}: it exists already", path.string()),
                    session.as_opm() ? "remove it first"
                                     : "--force replaces it, --output FILE writes another");
    if (!fs::is_directory(directory, failed))
        throw Error(fmt::format("the catalog {} is not a directory", directory.string()));
    if (!session.as_opm() && !options.no_validate && !validates(directory, session)) {
        session.print_error(
            fmt::format("no Dockerfile is written: the catalog {} does not validate", directory.string()),
            "correct it, or write the file anyway with --no-validate");
        return;
    }
    write_output(path, text);
}

} // namespace

void add_generate(Command tree, Session& session) {
    const Command generate = tree.add_command("generate", "Write the files for building a catalog image");
    generate.needs_command();
    if (!session.as_opm()) generate.footer("Example:\n  opcat generate dockerfile catalog/");
    const auto options = std::make_shared<GenerateDockerfileOptions>();
    const Command command = generate.add_command("dockerfile", "Write a Dockerfile for a catalog directory");
    command.alias("containerfile");
    command.add_option("DIR", options->directory, "Catalog directory").required();
    const Option base = command
                            .add_option("-i,--base-image IMAGE", options->base_image,
                                        "Image that the catalog image is based on")
                            .show_default();
    const Option builder = command
                               .add_option("-b,--builder-image IMAGE", options->builder_image,
                                           "Image with /bin/opm to make the cache")
                               .show_default();
    command.add_option("-l,--extra-labels KEY=VALUE[,…]", options->labels,
                       "Labels for the image; the last of equal keys counts");
    if (session.as_opm()) {
        const Option both = command
                                .add_option("--binary-image", options->binary_image,
                                            "The same as --base-image and --builder-image (deprecated)")
                                .excludes(base);
        command.callback([options, both, builder, &session] {
            if (both.given()) options->base_image = options->binary_image;
            if (both.given() && !builder.given()) options->builder_image = options->binary_image;
            run(*options, session);
        });
        return;
    }
    const Option binary_less =
        command
            .add_flag("--binary-less", options->binary_less,
                      "Image without /bin/opm: only the catalog and its cache (--base-image scratch)")
            .excludes(base);
    const Option serve = command.add_flag(
        "--serve", options->serve,
        fmt::format("Serve with opcat, without a cache; --base-image is then an image with opcat "
                    "(default: {})",
                    default_opcat_image));
    serve.excludes(builder);
    serve.excludes(binary_less);
    command.add_option("-o,--output", options->output, "File to write (default: DIR.Dockerfile next to DIR)")
        .output_file();
    command.add_flag("--force", options->force, "Replace the file if it exists");
    command.add_flag("--no-validate", options->no_validate, "Do not check the catalog");
    command.footer("Examples:\n  opcat generate dockerfile catalog/ -l maintainer=me@example.com\n"
                   "  docker build -f catalog.Dockerfile -t quay.io/example/catalog:latest .\n"
                   "  opcat generate dockerfile catalog/ --serve      # opcat in opm's place");
    command.callback([options, base, &session] {
        if (options->serve && !base.given()) options->base_image = default_opcat_image;
        run(*options, session);
    });
}

} // namespace opcat
