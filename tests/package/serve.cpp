// Serves a catalog until standard input ends: over HTTP as OLM v1's catalogd does, and over gRPC for OLM
// classic.
#include <opcat/base/error.hpp>
#include <opcat/serve/server.hpp>
#include <opcat/workspace/open.hpp>

#include <iostream>

int main(int argc, char** argv) {
    if (argc != 2) return 2; // CATALOG
    try {
        opcat::ThreadPool pool(2);
        const opcat::Source source = opcat::open(argv[1], {}, pool);
        const auto snapshot = opcat::serve::make_snapshot(source, {}, pool);
        if (!snapshot) {
            std::cerr << "opm refuses this catalog\n";
            return 1;
        }
        opcat::serve::ServedCatalogs catalogs;
        catalogs.push_back(std::make_unique<opcat::serve::ServedCatalog>("example"));
        catalogs[0]->publish(snapshot, 0);
        const auto any_port = opcat::serve::Endpoint::parse("localhost:0");
        opcat::serve::Server server({.http = {any_port}, .grpc = {{any_port, 0}}}, catalogs);
        std::cout << "http://" << server.http()[0].to_text() << "/catalogs/example/api/v1/all\n"
                  << "grpc " << server.grpc()[0].endpoint.to_text() << std::endl;
        while (std::cin.get() != EOF) {
        }
        server.drain(std::chrono::seconds(1));
        return 0;
    } catch (const opcat::Error& error) {
        std::cerr << error.what() << '\n';
        return 3;
    }
}
