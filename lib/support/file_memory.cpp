#include "support/file_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace opcat {
namespace {

constexpr size_t huge_page = size_t{2} << 20;
// What is not touched costs nothing; at the end of each block up to a huge page is lost.
constexpr size_t block_size = 16 * huge_page;
// Smaller pieces are not worth a huge page that would be mostly empty.
constexpr size_t smallest_piece = size_t{256} << 10;
constexpr size_t alignment = 64;

size_t round_up(size_t size, size_t to) {
    return (size + to - 1) / to * to;
}

std::shared_ptr<char[]> make_block(size_t size) {
    char* const memory = static_cast<char*>(std::aligned_alloc(huge_page, size));
    if (!memory) throw std::bad_alloc();
    std::shared_ptr<char[]> block(memory, std::free);
    ::madvise(memory, size, MADV_HUGEPAGE); // advice: no matter if there are none
    return block;
}

} // namespace

std::shared_ptr<char[]> FileMemory::take(size_t size) {
    if (size < smallest_piece) return std::make_shared_for_overwrite<char[]>(size);
    size = round_up(size, alignment);
    const std::lock_guard lock(mutex_);
    if (size > left_) {
        const size_t block = std::max(block_size, round_up(size, huge_page));
        block_ = make_block(block);
        next_ = block_.get();
        left_ = block;
    }
    char* const piece = next_;
    next_ += size;
    left_ -= size;
    return {block_, piece};
}

} // namespace opcat
