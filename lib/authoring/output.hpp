// A rendered catalog and the place that it belongs to: what is different there, and putting it there.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/layout.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace opcat {

struct RenderedOutput {
    std::filesystem::path place; // a file or a directory
    bool is_file = false;
    std::vector<CatalogFileText> files; // of a file one, with an empty path
    std::vector<std::string> packages;  // that the catalog has blobs of

    std::filesystem::path path_of(const CatalogFileText& file) const {
        return is_file ? place : place / file.path;
    }
};

// The output of a catalog as one file: JSON if its name ends so, else YAML.
RenderedOutput output_in_file(const Catalog& catalog, const std::filesystem::path& place, ThreadPool& pool);
// The same as the files of a directory. Throws Error as lay_out() does.
RenderedOutput output_in_directory(const Catalog& catalog, const std::filesystem::path& place, Layout layout,
                                   Format format, ThreadPool& pool);

// A file that is not as it was rendered.
struct OutdatedFile {
    size_t index = 0; // in the output
    // The differences: "channel stable: entry foo.v1.2.0 is missing". Sentences in lower case without a full
    // stop.
    std::vector<std::string> differences;

    // What only the file has, such as a deprecation that somebody has made there: "channel stable". It is
    // lost when the file is written.
    std::vector<std::string> lost() const;
    // Returns true if the file has something and does not read: what is lost with it is not known.
    bool is_unreadable() const;
};

struct OutputState {
    std::vector<OutdatedFile> outdated;
    // Files in the directory that are not of the output, and have blobs of its packages: with them, blobs are
    // there twice, or some that were not rendered.
    std::vector<std::filesystem::path> leftovers;

    bool is_current() const { return outdated.empty() && leftovers.empty(); }
};

// Throws Error for a place that cannot be read, or out of which a link leads.
OutputState state_of(const RenderedOutput& output, ThreadPool& pool);

// Files of the output that are there and that readers of the directory leave out (.indexignore).
std::vector<std::filesystem::path> hidden_files(const RenderedOutput& output);

// Writes the outdated files: a file at once, and the files of a package in a directory at once, so that at
// any moment either the old ones or the new ones are there. Other files stay. Throws Error.
void write_outdated(const RenderedOutput& output, const OutputState& state);

} // namespace opcat
