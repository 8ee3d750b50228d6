// Validation: all findings about catalogs (docs/spec/opm.md, "Validation").
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/source.hpp"
#include "opcat/lint/selection.hpp"
#include "opcat/lint/subject.hpp"

#include <string_view>
#include <vector>

namespace opcat {

class Schemas;

struct LintInput {
    Source source;
    const Configuration* configuration = nullptr; // nullptr: default levels
    const Schemas* schemas = nullptr;             // nullptr: the format's own definitions
    const ChangedParts* changed = nullptr;        // nullptr: findings about the whole catalog
    Diagnostics more = {};                        // what others find in it: rules in SQL
};

struct LintOptions {
    enum class Rules : uint8_t {
        all,
        enforced_by_opm, // only errors, exactly if opm refuses the catalog; schemas are not checked
    };
    Rules rules = Rules::all;
    SelectionOptions selection = {};
};

// The findings of all catalogs.
struct LintResult : SelectedFindings {
    std::vector<Source> sources; // that the subjects refer to; the findings keep theirs themselves
    size_t packages = 0;         // that were checked
    size_t bundles = 0;          // that were checked individually, outside of a catalog
    bool complete = true; // every catalog loaded without errors, so the rules about all of it were checked
    Subjects subjects;    // of the findings
};

// The findings of loading, the checks of packages, schemas, properties that the resolvers read,
// and the upgrade graph, as `opcat validate` reports them: without mere consequences of loading errors,
// without repetitions, and filtered by the project's settings (selection.hpp). All threads of the pool do the
// work; the result does not depend on timing. Near-linear in the size of the catalogs.
LintResult lint(const std::vector<LintInput>& catalogs, const LintOptions& options, ThreadPool& pool);

// For commands that need a valid catalog: the errors, sorted by place, because of which opm refuses a catalog
// that has loaded.
Diagnostics find_errors(const Catalog& catalog, ThreadPool& pool);

// "OLM classic gets nothing of the catalog REFERENCE, which opm refuses: MESSAGE", of the first of them;
// empty if there is none.
std::string refusal_by_opm(const std::string& reference, const Catalog& catalog, ThreadPool& pool);

// The same, but if there are loading errors, only these: objects that did not load would seem to be missing.
Diagnostics find_errors(const LoadedCatalog& loaded, ThreadPool& pool);

} // namespace opcat
