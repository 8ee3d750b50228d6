#include "opcat/lsp/graph_page.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/draw.hpp"
#include "opcat/graph/graph_view.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/olm/package_graph.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace opcat::lsp {

namespace {

// After the revision that it has, the page is loaded again when that changes.
constexpr std::string_view following = R"(<script>
window.opcat_follow = (place, revision) => {
  if (window.opcat_revision !== undefined && window.opcat_revision !== revision) location.reload();
  window.opcat_revision = revision;
  if (window.opcat_place !== place) location.hash = window.opcat_place = place;
};
setInterval(() => {
  const script = document.createElement('script');
  script.src = 'cursor.js?' + Date.now();
  script.onload = script.onerror = () => script.remove();
  document.head.append(script);
}, 300);
</script>
)";

} // namespace

std::string graph_page(const CatalogAnalysis& analysis, std::string_view package) {
    const PackageIndex index = index_of_package(analysis, package);
    if (index.packages.empty() && index.channels.empty() && index.bundles.empty())
        throw RequestError(fmt::format("the catalog does not have the package \"{}\"", package));
    UpgradeGraph graph;
    graph.packages.push_back(build_package_graph(index));
    const GraphView view = select(graph, {}, {});
    // Places are those of documents, not of files: findings are in the editor.
    return draw_html(view, {}, package, OlmGeneration::classic);
}

void GraphPage::write_page(const CatalogAnalysis& analysis) {
    std::string page = graph_page(analysis, package_);
    const size_t end = page.rfind("</body>");
    page.insert(end == page.npos ? page.size() : end, following);
    write_file(directory_->path() / "graph.html", page);
}

void GraphPage::write_cursor() {
    const std::string place = "#" + escape_for_url(package_) + "/" + escape_for_url(bundle_);
    write_file(directory_->path() / "cursor.js",
               fmt::format("opcat_follow({}, {});\n", as_line(nlohmann::json(place)), revision_));
}

std::string GraphPage::open(const CatalogAnalysis& analysis, const std::string& package,
                            const std::string& bundle) {
    if (!directory_)
        directory_ = std::make_unique<TemporaryDirectory>(std::filesystem::temp_directory_path());
    package_ = package;
    bundle_ = bundle;
    ++revision_;
    write_page(analysis);
    write_cursor();
    return (directory_->path() / "graph.html").string();
}

void GraphPage::follow(const Thing& thing) {
    if (!directory_ || thing.kind != ThingKind::bundle || thing.package != package_ || thing.name == bundle_)
        return;
    bundle_ = thing.name;
    try {
        write_cursor();
    } catch (const Error&) {
        directory_.reset(); // somebody has removed it: there is no page any more
    }
}

void GraphPage::catalog_changed(const CatalogAnalysis& analysis) {
    if (!directory_) return;
    ++revision_;
    try {
        write_page(analysis);
        write_cursor();
    } catch (const RequestError&) {
        return; // the package is gone, for now
    } catch (const Error&) {
        directory_.reset();
    }
}

} // namespace opcat::lsp
