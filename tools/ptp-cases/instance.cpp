// Creates the component of a case in the testing kit, and performs the calls of its steps.

#include "ptp-cases/run_case.hpp"

#include "base/toml_reader.hpp"

#include <torch/types.h>
#include <torch/utils.h>

#include <fmt/format.h>

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
    for (const Member& global : of.globals.members()) {
        wiring.globals[global.key] = data_of(global.value);
    }
    for (const auto& element : of.elements) {
        wiring.elements[element.key] = element_of(element.value);
    }
    return wiring;
}

void set_values(const char* what, const std::map<std::string, at::Tensor>& tensors,
                const Map<TensorSpec>& values) {
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

// Returns the inputs to differentiate: "inputs", or "inputs[1]" for an item of a list.
std::vector<std::string> leaves_of(const Step& step) {
    std::vector<std::string> names = step.differentiated;
    names.insert(names.end(), step.expect.finite_gradients.begin(),
                 step.expect.finite_gradients.end());
    for (const auto& gradient : step.expect.gradients.value_or(Map<TensorSpec>{})) {
        const std::string stream = gradient.key.substr(0, gradient.key.find('['));
        if (std::ranges::any_of(step.inputs,
                                [&](const auto& input) { return input.key == stream; })) {
            names.push_back(gradient.key);
        }
    }
    return names;
}

// Returns all tensors of the inputs by name; items of a list as "inputs[0]".
std::map<std::string, at::Tensor> tensors_of(const testing::Slots& inputs) {
    std::map<std::string, at::Tensor> result;
    for (const auto& [name, slot] : inputs) {
        if (slot.is_tensor()) {
            result[name] = slot.tensor();
        } else if (slot.element() == PTP_TENSOR_LIST) {
            for (std::size_t i = 0; i < slot.tensors().size(); ++i) {
                result[fmt::format("{}[{}]", name, i)] = slot.tensors()[i];
            }
        }
    }
    return result;
}

std::map<std::string, at::Tensor> copies_of(const std::map<std::string, at::Tensor>& tensors) {
    std::map<std::string, at::Tensor> copies;
    for (const auto& [name, tensor] : tensors) {
        copies[name] = tensor.detach().clone();
    }
    return copies;
}

// Checks that a component has not changed its inputs, which other components read.
void require_unchanged(const std::map<std::string, at::Tensor>& tensors,
                       const std::map<std::string, at::Tensor>& before) {
    for (const auto& [name, tensor] : tensors) {
        if (const Difference changed = difference(name, tensor.detach(), before.at(name))) {
            throw std::logic_error("the component has changed its input: " + *changed);
        }
    }
}

bool needs_gradients(const Step& step) {
    return step.expect.gradients || !step.expect.no_gradients.empty() ||
           !step.expect.finite_gradients.empty() || !step.differentiated.empty() ||
           step.expect.all_parameters_have_gradients;
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
            for (const Value& item : value.items()) {
                items.push_back(data_of(item));
            }
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
    component_.emplace(plugin_.component(type_), case_.settings, wiring_of(case_, device_));
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

testing::Slot Instance::on_device(const testing::Slot& slot) const {
    if (slot.is_tensor()) {
        return slot.tensor().defined() ? testing::Slot(on_device(slot.tensor())) : slot;
    }
    if (slot.element() != PTP_TENSOR_LIST) {
        return slot;
    }
    std::vector<at::Tensor> moved;
    for (const at::Tensor& tensor : slot.tensors()) {
        moved.push_back(on_device(tensor));
    }
    return moved;
}

void Instance::move_state() {
    const void* table = plugin_.component(type_).extension(PTP_EXTENSION_STATE);
    if (table == nullptr) {
        throw std::logic_error("restored: the component has no state");
    }
    const Data state = component_->export_state();
    create();
    component_->import_state(static_cast<const ptp_state*>(table)->version, state);
}

testing::Slots Instance::run_batch(testing::Slots inputs, const Step& step) {
    if (component_->has_ability(PTP_EXTENSION_SAMPLES)) {
        const std::vector<std::uint64_t> seeds(
            inputs.empty() ? 0 : sample_count(inputs.begin()->second));
        return component_->transform(std::move(inputs), seeds, step.is_training.value_or(true));
    }
    ptp_step position = testing::Component::first_step();
    position.is_training = step.is_training.value_or(true) ? 1 : 0;
    position.set = static_cast<std::uint64_t>(step.set);
    position.section = step.set == 0 ? "training" : "validation";
    return component_->run(std::move(inputs), position);
}

testing::Slots Instance::run_all(const std::map<std::string, testing::Slot>& inputs,
                                 const Step& step) {
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

void Instance::compute_gradients(const Step& step, Outcome& outcome) {
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
}

void Instance::prepare(const Step& step) {
    if (step.is_restored) {
        move_state();
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

void Instance::add_gradients(const Step& step, Tensors leaves, Outcome& outcome) {
    if (component_->has_ability(PTP_EXTENSION_PARAMETERS)) {
        leaves.merge(component_->parameters());
    }
    for (const auto& [name, leaf] : leaves) {
        leaf.mutable_grad() = at::Tensor();
    }
    compute_gradients(step, outcome);
    for (const auto& [name, leaf] : leaves) {
        outcome.gradients[name] = leaf.grad();
    }
}

Outcome Instance::run(const Step& step) {
    prepare(step);
    testing::Slots inputs;
    for (const auto& input : step.inputs) {
        inputs.emplace(input.key, on_device(slot_of(input.value)));
    }
    const Tensors tensors = tensors_of(inputs);
    const Tensors before = copies_of(tensors);
    Tensors leaves;
    for (const std::string& name : leaves_of(step)) {
        if (!tensors.contains(name)) {
            throw std::logic_error("gradients: no input '" + name + "' that is a tensor");
        }
        leaves[name] = tensors.at(name);
        leaves[name].requires_grad_(true);
    }
    Outcome outcome;
    if (!step.samples.empty()) {
        outcome.outputs =
            component_->fetch(step.samples, static_cast<std::uint64_t>(step.seed.value_or(0)));
    } else if (!inputs.empty() || step.expect.outputs) {
        outcome.outputs = run_all(inputs, step);
        require_unchanged(tensors, before);
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
