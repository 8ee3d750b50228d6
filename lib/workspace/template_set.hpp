// Templates that are rendered together, with the bundles that they name.
#pragma once

#include "opcat/template/kind.hpp"
#include "opcat/workspace/open.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opcat {

// Each bundle is opened once, whichever template names it.
class TemplateSet {
public:
    // `bundle_directories`: those with bundles that a template may name, in addition to its own directory.
    // `pool` must outlive this.
    TemplateSet(OpenOptions options, std::vector<std::string> bundle_directories, ThreadPool& pool)
        : options_(std::move(options)), bundle_directories_(std::move(bundle_directories)), pool_(pool) {}

    // Adds a template, or replaces the one of this path. `path` is a file, in whose directory its bundles may
    // lie, or "-". Without a kind its schema decides. Throws RequestError if it names a bundle
    // that lies elsewhere (require_own_bundles).
    void add(const std::string& path, std::unique_ptr<SourceFile> file, std::optional<TemplateKind> kind);

    // Opens the bundles of all templates, images side by side. Throws as open_each() does.
    void open_bundles();

    // The catalog of a template that has been added, after open_bundles(). Mistakes are in its diagnostics.
    LoadedCatalog render(const std::string& path) const;

private:
    struct Template {
        std::unique_ptr<SourceFile> file;
        std::optional<TemplateKind> kind;
    };

    OpenOptions options_;
    std::vector<std::string> bundle_directories_;
    ThreadPool& pool_;
    std::map<std::string, Template> templates_;            // by path
    std::vector<std::string> wanted_;                      // bundles, in the order in which they were named
    std::map<std::string, std::optional<Source>> bundles_; // by reference
};

} // namespace opcat
