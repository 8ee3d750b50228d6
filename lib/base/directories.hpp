// Directories: those that disappear with their object, and those that are published as a whole.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace opcat {

// Makes a directory, with those above it, if it is missing. Throws Error.
void make_directories(const std::filesystem::path& path);

// A file or directory that is removed, with its content, when the object is destroyed or a signal ends the
// program: `remove_scoped_paths` knows all live objects.
class ScopedPath {
public:
    // `make` makes the file or directory and returns its path. Its exceptions are passed on, and nothing is
    // then kept.
    explicit ScopedPath(const std::function<std::string()>& make);
    ~ScopedPath();
    ScopedPath(const ScopedPath&) = delete;
    ScopedPath& operator=(const ScopedPath&) = delete;

    const std::string& path() const { return path_; }
    // Keeps the path: it was renamed to its final place.
    void keep();

private:
    std::string path_;
    bool kept_ = false;
};

// Removes the paths of all live objects. For a program that is about to end while other threads still run: a
// thread that then makes or removes a ScopedPath waits until the end, so that no thread reports that its
// files have disappeared.
void remove_scoped_paths();

class DirectoryLock; // private

// A new private directory (mode 0700), removed with its content when the object is destroyed. If the program
// is killed, remove_abandoned_directories removes it later: it is PARENT/opcat-XXXXXX/content, next to a file
// that marks it as ours, and locked as long as the object lives.
class TemporaryDirectory {
public:
    // Below `parent`; throws Error. Takes a file descriptor.
    explicit TemporaryDirectory(const std::filesystem::path& parent);
    // In another one, which lives as long. Takes no file descriptor.
    explicit TemporaryDirectory(std::shared_ptr<const TemporaryDirectory> within);
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::shared_ptr<const TemporaryDirectory> within_;
    std::unique_ptr<DirectoryLock> lock_;
    ScopedPath scoped_path_;
    std::filesystem::path path_;
};

// Removes the temporary directories below `parent` that killed runs of this user have left. Errors are
// ignored.
void remove_abandoned_directories(const std::filesystem::path& parent);

// A new directory next to a target (".NAME.opcat-XXXXXX"), to be filled and then published in its place. It
// is removed with the object, or when a signal ends the program. If the program is killed, the next run for
// the same target removes it.
class StagedDirectory {
public:
    // Makes the missing directories above the target. Throws Error.
    explicit StagedDirectory(const std::filesystem::path& target);
    ~StagedDirectory();
    StagedDirectory(const StagedDirectory&) = delete;
    StagedDirectory& operator=(const StagedDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }

    // Publishes it in the target's place, where at any moment either the old directory or the complete new
    // one is. The old one is removed. Throws Error.
    void commit();

private:
    std::filesystem::path target_;
    std::unique_ptr<DirectoryLock> lock_;
    ScopedPath scoped_path_;
    std::filesystem::path path_;
};

} // namespace opcat
