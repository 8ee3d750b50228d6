// What the names in a schema stand for.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/cue/parser.hpp"
#include "opcat/cue/program.hpp"

#include <unordered_map>
#include <unordered_set>

namespace opcat::cue {

// "int", "uint8": some kinds of values, within bounds.
struct BasicType {
    Kinds kinds;
    std::optional<Number> at_least = {};
    std::optional<Number> at_most = {};
};

// A definition or hidden field of an enclosing struct, or a field of it that is a constant.
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

// By the expression: a Name, a Selector of a package, or a Call.
struct Meanings {
    std::unordered_map<const Expression*, std::variant<BasicType, Reference, Validator, Close>> of;
    // Of each bound with a regular expression.
    std::unordered_map<const Expression*, std::shared_ptr<const re2::RE2>> expressions;
    std::unordered_map<const StructLiteral*, Members> members;
    // Structs whose definitions some name refers to.
    std::unordered_set<const StructLiteral*> referred;
};

// Looks up every name of the file. What has no meaning, or one that is outside of the subset, is a diagnostic
// of rule "schema-file".
Meanings resolve(const File& tree, const SourceFile& file, Diagnostics& problems);

} // namespace opcat::cue
