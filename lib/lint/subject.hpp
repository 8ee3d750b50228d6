// The subjects of findings: the blob (or manifest), the package and the field at their places. By these, and
// not by lines, findings are compared, grouped and recognised in a later version of a catalog.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/load.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct Subject {
    size_t catalog = 0;            // or bundle, in the order in which they were added
    std::string_view package = {}; // empty: none, as for a place outside of all blobs
    std::string_view schema = {};  // of the blob, or the kind of an object; empty: there is none
    std::string_view name = {};    // of the blob
    const Value* value = nullptr;  // the blob
};

struct SubjectAt {
    const SourceFile* file;
    Subject subject; // with a value
};

// The blob at a place. The catalogs and bundles must outlive the object.
class Subjects {
public:
    // O(n log n) in the catalog's blobs.
    void add(const LoadedCatalog& catalog);

    // The objects of one bundle.
    void add(const std::vector<SubjectAt>& objects);

    // In logarithmic time.
    Subject of(const Location& where) const;

    // Those of all blobs. In linear time.
    std::set<std::string_view> packages() const;

private:
    std::vector<SubjectAt> all_; // sorted
    size_t catalogs_ = 0;
};

// A place within its blob.
struct FieldPath {
    std::string field;     // the same for all items of a list: "entries[].replaces"
    std::string item;      // with the names of the items: "entries[foo.v1.0.0].replaces"
    std::string_view text; // the scalar at the place, if it is one
};
FieldPath field_path(const Value& blob, const Location& where);

// For each finding a text that stays the same if lines move, blobs change their order, or files their names:
// 32 lower-case hexadecimal digits. It depends on the rule, the package, the blob, the field and its value;
// for a whole object, and without a place, on the message, too; for places outside of blobs, on the rule and
// the line; always on what distinguishes the finding. Findings with equal texts are numbered.
class Fingerprints {
public:
    // Refers to the subjects.
    explicit Fingerprints(const Subjects& subjects) : subjects_(&subjects) {}

    std::string next(const Diagnostic& finding);

private:
    const Subjects* subjects_;
    std::map<std::string, size_t> counts_;
};
std::vector<std::string> fingerprints(const Diagnostics& findings, const Subjects& subjects);

// One finding for all warnings and notes of one severity about the same rule and field of a package, at the
// place of the first one, with their number. Errors stay separate: each prevents the use of the catalog.
Diagnostics fold_alike(const Diagnostics& findings, const Subjects& subjects);

} // namespace opcat
