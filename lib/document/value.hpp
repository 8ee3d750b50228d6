// The value tree of YAML and JSON: each value has its place in its file, and all values of a tree share the
// memory of one arena.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace opcat {

// Allocates from large blocks and frees everything at once. Only for types without a destructor.
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
            // A large piece gets its own block, and the current block stays in use.
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

struct Member;

// One node, 16 bytes. What it refers to (text, items, members) is in its file or in an Arena, which must
// outlive it. Numbers: integers of up to 64 bits are exact, all others are doubles.
class Value {
public:
    enum class Kind : uint8_t { null, boolean, integer, large_integer, real, string, array, object };

    // The most bytes of a string, items of an array or members of an object.
    static constexpr size_t max_size = (size_t{1} << 28) - 1;

    Value() : Value(Kind::null, 0, 0) {}
    static Value of_null(uint32_t offset = 0) { return {Kind::null, 0, offset}; }
    static Value of(bool value, uint32_t offset = 0) {
        Value v(Kind::boolean, 0, offset);
        v.boolean_ = value;
        return v;
    }
    static Value of(int64_t value, uint32_t offset = 0) {
        Value v(Kind::integer, 0, offset);
        v.integer_ = value;
        return v;
    }
    // Only for numbers that exceed an int64_t.
    static Value of_large(uint64_t value, uint32_t offset = 0) {
        Value v(Kind::large_integer, 0, offset);
        v.large_integer_ = value;
        return v;
    }
    static Value of(double value, uint32_t offset = 0) {
        Value v(Kind::real, 0, offset);
        v.real_ = value;
        return v;
    }
    static Value of(std::string_view text, uint32_t offset = 0) {
        Value v(Kind::string, text.size(), offset);
        v.text_ = text.data();
        return v;
    }
    // Explicit, because otherwise a literal would become a boolean.
    static Value of(const char* text, uint32_t offset = 0) { return of(std::string_view(text), offset); }
    static Value of(std::span<const Value> items, uint32_t offset = 0) {
        Value v(Kind::array, items.size(), offset);
        v.items_ = items.data();
        return v;
    }
    static inline Value of(std::span<const Member> members, uint32_t offset = 0);

    Kind kind() const { return static_cast<Kind>(kind_); }
    bool is_null() const { return kind() == Kind::null; }
    bool is_boolean() const { return kind() == Kind::boolean; }
    bool is_number() const { return kind() >= Kind::integer && kind() <= Kind::real; }
    bool is_string() const { return kind() == Kind::string; }
    bool is_array() const { return kind() == Kind::array; }
    bool is_object() const { return kind() == Kind::object; }

    // JSON text that is written unchanged, like Go's json.RawMessage: every scalar keeps its spelling. For
    // all but the JSON writer it is a string.
    static Value of_json(std::string_view text) {
        Value v = of(text);
        v.is_json_ = 1;
        return v;
    }
    bool is_json() const { return is_json_ != 0; }

    // Byte offset in the file: of a scalar's first character (its quote, if it is quoted), of a collection's
    // first entry or bracket.
    uint32_t offset() const { return offset_; }

    // Each accessor requires its kind.
    bool boolean() const {
        assert(is_boolean());
        return boolean_;
    }
    int64_t integer() const {
        assert(kind() == Kind::integer);
        return integer_;
    }
    uint64_t large_integer() const {
        assert(kind() == Kind::large_integer);
        return large_integer_;
    }
    double real() const {
        assert(kind() == Kind::real);
        return real_;
    }
    std::string_view string() const {
        assert(is_string());
        return {text_, size_};
    }
    std::span<const Value> items() const {
        assert(is_array());
        return {items_, size_};
    }
    // In the order of the file. A key may be repeated: the last one counts.
    inline std::span<const Member> members() const;

