// The catalogs that serve names on its command line, and their pages.
#pragma once

#include "catalog_options.hpp"
#include "opcat/serve/catalog_loader.hpp"

#include <filesystem>
#include <vector>

namespace opcat {

class Session;

// Throws Error for a path that does not exist, before a server listens.
void require_existing(const std::vector<serve::ServedSource>& sources, const Session& session);

// Writes the pages of all catalogs to a directory (pages/export.hpp).
void export_pages(const std::vector<serve::ServedSource>& sources, const std::filesystem::path& directory,
                  const ImageFlags& images, Session& session);

} // namespace opcat
