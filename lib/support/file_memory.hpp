// Memory for the bytes of many files.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

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

} // namespace opcat
