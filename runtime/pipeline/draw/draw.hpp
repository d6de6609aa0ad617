// The picture of a pipeline, for `ptprun draw` and `check --draw`: components with their ports, and
// the streams between them. It is made from a plan, or from an experiment that has errors, and
// shown as text, in Graphviz's language, or laid out by Graphviz.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/layers.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

struct PicturePort {
    bool is_input = true;
    bool is_loss = false;  // an output that the training minimizes
    std::size_t stream = 0;
    std::string name = {};     // "inputs", "input_streams[1]"
    std::string carried = {};  // "[B, 10]", as this component sees it; "" if not known
};

struct PictureNode {
    std::string name = {};                  // "image_encoder"; a task's is its section
    std::string type = {};                  // "LeNet5"
    std::optional<plugin::Kind> kind = {};  // nullopt: no plugin has the type
    std::string stage = {};                 // "pre", "forward" or "post"; "" if not known
    std::string frozen = {};  // "frozen", "partly frozen", also "... in the first 3 epochs"; or ""
    std::string parameters = {};  // "61,706 parameters"; "" if not known or none
    std::string turn = {};        // "turn 2 in 'date'": turn_text()
    std::vector<PicturePort> ports = {};
    std::vector<LayerLine> layers = {};    // none if the shapes are not known
    std::vector<std::string> errors = {};  // messages of what is wrong with it
};

struct PictureStream {
    std::string name;
    plugin::Element element = plugin::Element::kAny;
    std::string carried = {};                // as its writer declares it; "" if not known
    std::optional<std::size_t> writer = {};  // a node; of several tasks the first
    std::vector<std::size_t> readers = {};   // nodes, each once, ascending
};

struct Picture {
    std::size_t task_count = 0;      // the first nodes
    std::vector<PictureNode> nodes;  // in the order of execution, as far as it is known
    std::vector<PictureStream> streams;
    std::vector<std::string> errors;  // messages that concern none of the nodes
};

// Numbers of a component's parameters.
struct ParameterCount {
    std::int64_t all = 0;
    std::int64_t trained = 0;
};

// The counts by names of components; one that is missing is not known.
using ParameterCounts = std::map<std::string, ParameterCount>;

Picture picture_of(const Plan& plan, const ParameterCounts& counts = {});

// Makes the picture of an experiment with errors, as far as it could be read, with each message at
// the component or task that it is about. `home` is what "~" expands to.
Picture picture_of(const experiment::Experiment& experiment, const plugin::Catalog& catalog,
                   const std::filesystem::path& home, const Diagnostics& problems);

// An aligned listing in the order of execution: each component with what it reads and writes, and
// with what is wrong with it.
std::string draw_text(const Picture& picture);

// A directed graph for Graphviz: components as boxes, colored by kind. A stream that many
// components read is a line to those that it is trained through, and a label in the boxes of the
// others. Tasks are one box.
std::string draw_dot(const Picture& picture);

// The error that Graphviz is not installed or cannot draw; what() states which of the two, and what
// to do.
class GraphvizError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Lays a graph of draw_dot() out and draws it in a format of Graphviz, such as "svg", "png" or
// "pdf". Opens Graphviz's library, which stays open. Throws GraphvizError. [main]
std::string render_dot(const std::string& dot, std::string_view format);

}  // namespace ptp::pipeline
