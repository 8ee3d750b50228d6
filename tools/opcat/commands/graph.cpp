#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/work.hpp"
#include "opcat/graph/draw.hpp"
#include "opcat/graph/path_report.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/lint/lint.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <algorithm>

namespace opcat {
namespace {

struct GraphOptions {
    std::string reference;
    std::string package;
    std::string channel;
    Form format = Form::text;
    std::optional<OlmGeneration> olm;
    std::string from;
    std::string to;
    ImageFlags images;
    TemplateUse templates{.bundle_directories = {}, .needs_channels = true};
};

constexpr size_t most_edges = 500'000;
// Of pictures that show the graph of one OLM.
constexpr OlmGeneration default_olm = OlmGeneration::classic;
constexpr size_t most_svg_edges = 5'000; // Graphviz takes minutes beyond

void refuse_too_many_edges(const GraphView& view, const GraphOptions& options) {
    const size_t edges = count_edges(view);
    const std::string help = "choose a package with -p or a channel with -c, or use -o html or -o text";
    if (options.format == Form::svg && edges > most_svg_edges)
        throw RequestError(
            fmt::format("{} edges are too many to draw as svg (at most {})", edges, most_svg_edges), help);
    if (edges > most_edges)
        throw Error(fmt::format("{} edges are too many to draw as {} (at most {}) [limit]", edges,
                                to_string(options.format), most_edges),
                    help);
}

// What check_health looks at: of each channel all nodes, and for the minor versions before it those of up to
// 64 other channels.
uint64_t steps_of_health(const PackageView& package) {
    const uint64_t channels = package.channels.size();
    return package.package->nodes.size() * channels * std::min<uint64_t>(channels, 64);
}

Diagnostics health_of(const GraphView& view, Session& session) {
    Work work;
    GraphView checked;
    for (const PackageView& package : view) {
        if (work.take(steps_of_health(package))) {
            checked.push_back(package);
            continue;
        }
        session.print_warning(fmt::format(
            "the upgrades of package \"{}\" are not checked: {} channels of {} versions are too many [limit]",
            escape_controls(package.package->name), package.channels.size(), package.package->nodes.size()));
        session.exit_status = exit_environment;
    }
    return check_health(checked);
}

std::string draw(const LoadedCatalog& loaded, const GraphView& view, const GraphOptions& options,
                 Session& session) {
    const Form format = options.format;
    if (format == Form::html) {
        std::string title = options.reference;
        if (!options.package.empty()) title = options.package + " — " + title;
        return draw_html(view, health_of(view, session), title, options.olm.value_or(default_olm));
    }
    if (format == Form::text)
        return in_locale(draw_text(view, {session.colour_on_stdout(), options.olm}), session);
    refuse_too_many_edges(view, options);
    if (format == Form::json) return draw_json(view, health_of(view, session));
    if (format == Form::mermaid) {
        const MermaidGraph graph =
            draw_mermaid(loaded.catalog, {.package = options.package,
                                          .channel = options.channel,
                                          .minimum_edge = {},
                                          .classic_semantics = options.olm == OlmGeneration::classic});
        print_findings(graph.diagnostics, session);
        if (graph.text.empty()) session.exit_status = exit_findings;
        return escape_controls_in_lines(graph.text);
    }
    const OlmGeneration olm = options.olm.value_or(default_olm);
    return format == Form::svg ? draw_svg(view, olm) : draw_dot(view, olm);
}

// The value of --from, and the single package of the question.
PathQuestion question_about(const GraphView& view, const GraphOptions& options) {
    std::vector<KnownBundle> bundles;
    for (const PackageView& package : view) append_known_bundles(bundles, *package.package);
    const InstalledName from = read_installed_name(options.from, bundles, GoneBundle::with_version);
    const auto package = std::find_if(view.begin(), view.end(), [&](const PackageView& one) {
        return view.size() == 1 || one.package->name == from.package;
    });
    if (package == view.end())
        throw RequestError("--from needs to know the package", "name it with -p PACKAGE");
    return {*package, as_installed(*package->package, from), no_node, options.olm};
}

// `refusal`: why OLM classic gets nothing of the catalog; empty: it does.
void find_path(const GraphView& view, const GraphOptions& options, const std::string& refusal,
               Session& session) {
    if (options.format != Form::text && options.format != Form::json)
        throw RequestError("--from answers with -o text or -o json");
    PathQuestion question = question_about(view, options);
    if (!options.to.empty()) {
        const PackageGraph& package = *question.view.package;
        std::vector<KnownBundle> bundles;
        append_known_bundles(bundles, package);
        question.to =
            as_installed(package, read_installed_name(options.to, bundles, GoneBundle::refused)).node;
    }
    PathReport report = find_paths(std::move(question));
    if (!refusal.empty()) report.refuse_classic(refusal);
    session.out.write(options.format == Form::json
                          ? path_report_as_json(report)
                          : in_locale(path_report_as_text(report, session.colour_on_stdout()), session));
    if (!refusal.empty()) {
        session.out.flush();
        session.print_warning(refusal);
    }
    if (!report.arrives()) session.exit_status = exit_findings;
}

void run(const GraphOptions& options, Session& session) {
    const Source source =
        open(options.reference, opening(options.images, session, StandardInput::taken, options.templates),
             session.pool());
    const LoadedCatalog& loaded = source.loaded();
    if (!report_findings(loaded.diagnostics, session)) return;
    warn_of_no_packages(loaded.catalog, options.reference, session);
    const UpgradeGraph graph = build_upgrade_graph(loaded.catalog, session.pool());
    GraphView view = select(graph, options.package, options.channel);
    add_lifecycles(view, loaded.catalog);
    if (!options.from.empty()) {
        const std::string refusal = options.olm == OlmGeneration::v1 || loaded.bundles_unknown
                                        ? std::string()
                                        : refusal_by_opm(options.reference, loaded.catalog, session.pool());
        find_path(view, options, refusal, session);
        return;
    }
    if (!options.to.empty()) throw RequestError("--to needs --from", "name what is installed: --from 1.2.3");
    session.out.write(draw(loaded, view, options, session));
    if (options.format != Form::text) return;
    session.out.flush();
    if (!session.options.quiet) print_findings(health_of(view, session), session);
}

} // namespace

void add_graph(Command tree, Session& session) {
    const Command command = tree.add_command(
        "graph", "Draw upgrade graphs, or explain the upgrade path from one version to another");
    auto& options = command.action<GraphOptions>(run, session);
    command.add_option("REF", options.reference, reference_help(session)).required();
    command.add_option("-p,--package", options.package, "Only this package");
    command.add_option("-c,--channel", options.channel, "Only channels of this name");
    command.add_choice("-o,--output", options.format,
                       {Form::text, Form::mermaid, Form::dot, Form::svg, Form::html, Form::json},
                       "text, mermaid, dot, svg, html or json");
    command.add_choice("--olm", options.olm, {OlmGeneration::classic, OlmGeneration::v1},
                       "As this OLM sees it: classic or v1 (default in dot, svg and html: classic)");
    command.add_option("--from BUNDLE", options.from,
                       "The installed bundle: BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION or VERSION");
    command.add_option("--to BUNDLE", options.to,
                       "The target, written like --from (default: the end of the upgrade path)");
    add_image_flags(command, options.images);
    add_template_flags(command, options.templates);
    command.footer("Examples:\n"
                   "  opcat graph catalog/ -p foo                       # in the terminal\n"
                   "  opcat graph catalog/ -o html > graph.html         # to click through\n"
                   "  opcat graph catalog/ -p foo --from 1.2.0          # where does 1.2.0 go, and why?\n"
                   "  opcat graph catalog/ -p foo --from 1.2.0 --to foo.v2.0.0 --olm classic\n\n"
                   "Exit status: 1 if there is no upgrade path from --from.");
}

namespace {

struct OpmGraphOptions {
    std::vector<std::string> references;
    std::string package;
    std::string minimum_edge;
    bool classic_semantics = false;
};

void render_for_opm(const OpmGraphOptions& options, Session& session) {
    OpenOptions how = opening({}, session);
    how.taken = Taken::catalogs;
    const Source source = open_together(options.references, how, session.pool());
    const LoadedCatalog& loaded = source.loaded();
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
    const Command command = alpha.add_command(
        "render-graph", "Generate mermaid-formatted view of upgrade graph of operators in an index");
    auto& options = command.action<OpmGraphOptions>(render_for_opm, session);
    command.add_option("REF", options.references, "Catalogs").required();
    command.add_option("-p,--package-name", options.package, "Only this package");
    command.add_option("--minimum-edge", options.minimum_edge,
                       "Only this bundle and newer ones of its package");
    command.add_flag(
        "--draw-v0-semantics", options.classic_semantics,
        "Mark bundles and edges that OLM classic ignores: skipped bundles, and edges that lead to them");
    command.footer("Example:\n  opm alpha render-graph -p foo catalog/ > graph.mmd");
}

} // namespace opcat
