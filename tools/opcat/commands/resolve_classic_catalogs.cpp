#include "catalog/check.hpp"
#include "references.hpp"
#include "resolve_classic.hpp"
#include "session.hpp"

namespace opcat {

std::string unreachable_catalog(std::string_view address) {
    return fmt::format(
        "failed to list bundles: rpc error: code = Unavailable desc = connection error: desc = "
        "\"transport: Error while dialing: dial tcp {}: connect: connection refused\"",
        address);
}

const ClassicShelf::Loaded& ClassicShelf::load(const std::string& reference) {
    const auto [found, fresh] = loaded_.try_emplace(reference);
    if (!fresh) return found->second;
    LoadedCatalog loaded = load_references({reference}, session_, {.images = images_});
    const auto errors = [](Diagnostics findings) {
        std::erase_if(findings, [](const Diagnostic& d) { return d.severity != Severity::error; });
        return findings;
    };
    found->second.findings = errors(std::move(loaded.diagnostics));
    if (found->second.findings.empty())
        found->second.findings = errors(check_catalog(loaded.catalog, session_.pool()));
    found->second.catalog = std::move(loaded.catalog);
    return found->second;
}

const Diagnostics& ClassicShelf::findings(const std::string& reference) {
    return load(reference).findings;
}

classic::AvailableCatalog ClassicShelf::catalog(const classic::CatalogKey& key,
                                                const std::string& reference) {
    const Loaded& loaded = load(reference);
    // The port that a registry would listen on.
    if (!loaded.findings.empty()) return {key, nullptr, unreachable_catalog("127.0.0.1:50051")};
    auto& snapshot = snapshots_[{reference, key}];
    if (!snapshot) snapshot = classic::catalog_snapshot(key, loaded.catalog);
    return {key, snapshot, {}};
}

} // namespace opcat
