#include "cluster/survey.hpp"
#include "lint/lint.hpp"
#include "references.hpp"
#include "resolve_classic.hpp"
#include "session.hpp"

#include <set>

namespace opcat {

std::string unreachable_catalog(std::string_view address) {
    return fmt::format(
        "failed to list bundles: rpc error: code = Unavailable desc = connection error: desc = "
        "\"transport: Error while dialing: dial tcp {}: connect: connection refused\"",
        address);
}

void ClassicShelf::load(const std::vector<std::string>& references) {
    std::set<std::string> distinct(references.begin(), references.end());
    std::erase_if(distinct, [&](const std::string& reference) { return loaded_.contains(reference); });
    const std::vector<std::string> missing(distinct.begin(), distinct.end());
    std::vector<LoadedCatalog> catalogs = load_each_reference(missing, session_, {.images = images_});
    for (size_t i = 0; i < missing.size(); ++i) {
        Diagnostics findings = find_errors(catalogs[i], session_.pool());
        loaded_[missing[i]] = {std::move(catalogs[i].catalog), std::move(findings)};
    }
}

const ClassicShelf::Loaded& ClassicShelf::loaded(const std::string& reference) {
    load({reference});
    return loaded_.at(reference);
}

const Diagnostics& ClassicShelf::findings(const std::string& reference) {
    return loaded(reference).findings;
}

classic::AvailableCatalog ClassicShelf::catalog(const classic::CatalogKey& key,
                                                const std::string& reference) {
    const Loaded& served = loaded(reference);
    // The port that a registry would listen on.
    if (!served.findings.empty()) return {key, nullptr, unreachable_catalog("127.0.0.1:50051")};
    auto& snapshot = snapshots_[{reference, key}];
    if (!snapshot) snapshot = classic::catalog_snapshot(key, served.catalog);
    return {key, snapshot, {}};
}

std::string likely_global_namespace(const classic::ClusterState& cluster, const std::string& ns) {
    std::set<std::string> others;
    for (const classic::CatalogSource& source : cluster.catalog_sources)
        if (source.ns != ns) others.insert(source.ns);
    const std::string usual = cluster::usual_global_namespace(others);
    return !usual.empty() ? usual : others.empty() ? ns : *others.begin();
}

} // namespace opcat