    // For any kind: the number as a double, the text, a member's value; or a default if there is none.
    double number() const {
        return kind() == Kind::integer         ? static_cast<double>(integer_)
               : kind() == Kind::large_integer ? static_cast<double>(large_integer_)
                                               : real();
    }
    std::string_view string_or_empty() const { return is_string() ? string() : std::string_view(); }
    inline const Value* find(std::string_view key) const;

private:
    Value(Kind kind, size_t size, uint32_t offset)
        : integer_(0), offset_(offset), size_(size & max_size), kind_(static_cast<uint32_t>(kind) & 7U),
          is_json_(0) {
        assert(size <= max_size);
    }

    union {
        bool boolean_;
        int64_t integer_;
        uint64_t large_integer_;
        double real_;
        const char* text_;
        const Value* items_;
        const Member* members_;
    };
    uint32_t offset_;
    uint32_t size_ : 28;
    uint32_t kind_ : 3;
    uint32_t is_json_ : 1;
};

// The key is always a string.
struct Member {
    Value key;
    Value value;
};

static_assert(sizeof(Value) == 16 && sizeof(Member) == 32);

Value Value::of(std::span<const Member> members, uint32_t offset) {
    Value v(Kind::object, members.size(), offset);
    v.members_ = members.data();
    return v;
}

std::span<const Member> Value::members() const {
    assert(is_object());
    return {members_, size_};
}

const Value* Value::find(std::string_view key) const {
    if (!is_object()) return nullptr;
    for (size_t i = size_; i > 0; --i)
        if (members_[i - 1].key.string() == key) return &members_[i - 1].value;
    return nullptr;
}

// Returns true if two values say the same, wherever they are, and in whatever order objects have their
// members; the order of items counts. Linear where the members of objects have one order.
bool says_the_same(const Value& a, const Value& b);

// The kind of a value, for messages: "a string", "a list", "an object", …
std::string_view describe(Value::Kind kind);

} // namespace opcat

namespace opcat::limits {

// The limits of readers. Exceeding one is a diagnostic of rule "limit", so that resources are never
// exhausted.
constexpr size_t json_depth = 10'000; // as Go's JSON reader
constexpr size_t yaml_depth = 1'000;
constexpr size_t documents_per_file = 1'000'000;

} // namespace opcat::limits

namespace opcat {

// Builds a tree bottom-up, as readers find its nodes. Open collections are a stack; new values are added to
// the innermost one. An object's keys and values are added alternately.
class ValueBuilder {
public:
    explicit ValueBuilder(Arena& arena) : arena_(arena) {}

    void add(const Value& value) { pending_.push_back(value); }
    void open(uint32_t offset) { open_.push_back({pending_.size(), offset}); }
    size_t depth() const { return open_.size(); }
    // The number of values in the innermost collection so far (keys included).
    size_t size() const { return pending_.size() - open_.back().begin; }

    Value close_array() {
        const auto [begin, offset] = pop();
        const auto items =
            arena_.copy(std::span<const Value>(pending_.data() + begin, pending_.size() - begin));
        pending_.resize(begin);
        return Value::of(std::span<const Value>(items), offset);
    }
    Value close_object() {
        const auto [begin, offset] = pop();
        const size_t count = pending_.size() - begin;
        assert(count % 2 == 0);
        const auto items = arena_.copy(std::span<const Value>(pending_.data() + begin, count));
        pending_.resize(begin);
        // A member is a key and a value.
        return Value::of(std::span<const Member>(reinterpret_cast<const Member*>(items.data()), count / 2),
                         offset);
    }
    // The last value added outside of collections.
    Value take_root() {
        const Value root = pending_.back();
        pending_.clear();
        return root;
    }
    void clear() {
        pending_.clear();
        open_.clear();
    }
    Arena& arena() { return arena_; }

private:
    struct Open {
        size_t begin;
        uint32_t offset;
    };
    Open pop() {
        const Open open = open_.back();
        open_.pop_back();
        return open;
    }

    Arena& arena_;
    std::vector<Value> pending_;
    std::vector<Open> open_;
};

} // namespace opcat
