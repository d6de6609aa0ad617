// One component alone, in a plan that has nothing else but a task that writes what it reads. Checks
// and replays create a component and call it through these classes.

#pragma once

#include "base/diagnostics.hpp"
#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/globals.hpp"
#include "engine/component/instance.hpp"
#include "engine/component/output_check.hpp"
#include "engine/component/picture.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <ptp/abi.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ptp::solo {

using engine::BatchSamples;
using engine::Frame;
using engine::Instance;
using engine::NamedTensor;
using engine::Slot;

// A component of a plugin, as an experiment would have it.
struct LoneEntry {
    const plugin::CatalogEntry& plugin;
    const plugin::Component& component;
    experiment::ComponentEntry entry;  // includes its settings, and names of streams and globals
    std::filesystem::path home = {};   // the expansion of "~"
};

// Returns an entry that leaves everything to be made up.
[[nodiscard]] experiment::ComponentEntry entry_without_settings(const plugin::Component& component);

// The reason why there is no plan around a component.
class NoPlan : public std::runtime_error {
public:
    explicit NoPlan(const Diagnostics& problems)
        : std::runtime_error(problems.text()), reasons_(problems.reasons()) {}

    // Returns what() without the fixes, which are for an experiment.
    [[nodiscard]] const std::string& reasons() const { return reasons_; }

private:
    std::string reasons_;
};

// The task that writes what a component reads; it exists in the plan only.
struct Feeder : plugin::Component {
    Feeder();

    // Adds an output that the component reads; elements of texts have the shape [B].
    void write(const std::string& stream, plugin::Element element, const std::string& shape);
    // Adds a global that the component reads; `value` is "" if it is not a known size.
    void publish(const std::string& global_name, const std::string& value);
};

// A plan with one component. It does not move: the plan points into the catalog.
class LonePlan {
public:
    struct Options {
        std::string section = "training";
        std::int64_t batch_size = 1;
        std::int64_t seed = 1;
    };
    // The plugin must outlive it. There is no plan before assemble().
    LonePlan(const LoneEntry& lone, const Options& options);
    ~LonePlan() = default;
    LonePlan(const LonePlan&) = delete;
    LonePlan& operator=(const LonePlan&) = delete;

    // Makes the plan, or makes it again with another feeder, which a task does not need. Throws
    // NoPlan.
    void assemble(const Feeder& feeder = {});

    [[nodiscard]] const pipeline::Node& node() const {
        return plan.nodes.empty() ? plan.tasks.front() : plan.nodes.front();
    }

    plugin::Catalog catalog;
    experiment::Experiment experiment;
    pipeline::Plan plan;  // with all sizes except those that only the created component knows
    std::vector<Member> globals;  // to be published before the component is created

private:
    const std::filesystem::path home_;
};

// Returns the statistics that the component defines in a call of collect() or aggregate(), by name,
// from the values of all declared ones.
[[nodiscard]] std::vector<std::pair<std::string, double>> defined_statistics(
    const pipeline::Node& node, bool is_over_set, const double* values);

// Returns the states of all random generators that the host keeps for it.
[[nodiscard]] std::vector<at::Tensor> generator_states(Instance& instance);

// Describes a tensor: "Float [2, 3]", "none".
std::string tensor_text(const at::Tensor& tensor);

// The created component.
class LoneComponent {
public:
    struct Options {
        std::filesystem::path folder;  // that it may write to
        at::Device device = at::kCPU;
        std::uint64_t seed = 1;
        const char* publisher = "the check";  // of the globals, in messages
    };

    // The plan and the description must outlive it. Throws RunError: with kPluginError, also in all
    // calls, if the component is not what it declares.
    LoneComponent(const LonePlan& plan, const ptp_component_info& info, const Options& options);
    ~LoneComponent() = default;
    LoneComponent(const LoneComponent&) = delete;
    LoneComponent& operator=(const LoneComponent&) = delete;

    [[nodiscard]] Instance& instance() { return *instance_; }
    [[nodiscard]] const Instance& instance() const { return *instance_; }
    [[nodiscard]] const pipeline::Plan& plan() const { return plan_; }
    [[nodiscard]] at::Device device() const { return context_.device; }
    [[nodiscard]] Frame& frame() { return frame_; }
    [[nodiscard]] const std::string& stream_of(const pipeline::Binding& binding) const {
        return plan_.streams[static_cast<std::size_t>(binding.stream)].name;
    }

    // Call the component with the streams and samples of a frame. [any] if the instance's are.
    void forward(const ptp_step& step, Frame& frame,
                 std::vector<engine::Picture>* pictures = nullptr);
    void transform(Frame& frame);
    void fetch(Frame& frame);

    // Requires that the outputs in frame() are as declared. Throws RunError.
    void check_outputs(std::uint64_t batch_size);

    // Sets the states of its random generators, except missing or undefined ones.
    void set_generators(const std::vector<at::Tensor>& states);

private:
    pipeline::Plan plan_;  // a copy, which learns sizes from the component
    engine::Globals globals_;
    engine::ComponentContext context_;
    Frame frame_;
    engine::OutputCheck output_check_;
    std::shared_ptr<Instance> instance_;
};

}  // namespace ptp::solo
