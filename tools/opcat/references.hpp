// What REFs on the command line name, loaded, and schemas of users.
#pragma once

#include "catalog_options.hpp"
#include "opcat/bundle/bundle_directory.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/image/puller.hpp"
#include "opcat/lint/schemas.hpp"
#include "opcat/shard/part.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace opcat {

class Command;
class Session;

// opm's commands are choosy about what a reference may name; opcat's are not.
enum class Taken : uint8_t { all, catalogs, bundle_images };

// How a template that is named in place of a catalog becomes one.
struct TemplateFlags {
    bool resolve_images = false; // pull the images of its bundles
    std::vector<std::string> bundle_directories;
    // Whether the command has nothing to show without channels, which a semver template has only with its
    // bundles; not a flag.
    bool needs_channels = false;
};

// --resolve-images and --bundle-dir, for commands that look at templates.
void add_template_flags(Command command, TemplateFlags& flags);

struct ReferenceOptions {
    // For bundles that do not come from a registry.
    std::optional<ImageTemplate> image_template = {};
    ImageFlags images = {};
    Taken taken = Taken::all;
    // Whether "-" is a catalog on standard input: for references on the command line.
    bool standard_input = false;
    // In bytes: a larger file of a catalog is a finding and not read.
    uint64_t max_file_size = SourceFile::max_size;
    // nullptr: a template is refused.
    const TemplateFlags* templates = nullptr;
};

// References as commands take them that may have very many.
struct ReferenceFlags {
    std::vector<std::string> references; // REF, on the command line
    std::string file;                    // --refs
    std::string command;                 // that takes them, for messages
};

// `flags` is filled when the command line is parsed, and must live as long as the command.
void add_reference_flags(Command command, ReferenceFlags& flags, const Session& session);

// Those on the command line, and then those in the file: one in each line, without empty lines and comments
// (#). Throws RequestError if there are none.
std::vector<std::string> all_references(const ReferenceFlags& flags);

// The image of a reference that can be nothing else. Throws RequestError, also for a name without a registry:
// a mistyped directory must not become a request to Docker Hub.
image::Name named_image(const std::string& reference);

// Whether a reference is to be pulled, rather than read from a path.
bool names_image(const std::string& reference, const Session& session);

// Throws Error for a path that does not exist.
void require_existing(const std::string& reference, const Session& session);

// Loads what all references name into one catalog, in their order. Images are pulled side by side. What is
// wrong in a catalog is in the diagnostics. Throws Error for a reference that cannot be reached, RequestError
// for one that is none.
LoadedCatalog load_references(const std::vector<std::string>& references, Session& session,
                              const ReferenceOptions& options = {});

// The same, with a catalog for each reference.
std::vector<LoadedCatalog> load_each_reference(const std::vector<std::string>& references, Session& session,
                                               const ReferenceOptions& options);

// If it is a template, a file that was loaded as a catalog becomes the one that it describes
// (template/template.hpp): with its bundles if they are directories or layouts, or if they are to be pulled.
// Throws RequestError where a template cannot be a catalog.
void open_template(LoadedCatalog& loaded, const std::string& reference, Session& session,
                   const ReferenceOptions& options);

// A template may come from anybody: of the machine it gets what lies next to it, or what the user names.
// Throws RequestError if it names another place. `path` is its own; "-" has none.
void require_own_bundles(std::span<const std::string> references, const std::string& path,
                         const std::vector<std::string>& bundle_directories, const Session& session);

// The files of a bundle, and what messages call their root.
struct BundleFiles {
    std::filesystem::path directory;
    std::filesystem::path shown;
    std::optional<image::UnpackedImage> image = {}; // that they are in
};

// For each reference, to a directory or an image. Images are pulled side by side. Throws Error for one that
// cannot be reached or is not a bundle, RequestError for one that is not a reference.
std::vector<BundleFiles> load_bundle_files(const std::vector<std::string>& references, Session& session,
                                           const ImageFlags& flags);

// The same, but one that fails does not keep the others from being loaded.
using CatalogOrFailure = std::variant<LoadedCatalog, ItemFailure>;
std::vector<CatalogOrFailure> load_each_that_can(const std::vector<std::string>& references, Session& session,
                                                 const ReferenceOptions& options);

// What `reference` is, for help texts of commands that take one.
std::string reference_help(const Session& session);

// Adds files to the schemas of the format. What is wrong with them is shown on standard error; then the
// result is false and the exit status that of wrong usage. Throws Error for a file that cannot be read.
bool add_schema_files(const std::vector<std::string>& paths, Schemas& schemas, Session& session);

} // namespace opcat
