// The catalogs that a composite one is made of, looked at together.
#pragma once

#include "catalog/catalog.hpp"
#include "compose/config.hpp"
#include "support/diagnostic.hpp"

#include <span>

namespace opcat {

struct ComposeSource {
    const ComposeReference* reference = nullptr;
    const Catalog* catalog = nullptr;
};

// An error for each package that comes from more than one of them, which names all that it comes from.
// `config` is the file that the references stand in.
Diagnostics check_sources(std::span<const ComposeSource> sources, const SourceFile& config);

} // namespace opcat
