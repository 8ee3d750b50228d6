// Files: they are read as a whole, and no file is ever half-written.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"

#include <cstddef>
#include <filesystem>
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
    // For this path, at which a regular file may be, or a link to one, which is replaced. Throws Error.
    explicit StagedFile(std::filesystem::path place);
    ~StagedFile();
    StagedFile(const StagedFile&) = delete;
    StagedFile& operator=(const StagedFile&) = delete;

    // All throw Error.
    void write(std::string_view bytes);
    // Forgets all bytes.
    void clear();
    // Publishes the file at its path, replacing the file there, whose owner it gets if this is root; with
    // `sync` its bytes are on the disk before.
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

// Throws Error for a file that nobody may write (to replace it, the rights of its directory are enough, and
// root has all of them: neither is a reason to change it), and for /dev/stdin and other names of open files.
void require_writable(const std::filesystem::path& path);

// The same as write_file for a path from a user: the target of a link is replaced, not the link; pipes,
// devices and open files (/dev/stdout) are written to directly; read-only files stay (require_writable). Not
// for paths from untrusted input.
void write_output(const std::filesystem::path& path, std::string_view bytes,
                  Leftovers leftovers = Leftovers::remove);

// Enlarges the buffer of a pipe to 1 MiB, where the system supports it, so that its writer waits less often
// for its reader. Does nothing to other descriptors.
void enlarge_pipe(int descriptor);

// Words for an errno value.
std::string system_message(int error_number);

} // namespace opcat
