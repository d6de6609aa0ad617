// One created component: creates it, makes every call of it, destroys it.
//
// Whatever goes wrong in a call becomes a RunError that names the component: the experiment's or
// the data's fault with their exit codes, and a breach of the contract as a plugin's fault.

#pragma once

#include "engine/component/call.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/host.hpp"
#include "engine/component/setup.hpp"
#include "pipeline/plan.hpp"

#include <ptp/abi.h>
#include <ptp/ext/draft/migrate.h>
#include <ptp/ext/draft/onnx.h>
#include <ptp/ext/draft/sample_values.h>
#include <ptp/ext/draft/sampling.h>
#include <ptp/ext/mode.h>
#include <ptp/ext/parameters.h>
#include <ptp/ext/samples.h>
#include <ptp/ext/state.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

namespace ptp::engine {

struct NamedTensor {
    std::string name;
    ptp_role role = PTP_PARAMETER;
    at::Tensor tensor;  // the component's own
};

// [main] unless stated otherwise. The node, the component_context and the plugin must outlive it.
class Instance {
public:
    // Calls create(); all globals that it promises must have been published when it returns.
    Instance(ComponentContext& component_context, const pipeline::Node& node,
             const ptp_component_info& info);
    // Calls the component of `shared`, which has its weights, mode and state alone.
    Instance(ComponentContext& component_context, const pipeline::Node& node,
             std::shared_ptr<Instance> shared);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    [[nodiscard]] const pipeline::Node& node() const { return node_; }

    // "model (LeNet5)", and "plugin 'vision_models' 0.1.0: model (LeNet5)" where it is to blame.
    [[nodiscard]] std::string title() const;
    [[nodiscard]] const std::string& blamed() const { return blamed_; }

    // [step] Both arrays have a pointer for each binding of the node.
    struct Beside {
        std::vector<Picture>* pictures = nullptr;  // that it shows are added here; nullptr: dropped
        WholeBatch* whole_batch = nullptr;         // has the rows of other processes, if any
    };
    void forward(const ptp_step& step, const ptp_value* const* inputs, ptp_value* const* outputs,
                 const Beside& beside);
    void forward(const ptp_step& step, const ptp_value* const* inputs, ptp_value* const* outputs) {
        forward(step, inputs, outputs, {});
    }

    // See Host.
    [[nodiscard]] std::optional<std::int64_t> integer_for(plugin::Purpose purpose) const {
        return host_.integer_for(purpose);
    }
    // Returns whether it may gather the rows of other processes.
    [[nodiscard]] bool sees_whole_batch() const { return host_.sees_whole_batch(); }

    // Returns whether it treats each sample by itself: then transform() replaces forward(). A
    // component that may run in the loader threads also has no state, and is called by several
    // threads at once.
    [[nodiscard]] bool is_per_sample() const { return sample_transform_ != nullptr; }
    [[nodiscard]] bool may_run_in_loaders() const;
    void transform(const BatchSamples& samples, const ptp_value* const* inputs,
                   ptp_value* const* outputs);

    // Writes the inputs as outputs: Node::passed_ports(). [any]
    void pass_through(const ptp_value* const* inputs, ptp_value* const* outputs) const;

    // Return the elements that flow through its ports; those of a port without a stream are the
    // declared ones.
    [[nodiscard]] const std::vector<ptp_element>& input_elements() const { return input_elements_; }
    [[nodiscard]] const std::vector<ptp_element>& output_elements() const {
        return output_elements_;
    }

    // The functions of a task. fetch() is called by several threads at once and lets one at a time
    // into a task that is not concurrent; the host adds the stream `indices` itself.
    [[nodiscard]] std::int64_t size();
    [[nodiscard]] bool is_concurrent() const;
    void fetch(const ptp_fetch& fetch, ptp_value* const* outputs);
    // Return a number for each sample; nullopt if the task does not state them.
    [[nodiscard]] std::optional<std::vector<double>> sample_weights();
    [[nodiscard]] std::optional<std::vector<std::int64_t>> sample_classes();

    // Does nothing for a component without modes. A component that is frozen as a whole stays in
    // evaluation.
    void set_training(bool is_training);

    // Stops the training of these parameters, which must be trained ones.
    void freeze(std::vector<at::Tensor> parameters);
    // Freezes or unfreezes a component that is frozen until an epoch; its mode follows.
    void set_frozen(bool is_frozen);
    [[nodiscard]] bool is_frozen() const { return is_frozen_; }
    // Returns whether `freeze` names the parameter.
    [[nodiscard]] bool freezes(const at::Tensor& parameter) const;
    // Returns whether the parameter is not trained now and will be.
    [[nodiscard]] bool thaws(const at::Tensor& parameter) const {
        return node_.frozen_until.has_value() && freezes(parameter);
    }

