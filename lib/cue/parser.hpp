// A CUE file as a tree: the syntax with its places, before names are resolved (the grammar is in
// docs/schemas.md).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/error.hpp"
#include "opcat/cue/constant.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace opcat::cue {

// Bytes of the file.
struct Range {
    uint32_t begin = 0;
    uint32_t end = 0;
};

struct Expression;
struct Declaration;

struct Top {};    // _
struct Bottom {}; // _|_

// A reference: "int", "#Package", "_hidden".
struct Name {
    std::string text;
};

// "base.name": a field or definition of a struct, or a member of an imported package.
struct Selector {
    std::unique_ptr<Expression> base;
    std::string name;
};

enum class Relation : uint8_t { less, less_equal, greater, greater_equal, not_equal, match, not_match };
std::string_view to_string(Relation relation);

// ">= 1". The operand is a constant.
struct Bound {
    Relation relation;
    Constant operand;
};

struct Conjunction {
    std::vector<Expression> parts; // two or more
};

struct Disjunction {
    std::vector<Expression> parts; // two or more
    std::vector<bool> defaults;    // whether the part has the mark "*"
};

struct Call {
    std::unique_ptr<Expression> function;
    std::vector<Expression> arguments;
};

struct ListLiteral {
    std::vector<Expression> items;
    bool open = false;                // ends with "..."
    std::unique_ptr<Expression> rest; // what follows "..."; may be null
};

struct StructLiteral {
    std::vector<Declaration> declarations;
    bool open = false; // has "..."
};

struct Expression {
    std::variant<Top, Bottom, Constant, Name, Selector, Bound, Conjunction, Disjunction, Call, ListLiteral,
                 StructLiteral>
        content;
    Range range;
};

enum class Presence : uint8_t {
    regular,  // a: its default, if the schema has one, replaces a missing value
    optional, // a?:
    required, // a!: must be given
};

// One line of a struct or of a file.
struct Declaration {
    enum class Kind : uint8_t {
        field,      // name: value, "name": value
        definition, // #Name: value, _name: value, _#name: value: not part of data
        pattern,    // [label]: value
        embedding,  // value
    };

    Kind kind = Kind::field;
    Presence presence = Presence::regular;
    std::string name;                  // of a field or definition
    std::unique_ptr<Expression> label; // of a pattern
    Expression value;
    Range label_range;
    Range range;         // all of it
    Range documentation; // the comment lines directly above; may be empty
};

struct Import {
    std::string path; // "strings"
    std::string name; // its name in the file
    Range range;
};

struct File {
    std::string package; // may be empty
    std::vector<Import> imports;
    StructLiteral body;
};

// The greatest nesting depth of brackets and labels, and the largest file in bytes.
constexpr int max_depth = 100;
constexpr size_t max_file_size = size_t{1} << 20;

// Text that is not CUE, or outside of the subset, is a diagnostic of rule "schema-file" at its place.
Result<File, Diagnostic> parse(const SourceFile& file);

} // namespace opcat::cue
