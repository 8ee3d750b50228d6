#include "command.hpp"
#include "graph/mermaid.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <memory>

namespace opcat {
namespace {

struct Options {
    std::vector<std::string> references;
    std::string package;
    std::string minimum_edge;
    bool classic_semantics = false;
};

void run(const Options& options, Session& session) {
    const LoadedCatalog loaded = load_references(options.references, session, {.taken = Taken::catalogs});
    if (!report_findings(loaded.diagnostics, session)) return;
    const MermaidGraph graph = draw_mermaid(loaded.catalog, {.package = options.package,
                                                             .channel = {},
                                                             .minimum_edge = options.minimum_edge,
                                                             .classic_semantics = options.classic_semantics});
    print_findings(graph.diagnostics, session);
    if (has_errors(graph.diagnostics)) session.exit_status = exit_findings;
    session.out.write(graph.text);
}

} // namespace

void add_opm_render_graph(Command alpha, Session& session) {
    const auto options = std::make_shared<Options>();
    const Command command = alpha.add_command(
        "render-graph", "Generate mermaid-formatted view of upgrade graph of operators in an index");
    command.add_option("REF", options->references, "Catalogs").required();
    command.add_option("-p,--package-name", options->package, "Only this package");
    command.add_option("--minimum-edge", options->minimum_edge,
                       "Only this bundle and what is newer, of its package");
    command.add_flag("--draw-v0-semantics", options->classic_semantics,
                     "Mark what OLM classic leaves out: skipped bundles, and edges that lead to them");
    command.footer("Example: opm alpha render-graph -p foo catalog/ > graph.mmd");
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
