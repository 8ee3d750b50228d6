// Static types of expressions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace opcat::cel {

enum class TypeKind : uint8_t {
    dyn,
    any,
    error,
    null,
    boolean,
    integer,
    unsigned_integer,
    real,
    string,
    bytes,
    timestamp,
    duration,
    list,
    map,
    type,
    variable, // a type that is not known yet
};

// A value type; copies share their components.
class Type {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): a kind without parameters is a type
    Type(TypeKind kind) : kind_(kind) {}
    static Type list(const Type& item) { return {TypeKind::list, {item}}; }
    static Type map(const Type& key, const Type& value) { return {TypeKind::map, {key, value}}; }
    static Type type_of(const Type& value) { return {TypeKind::type, {value}}; }
    static Type variable(uint32_t number) {
        Type type(TypeKind::variable);
        type.number_ = number;
        return type;
    }

    TypeKind kind() const { return kind_; }
    const std::vector<Type>& parameters() const;
    uint32_t number() const { return number_; }

    // Returns true for a type that is assignable to and from all types.
    bool is_dyn() const { return kind_ == TypeKind::dyn || kind_ == TypeKind::any; }
    bool is_dyn_or_error() const { return is_dyn() || kind_ == TypeKind::error; }

    // "list(map(string, any))"
    std::string to_string() const;

    friend bool operator==(const Type& a, const Type& b);

private:
    Type(TypeKind kind, std::vector<Type> parameters);

    TypeKind kind_;
    uint32_t number_ = 0;
    uint32_t size_ = 1; // nodes of the tree
    std::shared_ptr<const std::vector<Type>> parameters_;
};

// Bindings of type variables, and which types are assignable. A failed attempt leaves no bindings.
class TypeBindings {
public:
    Type fresh();

    // Returns true if a value of type `from` is assignable to `to`; binds variables of both.
    bool assignable(const Type& from, const Type& to);
    bool assignable(const std::vector<Type>& from, const std::vector<Type>& to);

    // With bound variables replaced; the others become dyn if `free_to_dyn`.
    Type substitute(const Type& type, bool free_to_dyn) const;

    // The more general of two assignable types.
    static Type most_general(const Type& a, const Type& b);

private:
    bool fits(const Type& a, const Type& b);
    bool fits(const std::vector<Type>& a, const std::vector<Type>& b);
    // Returns true if `variable` can be bound to `type`; `known` if it is bound already.
    bool bind(const Type& type, const Type& variable, bool& known);
    bool occurs(const Type& variable, const Type& type) const;
    void set(uint32_t number, const Type& type);
    void roll_back(size_t mark);

    std::vector<std::shared_ptr<const Type>> bound_;
    std::vector<std::pair<uint32_t, std::shared_ptr<const Type>>> trail_;
};

} // namespace opcat::cel
