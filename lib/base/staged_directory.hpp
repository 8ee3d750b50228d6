// Directories that appear as a whole.
#pragma once

#include "opcat/base/file.hpp"

#include <filesystem>
#include <memory>

namespace opcat {

// A new directory beside a target (".NAME.opcat-XXXXXX"), to be filled and then put in its place. Goes with
// the object, or when a signal ends the program; what a run left that was killed, the next one for the same
// target removes.
class StagedDirectory {
public:
    // Makes the directories above the target that are missing. Throws Error.
    explicit StagedDirectory(const std::filesystem::path& target);
    ~StagedDirectory();
    StagedDirectory(const StagedDirectory&) = delete;
    StagedDirectory& operator=(const StagedDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }

    // Puts it in the target's place, where at any moment the old directory is, or the new one, whole; the old
    // one goes. Throws Error.
    void commit();

private:
    struct Lock;

    std::filesystem::path target_;
    std::unique_ptr<Lock> lock_;
    ScopedPath scoped_path_;
    std::filesystem::path path_;
};

} // namespace opcat
