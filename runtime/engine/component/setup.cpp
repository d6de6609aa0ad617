// The construction of ptp_setup with the sizes that are known when a component is created.

#include "engine/component/setup.hpp"

#include "experiment/experiment.hpp"
#include "pipeline/layers.hpp"
#include "pipeline/sizes.hpp"

#include <optional>
#include <utility>

namespace ptp::engine {

namespace {

// Returns the known sizes, from the stream and from the component's own view of it.
std::vector<std::int64_t> known_sizes(const pipeline::Plan& plan, const pipeline::Binding& binding,
                                      const pipeline::Stream& stream) {
    const std::vector<pipeline::Dimension>& own = binding.shape;
    const std::vector<pipeline::Dimension>& shape = stream.has_shape ? stream.shape : own;
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        std::optional<std::int64_t> size = pipeline::size_of(plan, shape[i]);
        if (!size && binding.has_shape && i < own.size()) {
            size = pipeline::size_of(plan, own[i]);
        }
        sizes.push_back(size.value_or(-1));
    }
    return sizes;
}

}  // namespace

Setup::Setup(const pipeline::Plan& plan, const pipeline::Node& node, std::string device)
    : section_(node.section.empty() ? "" : experiment::role_of(node.section)),
      device_(std::move(device)),
      setup_{} {
    for (std::size_t i = 0; i < node.settings.size(); ++i) {
        const bool is_layers = node.component->settings[i].type == plugin::SettingType::kLayers;
        const std::optional<Value> setting = is_layers && node.settings[i]
                                                 ? pipeline::layers_to_create(plan, node, i)
                                                 : node.settings[i];
        const DataTree& tree = setting ? values_.emplace_back(*setting) : values_.emplace_back();
        settings_.push_back(&tree.root());
    }
    add_bindings(plan, node, node.inputs, inputs_);
    add_bindings(plan, node, node.outputs, outputs_);

    setup_.struct_size = sizeof(ptp_setup);
    setup_.name = node.name.c_str();
    setup_.section = section_.c_str();
    setup_.device = device_.c_str();
    setup_.settings = settings_.data();
    setup_.setting_count = static_cast<std::uint32_t>(settings_.size());
    setup_.inputs = inputs_.data();
    setup_.input_count = static_cast<std::uint32_t>(inputs_.size());
    setup_.outputs = outputs_.data();
    setup_.output_count = static_cast<std::uint32_t>(outputs_.size());
}

void Setup::add_bindings(const pipeline::Plan& plan, const pipeline::Node& node,
                         const std::vector<pipeline::Binding>& bindings,
                         std::vector<const ptp_binding*>& out) {
    for (const pipeline::Binding& binding : bindings) {
        ptp_binding& made = bindings_.emplace_back();
        made = {};
        made.struct_size = sizeof(ptp_binding);
        made.port = static_cast<std::uint32_t>(binding.port);
        made.rank = -1;
        made.element = static_cast<ptp_element>(node.port(binding).element);
        if (binding.stream >= 0) {
            const auto& stream = plan.stream(binding.stream);
            made.stream = stream.name.c_str();
            made.element = static_cast<ptp_element>(stream.element);
            if (stream.has_shape || binding.has_shape) {
                const auto& sizes = dimensions_.emplace_back(known_sizes(plan, binding, stream));
                made.rank = static_cast<std::int32_t>(sizes.size());
                made.dimensions = sizes.data();
            }
        }
        out.push_back(&made);
    }
}

}  // namespace ptp::engine
