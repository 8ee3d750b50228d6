// The parts of `opcat resolve`.
#pragma once

#include "resolve/v1/resolver.hpp"

#include <map>
#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace opcat {

class Session;

void add_resolve_v1(CLI::App& resolve, Session& session);

// Answers the requests in a file of JSON Lines, or on standard input for "-" (docs/resolve-batch.md).
void answer_resolve_v1_batch(const std::string& path, Session& session);

// Catalogs by the REF that names them, each loaded once.
class CatalogShelf {
public:
    explicit CatalogShelf(Session& session) : session_(session) {}

    // A catalog that cannot be read is an index that says so, in OLM's words.
    const olmv1::CatalogIndex& index_or_failure(const std::string& reference);
    // nullptr if there are findings, which have been printed. Throws Error, UsageError as load_references.
    const olmv1::CatalogIndex* index_or_findings(const std::string& reference);

private:
    Session& session_;
    std::map<std::string, std::unique_ptr<olmv1::CatalogIndex>> indices_;
};

} // namespace opcat
