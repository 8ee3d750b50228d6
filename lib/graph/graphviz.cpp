#include "graph/graphviz.hpp"

#include "support/error.hpp"
#include "support/shared_library.hpp"

#include <gvc.h>

#include <memory>

namespace opcat {

std::string svg_from_dot(const std::string& dot) {
    constexpr std::string_view alternative = "use -o html or -o dot";
    const SharedLibrary graphs(library::graphviz_graph, alternative);
    const SharedLibrary layouts(library::graphviz_layout, alternative);
    const decltype(&::agmemread) read = graphs["agmemread"];
    const decltype(&::agclose) close = graphs["agclose"];
    const decltype(&::agseterr) set_loudness = graphs["agseterr"];
    const decltype(&::gvContext) make_context = layouts["gvContext"];
    const decltype(&::gvFreeContext) free_context = layouts["gvFreeContext"];
    const decltype(&::gvLayout) layout = layouts["gvLayout"];
    const decltype(&::gvFreeLayout) free_layout = layouts["gvFreeLayout"];
    const decltype(&::gvRenderData) render = layouts["gvRenderData"];
    const decltype(&::gvFreeRenderData) free_data = layouts["gvFreeRenderData"];

    set_loudness(AGMAX); // it writes to standard error by itself
    const std::unique_ptr<GVC_t, decltype(free_context)> context(make_context(), free_context);
    const std::unique_ptr<Agraph_t, decltype(close)> graph(read(dot.c_str()), close);
    if (!context || !graph) throw Error("cannot draw svg: Graphviz cannot read the graph");
    if (layout(context.get(), graph.get(), "dot") != 0)
        throw Error("cannot draw svg: Graphviz cannot lay out the graph",
                    "its plugins may be missing: `dot -V` tells whether it works");
    char* data = nullptr;
    unsigned size = 0;
    const int failed = render(context.get(), graph.get(), "svg", &data, &size);
    std::string svg = failed == 0 && data ? std::string(data, size) : std::string();
    if (data) free_data(data);
    free_layout(context.get(), graph.get());
    if (svg.empty()) throw Error("cannot draw svg: Graphviz cannot write it");
    return svg;
}

} // namespace opcat
