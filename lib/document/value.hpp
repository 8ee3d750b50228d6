// A tree of values as JSON knows them, in which every node remembers where in its file it stood.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>

namespace opcat {

struct Member;

// One node, 16 bytes; what it refers to (text, items, members) lives in the file it was read from or in an
// Arena, and must outlive it. Numbers: integers of up to 64 bits are exact, all others are doubles.
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
    // Only for numbers that an int64_t cannot hold.
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
    // Or a literal would be a boolean.
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

    // JSON text that is passed on as Go passes on a json.RawMessage: every scalar as it is written there. It
    // is a string for everybody but the JSON writer.
    static Value of_json(std::string_view text) {
        Value v = of(text);
        v.is_json_ = 1;
        return v;
    }
    bool is_json() const { return is_json_ != 0; }

    // Byte offset in the file: of a scalar's first character (its quote, if it is quoted), of a collection's
    // first entry or bracket.
    uint32_t offset() const { return offset_; }

    // The accessors are for the kind they name.
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
    // In the order of the file. A key may stand there more than once: the last one counts.
    inline std::span<const Member> members() const;

    // Any kind: the number as a double, the text, a member's value; or what stands for "there is none".
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

// What a value is, for messages: "a string", "a list", "an object", …
std::string_view describe(Value::Kind kind);

} // namespace opcat
