// A project's known findings, so that only new ones are reported: a file of their fingerprints (subject.hpp),
// of schema "opcat.baseline.v1".
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/lint/subject.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace opcat {

class Baseline {
public:
    // Reads the file. Mistakes in it are added to `problems`, errors of rule "baseline".
    static Baseline read(const SourceFile& file, Diagnostics& problems);

    bool contains(const std::string& fingerprint) const { return packages_.contains(fingerprint); }
    // The package of each fingerprint; empty: the finding is not about a package.
    const std::unordered_map<std::string, std::string>& packages() const { return packages_; }

private:
    std::unordered_map<std::string, std::string> packages_;
};

// The text of a baseline without the findings of some fingerprints; what is said about the others stays.
// Throws Error if it is not JSON.
std::string baseline_without(const SourceFile& file, const std::unordered_set<std::string>& fingerprints);

// The file for these findings, with their rules and messages for people, in an order that does not depend on
// places.
std::string baseline_text(const Diagnostics& findings, const Subjects& subjects);

} // namespace opcat
