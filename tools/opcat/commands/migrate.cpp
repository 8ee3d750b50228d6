#include "catalog/csv_metadata.hpp"
#include "catalog/write_directory.hpp"
#include "findings.hpp"
#include "references.hpp"
#include "session.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/leftover.hpp"

#include <CLI/CLI.hpp>
#include <sys/stat.h>

#include <cerrno>
#include <map>

namespace opcat {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::string reference;
    std::string directory;
    Format format = Format::json;
    bool migrate = false;
    ImageFlags image_flags;
};

[[noreturn]] void fail(const fs::path& directory, int error) {
    throw Error("cannot write the directory " + directory.string() + ": " + system_message(error));
}

// A new directory appears when all is in it. One that is there already is filled file by file.
void write_all(const Catalog& catalog, Format format, const fs::path& directory, ThreadPool& pool) {
    std::error_code failed;
    if (fs::exists(directory, failed)) {
        if (!fs::is_empty(directory, failed))
            throw Error("cannot write to " + directory.string() + ": it is not an empty directory");
        write_catalog_directory(catalog, format, directory, pool);
        return;
    }
    if (directory.has_parent_path()) fs::create_directories(directory.parent_path(), failed);
    Leftover beside([&] {
        std::string pattern = directory.string() + ".XXXXXX";
        if (!::mkdtemp(pattern.data())) fail(directory, errno);
        return pattern;
    });
    write_catalog_directory(catalog, format, beside.path(), pool);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::chmod(beside.path().c_str(), 0777 & ~mask) != 0 ||
        std::rename(beside.path().c_str(), directory.c_str()) != 0)
        fail(directory, errno);
    beside.keep();
}

void run(const Options& options, Session& session) {
    LoadedCatalog loaded = load_references({options.reference}, session, {.images = options.image_flags});
    if (!report_findings(loaded.diagnostics, session)) return;
    if (options.migrate && !report_findings(migrate_to_csv_metadata(loaded.catalog, session.pool()), session))
        return;
    fs::path directory(options.directory);
    if (!directory.has_filename()) directory = directory.parent_path();
    write_all(loaded.catalog, options.format, directory, session.pool());
}

} // namespace

void add_migrate(CLI::App& tree, Session& session) {
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        tree.add_subcommand("migrate", "Write a catalog as a directory, one folder per package");
    command->add_option("REF", options->reference, reference_help)->required();
    command->add_option("DIR", options->directory, "Directory to write: new, or empty")->required();
    command->add_option("-o,--output", options->format, "Format: json or yaml")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, Format>{{"json", Format::json}, {"yaml", Format::yaml}}))
        ->option_text("json|yaml");
    command
        ->add_option("--migrate-level", options->migrate,
                     "Last migration to run: none or bundle-object-to-csv-metadata")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, bool>{{"none", false}, {"bundle-object-to-csv-metadata", true}}));
    add_image_flags(*command, options->image_flags);
    command->footer("Example:\n  opcat migrate quay.io/example/catalog:v1 catalog/ -o yaml");
    command->callback([options, &session] { run(*options, session); });
}

} // namespace opcat
