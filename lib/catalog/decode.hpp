// Documents to blobs.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/document/value.hpp"

namespace opcat {

// Which fields of a blob must be valid.
enum class Decoding : uint8_t {
    all_fields, // as opm loads it
    names_only, // schema, package and name, as OLM v1's catalogd: every blob is one of Catalog::others then,
                // and may do without a schema
};

// Decodes one document of a catalog and adds the blob to `catalog`. A document that opm refuses to load (no
// schema, a field of the wrong type, two spellings of one key, …) adds all its errors to `diagnostics`
// instead. Well-formed but wrong content is checked later (lint/checks.hpp). The blob refers to `value` and
// `arena`.
void decode_blob(const SourceFile& file, const Value& value, Arena& arena, Catalog& catalog,
                 Diagnostics& diagnostics, Decoding decoding = Decoding::all_fields);

} // namespace opcat
