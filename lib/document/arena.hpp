// Memory for values that live and die together.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace opcat {

// Hands out memory from large blocks and frees it all at once. Holds only types that need no destructor.
class Arena {
public:
    Arena() = default;
    Arena(Arena&&) noexcept = default;
    Arena& operator=(Arena&&) noexcept = default;

    template <typename T>
    std::span<T> copy(std::span<const T> items) {
        static_assert(std::is_trivially_copyable_v<T>);
        if (items.empty()) return {};
        T* const memory = static_cast<T*>(allocate(items.size_bytes(), alignof(T)));
        std::memcpy(static_cast<void*>(memory), items.data(), items.size_bytes());
        return {memory, items.size()};
    }
    std::string_view copy(std::string_view text) {
        const std::span<char> copied = copy(std::span<const char>(text));
        return {copied.data(), copied.size()};
    }
    // Memory of `size` bytes, not initialised.
    char* bytes(size_t size) { return static_cast<char*>(allocate(size, 1)); }

private:
    static constexpr size_t block_size = size_t{64} * 1024;

    void* allocate(size_t size, size_t alignment) {
        size_t padding = (alignment - reinterpret_cast<size_t>(next_) % alignment) % alignment;
        if (size + padding > left_) {
            // What is large gets a block of its own, and the current one stays in use.
            if (size > block_size / 4) return blocks_.emplace_back(new std::byte[size]).get();
            next_ = blocks_.emplace_back(new std::byte[block_size]).get();
            left_ = block_size;
            padding = 0;
        }
        std::byte* const memory = next_ + padding;
        next_ = memory + size;
        left_ -= size + padding;
        return memory;
    }

    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::byte* next_ = nullptr;
    size_t left_ = 0;
};

} // namespace opcat
