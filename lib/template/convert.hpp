// From a catalog to a template that renders to it.
#pragma once

#include "catalog/write.hpp"
#include "support/diagnostic.hpp"
#include "template/template.hpp"

namespace opcat {

struct ConvertedTemplate {
    std::string text; // empty if there are errors
    Diagnostics diagnostics;
};

// A basic template has each bundle as its image only, a substitutes template has the catalog as it is and no
// substitutions. Byte for byte as `opm alpha convert-template` writes it. `kind` is one of these two. The
// diagnostics refer to the file.
ConvertedTemplate convert_to_template(const SourceFile& file, TemplateKind kind, Format format);

} // namespace opcat
