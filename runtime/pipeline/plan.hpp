// A checked pipeline: which component reads and writes which stream, in which order, with which
// sizes. Made by pipeline::assemble() without running any plugin code; the engine executes it.
#pragma once

#include "base/ranges.hpp"
#include "base/value.hpp"
#include "plugin/manifest.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::plugin {
struct CatalogEntry;  // a plugin file that was found, with its manifest
}

namespace ptp::pipeline {

// The symbol of "B", the number of samples in a batch; its size is never known in a plan.
inline constexpr int kBatchSymbol = 0;

// A dimension: a number, a symbol whose size may become known later, or any size.
struct Dimension {
    std::optional<std::int64_t> size = {};  // only of a number; see size_of() in sizes.hpp
    int symbol = -1;        // index into Plan::symbols; -1: a number, or any size ("*")
    std::string name = {};  // as the port calls it: "image_height"; "" for a number or "*"
    int source = -1;        // of a number, while shapes are solved: see SizeTable
};

// Dimensions that the handshake found to be one size.
struct Symbol {
    std::string name;  // as a person knows it: "B", "image_width", "net.input_size"
    std::optional<std::int64_t> size;
    std::string origin;  // its source, for messages: "published by training (FashionMNIST)"
};

struct Stream {
    std::string name;
    plugin::Element element = plugin::Element::kFloating;
    bool has_shape = true;  // false: "..." on all sides
    std::vector<Dimension> shape = {};
    int producer = -1;  // index into Plan::nodes; -1: the tasks
};

// The stream that a port is to have; the name is empty if the port does not exist.
struct Wire {
    std::string stream = {};
    SourceLocation place = {};  // where the stream was named, else the component's table
    bool is_named = false;      // by the experiment
};

// One existing port of a node. A port named by a list setting becomes several.
struct Binding {
    int port = 0;  // index into Component::ports
    std::string
        name;         // of the port: "inputs"; "input_streams[1]" where a setting names the streams
    int stream = -1;  // index into Plan::streams; -1: optional and unwired, or `when` does not hold
    bool has_shape = true;              // false: "...", or the port has no stream
    std::vector<Dimension> shape = {};  // as this component sees it
    Wire wire = {};
};

// A size that a component computes by a formula, as soon as all that it needs is known.
struct DerivedSize {
    int symbol = -1;
    std::string name;     // "feature_map_height", or the formula of a dimension without a name
    std::string formula;  // as declared: "width / 2"
    bool is_published = false;                 // as the global of that name
    bool is_done = false;                      // its number was found, or is refused
    std::optional<std::int64_t> refused = {};  // the number, if it is not a size
};

// The layers in a setting of a node, or in one of its lists of them.
struct LayerList {
    std::size_t setting = 0;  // index into Component::settings
    std::size_t begin = 0;    // of its layers in Node::layers
    std::size_t end = 0;
    int result = -1;  // what flows out: index into Node::inner_streams
};

// The stage of a pipeline that a component is in: what prepares samples, before they are batched
// where it treats each by itself; what computes on batches of numbers; what makes texts or files of
// the results. See component_stages.hpp.
enum class Stage : std::uint8_t { kPre, kForward, kPost };

// A component with its place in the pipeline.
struct Node {
    std::string name;        // "image_encoder"; a task's is its section, "training"
    std::string owner = {};  // of a layer, whose name is "2.0": "'net'", or "layer 3 of 'net'"
    std::string section;     // of a task; empty for the others
    std::string path;        // of its table: "pipeline.image_encoder", "training.task"
    SourceLocation place;    // of its table in the experiment
    const plugin::CatalogEntry* plugin = nullptr;  // owned by the catalog
    const plugin::Component* component = nullptr;  // owned by the catalog
    std::vector<std::optional<Value>> settings;    // one for each declared; nullopt: absent
    std::vector<Binding> inputs;                   // in the order of forward's inputs
    std::vector<Binding> outputs;                  // in the order of forward's (or fetch's) outputs
    int indices_stream = -1;                       // of a task: where the host writes `indices`
    std::vector<bool> has_global;                  // for each declared global: its `when` holds
    std::vector<bool> has_statistic;               // for each declared statistic: its `when` holds
    std::map<std::string, std::string> globals;    // declared name -> name in the pipeline
    std::map<std::string, Value> constants = {};   // declared name -> what is read instead
    std::map<std::string, std::string> statistics;  // declared name -> shown name; losses by port
    std::map<std::string, int> symbols;             // dimension name in its ports -> Plan::symbols
    std::vector<DerivedSize> derived = {};
    bool is_frozen = false;
    std::vector<std::string> frozen_layers = {};  // patterns of its parameters that are not trained
    bool freezes_others = false;                  // or, if true, of those that alone are trained
    SourceLocation freeze_place = {};             // where they are written
    std::optional<std::int64_t> frozen_until = {};  // from this epoch on it is trained whole
    std::string share = {};      // (optional) the node of the same type whose instance it uses
    std::vector<bool> runs_for;  // of a component: for each of Plan::tasks, whether it runs on its
                                 // batches; empty: for all
    // The section that tries this transform on each sample in turn with others, and the place of
    // this one among them. The last one calls them all: the names of these, in their order.
    std::string tried_in = {};
    std::size_t turn = 0;
    std::vector<std::string> tries = {};
    bool passes_through = false;  // outside of its phases its inputs are its outputs
    SourceLocation pass_place = {};
    std::vector<bool> passes_for =
        {};                         // for each of Plan::tasks, whether they are; empty: for none
    Stage stage = Stage::kForward;  // of a component
    std::optional<Stage> asked_stage = {};  // by the experiment
    SourceLocation stage_place = {};        // where it is written
    std::vector<LayerList> lists = {};
    std::vector<Node> layers = {};           // of all lists, in the order of computation
    std::vector<Stream> inner_streams = {};  // which the layers' bindings index; the inputs first

