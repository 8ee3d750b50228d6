// Kubernetes objects, read by paths of keys.
// Everything in an object is optional: a new object has no status, and conditions appear late and disappear.
// So all readers return "nothing" for a value that is missing or of another type.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/value.hpp"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::kube {

// A condition of a status. Missing fields are empty; a missing condition counts as "False".
struct Condition {
    std::string status;
    std::string reason;
    std::string message;
    int64_t observed_generation = 0;
    bool is_true() const { return status == "True"; }
};

// An object, or a part of one. Refers to the memory of the object.
class Fields {
public:
    Fields() = default; // nothing
    Fields(const Value& value) : value_(value) {}

    const Value& value() const { return value_; }
    // False for "nothing" and for null.
    explicit operator bool() const { return !value_.is_null(); }

    // The value at a path of keys: at("status", "phase"). Without keys: the object itself.
    template <typename... Keys>
    Fields at(const Keys&... keys) const {
        return find({std::string_view(keys)...});
    }
    template <typename... Keys>
    std::string_view text(const Keys&... keys) const {
        return at(keys...).value_.string_or_empty();
    }
    template <typename... Keys>
    bool flag(const Keys&... keys) const {
        const Fields found = at(keys...);
        return found.value_.is_boolean() && found.value_.boolean();
    }
    // A whole number; limited to 1e15.
    template <typename... Keys>
    int64_t number(const Keys&... keys) const {
        return number_or(0, keys...);
    }
    template <typename... Keys>
    int64_t number_or(int64_t otherwise, const Keys&... keys) const {
        return at(keys...).as_number(otherwise);
    }
    // The items of this array.
    template <typename... Keys>
    std::span<const Value> items(const Keys&... keys) const {
        const Fields found = at(keys...);
        return found.value_.is_array() ? found.value_.items() : std::span<const Value>();
    }
    // The strings among them.
    template <typename... Keys>
    std::vector<std::string> strings(const Keys&... keys) const {
        return at(keys...).as_strings();
    }
    // The members of this object.
    template <typename... Keys>
    std::span<const Member> members(const Keys&... keys) const {
        const Fields found = at(keys...);
        return found.value_.is_object() ? found.value_.members() : std::span<const Member>();
    }

    std::string_view kind() const { return text("kind"); }
    // The group of the apiVersion; empty for the core group.
    std::string_view group() const;
    std::string_view label(std::string_view key) const { return text("metadata", "labels", key); }
    std::string_view annotation(std::string_view key) const { return text("metadata", "annotations", key); }
    // The condition of this type in status.conditions, whose order has no meaning.
    Condition condition(std::string_view type) const;
    // The item with this "type"; nothing if there is none.
    static Fields of_type(std::span<const Value> items, std::string_view type);
    // Returns true if it is being deleted.
    bool is_terminating() const;

private:
    Fields find(std::initializer_list<std::string_view> path) const;
    int64_t as_number(int64_t otherwise) const;
    std::vector<std::string> as_strings() const;

    Value value_;
};

// A whole object. Copies share its memory.
struct Object : Fields {
    std::string name;
    std::string ns;
    // The file that it was read from; nullptr: not from a file.
    const SourceFile* file = nullptr;
    // The memory of the value and the file.
    std::shared_ptr<const void> memory;

    Object() = default;
    Object(const Value& value, std::shared_ptr<const void> owner, const SourceFile* from = nullptr);

    Location where() const { return {file, value().offset(), file ? 1U : 0U}; }
    // "Deployment shop/controller", "Namespace shop".
    std::string describe() const;
    // Returns true if the other has the same kind, group, namespace and name.
    bool is_same_as(const Object& other) const;
};

// A single JSON value. Throws Error ("cannot read WHAT: …") if the text is not JSON, or is nested deeper than
// any object that Kubernetes stores.
Object parse_object(std::string_view text, std::string_view what);
// The same; "nothing" on failure.
Object parse_object(std::string_view text);
// The objects in a List, or the object itself if it is not a List.
std::vector<Object> objects_in(const Object& list);

// The object with the kind, group, namespace and name of `object`; nullptr if there is none.
const Object* find_same(const std::vector<Object>& objects, const Object& object);
const Object* find_named(const std::vector<Object>& objects, std::string_view name, std::string_view ns);

// As JSON on one line, as a List of JSON on one line, as a YAML document without "---". The last throws Error
// for text that YAML cannot express.
std::string to_text(const Value& value);
std::string to_text(const std::vector<Object>& objects);
std::string to_yaml(const Value& value);

// Returns true if two values are equal; the order of members is ignored.
bool is_equal(const Value& one, const Value& other);

// Returns true if `object` contains everything in `wanted`: named members of objects, complete arrays. Fields
// that the server adds (defaults, status) are ignored.
bool satisfies(const Value& object, const Value& wanted);

// Returns true if two objects are equal except for their status and the server's fields in their metadata.
bool is_unchanged(const Value& before, const Value& after);

} // namespace opcat::kube
