// What to keep of a catalog: the packages, channels and versions selected, and the packages that these need.
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
    std::vector<VersionSelection> versions; // any of them will do; none: all
};

// By the name of the package. What several say about one package is taken together.
struct Selection {
    std::map<std::string, PackageSelection> packages;

    // "foo"
    void add_package(std::string_view text);
    // "foo/stable". Throws RequestError.
    void add_channel(std::string_view text);
    // "foo>=1.2 <2": a range as OLM v1 takes them (semver/constraints.hpp). Throws RequestError.
    void add_version(std::string_view text);
    // A file of such: docs/authoring.md. What is wrong with it is in the diagnostics.
    void add_file(const SourceFile& file, Diagnostics& diagnostics);
};

struct Dependencies {
    std::set<std::string_view> packages; // with what was there at the beginning
    std::vector<std::string> missing;    // what a bundle requires and nothing in the catalog is, in words
};

// Adds to `packages` all that their bundles require, as olm.package.required, olm.gvk.required and
// olm.constraint say it (constraints below "not" and in CEL name nothing), and what those require. Of several
// packages that provide an API all are added. `is_kept` says which bundles of the first packages count.
Dependencies find_dependencies(const Catalog& catalog, std::set<std::string_view> packages,
                               const std::function<bool(const Bundle&)>& is_kept);

} // namespace opcat
