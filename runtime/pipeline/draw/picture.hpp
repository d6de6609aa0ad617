// The picture of a pipeline, independent of the format: components with their ports, and the
// streams between them. It is made from a plan, or from an experiment that has errors.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

struct PicturePort {
    bool is_input = true;
    bool is_loss = false;      // an output that the training minimizes
    int stream = -1;           // index into Picture::streams
    std::string name = {};     // "inputs", "input_streams[1]"
    std::string carried = {};  // "[B, 10]", as this component sees it; "" if not known
};

struct PictureNode {
    std::string name;                       // "image_encoder"; a task's is its section
    std::string type;                       // "LeNet5"
    std::optional<plugin::Kind> kind = {};  // nullopt: no plugin has the type
    bool is_frozen = false;
    bool is_partly_frozen = false;  // some of its parameters are not trained
    std::string parameters = {};    // "61,706 parameters"; "" if not known or none
    std::vector<PicturePort> ports = {};
    std::vector<std::string> errors = {};  // messages of what is wrong with it
};

struct PictureStream {
    std::string name;
    std::string carried = {};  // "integers [B]"; "" if not known
    int writer = -1;  // index into Picture::nodes; of a task, the first; -1: nothing writes it
    plugin::Element element = plugin::Element::kAny;
    std::vector<int> readers = {};  // indices into Picture::nodes, each once, ascending
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

// "frozen", "partly frozen" or "".
std::string frozen_text(const PictureNode& node);

// By names of components; those that are missing have no known count.
using ParameterCounts = std::map<std::string, ParameterCount>;

Picture picture_of(const Plan& plan, const ParameterCounts& counts = {});

// Draws what could be understood of an experiment with errors, with each message at the component
// or task that it is about. `home` is what "~" expands to.
Picture picture_of(const experiment::Experiment& experiment, const plugin::Catalog& catalog,
                   const std::filesystem::path& home, const Diagnostics& problems);

// "[B, 1, 28, 28]", "integers [B]", "a number": what a stream carries.
std::string carried_text(const Plan& plan, plugin::Element element,
                         const std::vector<Dimension>& shape, bool has_shape);

}  // namespace ptp::pipeline
