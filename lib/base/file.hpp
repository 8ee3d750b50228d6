// Files and directories: files are read as a whole, and nothing is ever half-written.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace opcat {

// Allocates from large blocks for which the kernel is asked for huge pages: the first access to a page costs
// more than reading the bytes into it, and a huge page replaces 512 others. A block is freed when all
// allocations from it are. Thread-safe.
class FileMemory {
public:
    // `size` bytes, not initialised.
    std::shared_ptr<char[]> take(size_t size);

private:
    std::mutex mutex_;
    std::shared_ptr<char[]> block_;
    char* next_ = nullptr;
    size_t left_ = 0;
};

// Reads a regular file. Throws Error if it cannot be opened or read, is not a regular file, or is larger than
// `max_size` bytes. `shown` is the name in messages and diagnostics. For many or large files, `memory`
// provides the buffers, and the threads of `pool` read one file together.
std::unique_ptr<SourceFile> read_file(const std::filesystem::path& path, const std::string& shown,
                                      uint64_t max_size = SourceFile::max_size, FileMemory* memory = nullptr,
                                      ThreadPool* pool = nullptr);

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

class DirectoryLock;    // private
class StagingDirectory; // private

// Decides if replacing a file removes what killed runs left next to it. For many files of a directory,
// remove_leftovers does it once.
enum class Leftovers : uint8_t { remove, keep };

// A file that is written piece by piece and then published as a whole. It never has a name that a reader of a
// catalog takes: on file systems with nameless files (those of Linux) it has no name until it is published.
// To replace a file, and on other file systems from the beginning, it is in a directory of its own next to it
// (".opcat-XXXXXXXX") with an .indexignore file that leaves out everything. A killed run may leave that
// directory; remove_leftovers removes it.
class StagedFile {
public:
    // For this path. Throws Error.
    explicit StagedFile(std::filesystem::path place);
    ~StagedFile();
    StagedFile(const StagedFile&) = delete;
    StagedFile& operator=(const StagedFile&) = delete;

    // All throw Error.
    void write(std::string_view bytes);
    // Forgets all bytes.
    void clear();
    // Publishes the file at its path, replacing the file there; with `sync` its bytes are on the disk before.
    void commit(unsigned permissions, bool sync, Leftovers leftovers = Leftovers::remove);

private:
    std::filesystem::path place_;
    int descriptor_ = -1;
    std::unique_ptr<StagingDirectory> staging_; // if the file has a name
};

// Removes the directories of staged files that killed runs left next to these files. Those of running
// programs stay, and so does everything that is not exactly what StagedFile makes.
void remove_leftovers(std::span<const std::filesystem::path> files);

// Those of the existing file, or else those that the umask gives a new one.
unsigned permissions_for(const std::filesystem::path& path);

// Writes `bytes` to `path` with the permissions of the existing file, or else readable by all as the umask
// allows. At any moment either the old content or the new is there (StagedFile, synced). Throws Error.
void write_file(const std::filesystem::path& path, std::string_view bytes,
                Leftovers leftovers = Leftovers::remove);

// Throws Error for a file that nobody may write. To replace it, the rights of its directory are enough, and
// root has all of them: neither is a reason to change it.
void require_writable(const std::filesystem::path& path);

// The same as write_file for a path from a user: the target of a link is replaced, not the link; pipes and
// devices are written to directly; read-only files stay (require_writable). Not for paths from untrusted
// input.
void write_output(const std::filesystem::path& path, std::string_view bytes,
                  Leftovers leftovers = Leftovers::remove);

// Makes a directory, with those above it, if it is missing. Throws Error.
void make_directories(const std::filesystem::path& path);

// Enlarges the buffer of a pipe to 1 MiB, where the system supports it, so that its writer waits less often
// for its reader. Does nothing to other descriptors.
void enlarge_pipe(int descriptor);

// Removes the paths of all live objects. For a program that is about to end while other threads still run: a
// thread that then makes or removes a ScopedPath waits until the end, so that no thread reports that its
// files have disappeared.
void remove_scoped_paths();

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

// Words for an errno value.
std::string system_message(int error_number);

} // namespace opcat
