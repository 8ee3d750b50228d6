// Files and directories: files are read whole, and both are written so that nothing is ever half there.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace opcat {

// Hands out pieces of large blocks that the kernel is asked to make of huge pages: a page that is first
// touched costs more than the bytes that are read into it, and a huge one stands for 512 others. A block is
// freed when all that was taken from it is. May be used from several threads.
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
// `max_size` bytes. `shown` is the name for messages and diagnostics. Who reads much gives `memory` for the
// bytes, and the threads that read a large file together.
std::unique_ptr<SourceFile> read_file(const std::filesystem::path& path, const std::string& shown,
                                      uint64_t max_size = SourceFile::max_size, FileMemory* memory = nullptr,
                                      ThreadPool* pool = nullptr);

// A file or directory that is removed, with all that is in it, when the object goes, or a signal ends the
// program: all live objects are known to `remove_scoped_paths`.
class ScopedPath {
public:
    // `make` makes the file or directory and returns its path; what it throws is passed on, and nothing is
    // then kept.
    explicit ScopedPath(const std::function<std::string()>& make);
    ~ScopedPath();
    ScopedPath(const ScopedPath&) = delete;
    ScopedPath& operator=(const ScopedPath&) = delete;

    const std::string& path() const { return path_; }
    // It has found its place (it was renamed), and stays.
    void keep();

private:
    std::string path_;
    bool kept_ = false;
};

// A file that is written piece by piece and then put in its place, whole. Where the file system knows files
// without a name (Linux's own do), it has none until then: a run that is killed leaves nothing, unless that
// is between the two last system calls, which name the new file and put it in an old one's place.
class StagedFile {
public:
    // For this place. Throws Error.
    explicit StagedFile(std::filesystem::path place);
    ~StagedFile();
    StagedFile(const StagedFile&) = delete;
    StagedFile& operator=(const StagedFile&) = delete;

    // All throw Error.
    void write(std::string_view bytes);
    // Forgets all bytes.
    void clear();
    // Puts it in its place, which it takes from the file there; with `sync` its bytes are on the disk before.
    void commit(unsigned permissions, bool sync);

private:
    std::filesystem::path place_;
    int descriptor_ = -1;
    std::unique_ptr<ScopedPath> name_; // if it has one
};

// Those of the file there, or else what the umask allows a new one.
unsigned permissions_for(const std::filesystem::path& path);

// Writes `bytes` to `path`, with the permissions of the file that is there, or else readable by all as the
// umask allows: as a StagedFile, synced, so that at any moment either the old content or the new is there.
// Throws Error.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// The same for a path that a user has named: the target of a link is replaced, not the link; what is no
// regular file (a pipe, a device) is written to as it is. Not for paths that something untrusted has named.
void write_output(const std::filesystem::path& path, std::string_view bytes);

// Makes a directory, with those above it, if it is missing. Throws Error.
void make_directories(const std::filesystem::path& path);

// Gives a pipe a buffer of 1 MiB, where the system can: its writer then waits less often for its reader.
// Does nothing to other descriptors.
void enlarge_pipe(int descriptor);

// Removes what all live objects stand for. For a program that is about to end and whose other threads still
// run: any of them that wants to make or remove a ScopedPath afterwards waits until the end, so none of them
// gets to report that its files have gone.
void remove_scoped_paths();

// A new private directory (mode 0700), removed with all that is in it when the object goes.
class TemporaryDirectory {
public:
    // Below `parent`; throws Error.
    explicit TemporaryDirectory(const std::filesystem::path& parent);
    const std::filesystem::path& path() const { return path_; }

private:
    ScopedPath scoped_path_;
    std::filesystem::path path_;
};

// A new directory next to a target (".NAME.opcat-XXXXXX"), to be filled and then put in its place. Goes with
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

// Words for an errno value.
std::string system_message(int error_number);

} // namespace opcat
