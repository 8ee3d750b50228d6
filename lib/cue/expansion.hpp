// Resolves the names in a schema (resolve.cpp), and works out what is allowed at one place of a document
// (expansion.cpp): it follows references, collects conjunctions and multiplies disjunctions. Knows which
// fields a struct may have if definitions, which are closed, are combined and embedded.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/cue/parser.hpp"
#include "opcat/cue/program.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace opcat::cue {

// "int", "uint8": kinds of values, within bounds.
struct BasicType {
    Kinds kinds;
    std::optional<Number> at_least = {};
    std::optional<Number> at_most = {};
};

// A definition or hidden field of an enclosing struct, or one of its fields that is a constant.
struct Reference {
    const StructLiteral* owner;
};

// "strings.MinRunes(3)".
struct Validator {
    Limit limit;
};

// "close(x)".
struct Close {};

// The fields and definitions of a struct, by name.
using Members = std::unordered_map<std::string_view, std::vector<const Declaration*>>;

// By expression: a Name, a Selector of a package, or a Call.
struct Meanings {
    std::unordered_map<const Expression*, std::variant<BasicType, Reference, Validator, Close>> of;
    // The compiled expression of each bound that has a regular expression.
    std::unordered_map<const Expression*, std::shared_ptr<const re2::RE2>> expressions;
    std::unordered_map<const StructLiteral*, Members> members;
    // Structs whose definitions are referred to.
    std::unordered_set<const StructLiteral*> referred;
};

// Resolves every name of the file. A name that cannot be resolved, or is outside of the subset, is a
// diagnostic of rule "schema-file".
Meanings resolve(const File& tree, const SourceFile& file, Diagnostics& problems);

// The origin of a part of a value. Groups form a tree, in which each has a larger number than its parent; 0
// is the root. A reference to a definition makes a group, which closes its content; so does a struct, for its
// fields, and each value embedded in a struct.
struct Group {
    uint32_t parent = 0;
    bool closed = false;      // only fields that its parts have are allowed, here and deeper
    bool closed_here = false; // the same, but not deeper
    bool embedded = false;    // in the struct that is the parent, whose other fields are allowed as well
};

using Groups = std::vector<Group>;

// Makes the tree as small as possible without changing what the parts in the groups `used` allow, and makes
// `used` refer to the new tree. Equal situations become equal trees, so that definitions that contain
// themselves terminate. For the value of a field: `closed_here` is dropped.
Groups simplified(const Groups& groups, std::vector<uint32_t>& used);

// Each set of parts (indices of `at`, which has the group of each) of which at least one must have a field,
// or the field is not allowed.
std::vector<std::vector<uint32_t>> closing_sets(const Groups& groups, const std::vector<uint32_t>& at);

struct Scope;

// A struct as a part of a value, and its surroundings.
struct Instance {
    const StructLiteral* literal;
    const Scope* scope;
    auto operator<=>(const Instance&) const = default;
};

// The definitions in which names inside of a struct are resolved. If several structs are combined, all of
// their definitions are visible.
struct Scope {
    const Scope* outer = nullptr;
    const StructLiteral* literal = nullptr;
    std::vector<Instance> combined; // `literal` is one of them
    auto operator<=>(const Scope&) const = default;
};

// Equal scopes are one object.
class Scopes {
public:
    const Scope* intern(Scope scope);

private:
    std::map<Scope, std::unique_ptr<Scope>> scopes_;
};

// An expression that a value must satisfy.
struct Conjunct {
    const Expression* expression;
    const Scope* scope;
    uint32_t group = 0;
    auto operator<=>(const Conjunct&) const = default;
};

template <typename Literal>
struct Part {
    const Literal* literal;
    const Scope* scope;
    uint32_t group;
};

// One alternative of a value. The contents of its structs and lists have not been expanded yet.
struct Expanded {
    Alternative alternative; // without fields and items
    std::vector<Part<StructLiteral>> structs;
    std::vector<Part<ListLiteral>> lists;
    Groups groups;
};

// Why a schema cannot be compiled. Only thrown inside lib/cue.
struct CompileError {
    Range where;
    std::string message;
    std::string help = {};
};

// The remaining steps for compiling a schema.
struct CompileBudget {
    uint64_t steps;
    // Throws CompileError if none are left.
    void take(Range where, uint64_t count = 1);
};

class Expansion {
public:
    Expansion(const Meanings& meanings, Scopes& scopes, CompileBudget& budget)
        : meanings_(meanings), scopes_(scopes), budget_(budget) {}

    // The contradiction that is written as one.
    static constexpr std::string_view bottom = "the schema says _|_";

    // The alternatives that are not contradictory in themselves. If there are none, `contradiction` says why.
    // Throws CompileError.
    std::vector<Expanded> expand(const std::vector<Conjunct>& conjuncts, const Groups& groups,
                                 std::string& contradiction);

    // The scope for the content of a struct.
    const Scope* scope_in(const Instance& instance, const std::vector<Instance>& combined);

private:
    struct Pending {
        Conjunct conjunct;
        unsigned references = 0; // followed to get here
    };
    struct Work {
        Expanded result;
        std::vector<Pending> pending; // the next one at the end
        std::string contradiction;
    };

    void run(Work work, unsigned forks);
    void step(Work& work, const Pending& next);
    void fork(const Work& work, const Pending& next, const Disjunction& disjunction, unsigned forks);
    void follow(Work& work, const Pending& from, const Reference& reference, const std::string& name);
    void select(Work& work, const Pending& from, const Selector& selector);
    std::span<const Declaration* const> members_of(const StructLiteral& literal, std::string_view name) const;
    void add_struct(Work& work, const Pending& from, const StructLiteral& literal);
    void add_constant(Work& work, const Constant& constant, Range where);
    void add_limit(Work& work, Limit limit, Kinds kinds);
    void add_basic(Work& work, const BasicType& type, Range where);
    void narrow(Work& work, Kinds kinds, Range where);
    void finish(Work work);

    const Meanings& meanings_;
    Scopes& scopes_;
    CompileBudget& budget_;
    std::vector<Expanded> results_;
    std::string contradiction_;
};

} // namespace opcat::cue
