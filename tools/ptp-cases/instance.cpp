// Creates the component of a case in the testing kit, and performs the calls of its steps.

#include "base/ranges.hpp"
#include "base/toml_reader.hpp"
#include "ptp-cases/run_case.hpp"

#include <fmt/format.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <stdexcept>

namespace ptp::testing {

// Parses settings and defaults as data; declared by ptp/testing/settings.hpp.
Data parse_toml(std::string_view text) {
    Diagnostics problems;
    const auto table = read_toml(text, "settings", problems);
    if (!table) {
        throw std::runtime_error(problems.text());
    }
    return cases::data_of(*table);
}

}  // namespace ptp::testing

namespace ptp::cases {

namespace {

ptp_element element_of(const std::string& name) {
    return name == "integer" ? PTP_INTEGER
           : name == "bool"  ? PTP_BOOL
           : name == "byte"  ? PTP_BYTE
                             : PTP_FLOAT;
}

testing::Wiring wiring_of(const Case& of, const std::string& device) {
    testing::Wiring wiring{.optional_inputs = of.optional_inputs,
                           .name = of.instance,
                           .section = of.section,
                           .seed = static_cast<std::uint64_t>(of.seed),
                           .device = device};
    for (const auto& size : of.sizes) {
        wiring.sizes[size.key] = size.value;
    }
    const Data globals = data_of(of.globals);
    for (const Data::Member& global : globals.as_table()) {
        wiring.globals[global.key] = global.value;
    }
    for (const auto& element : of.elements) {
        wiring.elements[element.key] = element_of(element.value);
    }
    return wiring;
}

void set_values(const char* what, const Tensors& tensors, const Map<TensorSpec>& values) {
    const torch::NoGradGuard no_grad;
    for (const auto& entry : values) {
        for (const auto& [name, tensor] : tensors) {
            if (entry.key == "*" || entry.key == name) {
                const at::Tensor target = tensor;
                target.copy_(tensor_of(entry.value, target.sizes()));
            }
        }
        if (entry.key != "*" && !tensors.contains(entry.key)) {
            throw std::logic_error(fmt::format("the component has no {} '{}'", what, entry.key));
        }
    }
}

// Returns all tensors of the inputs by name; items of a list as "inputs[0]".
Tensors tensors_of(const testing::Slots& inputs) {
    Tensors result;
    for (const auto& [name, slot] : inputs) {
        if (slot.is_tensor()) {
            result[name] = slot.tensor();
        }
        for (std::size_t i = 0; i < slot.tensors().size(); ++i) {
            result[fmt::format("{}[{}]", name, i)] = slot.tensors()[i];
        }
    }
    return result;
}

// Returns the inputs to differentiate, which require gradients from here on.
Tensors leaves_of(const Step& step, const Tensors& tensors) {
    std::vector<std::string> names = step.differentiated;
    if (step.expect) {
        names.insert(names.end(), step.expect->finite_gradients.begin(),
                     step.expect->finite_gradients.end());
        const auto expected = step.expect->values.find("gradients");
        for (const auto& gradient :
             expected == step.expect->values.end() ? Map<StreamSpec>{} : expected->second) {
            const std::string stream = gradient.key.substr(0, gradient.key.find('['));
            if (std::ranges::count(step.inputs, stream, &schema::Entry<StreamSpec>::key) > 0) {
                names.push_back(gradient.key);
            }
        }
    }
    Tensors leaves;
    for (const std::string& name : names) {
        if (!tensors.contains(name)) {
            throw std::logic_error("gradients: no input '" + name + "' that is a tensor");
        }
        leaves[name] = tensors.at(name);
        leaves[name].requires_grad_(true);
    }
    return leaves;
}

bool needs_gradients(const Step& step) {
    return !step.differentiated.empty() ||
           (step.expect &&
            (step.expect->values.contains("gradients") || !step.expect->no_gradients.empty() ||
             !step.expect->finite_gradients.empty() || step.expect->all_parameters_have_gradients));
}

// Adds the sizes of all kinds of a slot: only one is not empty.
std::size_t sample_count(const testing::Slot& slot) {
    return slot.is_tensor() ? static_cast<std::size_t>(slot.tensor().size(0))
                            : slot.strings().size() + slot.tokens().size() + slot.tensors().size();
}

}  // namespace

Data data_of(const Value& value) {
    switch (value.type()) {
        case ValueType::kBool:
            return value.as_bool();
        case ValueType::kInteger:
            return value.as_integer();
        case ValueType::kReal:
            return value.as_real();
        case ValueType::kString:
            return value.as_string();
        case ValueType::kList: {
            Data::List items;
            std::ranges::transform(value.items(), std::back_inserter(items), data_of);
            return items;
        }
        case ValueType::kTable:
            break;
    }
    Data::Table members;
    for (const Member& member : value.members()) {
        members.push_back({member.key, data_of(member.value)});
    }
    return members;
}

Instance::Instance(const testing::Plugin& plugin, const std::string& type, const Case& of,
                   const std::string& device)
    : plugin_(plugin), type_(type), case_(of), device_(device) {
    torch::manual_seed(static_cast<std::uint64_t>(of.seed));
    create();
}

void Instance::create() {
    component_.emplace(plugin_.component(type_), testing::SettingTable{data_of(case_.settings)},
                       wiring_of(case_, device_));
    if (!case_.parameters.empty()) {
        set_values("parameter", component_->parameters(), case_.parameters);
    }
    if (!case_.buffers.empty()) {
        set_values("buffer", component_->buffers(), case_.buffers);
    }
}

at::Tensor Instance::on_device(const at::Tensor& tensor) const {
    return tensor.to(at::Device(device_), false, true);
}

testing::Slot Instance::input_of(const StreamSpec& spec) const {
    const testing::Slot slot = slot_of(spec);
    if (slot.is_tensor()) {
        return on_device(slot.tensor());
    }
    if (slot.element() != PTP_TENSOR_LIST) {
        return slot;
    }
    return transformed(slot.tensors(), [&](const at::Tensor& tensor) { return on_device(tensor); });
}

testing::Slots Instance::run_batch(testing::Slots inputs, const Step& step) {
    const bool is_training = step.is_training.value_or(true);
    if (component_->has_ability(PTP_EXTENSION_SAMPLES)) {
        const std::vector<std::uint64_t> seeds(
            inputs.empty() ? 0 : sample_count(inputs.begin()->second));
        return component_->transform(std::move(inputs), seeds, is_training);
    }
    ptp_step position = testing::Component::first_step();
    position.is_training = is_training ? 1 : 0;
    position.set = static_cast<std::uint64_t>(step.set);
    position.section = step.set == 0 ? "training" : "validation";
    return component_->run(std::move(inputs), position);
}

testing::Slots Instance::run_all(const testing::Slots& inputs, const Step& step) {
    if (step.batch_size == 0) {
        return run_batch(inputs, step);
    }
    int64_t count = 0;
    for (const auto& [name, slot] : inputs) {
        if (!slot.is_tensor()) {
            throw std::logic_error("batch_size: '" + name + "' is not a tensor");
        }
        count = std::max(count, slot.tensor().size(0));
    }
    testing::Slots outputs;
    for (int64_t from = 0; from < count; from += step.batch_size) {
        testing::Slots batch;
        for (const auto& [name, slot] : inputs) {
            batch.emplace(name, slot.tensor().slice(0, from, from + step.batch_size));
        }
        outputs = run_batch(std::move(batch), step);
    }
    return outputs;
}

// Sets the state, the set, the seed and the mode at the beginning of the step.
void Instance::prepare(const Step& step) {
    if (step.is_restored) {
        const void* const table = plugin_.component(type_).extension(PTP_EXTENSION_STATE);
        if (table == nullptr) {
            throw std::logic_error("restored: the component has no state");
        }
        const Data state = component_->export_state();
        create();
        component_->import_state(static_cast<const ptp_state*>(table)->version, state);
    }
    if (step.is_reset) {
        component_->reset(static_cast<std::uint64_t>(step.set));
    }
    if (step.seed) {
        torch::manual_seed(static_cast<std::uint64_t>(*step.seed));
    }
    if (step.is_training && component_->has_ability(PTP_EXTENSION_MODE)) {
        component_->set_training(*step.is_training);
    }
}

// Adds the gradients of these inputs and of all parameters.
void Instance::add_gradients(const Step& step, Tensors leaves, Outcome& outcome) {
    if (component_->has_ability(PTP_EXTENSION_PARAMETERS)) {
        leaves.merge(component_->parameters());
    }
    for (const auto& [name, leaf] : leaves) {
        leaf.mutable_grad() = at::Tensor();
    }
    std::vector<at::Tensor> reals;
    for (const auto& [name, slot] : outcome.outputs) {
        if (slot.is_tensor() && slot.tensor().is_floating_point()) {
            reals.push_back(slot.tensor());
        }
    }
    if (reals.size() != 1) {
        throw std::logic_error("gradients: the component must have one output of reals");
    }
    const at::Tensor output = reals.front();
    if (step.output_gradient) {
        output.backward(tensor_of(*step.output_gradient, output.sizes())
                            .to(output.options().requires_grad(false)));
    } else if (output.dim() == 0) {
        output.backward();
    } else {
        throw std::logic_error(
            "gradients: output_gradient is needed, the output is not one number");
    }
    for (const auto& [name, leaf] : leaves) {
        outcome.gradients[name] = leaf.grad();
    }
}

Outcome Instance::run(const Step& step) {
    prepare(step);
    testing::Slots inputs;
    for (const auto& input : step.inputs) {
        inputs.emplace(input.key, input_of(input.value));
    }
    const Tensors tensors = tensors_of(inputs);
    Tensors before;
    for (const auto& [name, tensor] : tensors) {
        before[name] = tensor.clone();
    }
    Tensors leaves = leaves_of(step, tensors);
    Outcome outcome;
    if (!step.samples.empty()) {
        outcome.outputs =
            component_->fetch(step.samples, static_cast<std::uint64_t>(step.seed.value_or(0)));
    } else if (!inputs.empty() || (step.expect && step.expect->values.contains("outputs"))) {
        outcome.outputs = run_all(inputs, step);
        for (const auto& [name, tensor] : tensors) {  // other components read them too
            if (const Difference changed = difference(name, tensor.detach(), before.at(name))) {
                throw std::logic_error("the component has changed its input: " + *changed);
            }
        }
    }
    if (needs_gradients(step)) {
        add_gradients(step, std::move(leaves), outcome);
    }
    if (component_->has_ability(PTP_EXTENSION_STATISTICS)) {
        outcome.collected = component_->collect(static_cast<std::uint64_t>(step.set));
    }
    if (component_->has_ability(PTP_EXTENSION_STATE)) {
        outcome.state = component_->export_state();
    }
    return outcome;
}

}  // namespace ptp::cases
