// Schemas in a subset of CUE (docs/schemas.md) for checking documents. The verdict is that of `cue vet -d
// DEFINITION`.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/cue/checker.hpp"
#include "opcat/cue/program.hpp"
#include "opcat/document/value.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cue {

struct Definition {
    std::string name; // with its "#" or "_"
    NodeId node = 0;
    Range range;         // of the first declaration
    Range documentation; // the comment above it
};

// A compiled file of definitions.
class Schema {
public:
    // Errors in the file are added to `problems`, rule "schema-file"; then there is no schema. The problems
    // refer to the file, which the caller must keep while it shows them.
    static std::optional<Schema> compile(std::shared_ptr<const SourceFile> file, Diagnostics& problems);

    const SourceFile& source() const { return *file_; }
    const File& tree() const { return *tree_; }
    const Program& program() const { return compiled_.program; }

    // The definitions at the top of the file, in its order: "#Name", "_name" and "_#name".
    std::span<const Definition> definitions() const { return definitions_; }
    // With or without "#". nullptr if absent.
    const Definition* find(std::string_view name) const;

    // The string that a definition requires in a field; nothing if it is not a single string.
    std::optional<std::string_view> constant(const Definition& definition, std::string_view field) const;
    // A comment, without the slashes.
    std::string comment(Range documentation) const;

    // Does not allocate (see check in checker.hpp).
    Outcome check(const Definition& definition, const Value& value) const {
        return cue::check(program(), definition.node, value);
    }
    // Why a value is not valid, in the order of the value; empty if it is. `path` is its place in a larger
    // value.
    std::vector<Violation> violations(const Definition& definition, const Value& value,
                                      const std::string& path = {}) const {
        return find_violations(program(), definition.node, value, path);
    }
    Location where(Range range) const { return {file_.get(), range.begin, range.end - range.begin}; }

private:
    std::shared_ptr<const SourceFile> file_;
    std::shared_ptr<const File> tree_;
    Compiled compiled_;
    std::vector<Definition> definitions_;
};

// A definition with its comment, without a line break at the end.
std::string text_of(const Schema& schema, const Definition& definition);

// The declarations at the top of the file to which neither these definitions nor what they refer to lead.
std::vector<const Declaration*> unused_declarations(const Schema& schema,
                                                    std::span<const Definition* const> used);

// Definitions of a schema, and everything that they refer to; all of the schema if none is named.
struct SchemaPart {
    const Schema* schema = nullptr;
    std::vector<const Definition*> definitions = {};
};

// One CUE file, in the package of the first schema, with each part in the order of its file. Equal names
// become conjunctions.
std::string to_cue(std::span<const SchemaPart> parts);

} // namespace opcat::cue
