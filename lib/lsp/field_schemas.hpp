// Which fields the documents have that people write, by the schemas of the format, those of the project, and
// schemas/documents.cue for what is next to catalogs.
#pragma once

#include "opcat/lint/schemas.hpp"
#include "opcat/lsp/cursor.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::lsp {

// What a text is for.
enum class DocumentKind : uint8_t {
    blob,
    basic_template,
    semver_template,
    substitutes_template,
    configuration,
    composite,
    filter,
};

// By its path and its text: .opcat.yaml, a schema that it names, or fields that only one of them has. Nothing
// where that is not clear.
std::optional<DocumentKind> document_kind(std::string_view path, std::string_view text);

struct Field {
    std::string name;
    std::string description; // a sentence; may be empty
    std::string type;        // as JSON Schema calls it; empty: any
    bool required = false;
    std::vector<std::string> values; // all that it may have, if they are few

    bool is_collection() const { return type == "object" || type == "array"; }
};

class FieldSchemas {
public:
    explicit FieldSchemas(std::shared_ptr<const Schemas> schemas);
    ~FieldSchemas();
    FieldSchemas(FieldSchemas&&) noexcept;

    // The fields of the object that the cursor is in, or of which it is in a value.
    std::vector<Field> fields(DocumentKind kind, const CursorContext& context) const;
    // The field whose value the cursor is in, by the whole path. Nothing if no schema has it.
    std::optional<Field> field(DocumentKind kind, const CursorContext& context) const;
    // What the definition for blobs of a schema, or for properties of a type, says about itself.
    std::string describe_schema(std::string_view schema) const;
    std::string describe_property_type(std::string_view type) const;
    // Those that properties may have.
    std::vector<std::string> property_types() const;
    std::vector<std::string> blob_schemas() const;

private:
    struct Parsed;
    std::unique_ptr<Parsed> parsed_;
};

} // namespace opcat::lsp
