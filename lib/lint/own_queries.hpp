// Questions that a project asks of catalogs often: `queries:` of .opcat.yaml (docs/query.md).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/value.hpp"

#include <string>
#include <vector>

namespace opcat {

struct OwnQuery {
    static constexpr size_t most = 100;                  // in a file
    static constexpr size_t longest = size_t{64} * 1024; // bytes of a statement or a question

    std::string name;
    std::string question; // may be empty
    std::string sql;      // not checked here: query/sql_rules.hpp
    std::string origin;   // "FILE:LINE:COLUMN"
};

// Reads the list of a configuration file. Mistakes are added to the diagnostics.
std::vector<OwnQuery> read_own_queries(const SourceFile& file, const Value& list, Diagnostics& diagnostics);

} // namespace opcat
