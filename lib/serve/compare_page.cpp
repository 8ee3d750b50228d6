#include "opcat/serve/compare_page.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/graph/diff_report.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/pages/html.hpp"
#include "opcat/serve/slow_answers.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace opcat::serve {
namespace {

constexpr size_t longest_page = size_t{8} << 20;

std::string difference(const ComparedCatalog& from, const ComparedCatalog& to, const std::string& package) {
    ThreadPool here(1);
    const LoadedCatalog before = load_all(*from.document, here);
    const LoadedCatalog after = load_all(*to.document, here);
    const UpgradeGraph old_graph = build_upgrade_graph(before.catalog, here);
    const UpgradeGraph new_graph = build_upgrade_graph(after.catalog, here);
    DiffOptions how;
    if (!package.empty()) {
        if (!old_graph.find(package) && !new_graph.find(package))
            throw RequestError(fmt::format("neither catalog has the package {}", package));
        how.packages.insert(package);
    }
    std::vector<NamedDiff> found;
    found.push_back({from.name + " → " + to.name,
                     diff_catalogs({before.catalog, old_graph}, {after.catalog, new_graph}, how),
                     compare_channels(old_graph, new_graph, how)});
    std::string page = diff_as_html(found, {.assets = "./", .back = "index.html"});
    if (page.size() > longest_page)
        throw Error(fmt::format("the differences are {} of HTML, too many for a page [limit]",
                                human_size(page.size())),
                    "name one package");
    return page;
}

std::string problem_page(const std::string& problem) {
    return pages::whole_page(
        {.title = "Compare", .root = "", .above = {{"Home", "index.html"}}, .search = {}},
        "<h1>Compare</h1>\n" + problem);
}

} // namespace

std::string compare_page(const ComparedCatalog& from, const ComparedCatalog& to, const std::string& package) {
    std::string page;
    const auto problem =
        problem_of([&] { page = difference(from, to, package); }, "name one package, or use opcat diff");
    return problem ? problem_page(*problem) : page;
}

} // namespace opcat::serve
