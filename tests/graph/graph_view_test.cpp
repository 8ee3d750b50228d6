// Covers lib/graph/graph_view.cpp.
#include "../load_text.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/graph/graph_view.hpp"
#include "opcat/olm/package_graph.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace opcat;

namespace {

// `channels`: their names and the version of their one entry.
std::string order_of(const std::vector<std::pair<std::string, std::string>>& channels) {
    std::string text = "schema: olm.package\nname: foo\ndefaultChannel: a\n";
    std::set<std::string> versions;
    for (const auto& [name, version] : channels) {
        text +=
            fmt::format("---\nschema: olm.channel\npackage: foo\nname: '{}'\nentries: [{{name: foo.v{}}}]\n",
                        name, version);
        versions.insert(version);
    }
    for (const std::string& version : versions)
        text +=
            fmt::format("---\nschema: olm.bundle\npackage: foo\nname: foo.v{0}\nimage: i.example/foo:v{0}\n"
                        "properties: [{{type: olm.package, value: {{packageName: foo, version: '{0}'}}}}]\n",
                        version);
    const LoadedCatalog loaded = load_text(text);
    ThreadPool pool(1);
    const UpgradeGraph graph = build_upgrade_graph(loaded.catalog, pool);
    const PackageGraph& package = *graph.find("foo");
    std::string order;
    for (const ChannelGraph* const channel : newest_first(package, package.all_channels()))
        order += (order.empty() ? "" : " ") + std::string(channel->name);
    return order;
}

} // namespace

TEST_CASE("channels with newer versions come first, of equally new ones those with the greater number") {
    const struct {
        std::vector<std::pair<std::string, std::string>> channels;
        const char* order;
    } cases[] = {
        {{{"stable-3.6", "3.6.2"},
          {"stable-3.17", "3.17.1"},
          {"stable-3.9", "3.9.0"},
          {"stable-3.10", "3.10.0"}},
         "stable-3.17 stable-3.10 stable-3.9 stable-3.6"},
        {{{"fast-1", "1.0.0"}, {"fast-2", "2.1.0"}, {"stable-1", "1.0.0"}, {"stable-2", "2.0.0"}},
         "fast-2 stable-2 fast-1 stable-1"},
        {{{"stable-3.9", "1.0.0"}, {"stable-3.10", "1.0.0"}, {"stable-3.010", "1.0.0"}, {"stable", "1.0.0"}},
         "stable stable-3.010 stable-3.10 stable-3.9"},
        {{{"v9", "1.0.0"}, {"v99999999999999999999999", "1.0.0"}, {"va", "1.0.0"}},
         "v99999999999999999999999 v9 va"},
        {{{"broken", "none"}, {"alpha", "0.1.0"}}, "alpha broken"},
    };
    for (const auto& one : cases) CHECK(order_of(one.channels) == one.order);
}

TEST_CASE("the view of one package has that package, whichever come before it") {
    std::string text;
    for (const char* const name : {"bar", "foo", "gnu"})
        text += fmt::format("schema: olm.package\nname: {0}\ndefaultChannel: a\n---\n"
                            "schema: olm.channel\npackage: {0}\nname: a\nentries: [{{name: {0}.v1}}]\n---\n",
                            name);
    const LoadedCatalog loaded = load_text(text);
    ThreadPool pool(1);
    const UpgradeGraph graph = build_upgrade_graph(loaded.catalog, pool);
    const GraphView view = select(graph, "foo", "");
    REQUIRE(view.size() == 1);
    CHECK(view.front().package->name == "foo");
    CHECK(view.front().channels.size() == 1);
    CHECK(select(graph, "", "a").size() == 3);
}
