#include "graph/graphviz.hpp"

#include "support/error.hpp"

#include <dlfcn.h>
#include <gvc.h>

#include <memory>

namespace opcat {
namespace {

// The libraries that the headers we are built with belong to.
constexpr const char* layout_library = "libgvc.so.6";
constexpr const char* graph_library = "libcgraph.so.6";

class Library {
public:
    explicit Library(const char* name) : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
        if (!handle_)
            throw Error(std::string("cannot draw svg: Graphviz's library is not installed (") + name + ")",
                        "install it (Debian: apt-get install libgvc6), or use -o html or -o dot");
    }
    // It stays loaded: it does not survive being loaded twice.

    template <typename Function>
    Function* get(const char* name) const {
        void* const symbol = ::dlsym(handle_, name);
        if (!symbol) throw Error(std::string("cannot draw svg: Graphviz's library has no ") + name);
        return reinterpret_cast<Function*>(symbol);
    }

private:
    void* handle_;
};

} // namespace

std::string svg_from_dot(const std::string& dot) {
    const Library graphs(graph_library);
    const Library layouts(layout_library);
    const auto read = graphs.get<decltype(agmemread)>("agmemread");
    const auto close = graphs.get<decltype(agclose)>("agclose");
    const auto set_loudness = graphs.get<decltype(agseterr)>("agseterr");
    const auto make_context = layouts.get<decltype(gvContext)>("gvContext");
    const auto free_context = layouts.get<decltype(gvFreeContext)>("gvFreeContext");
    const auto layout = layouts.get<decltype(gvLayout)>("gvLayout");
    const auto free_layout = layouts.get<decltype(gvFreeLayout)>("gvFreeLayout");
    const auto render = layouts.get<decltype(gvRenderData)>("gvRenderData");
    const auto free_data = layouts.get<decltype(gvFreeRenderData)>("gvFreeRenderData");

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
