// Checks of bundles: those of operator-sdk's `bundle validate`, with places and rules.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/lint/subject.hpp"
#include "opcat/resolve/v1/olm_release.hpp"

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
    // The version of Kubernetes that the bundle is for, such as "1.25": use of an API that it has removed is
    // then an error, in all suites. Empty: unknown.
    std::string kubernetes_version;
    // The release of OLM v1 that must be able to install it: then that is an error, and not a note.
    std::optional<olmv1::OlmRelease> olm_v1 = {};
    // Allowed values of the annotation "categories"; nothing: the categories of OperatorHub.io.
    std::optional<std::vector<std::string>> categories;
};

struct CheckedBundle {
    bool loads = false;                 // if not, nothing was checked, and `findings` says why
    Diagnostics findings;               // without duplicates, sorted by place
    std::vector<SubjectAt> objects;     // what is in the bundle's files, for the findings
    std::vector<Location> remarks;      // the comments to opcat in all files
    std::shared_ptr<const void> memory; // memory that the others refer to
};

// Checks a directory, or an image's files. Names in messages begin with `shown`. Throws Error if a folder
// cannot be read or exceeds the limits (docs/limits.md).
CheckedBundle check_bundle(const std::filesystem::path& directory, const std::filesystem::path& shown,
                           const BundleCheckOptions& options);

// The number of findings for each validator of operator-sdk; a finding of several validators counts for each
// of them. Validators without findings are left out. The version of Kubernetes only affects
// alpha-deprecated-apis.
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

// `opm alpha bundle validate`. It looks at the content only if the format is right.
struct OpmVerdict {
    std::vector<std::string> format_errors; // opm's, word for word; an empty one where it crashes
    Diagnostics findings;                   // errors exactly if opm refuses the content
    std::shared_ptr<const void> memory;     // memory that the others refer to
};

// `for_operatorhub`: its optional validator "operatorhub"; "bundle-objects" finds nothing in any bundle.
// Throws Error like check_bundle.
OpmVerdict validate_as_opm(const std::filesystem::path& directory, const std::filesystem::path& shown,
                           bool for_operatorhub, const BundleCheckOptions& options);

} // namespace opcat
