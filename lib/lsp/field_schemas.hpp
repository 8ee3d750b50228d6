// The fields of documents that people write, by the schemas of the format, those of the project, and
// schemas/documents.cue for files next to catalogs.
#pragma once

#include "opcat/lint/schemas.hpp"
#include "opcat/lsp/cursor.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::lsp {

// The purpose of a text.
enum class DocumentKind : uint8_t {
    blob,
    basic_template,
    semver_template,
    substitutes_template,
    configuration,
    composite,
    filter,
    operator_configuration, // ci.yaml of a repository of operators
    release_configuration,  // release-config.yaml
};

// ci.yaml and release-config.yaml where a repository of operators has them: operators/NAME/ci.yaml and
// operators/NAME/VERSION/release-config.yaml, of any name after that.
std::optional<DocumentKind> operator_file_kind(std::string_view path);

// By path and text: .opcat.yaml, operator_file_kind(), a schema that the text names, or fields that only one
// of them has. Nothing if that is ambiguous.
std::optional<DocumentKind> document_kind(std::string_view path, std::string_view text);

struct Field {
    std::string name;
    std::string description; // a sentence; may be empty
    std::string type;        // JSON Schema's name; empty: any
    bool required = false;
    std::vector<std::string> values; // all allowed ones, if they are few

    bool is_collection() const { return type == "object" || type == "array"; }
};

class FieldSchemas {
public:
    explicit FieldSchemas(const std::shared_ptr<const Schemas>& schemas);
    ~FieldSchemas();
    FieldSchemas(FieldSchemas&&) noexcept;

    // The fields of the object around the cursor, or around the value that contains it.
    std::vector<Field> fields(DocumentKind kind, const CursorContext& context) const;
    // The field whose value contains the cursor, by the whole path. Nothing if it is not in a schema.
    std::optional<Field> field(DocumentKind kind, const CursorContext& context) const;
    // The description in the definition for blobs of a schema, or for properties of a type.
    std::string describe_schema(std::string_view schema) const;
    std::string describe_property_type(std::string_view type) const;
    // The types that properties may have.
    std::vector<std::string> property_types() const;
    std::vector<std::string> blob_schemas() const;

private:
    struct Parsed;
    std::unique_ptr<Parsed> parsed_;
};

} // namespace opcat::lsp
