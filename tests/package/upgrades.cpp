// Prints what OLM v1 installs of a package, or upgrades an installed version to, and where that leads.
#include <opcat/base/error.hpp>
#include <opcat/base/thread_pool.hpp>
#include <opcat/resolve/v1/upgrade_path.hpp>
#include <opcat/workspace/open.hpp>

#include <iostream>

int main(int argc, char** argv) {
    if (argc != 3 && argc != 4) return 2; // CATALOG PACKAGE [INSTALLED BUNDLE]
    try {
        opcat::ThreadPool pool(2);
        const opcat::Source source = opcat::open(argv[1], {}, pool);
        const opcat::olmv1::CatalogIndex index(source.catalog());
        const opcat::olmv1::NamedCatalog catalogs[] = {{.name = "catalog", .index = &index}};

        opcat::olmv1::Request request;
        request.package = argv[2];
        if (argc == 4)
            if (const opcat::PackageGraph* package = index.find(argv[2]))
                for (const opcat::PackageBundle& bundle : package->bundles)
                    if (bundle.name() == argv[3])
                        request.installed = opcat::olmv1::as_installed(bundle, false);

        const opcat::olmv1::UpgradePath path = opcat::olmv1::follow_upgrades(request, catalogs);
        for (const auto& step : path.steps)
            std::cout << step.choice.bundle->name() << (step.edge.empty() ? "" : ": ") << step.edge << '\n';
        if (!path.error.empty()) std::cout << path.error << '\n';
        return path.error.empty() ? 0 : 1;
    } catch (const opcat::Error& error) {
        std::cerr << error.what() << '\n';
        return 3;
    }
}
