// Graphviz's library is opened when a picture is drawn, and its few functions are declared here: as
// they are used by one command alone, neither the programs nor their build depend on it.
// https://graphviz.org/pdf/libguide.pdf

#include "pipeline/draw/draw.hpp"

#include <fmt/core.h>
#include <boost/dll/shared_library.hpp>

#include <memory>

namespace ptp::pipeline {

namespace {

namespace dll = boost::dll;

struct GVC_t;
struct Agraph_t;

constexpr int kSilent = 3;  // AGMAX: nothing is printed

dll::shared_library open_graphviz() {
    for (const char* name : {"libgvc.so.6", "libgvc.so.7", "libgvc.so"}) {
        dll::fs::error_code error;
        dll::shared_library library(name, error, dll::load_mode::search_system_folders);
        if (library.is_loaded()) {
            return library;
        }
    }
    throw GraphvizError(
        "Graphviz's library (libgvc.so.6) cannot be opened; install it (Debian: apt-get install "
        "libgvc6), or write --format dot and lay that out elsewhere");
}

}  // namespace

std::string render_dot(const std::string& dot, std::string_view format) {
    // Graphviz's own plugins stay in use until the process ends.
    static const dll::shared_library library = open_graphviz();
    library.get<int(int)>("agseterr")(kSilent);
    library.get<int()>("agreseterrors")();
    const std::unique_ptr<GVC_t, int (*)(GVC_t*)> context(
        library.get<GVC_t*()>("gvContext")(), &library.get<int(GVC_t*)>("gvFreeContext"));
    const std::unique_ptr<Agraph_t, int (*)(Agraph_t*)> graph(
        library.get<Agraph_t*(const char*)>("agmemread")(dot.c_str()),
        &library.get<int(Agraph_t*)>("agclose"));
    if (graph == nullptr) {
        throw GraphvizError("Graphviz cannot read the graph");
    }
    if (library.get<int(GVC_t*, Agraph_t*, const char*)>("gvLayout")(context.get(), graph.get(),
                                                                     "dot") != 0) {
        throw GraphvizError("Graphviz cannot lay the graph out");
    }
    const auto free_layout = [&](Agraph_t* drawn) {
        library.get<int(GVC_t*, Agraph_t*)>("gvFreeLayout")(context.get(), drawn);
    };
    const std::unique_ptr<Agraph_t, decltype(free_layout)> layout(graph.get(), free_layout);
    char* data = nullptr;
    unsigned int size = 0;
    const int status = library.get<int(GVC_t*, Agraph_t*, const char*, char**, unsigned int*)>(
        "gvRenderData")(context.get(), graph.get(), std::string(format).c_str(), &data, &size);
    if (status != 0 || data == nullptr) {
        throw GraphvizError(fmt::format("Graphviz as it is installed cannot draw '{}'", format));
    }
    std::string drawn(data, size);
    library.get<void(char*)>("gvFreeRenderData")(data);
    if (library.get<int()>("agerrors")() != 0) {
        throw GraphvizError("Graphviz refused a part of the graph");
    }
    return drawn;
}

}  // namespace ptp::pipeline
