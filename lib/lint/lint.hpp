// Validation: everything that can be wrong with catalogs (docs/spec/opm.md, "Validation").
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/lint/selection.hpp"
#include "opcat/lint/subject.hpp"

#include <string_view>
#include <vector>

namespace opcat {

class Schemas;

struct LintInput {
    std::string_view name; // of the catalog in messages, such as the reference that it was loaded from
    const LoadedCatalog& catalog;
    const Configuration* configuration = nullptr; // nullptr: every rule as it is
    const Schemas* schemas = nullptr;             // nullptr: the format's own definitions
    const ChangedParts* changed = nullptr;        // nullptr: all of it is reported on
};

struct LintOptions {
    enum class Rules : uint8_t {
        all,
        enforced_by_opm, // only errors, exactly where opm refuses the catalog; schemas are not checked
    };
    Rules rules = Rules::all;
    SelectionOptions selection = {};
};

// The findings of all catalogs, which point into the catalogs' files.
struct LintResult : SelectedFindings {
    size_t packages = 0; // that were checked
    size_t bundles = 0;  // that were checked by themselves, outside of a catalog
    Subjects subjects;   // of the findings
};

// What loading found, the checks of packages (checks.hpp), schemas, properties that the resolvers read, and
// the upgrade graph, as `opcat validate` reports it: without findings that are only a consequence of what did
// not load, without repetitions, and without those that the project does not want (selection.hpp). Work is
// done on all threads of the pool; the result does not depend on timing. Near-linear in the size of the
// catalogs.
LintResult lint(const std::vector<LintInput>& catalogs, const LintOptions& options, ThreadPool& pool);

// For commands that need a valid catalog: the errors, sorted by place, for which opm refuses a catalog that
// has loaded.
Diagnostics find_errors(const Catalog& catalog, ThreadPool& pool);

// The same, but if there are errors of loading, only these: what did not load would seem missing.
Diagnostics find_errors(const LoadedCatalog& loaded, ThreadPool& pool);

} // namespace opcat
