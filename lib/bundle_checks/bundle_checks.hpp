// Checks of bundles: what operator-sdk's `bundle validate` looks at, with places and rules.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/lint/subject.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

enum class BundleSuite : uint8_t {
    standard,    // what OLM needs
    operatorhub, // and what OperatorHub.io asks for
    all,         // and what is recommended
};

struct BundleCheckOptions {
    BundleSuite suite = BundleSuite::standard;
    // The version of Kubernetes that the bundle is for, such as "1.25": an API that it does not have any more
    // is then an error, and looked for in all suites. Empty: none.
    std::string kubernetes_version;
    // What the annotation "categories" may hold; nothing: the categories of OperatorHub.io.
    std::optional<std::vector<std::string>> categories;
};

struct CheckedBundle {
    bool loads = false;                 // or else nothing was checked, and `findings` says why
    Diagnostics findings;               // each once, sorted by place
    std::vector<SubjectAt> objects;     // what is in the bundle's files, for the findings
    std::vector<Location> remarks;      // the comments to opcat in all files
    std::shared_ptr<const void> memory; // what all these point into
};

// Checks a directory, or an image's files. Names in messages begin with `shown`. Throws Error if a folder
// cannot be read or is beyond the limits (docs/limits.md).
CheckedBundle check_bundle(const std::filesystem::path& directory, const std::filesystem::path& shown,
                           const BundleCheckOptions& options);

// How often each validator of operator-sdk finds something: what one finds that another has found counts for
// both. Validators without findings are left out. The version of Kubernetes is that of alpha-deprecated-apis
// alone.
struct ValidatorCounts {
    std::string_view validator; // "csv", "good-practices"
    size_t errors = 0;
    size_t warnings = 0;
};
struct CountedBundle {
    bool loads = false;
    std::vector<ValidatorCounts> found;
};
CountedBundle count_findings_of_validators(const std::filesystem::path& directory,
                                           const BundleCheckOptions& options);

} // namespace opcat