    // Returns all parameters and buffers, in the component's order; names are unique and tensors
    // defined.
    [[nodiscard]] std::vector<NamedTensor> tensors();

    // The state besides tensors. export_state() returns nullopt if the component has none; other
    // threads wait in fetch() meanwhile.
    struct State {
        std::uint32_t version = 0;
        Value value;
    };
    [[nodiscard]] bool has_state() const { return state_ != nullptr; }
    [[nodiscard]] std::optional<State> export_state();
    // Takes a state of the same version or an older one.
    void import_state(const State& state);
    [[nodiscard]] bool can_import(const State& state) const {
        return state_ != nullptr && state.version <= state_->version;
    }

    // Returns whether it can take over tensors that differ from its own.
    [[nodiscard]] bool can_migrate() const { return migrate_ != nullptr; }
    // Passes it the tensors of the instance that it replaces. REQUIRES: can_migrate().
    void migrate(std::vector<NamedTensor>& old);

    // Returns whether it writes its operators of ONNX itself, and has it do so.
    [[nodiscard]] bool writes_onnx() const { return onnx_ != nullptr; }
    void write_onnx(const ptp_onnx_builder& builder);

    // Returns all random generators that the host keeps for it. Its modules draw from them, too,
    // unless it draws from libtorch's, as all components did when older checkpoints were written.
    [[nodiscard]] std::vector<at::Generator> generators();
    void draw_from_libtorch() { draws_from_libtorch_ = true; }
    [[nodiscard]] bool draws_from_libtorch() const { return draws_from_libtorch_; }

    [[nodiscard]] bool has_statistics() const { return statistics_ != nullptr; }
    void reset_statistics(std::uint64_t set);
    void collect_statistics(std::uint64_t set, double* values);
    void aggregate_statistics(std::uint64_t set, double* values);

    // Return the names of its values for each sample, none without the ability, and these values of
    // the last batch of forward(): a row of `samples` numbers for each name. [step]
    [[nodiscard]] std::vector<std::string> sample_value_names() const;
    [[nodiscard]] std::vector<double> collect_sample_values(std::uint64_t samples);

private:
    Instance(ComponentContext& component_context, const pipeline::Node& node,
             const ptp_component_info& info, std::shared_ptr<Instance> shared);
    void check_published();
    void require_declared(const plugin::Global& global, const std::string& name);
    void create();
    void destroy();
    // An error's text, in a catch block: the exception may have a type that only the plugin knows.
    [[nodiscard]] std::string let_out(const char* work) const;
    template <class Ability>
    [[nodiscard]] const Ability* ability(const char* id) const;
    template <class Number>
    std::vector<Number> numbers_of_samples(ptp_status (*write)(void*, Number*), const char* work,
                                           const char* what);
    template <class Function>
    void invoke(const CallValues& values, const char* work, Function function);
    template <class Function>
    void invoke_in_any_thread(const CallValues& values, const char* work, Function function);
    [[noreturn]] void report(ptp_status status, const Call& call) const;

    const pipeline::Node& node_;
    const std::shared_ptr<Instance> shared_;  // (optional) whose component it calls
    const ptp_component_info& info_;
    const std::string blamed_;
    Host host_;
    Setup setup_;
    std::vector<ptp_element> input_elements_;
    std::vector<ptp_element> output_elements_;
    bool draws_from_libtorch_ = false;
    void* handle_ = nullptr;
    const ptp_task* task_ = nullptr;
    const ptp_parameters* parameters_ = nullptr;
    const ptp_mode* mode_ = nullptr;
    const ptp_state* state_ = nullptr;
    const ptp_migrate* migrate_ = nullptr;
    const ptp_onnx* onnx_ = nullptr;
    const ptp_sample_transform* sample_transform_ = nullptr;
    const ptp_sampling* sampling_ = nullptr;
    const ptp_statistics* statistics_ = nullptr;
    const ptp_sample_values* sample_values_ = nullptr;
    std::vector<at::Tensor> frozen_;  // its parameters, now or until an epoch
    bool is_frozen_ = false;
    CallRecorder* recorder_ = nullptr;  // (optional) of the calls of this instance
    std::shared_mutex fetching_;        // a call of fetch() that may be one of several shares it
};

}  // namespace ptp::engine
