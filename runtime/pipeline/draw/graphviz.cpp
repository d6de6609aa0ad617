// Graphviz's library is opened when a picture is drawn, and its few functions are declared here: as
// they are used by one command alone, neither the programs nor their build depend on it.
// https://graphviz.org/pdf/libguide.pdf

#include "pipeline/draw/draw.hpp"

#include <fmt/core.h>
#include <boost/dll/shared_library.hpp>

#include <array>
#include <memory>
#include <optional>

namespace ptp::pipeline {

namespace {

namespace dll = boost::dll;

struct GVC_t;
struct Agraph_t;

constexpr std::array<const char*, 3> kLibraries = {"libgvc.so.6", "libgvc.so.7", "libgvc.so"};
constexpr int kSilent = 3;  // AGMAX: nothing is printed

dll::shared_library open_graphviz() {
    for (const char* name : kLibraries) {
        boost::dll::fs::error_code error;
        dll::shared_library library(name, error, dll::load_mode::search_system_folders);
        if (library.is_loaded()) {
            return library;
        }
    }
    throw GraphvizError(
        "Graphviz's library (libgvc.so.6) cannot be opened; install it (Debian: apt-get install "
        "libgvc6), or write "
        "--format dot and lay that out elsewhere");
}

// Closes what an operation opened, in the reverse order.
template <class Function>
class Finally {
public:
    explicit Finally(Function function) : function_(std::move(function)) {}
    ~Finally() { function_(); }
    Finally(const Finally&) = delete;
    Finally& operator=(const Finally&) = delete;

private:
    Function function_;
};

}  // namespace

std::string render_dot(const std::string& dot, std::string_view format) {
    // Graphviz's own plugins stay in use until the process ends.
    static const dll::shared_library library = open_graphviz();
    library.get<int(int)>("agseterr")(kSilent);
    library.get<int()>("agreseterrors")();
    GVC_t* const context = library.get<GVC_t*()>("gvContext")();
    const Finally free_context([&] { library.get<int(GVC_t*)>("gvFreeContext")(context); });
    Agraph_t* const graph = library.get<Agraph_t*(const char*)>("agmemread")(dot.c_str());
    if (graph == nullptr) {
        throw GraphvizError("Graphviz cannot read the graph");
    }
    const Finally close_graph([&] { library.get<int(Agraph_t*)>("agclose")(graph); });
    if (library.get<int(GVC_t*, Agraph_t*, const char*)>("gvLayout")(context, graph, "dot") != 0) {
        throw GraphvizError("Graphviz cannot lay the graph out");
    }
    const Finally free_layout(
        [&] { library.get<int(GVC_t*, Agraph_t*)>("gvFreeLayout")(context, graph); });
    char* data = nullptr;
    unsigned int size = 0;
    const std::string wanted(format);
    const int status = library.get<int(GVC_t*, Agraph_t*, const char*, char**, unsigned int*)>(
        "gvRenderData")(context, graph, wanted.c_str(), &data, &size);
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
