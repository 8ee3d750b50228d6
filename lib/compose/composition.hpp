// Makes the directory of a composite catalog, its lock and its Dockerfile (docs/authoring.md).
#pragma once

#include "opcat/base/directories.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/compose/plan.hpp"
#include "opcat/workspace/open.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// What a run makes of the references.
struct Composed {
    ComposeLock lock;
    size_t changed = 0;                        // references whose catalog.yaml is another than before
    size_t added = 0;                          // of these, the ones that had none
    std::vector<std::filesystem::path> edited; // catalog.yaml of the others of them
};

// One run. Next to the configuration it writes NAME/REFERENCE/catalog.yaml, NAME.Dockerfile and the lock,
// whose name is that of the configuration with the extension "lock". All functions throw Error for what
// cannot be read or written. The order of a run is that of the functions; nothing is changed before
// publish(), so it can end after each.
class Composition {
public:
    // `file` and `config`, which was read from it, must outlive this, and so must `pool`. References that are
    // paths are relative to the file's directory.
    Composition(const SourceFile& file, const ComposeConfig& config, OpenOptions options, ThreadPool& pool);

    const std::filesystem::path& directory() const { return directory_; }
    const std::filesystem::path& lock_path() const { return lock_path_; }
    const std::filesystem::path& dockerfile_path() const { return dockerfile_path_; }

    // The lock, if there is one. If there are errors, the run has to end.
    Diagnostics read_lock();
    const ComposeLock& lock() const { return state_.lock; }

    // Keeps other runs away from the directory for as long as this lives. The directory is replaced as a
    // whole: throws Error if it has a file that no run has made, or if the other outputs cannot be written.
    void take_directory();

    // Looks at the images of all references, side by side, and at the outputs that exist. The findings are
    // about references that do not exist, or cannot be reached: all of them, but none after one that the
    // network kept away, because the others would fail after as long a wait. Then the run has to end.
    Diagnostics read_state();

    // `update` says by name whether a reference moves with its tag.
    ComposePlan plan(const std::function<bool(std::string_view name)>& update) const {
        return plan_compose(config_, state_, update);
    }

    // The catalogs of the references, in their order; one that is up to date comes from its output. One that
    // cannot be loaded has an error at its place in the configuration. Only once.
    std::vector<LoadedCatalog> load(const ComposePlan& plan);

    // An error for each package that several of these catalogs have.
    Diagnostics check(std::span<const LoadedCatalog> catalogs) const;

    // Writes the catalogs of all references aside. They have no errors. Throws Error if an output would
    // replace a file that no run has made.
    Composed write(const ComposePlan& plan, std::span<const LoadedCatalog> catalogs);

    // Puts the directory that was written in the place of the old one, at once. Throws Error if the lock is
    // that of another catalog, which is still there.
    void publish();

    // Writes a Dockerfile if there is none, because users edit it, and the lock if it is another one.
    void write_files_of(const ComposeLock& lock) const;

private:
    void require_places() const;
    void require_own_lock() const;
    [[noreturn]] void throw_not_ours(const std::filesystem::path& path) const;
    void require_replaceable(const ComposeReference& reference, const std::string& before,
                             const std::string& now) const;
    bool lies_in_registry(const std::string& reference) const;
    std::string current_digest(const ComposeReference& reference, image::Puller& puller) const;
    std::string location_of(const ComposeReference& reference, const std::string& digest) const;
    Diagnostic failed_reference(const ComposeReference& reference, const Error& failure) const;
    std::filesystem::path output_of(const ComposeReference& reference) const;

    const SourceFile& file_;
    const ComposeConfig& config_;
    OpenOptions options_;
    ThreadPool& pool_;
    std::filesystem::path base_, directory_, lock_path_, dockerfile_path_;
    std::optional<StagedDirectory> staged_;
    std::unique_ptr<SourceFile> lock_file_; // to which the findings about it refer
    ComposeState state_;
    std::vector<std::unique_ptr<SourceFile>> existing_; // outputs of each reference; nullptr: none
};

} // namespace opcat
