// The catalogs that serve names on its command line, and their pages.
#pragma once

#include "catalog_options.hpp"
#include "opcat/catalog/source.hpp"
#include "opcat/pages/catalog_pages.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Session;

// A catalog on the command line.
struct ServedSource {
    std::string name;
    std::string reference;
    bool is_directory = false; // of a catalog's files: it can be watched
};

// Throws Error for a path that does not exist, before a server listens.
void require_existing(const std::vector<ServedSource>& sources, const Session& session);

// Throws Error for what cannot be reached.
Source open_source(const ServedSource& source, const ImageFlags& images, Session& session);

// The current digest of an image in a registry, which takes a request. Empty for all
// else. Throws Error.
std::string current_digest(const ServedSource& source, const ImageFlags& images, Session& session);

// The findings of `validate`, which takes as long as that does.
std::vector<pages::PageFinding> find_for_pages(const Source& source, ThreadPool& pool);

// The findings of `validate` in a directory of files that load, a few megabytes at a time: files that have
// blobs of the same package are checked together. Nothing if that may not be all: if files do not load, or a
// finding is about several packages. Throws Error for files that cannot be read.
std::optional<std::vector<pages::PageFinding>> find_in_parts(const std::string& directory, Session& session);

// Writes the pages of all catalogs to a directory, for any web server or to be opened as files. The directory
// appears as a whole, or stays as it was. Throws Error if it exists and holds anything but the pages of an
// earlier run.
void export_pages(const std::vector<ServedSource>& sources, const std::filesystem::path& directory,
                  const ImageFlags& images, Session& session);

} // namespace opcat
