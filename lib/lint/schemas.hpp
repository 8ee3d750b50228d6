// The schemas of blobs and properties (docs/schemas.md).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/cue/schema.hpp"

#include <map>
#include <memory>
#include <vector>

namespace opcat {

// The kind of object that a definition is for, from its constant.
struct SchemaUse {
    enum class Of : uint8_t {
        every_blob, // _Meta
        blob,       // schema: "x"
        property,   // type: "x"
        none,       // is part of others
    };
    Of of = Of::none;
    std::string_view name; // the constant
    const cue::Schema* schema = nullptr;
    const cue::Definition* definition = nullptr;
    bool built_in = false;
};

class Schemas {
public:
    // The definitions of the format itself.
    Schemas();

    // Adds those that are only shown and exported: of values that other rules check, as OLM decodes them.
    void add_descriptions();

    // Adds the definitions of a file to the existing ones: a blob must match all that apply to it. Mistakes
    // in the file are added to `problems`, rule "schema-file", and false returned; one is that nothing in it
    // is for blobs or properties.
    bool add(const std::shared_ptr<const SourceFile>& file, Diagnostics& problems);

    // Returns the definitions of all files, in their order.
    const std::vector<SchemaUse>& uses() const { return uses_; }

    // By the name of the definition, with or without "#", or else by what it is for: "olm.package" is the
    // blob rather than the property type. All that such a blob or property must fit, those of added files,
    // too; empty if there is none.
    std::vector<const SchemaUse*> find(std::string_view name) const;

    // Violations of the schemas in blobs and properties: findings of rule "schema", sorted by place. They are
    // warnings if the format's own definitions are stricter than opm, and errors for added schemas. The same
    // is so for what cannot be checked to its end (rule "limit").
    Diagnostics check(const Catalog& catalog, ThreadPool& pool) const;

private:
    // The purpose of a file's definitions.
    enum class Role : uint8_t {
        format,      // the format's own: they are checked, as warnings
        description, // the format's own, which are not checked
        project,     // a project's
    };
    void add(const std::shared_ptr<const SourceFile>& file, Role role, Diagnostics& problems);
    void add_built_in(std::string_view name, std::string_view text, Role role);
    void check_blob(const Blob& blob, std::string_view schema, Diagnostics& out) const;

    std::vector<std::shared_ptr<const cue::Schema>> schemas_;
    std::vector<SchemaUse> uses_;
    std::multimap<std::string_view, SchemaUse, std::less<>> of_blobs_;
    std::multimap<std::string_view, SchemaUse, std::less<>> of_properties_;
    std::vector<SchemaUse> of_every_blob_;
};

} // namespace opcat
