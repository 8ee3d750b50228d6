// The values of expressions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace opcat::cel {

class Value;

struct Null {
    friend bool operator==(const Null&, const Null&) = default;
};
struct Bytes {
    std::shared_ptr<const std::string> bytes;
};
// Nanoseconds count forwards from the second, also before 1970.
struct Timestamp {
    int64_t seconds = 0;
    int32_t nanoseconds = 0;
    friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};
struct Duration {
    int64_t nanoseconds = 0;
    friend auto operator<=>(const Duration&, const Duration&) = default;
};
struct TypeName {
    std::string_view name; // of static duration
    friend bool operator==(const TypeName&, const TypeName&) = default;
};
// Why there is no value. Passed on like a value, because && and || may ignore it.
struct Failure {
    const char* message;
};

// Equal integers of either signedness are the same key; those above the largest int64_t have their own kind.
using MapKey = std::variant<bool, int64_t, uint64_t, std::string>;

using List = std::vector<Value>;
using Map = std::map<MapKey, Value, std::less<>>;

// Copies share strings, lists and maps.
class Value {
public:
    using Content = std::variant<Null, bool, int64_t, uint64_t, double, std::shared_ptr<const std::string>,
                                 Bytes, std::shared_ptr<const List>, std::shared_ptr<const Map>, Timestamp,
                                 Duration, TypeName, Failure>;

    Value() = default;
    template <typename T>
    static Value of(T content) {
        Value value;
        value.content_ = std::move(content);
        return value;
    }
    static Value of_string(std::string text) {
        return of(std::make_shared<const std::string>(std::move(text)));
    }
    static Value of_bytes(std::string bytes) {
        return of(Bytes{std::make_shared<const std::string>(std::move(bytes))});
    }
    static Value of_list(List items) { return of(std::make_shared<const List>(std::move(items))); }
    static Value of_map(Map entries) { return of(std::make_shared<const Map>(std::move(entries))); }
    static Value failure(const char* message) { return of(Failure{message}); }

    template <typename T>
    const T* get() const {
        return std::get_if<T>(&content_);
    }
    // nullptr if the value is of another kind.
    const std::string* string() const {
        const auto* text = get<std::shared_ptr<const std::string>>();
        return text ? text->get() : nullptr;
    }
    const std::string* bytes() const {
        const auto* bytes = get<Bytes>();
        return bytes ? bytes->bytes.get() : nullptr;
    }
    const List* list() const {
        const auto* items = get<std::shared_ptr<const List>>();
        return items ? items->get() : nullptr;
    }
    const Map* map() const {
        const auto* entries = get<std::shared_ptr<const Map>>();
        return entries ? entries->get() : nullptr;
    }
    bool is_number() const { return get<int64_t>() || get<uint64_t>() || get<double>(); }
    bool is_failure() const { return get<Failure>(); }
    bool is_true() const {
        const bool* value = get<bool>();
        return value && *value;
    }
    bool is_false() const {
        const bool* value = get<bool>();
        return value && !*value;
    }
    const Content& content() const { return content_; }

private:
    Content content_;
};

} // namespace opcat::cel
