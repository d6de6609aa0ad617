// Finds the frozen parameters of each component that its `load` has left as they were created.

#include "engine/checkpoint/frozen_untrained.hpp"

#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "engine/component/component_error.hpp"
#include "pipeline/assemble.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>

namespace ptp::engine {

namespace {

bool is_loaded(const experiment::Pipeline& pipeline, const pipeline::Node& node) {
    const auto* const entry = find_named(pipeline.components, node.name);
    return pipeline.load || (entry != nullptr && entry->load);
}

bool is_one_value(const at::Tensor& tensor) {
    return tensor.numel() < 2 || tensor.eq(tensor.reshape(-1)[0]).all().item<bool>();
}

// Returns the layers of the component's frozen parameters that are not filled.
std::vector<std::string> frozen_untrained(Instance& instance, const std::set<const void*>& filled) {
    std::vector<std::string> layers;
    for (const NamedTensor& named : instance.tensors()) {
        if (instance.freezes(named.tensor) &&
            !filled.contains(named.tensor.unsafeGetTensorImpl()) && !is_one_value(named.tensor)) {
            const std::string layer = named.name.substr(0, named.name.rfind('.'));
            if (!contains(layers, layer)) {
                layers.push_back(layer);
            }
        }
    }
    return layers;
}

}  // namespace

void warn_of_frozen_untrained(const experiment::Pipeline& pipeline, const std::vector<Fit>& fits,
                              const Components& components, spdlog::logger& log) {
    std::set<const void*> filled;
    for (const Fit& fit : fits) {
        for (const auto& [to, from] : fit.copies) {
            filled.insert(to.unsafeGetTensorImpl());
        }
    }
    for (const std::shared_ptr<Instance>& instance : components.nodes) {
        const pipeline::Node& node = instance->node();
        if (node.frozen_until || !is_loaded(pipeline, node) || pipeline::may_read_weights(node)) {
            continue;
        }
        const std::vector<std::string> layers = frozen_untrained(*instance, filled);
        if (!layers.empty()) {
            const std::string list = inline_toml(Value::list({layers.begin(), layers.end()}));
            log.warn(Explanation{
                fmt::format("{}{}.freeze: load leaves out {} of '{}', which {} frozen with the "
                            "weights of {} creation, usually random ones",
                            place_text(node.freeze_place), node.path, joined(layers), node.name,
                            layers.size() == 1 ? "is" : "are",
                            layers.size() == 1 ? "its" : "their"),
                node.frozen_layers.empty()
                    ? fmt::format(
                          "set {}.freeze = {{ except = {} }}, which trains what is not loaded",
                          node.path, list)
                : node.freezes_others
                    ? fmt::format(
                          "add {} to `except` of {}.freeze, which trains what is not loaded",
                          joined(layers), node.path)
                    : fmt::format("leave {} out of {}.freeze, which trains what is not loaded",
                                  joined(layers), node.path)}
                         .text());
        }
    }
}

}  // namespace ptp::engine
