// Prints what OLM classic does next in a namespace of a cluster, one of whose CatalogSources serves a
// catalog.
#include <opcat/base/error.hpp>
#include <opcat/base/file.hpp>
#include <opcat/resolve/classic/preflight.hpp>
#include <opcat/workspace/classic_sources.hpp>

#include <iostream>

namespace classic = opcat::classic;

int main(int argc, char** argv) {
    if (argc != 5) return 2; // MANIFESTS NAMESPACE CATALOGSOURCE CATALOG
    try {
        opcat::ThreadPool pool(2);
        classic::ClusterState cluster; // as `kubectl get csv,sub,og,catsrc -A -o yaml` prints it
        opcat::Diagnostics findings;
        classic::read_manifests(opcat::read_file(argv[1], argv[1]), cluster, findings);

        opcat::ClassicSources sources({}, pool);
        const std::string ns = argv[2];
        const std::string global_ns = classic::likely_global_namespace(cluster, ns);
        const classic::AvailableCatalog catalogs[] = {sources.catalog({global_ns, argv[3]}, argv[4])};
        const classic::Prediction next =
            classic::predict({.ns = ns, .global_ns = global_ns, .cluster = &cluster, .catalogs = catalogs});

        for (const classic::ResolvedOperator& resolved : next.resolution.operators)
            std::cout << resolved.entry->name << " of channel " << resolved.entry->channel << '\n';
        findings.append(opcat::Diagnostics(next.findings));
        for (const opcat::Diagnostic& finding : findings) std::cout << opcat::to_text(finding, {});
        if (!next.resolution.error.empty()) std::cout << next.resolution.error << '\n';
        return next.resolution.error.empty() ? 0 : 1;
    } catch (const opcat::Error& error) {
        std::cerr << error.what() << '\n';
        return 3;
    }
}
