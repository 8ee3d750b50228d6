// The parts of `opcat resolve`.
#pragma once

#include "catalog_options.hpp"
#include "form.hpp"
#include "olm_release_flags.hpp"
#include "opcat/base/diagnostic.hpp"
#include "opcat/resolve/classic/report.hpp"
#include "opcat/resolve/v1/report.hpp"
#include "opcat/workspace/v1_sources.hpp"
#include "sharding.hpp"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Command;
class Session;
struct Connection;

void add_resolve_v1(Command resolve, Session& session);
void add_resolve_classic(Command resolve, Session& session);
void add_resolve_ocp_upgrade(Command resolve, Session& session);

// Answers the requests in a file of JSON Lines, or on standard input for "-" (docs/resolve-batch.md,
// docs/resolve-classic.md).
void answer_resolve_v1_batch(const BatchFlags& flags, const ImageFlags& images, Session& session);
void answer_resolve_classic_batch(const BatchFlags& flags, const ImageFlags& images, Session& session);

// Catalogs by their REF, each loaded once.
class CatalogCache {
public:
    CatalogCache(Session& session, const ImageFlags& images);

    // The catalogs of `--catalog [NAME=]REF[,priority=N][,labels=KEY=VALUE]…[,unavailable]`, loaded. Nothing
    // if there are errors, which have been printed. Throws RequestError for malformed values and duplicate
    // names; Error, RequestError as open() does.
    std::optional<std::vector<olmv1::NamedCatalog>> load(const std::vector<std::string>& options);

    // References without a name, side by side. Whether they have no errors, which have been printed.
    bool load_all(const std::vector<std::string>& references);

    V1Sources sources; // those that are loaded

private:
    Session& session_;
};

} // namespace opcat
