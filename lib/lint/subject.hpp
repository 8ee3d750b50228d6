// What findings are about: the blob (or manifest), the package and the field that their places are in. By
// these, and not by lines, findings are compared, folded and recognised again in a later version of a
// catalog.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/load.hpp"

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

// Which blob is at a place. The catalogs and bundles must live as long.
class Subjects {
public:
    // In O(n log n) of the catalog's blobs.
    void add(const LoadedCatalog& catalog);

    // The objects of one bundle.
    void add(const std::vector<SubjectAt>& objects);

    // In logarithmic time.
    Subject of(const Location& where) const;

private:
    std::vector<SubjectAt> all_; // sorted
    size_t catalogs_ = 0;
};

// Where in its blob a place is.
struct FieldPath {
    std::string field;     // the same for all items of a list: "entries[].replaces"
    std::string item;      // with the names of the items: "entries[foo.v1.0.0].replaces"
    std::string_view text; // the scalar at the place, if it is one
};
FieldPath field_path(const Value& blob, const Location& where);

// Of each finding a text that stays the same when lines move, blobs change their order, or files their names:
// 32 lower-case hexadecimal digits. It is made of the rule, the package, the blob, the field and its value;
// for places that are in no blob, of the rule and the line; without a place, of the rule and the message.
// Findings that all this does not distinguish are numbered. The words of messages play no part.
std::vector<std::string> fingerprints(const Diagnostics& findings, const Subjects& subjects);

// One finding for all warnings and notes of one severity about the same rule and field of a package, in the
// place of the first one, with their number. Errors stay: each keeps a cluster from the catalog.
Diagnostics fold_alike(const Diagnostics& findings, const Subjects& subjects);

} // namespace opcat
