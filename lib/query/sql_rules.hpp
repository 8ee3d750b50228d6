// The statements of .opcat.yaml: a project's queries, and its rules in SQL, where each row is a finding.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/source.hpp"
#include "opcat/lint/own_queries.hpp"
#include "opcat/lint/own_rules.hpp"

#include <span>

namespace opcat::query {

// Throws RequestError for a rule or a query whose statement is not one that only reads the tables.
void require_valid(std::span<const OwnRule> rules, std::span<const OwnQuery> queries);

// A warning for each row; levels are those of the configuration. It is at the line that the columns `file`
// and `line` name, or else at the `bundle`, the `channel` or the `package` of the row. All statements
// together may work as much as one of `opcat query` (Limits): a finding of the rule "limit" says which one
// did not end. Nothing for a catalog that did not load: rows would be missing.
Diagnostics find_by_rules(const Source& catalog, std::span<const OwnRule> rules, ThreadPool& pool);

} // namespace opcat::query
