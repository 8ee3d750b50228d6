// Catalogs as text, byte for byte as opm writes them (../shared/design/compat.md, "Writing").
#pragma once

#include "base/thread_pool.hpp"
#include "catalog/catalog.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace opcat {

enum class Format : uint8_t { json, yaml };

// Receives pieces of the text in order, on the calling thread. `package` is the one that the piece belongs
// to; the pieces of one package follow each other.
using TextSink = std::function<void(std::string_view package, std::string_view text)>;

// Blobs are formatted on all threads of the pool, some at a time, so that memory stays bounded however large
// the catalog. Throws Error for a string that opm cannot write as YAML (see document/yaml_writer.hpp).
void write_catalog(const Catalog& catalog, Format format, ThreadPool& pool, const TextSink& sink);

} // namespace opcat
