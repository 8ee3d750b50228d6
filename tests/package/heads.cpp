// Prints the head of each channel of a catalog, and the findings about the catalog.
#include <opcat/base/error.hpp>
#include <opcat/base/thread_pool.hpp>
#include <opcat/graph/contents.hpp>
#include <opcat/lint/lint.hpp>
#include <opcat/workspace/open.hpp>

#include <iostream>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        opcat::ThreadPool pool(2);
        const opcat::Source source = opcat::open(argv[1], {}, pool);
        const opcat::Diagnostics findings = opcat::lint({{source}}, {}, pool).findings;
        for (const opcat::Diagnostic& finding : findings) std::cout << opcat::to_text(finding, {});

        const opcat::UpgradeGraph graph = opcat::build_upgrade_graph(source.catalog(), pool);
        for (const opcat::PackageGraph& package : graph.packages)
            for (const opcat::ChannelRow& channel : opcat::list_channels(package))
                std::cout << package.name << ' ' << channel.channel->name << ": " << channel.head << '\n';
        return findings.empty() ? 0 : 1;
    } catch (const opcat::Error& error) {
        std::cerr << error.what() << '\n';
        return 3;
    }
}
