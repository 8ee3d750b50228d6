// Counts what the program of a test allocates: included by one of its files.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

// NOLINTNEXTLINE(misc-definitions-in-headers)
std::atomic<size_t> allocations{0};

// The compiler must not see that a pair of them does nothing.
// NOLINTBEGIN(misc-definitions-in-headers, cppcoreguidelines-no-malloc)
[[gnu::noinline]] void* operator new(size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
    std::free(memory);
}
// NOLINTEND(misc-definitions-in-headers, cppcoreguidelines-no-malloc)
