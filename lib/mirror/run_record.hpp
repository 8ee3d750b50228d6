// The record of a run of a mirror: what, from where, with which digest, and why. For people to keep, sign and
// compare; nothing reads it to decide what is removed (record.hpp).
#pragma once

#include "opcat/mirror/mirror.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct RecordedImage {
    std::string source;
    std::string digest;
    bool is_catalog = false;
    std::vector<std::string> catalogs;
    std::vector<std::string> bundles; // that need it
};
// By the names in the mirror.
using RunRecord = std::map<std::string, RecordedImage>;

// The JSON object of schema "opcat.mirror-record.v1" (docs/json-output.md): all images that are in the mirror
// after the run. Equal runs give equal bytes.
std::string write_run_record(const MirroredImages& mirrored);
// Throws Error.
RunRecord parse_run_record(std::string_view json);

struct RecordChange {
    enum class Kind : uint8_t { added, gone, changed };
    Kind kind = Kind::added;
    std::string target;
    RecordedImage before; // unless it was added
    RecordedImage after;  // unless it is gone
};
std::vector<RecordChange> changes_between(const RunRecord& before, const RunRecord& after);

// Lines of cells for a table, the first with the titles.
std::string changes_as_rows(const std::vector<RecordChange>& changes);
// The JSON object of schema "opcat.mirror-diff.v1", with a line break at the end.
std::string changes_as_json(const std::vector<RecordChange>& changes);

} // namespace opcat
