// What a composite catalog is made of (../shared/reference/file-based-catalogs.txt, "single configuration
// file").
#pragma once

#include "base/diagnostic.hpp"
#include "catalog/catalog.hpp"
#include "document/arena.hpp"

#include <optional>
#include <span>
#include <vector>

namespace opcat {

struct ComposeReference {
    Text name;  // of the directory that it gets
    Text image; // or anything else that can be rendered
};

// Refers to the file and the arena that it was read with.
struct ComposeConfig {
    Text name; // of the directory to make
    Text repo; // of the image to build of it; may be empty
    Text tag;  // of that image; may be empty
    std::vector<ComposeReference> references;
};

// Nothing if there are errors. Names are single elements of a path, those of references are all different;
// unknown fields are errors.
std::optional<ComposeConfig> read_compose_config(const SourceFile& file, Arena& arena,
                                                 Diagnostics& diagnostics);

struct ComposeSource {
    const ComposeReference* reference = nullptr;
    const Catalog* catalog = nullptr;
};

// An error for each package that comes from more than one of them, which names all that it comes from.
// `config` is the file that the references stand in.
Diagnostics check_sources(std::span<const ComposeSource> sources, const SourceFile& config);

} // namespace opcat
