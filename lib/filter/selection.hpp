// What is to be kept of a catalog.
#pragma once

#include "base/diagnostic.hpp"
#include "semver/constraints.hpp"

#include <map>
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
    // "foo/stable". Throws UsageError.
    void add_channel(std::string_view text);
    // "foo>=1.2 <2": a range as OLM v1 takes them (semver/constraints.hpp). Throws UsageError.
    void add_version(std::string_view text);
    // A file of such: docs/authoring.md. What is wrong with it is in the diagnostics.
    void add_file(const SourceFile& file, Diagnostics& diagnostics);
};

} // namespace opcat
