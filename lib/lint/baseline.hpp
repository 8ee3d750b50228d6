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

    struct Entry {
        std::string package; // empty: the finding is not about a package
        std::string rule;
    };

    bool contains(const std::string& fingerprint) const { return entries_.contains(fingerprint); }
    // By fingerprint.
    const std::unordered_map<std::string, Entry>& entries() const { return entries_; }
    // The options that the findings were looked for with: SelectionOptions::asked.
    const std::string& asked() const { return asked_; }

private:
    std::unordered_map<std::string, Entry> entries_;
    std::string asked_;
};

// The text of a baseline without the findings of some fingerprints; what is said about the others stays.
// Throws Error if it is not JSON.
std::string baseline_without(const SourceFile& file, const std::unordered_set<std::string>& fingerprints);

// The file for these findings, with their rules and messages for people, in an order that does not depend on
// places. `asked`: as Baseline::asked().
std::string baseline_text(const Diagnostics& findings, const Subjects& subjects, const std::string& asked);

} // namespace opcat
