// Opens whatever a reference names (reference.hpp): files, directories, commits, templates, bundles, images,
// layouts, archives, SQLite indexes.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/bundle/bundle_directory.hpp"
#include "opcat/catalog/source.hpp"
#include "opcat/image/puller.hpp"
#include "opcat/workspace/reference.hpp"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace opcat {

// opm's commands are choosy about what a reference may name; opcat's are not.
enum class Taken : uint8_t { all, catalogs, bundle_images };

// The options for a template that is named in place of a catalog.
struct TemplateUse {
    bool resolve_images = false; // pull the images of its bundles
    std::vector<std::string> bundle_directories;
    // True if the caller has nothing to show without channels, which a semver template has only with its
    // bundles.
    bool needs_channels = false;
};

// Nothing here reads the environment: what a user's environment says is for the caller to pass on.
struct OpenOptions {
    Manner manner = Manner::opcat;
    Taken taken = Taken::all;
    // For bundles that do not come from a registry.
    std::optional<ImageTemplate> image_template = {};
    // In bytes: a larger file of a catalog is a finding and not read.
    uint64_t max_file_size = SourceFile::max_size;
    // Lets links in a directory lead out of it: for those that the user trusts (LoadOptions).
    bool follow_links = false;
    // Nothing: a template is refused.
    std::optional<TemplateUse> templates = {};
    // Reads what "-" stands for. Not given: "-" is a path like any other.
    std::function<std::unique_ptr<SourceFile>()> standard_input = {};
    // Asked when the first image is to be pulled.
    std::function<image::Options()> images = [] { return image::Options(); };
    // The cache in which a template's bundles are looked for without a request. Nothing: none.
    std::optional<std::filesystem::path> cache = {};
    // The directory for the files of commits while they are read.
    std::filesystem::path temporary = "/tmp";
    // Called once for all images of a call that are to be pulled, with their names. May be empty.
    std::function<image::OnProgress(std::vector<std::string> images)> progress = {};
    // Gets a sentence that the user should know although it is not a finding. May be empty.
    std::function<void(const std::string& warning)> warn = {};
};

// Mistakes in a catalog are in its diagnostics. All functions below throw Error for a reference that cannot
// be reached, RequestError for one that is none or names what is not taken. All threads of the pool do the
// work.
Source open(const std::string& reference, const OpenOptions& options, ThreadPool& pool);

// In their order; images are pulled side by side.
std::vector<Source> open_each(const std::vector<std::string>& references, const OpenOptions& options,
                              ThreadPool& pool);

// The same, but one that fails does not keep the others from being opened: in its place is the Error.
using SourceOrError = std::variant<Source, std::exception_ptr>;
std::vector<SourceOrError> open_each_that_can(const std::vector<std::string>& references,
                                              const OpenOptions& options, ThreadPool& pool);

// All of them as one catalog, whose name is that of the first.
Source open_together(const std::vector<std::string>& references, const OpenOptions& options,
                     ThreadPool& pool);

// If it is a template, a file that was loaded as a catalog becomes the one that it describes:
// with its bundles if they are directories or layouts, or if they are to be pulled.
// Throws RequestError where a template cannot be a catalog.
void open_template(LoadedCatalog& loaded, const std::string& reference, const OpenOptions& options,
                   ThreadPool& pool);

// A template may come from anybody: of the machine it gets what lies next to it, or what the user names.
// Throws RequestError if it names another place. `path` is its own; "-" has none.
void require_own_bundles(std::span<const std::string> references, const std::string& path,
                         const std::vector<std::string>& bundle_directories, Manner manner);

// An image of a catalog with all that is known about it.
struct CatalogImage {
    image::UnpackedImage image;           // with the catalog's files
    std::optional<Source> catalog = {};   // nothing: it has no label of a directory with something in it
    std::filesystem::path directory = {}; // of the catalog
};

// `look_for` as in PullRequest. Throws Error for an image that cannot be pulled.
CatalogImage open_catalog_image(const std::string& reference, std::vector<std::string> look_for,
                                const OpenOptions& options, ThreadPool& pool);

// The files of a bundle, and what messages call their root.
struct BundleFiles {
    std::filesystem::path directory;
    std::filesystem::path shown;
    std::optional<image::UnpackedImage> image = {}; // that they are in
};

// For each reference, to a directory or an image.
std::vector<BundleFiles> open_bundle_files(const std::vector<std::string>& references,
                                           const OpenOptions& options, ThreadPool& pool);

} // namespace opcat