    // Returns whether it is a loss or a statistic, which compare predictions with targets.
    [[nodiscard]] bool compares() const {
        return component->kind == plugin::Kind::kLoss ||
               component->kind == plugin::Kind::kStatistic;
    }
    [[nodiscard]] bool reads(int stream) const {
        return std::ranges::find(inputs, stream, &Binding::stream) != inputs.end();
    }
    [[nodiscard]] bool writes(int stream) const {
        return std::ranges::find(outputs, stream, &Binding::stream) != outputs.end();
    }
    [[nodiscard]] bool runs_on(std::size_t task) const {
        return runs_for.empty() || runs_for[task];
    }
    // Returns whether its outputs are its inputs on the batches of a task.
    [[nodiscard]] bool passes_on(std::size_t task) const {
        return !passes_for.empty() && passes_for[task];
    }
    // Returns whether its outputs are written on the batches of a task.
    [[nodiscard]] bool writes_on(std::size_t task) const {
        return runs_on(task) || passes_on(task);
    }
    // Returns the places of the input and the output of each pair that is passed through: the first
    // wired input is the first wired output, and so on.
    [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> passed_ports() const {
        std::vector<std::pair<std::size_t, std::size_t>> passed;
        std::size_t input = 0;
        for (std::size_t output = 0; output < outputs.size(); ++output) {
            if (outputs[output].stream < 0) {
                continue;
            }
            while (input < inputs.size() && inputs[input].stream < 0) {
                ++input;
            }
            if (input == inputs.size()) {
                break;
            }
            passed.emplace_back(input++, output);
        }
        return passed;
    }
    // Returns whether the experiment lets it run in the loader threads.
    [[nodiscard]] bool may_prepare() const {
        return asked_stage.value_or(Stage::kPre) == Stage::kPre;
    }
    [[nodiscard]] const plugin::Port& port(const Binding& binding) const {
        return component->ports[static_cast<std::size_t>(binding.port)];
    }
    // Return the first wired input or output of a purpose; nullptr if there is none.
    [[nodiscard]] const Binding* input_for(plugin::Purpose purpose) const {
        return wired(inputs, purpose);
    }
    [[nodiscard]] const Binding* output_for(plugin::Purpose purpose) const {
        return wired(outputs, purpose);
    }
    // Returns the pipeline's name of the global of a purpose that the node reads or publishes; ""
    // if it does neither.
    [[nodiscard]] std::string global_for(plugin::Purpose purpose) const {
        for (const plugin::Global& global : component->globals) {
            const auto used = globals.find(global.name);
            if (global.purpose == purpose && used != globals.end()) {
                return used->second;
            }
        }
        return "";
    }
    // Return the streams that are wired to its ports.
    [[nodiscard]] std::vector<int> read_streams() const { return streams_of(inputs); }
    [[nodiscard]] std::vector<int> written_streams() const { return streams_of(outputs); }

private:
    [[nodiscard]] const Binding* wired(const std::vector<Binding>& bindings,
                                       plugin::Purpose purpose) const {
        const auto found = std::ranges::find_if(bindings, [&](const Binding& binding) {
            return binding.stream >= 0 && port(binding).purpose == purpose;
        });
        return found == bindings.end() ? nullptr : &*found;
    }
    static std::vector<int> streams_of(const std::vector<Binding>& bindings) {
        std::vector<int> streams;
        for (const Binding& binding : bindings) {
            if (binding.stream >= 0) {
                streams.push_back(binding.stream);
            }
        }
        return streams;
    }
};

// One pipeline for all sections: the components are the same in each, the task differs, and those
// that do not run there are inactive.
struct Plan {
    std::vector<Symbol> symbols;  // the first is kBatchSymbol
    std::vector<Stream> streams;  // the index is the stream's slot in a frame
    std::vector<Node> tasks;  // one for each section of the experiment, training first; of those
                              // that are processed
    // In a plan to train: the tasks of [process], if their plugins are looked for, and the
    // components that read streams which only these write. They are recorded, and not created.
    std::vector<Node> only_recorded;
    std::vector<Node> nodes;  // in the order of execution, which is the order of creation
    std::map<std::string, int> global_symbols;  // globals that are sizes of some port -> symbols

    [[nodiscard]] const Stream& stream(int index) const {
        return streams[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const Symbol& symbol(int index) const {
        return symbols[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const Node& node(int index) const {
        return nodes[static_cast<std::size_t>(index)];
    }
};

}  // namespace ptp::pipeline
