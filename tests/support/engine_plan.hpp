// Plans made by hand, of components that are functions of the test, for the parts of the engine
// that run plans.
#pragma once

#include "engine/component/components.hpp"
#include "engine/component/host.hpp"
#include "engine/component/plugins.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <ptp/abi.h>

#include <ATen/core/Tensor.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ptp::test {

// A component whose functions do nothing, successfully; a test sets those that it needs. Instances
// are nobody's memory.
ptp_component_info idle_component();

// A task of five samples, each the number of its place in the batch.
ptp_component_info five_samples();

// The at::Tensor in a value.
inline at::Tensor& tensor_in(ptp_value* value) {
    return *reinterpret_cast<at::Tensor*>(value);
}
inline const at::Tensor& tensor_in(const ptp_value* value) {
    return *reinterpret_cast<const at::Tensor*>(value);
}

struct PortToMake {
    std::string name;
    int stream = -1;
    bool is_loss = false;
};

class EnginePlan : private engine::Descriptors {
public:
    EnginePlan();

    // A dimension of -1 is the batch, of -2 the unknown size "t", the same in all streams.
    int add_stream(const std::string& name, plugin::Element element,
                   std::initializer_list<std::int64_t> shape);

    pipeline::Node& add_node(const std::string& name, plugin::Kind kind,
                             const ptp_component_info& info, const std::vector<PortToMake>& inputs,
                             const std::vector<PortToMake>& outputs);

    // Of the section "training".
    pipeline::Node& add_task(const ptp_component_info& info,
                             const std::vector<PortToMake>& outputs);

    // To a node made here.
    void add_statistic(pipeline::Node& node, const plugin::Statistic& statistic);

    engine::Components create() {
        return engine::create_components(component_context, descriptors());
    }
    [[nodiscard]] const engine::Descriptors& descriptors() const { return *this; }
    [[nodiscard]] const ptp_component_info& component(const pipeline::Node& node) const override {
        return infos_.at(node.path);
    }

    pipeline::Plan plan;
    engine::Globals globals;
    engine::ComponentContext component_context;

private:
    pipeline::Node make_node(const std::string& name, plugin::Kind kind,
                             const ptp_component_info& info, const std::vector<PortToMake>& inputs,
                             const std::vector<PortToMake>& outputs);
    pipeline::Binding make_binding(plugin::Component& component, const PortToMake& port,
                                   plugin::Direction direction);

    plugin::CatalogEntry entry_;
    std::deque<plugin::Component> components_;
    std::map<std::string, ptp_component_info> infos_;
};

}  // namespace ptp::test
