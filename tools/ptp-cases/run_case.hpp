// Runs the cases of a file.
#pragma once

#include "ptp-cases/case_file.hpp"
#include "ptp-cases/difference.hpp"

#include <ptp/testing.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::cases {

using Tensors = std::map<std::string, at::Tensor>;

// The results of a step, for same_as, differs_from and state_of.
struct Outcome {
    testing::Slots outputs;
    Tensors gradients;  // for inputs and parameters; may be undefined
    testing::Component::Numbers collected;
    std::optional<Data> state;
};

// The component of a case, in the testing kit that C++ tests of components use too.
class Instance {
public:
    // Creates the component on a device, "cpu" or "cuda:0". Throws the errors of the component; see
    // ptp/testing.hpp.
    Instance(const testing::Plugin& plugin, const std::string& type, const Case& of,
             const std::string& device);

    // Performs the step, from moving the state to computing gradients.
    Outcome run(const Step& step);

    testing::Component& component() { return *component_; }

    // Returns a copy on the component's device.
    [[nodiscard]] at::Tensor on_device(const at::Tensor& tensor) const;

private:
    void create();
    void prepare(const Step& step);
    [[nodiscard]] testing::Slot input_of(const StreamSpec& spec) const;
    testing::Slots run_batch(testing::Slots inputs, const Step& step);
    testing::Slots run_all(const testing::Slots& inputs, const Step& step);
    void add_gradients(const Step& step, Tensors leaves, Outcome& outcome);

    const testing::Plugin& plugin_;
    std::string type_;
    const Case& case_;
    std::string device_;
    std::optional<testing::Component> component_;
};

class CaseRunner {
public:
    // Creates components on the device, "cpu" or "cuda:0".
    CaseRunner(const testing::Plugin& plugin, std::string type, std::string device)
        : plugin_(plugin), type_(std::move(type)), device_(std::move(device)) {}

    // Returns each problem as a line, with the place of the case or of its step; empty if there are
    // none. Cases run in the order of the file, because one may name another.
    std::vector<std::string> run(const Case& one);

private:
    // Creates `instance` if it does not exist yet.
    Difference run_step(const Case& one, const Step& step, std::optional<Instance>& instance);

    const testing::Plugin& plugin_;
    std::string type_;
    std::string device_;
    std::map<std::string, Outcome> outcomes_;  // by the name of the case or step
};

// Returns a value of a case file as data of the SDK.
Data data_of(const Value& value);

// Checks, on the inputs of the case's only step with the second sample masked, that masked samples
// have no effect, even if nan; that a batch without unmasked samples has the loss, the weight and
// the gradients 0; and that the mean of two batches, weighted by their weights, is the loss of both
// as one. The component is a loss with use_masking = true, and at least four samples.
Difference counting_difference(Instance& loss, const Step& step);

}  // namespace ptp::cases
