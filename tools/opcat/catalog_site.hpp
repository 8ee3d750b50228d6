// The catalogs that serve names on its command line, and their pages.
#pragma once

#include "catalog_options.hpp"
#include "opcat/catalog/source.hpp"

#include <filesystem>
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

// Writes the pages of all catalogs to a directory (pages/export.hpp).
void export_pages(const std::vector<ServedSource>& sources, const std::filesystem::path& directory,
                  const ImageFlags& images, Session& session);

} // namespace opcat
