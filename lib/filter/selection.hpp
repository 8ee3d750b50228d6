// The part of a catalog that is kept: the selected packages, channels and versions, and the packages that
// these need.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/semver/constraints.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct VersionSelection {
    std::string text; // as it was given
    semver::Constraints constraints;
};

struct PackageSelection {
    std::vector<std::string> channels;      // none: all
    std::vector<VersionSelection> versions; // a version in any of them is kept; empty: all
};

// By package name. Several selections of one package are combined.
struct Selection {
    std::map<std::string, PackageSelection> packages;
    // Instead: all packages but these.
    std::set<std::string> excluded;

    // "foo"
    void add_package(std::string_view text);
    // "foo/stable". Throws RequestError.
    void add_channel(std::string_view text);
    // "foo>=1.2 <2": a range in OLM v1's syntax (semver/constraints.hpp). Throws RequestError.
    void add_version(std::string_view text);
    // A selection file: docs/authoring.md. Mistakes are in the diagnostics.
    void add_file(const SourceFile& file, Diagnostics& diagnostics);
};

struct Dependencies {
    std::set<std::string_view> packages; // with the initial ones
    std::vector<std::string>
        missing; // requirements of bundles that nothing in the catalog satisfies, in words
};

// Adds to `packages` all packages that their bundles require, by olm.package.required, olm.gvk.required and
// olm.constraint (constraints below "not" and in CEL do not name packages), and the requirements of those. If
// several packages provide an API, all are added. `is_kept` says which bundles of the first packages count.
Dependencies find_dependencies(const Catalog& catalog, std::set<std::string_view> packages,
                               const std::function<bool(const Bundle&)>& is_kept);

} // namespace opcat
