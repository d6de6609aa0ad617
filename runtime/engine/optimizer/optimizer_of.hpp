// The optimizer of one type, which applies the formula of a struct in experiment/optimizer to
// libtorch's tensors.

#pragma once

#include "engine/component/compat.hpp"
#include "engine/optimizer/one_pass_steps.hpp"
#include "engine/optimizer/optimizer.hpp"
#include "engine/optimizer/saved_optimizer.hpp"

#include <c10/core/GradMode.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// Throws RunError: an optimizer of this type cannot use the sparse gradient of this parameter.
[[noreturn]] void refuse_sparse_gradient(std::string_view type, const std::string& parameter);

// Returns whether libtorch's fused steps may change the parameter; they treat its memory as a plain
// list of numbers.
bool can_be_fused(const at::Tensor& parameter, const at::Tensor& gradient);

// Makes a step of torch::optim::LBFGS from this state, which it changes.
void step_with_closure(const optimizer::Lbfgs& options,
                       const std::vector<NamedParameter>& parameters,
                       optimizer::Lbfgs::State<at::Tensor>& state,
                       const Optimizer::Closure& closure);

template <class Options>
class OptimizerOf final : public Optimizer {
public:
    explicit OptimizerOf(std::vector<GroupOf<Options>> groups) {
        for (GroupOf<Options>& group : groups) {
            if constexpr (requires { group.options.complete(); }) {
                group.options.complete();
            }
            add_group(group.name, group.options.lr, std::move(group.parameters));
            options_.push_back(std::move(group.options));
        }
        experiment_ = options_;
        states_.resize(parameters().size());
        begin(states_);
    }

    [[nodiscard]] bool needs_closure() const override { return optimizer::kNeedsClosure<Options>; }

    void step(const Closure& closure = nullptr) override {
        if constexpr (optimizer::kNeedsClosure<Options>) {
            step_with_closure(options_.front(), parameters(), states_.front(), closure);
        } else {
            step_each();
        }
    }

    void set_fused(const std::string& group, std::optional<bool> fused) override {
        if constexpr (optimizer::kHasFused<Options>) {
            for (std::size_t i = 0; i < options_.size(); ++i) {
                options_[i].fused = groups()[i] == group ? fused : options_[i].fused;
            }
        }
    }

    void set_momentum(double momentum) override {
        if constexpr (optimizer::kHasMomentum<Options>) {
            for (Options& options : options_) {
                options.momentum_option() = momentum;
            }
        }
    }

    void reset_momentum() override {
        if constexpr (optimizer::kHasMomentum<Options>) {
            for (std::size_t i = 0; i < options_.size(); ++i) {
                options_[i].momentum_option() = experiment_[i].momentum_option();
            }
        }
    }

    [[nodiscard]] SavedState save() const override {
        SavedState saved;
        saved.record.set("type", std::string(Options::kName));
        std::vector<Value> groups;
        for (std::size_t i = 0; i < options_.size(); ++i) {
            Options options = options_[i];
            groups.push_back(options_record(this->groups()[i], saved_fields(options)));
        }
        saved.record.set("groups", Value::list(std::move(groups)));
        Value entries;
        for (std::size_t i = 0; i < states_.size(); ++i) {
            const std::string& name = parameters()[i].name;
            StateWriter writer(name + "/", saved.tensors);
            State state = states_[i];
            state.visit(writer);
            entries.set(name, writer.entry());
        }
        saved.record.set("parameters", std::move(entries));
        return saved;
    }

    void restore(const SavedState& saved) override {
        SavedOptimizer source(saved, Options::kName, parameters());
        std::vector<Options> options = options_;
        for (std::size_t i = 0; i < options.size(); ++i) {
            source.read_options(groups()[i], saved_fields(options[i]));
        }
        std::vector<State> states(parameters().size());
        for (std::size_t i = 0; i < states.size(); ++i) {
            source.read_state(i, states[i]);
        }
        source.finish();
        begin(states);
        options_ = std::move(options);
        one_pass_.clear();
        states_ = std::move(states);
    }

private:
    using State = typename Options::template State<at::Tensor>;

    // Returns the options that belong to the state, without those for how steps are computed.
    static std::vector<schema::Field> saved_fields(Options& options) {
        std::vector<schema::Field> fields = options.fields();
        if constexpr (optimizer::kHasFused<Options>) {
            std::erase_if(fields, [](const auto& one) { return one.name == optimizer::kFusedKey; });
        }
        return fields;
    }

    // Initializes the states that exist before the first step.
    void begin(std::vector<State>& states) const {
        if constexpr (requires(Options o, State & s, at::Tensor w) { o.begin(w, s); }) {
            const c10::NoGradGuard no_grad;
            for (std::size_t i = 0; i < states.size(); ++i) {
                options_[group_of(i)].begin(parameters()[i].tensor, states[i]);
            }
        }
    }

    void step_each() {
        const c10::NoGradGuard no_grad;
        std::vector<optimizer::FusedLists<at::Tensor>> listed(options_.size());  // of the groups
        for (std::size_t i = 0; i < states_.size(); ++i) {
            at::Tensor parameter = parameters()[i].tensor;
            const at::Tensor& gradient = parameter.grad();
            if (!gradient.defined()) {
                continue;
            }
            if (gradient.is_sparse() && !optimizer::kTakesSparseGradients<Options>) {
                refuse_sparse_gradient(Options::kName, parameters()[i].name);
            }
            const std::size_t group = group_of(i);
            if (!is_listed(parameter, gradient, i, listed[group])) {
                options_[group].step(parameter, gradient, states_[i]);
            }
        }
        if constexpr (optimizer::kHasFused<Options>) {
            for (std::size_t i = 0; i < listed.size(); ++i) {
                if (!listed[i].weights.empty()) {
                    step_listed(i, listed[i]);
                }
            }
        }
    }

    // Adds a parameter to the lists of its group, unless it has to be stepped by itself.
    bool is_listed(const at::Tensor& parameter, const at::Tensor& gradient, std::size_t i,
                   optimizer::FusedLists<at::Tensor>& lists) {
        if constexpr (optimizer::kHasFused<Options>) {
            const std::size_t group = group_of(i);
            const Options& options = options_[group];
            const bool can_be_listed =
                uses_fused_steps(options, parameter)
                    ? can_be_fused(parameter, gradient)
                    : can_pass_once(parameter, gradient) && one_pass(group).has_value();
            if (can_be_listed && options.fuse(states_[i], lists)) {
                lists.weights.push_back(parameter);
                lists.gradients.push_back(gradient.contiguous());
                return true;
            }
        }
        return false;
    }

    void step_listed(std::size_t group, const optimizer::FusedLists<at::Tensor>& lists) {
        const Options& options = options_[group];
        if (!uses_fused_steps(options, lists.weights.front())) {
            options.fused_step(lists, *one_pass(group));
        } else if constexpr (compat::FusedSteps::kExist) {
            options.fused_step(lists, compat::FusedSteps());
        }
    }

    // Returns the steps in one pass of a group, or nullopt if their bits would differ from
    // libtorch's; found out when it is first called for any group.
    const std::optional<OnePassSteps>& one_pass(std::size_t group) {
        while (one_pass_.size() < options_.size()) {
            one_pass_.push_back(steps_like_libtorch(options_[one_pass_.size()]));
        }
        return one_pass_[group];
    }

    // Returns whether to use libtorch's fused steps, whose bits differ. All parameters are on one
    // device.
    static bool uses_fused_steps(const Options& options, const at::Tensor& parameter) {
        return compat::FusedSteps::kExist && options.fused.value_or(parameter.is_cuda());
    }

    [[nodiscard]] double lr(std::size_t group) const override { return options_[group].lr; }
    void set_lr(std::size_t group, double rate) override { options_[group].lr = rate; }

    std::vector<Options> options_;                       // one for each group
    std::vector<Options> experiment_;                    // one for each group, as in the experiment
    std::vector<State> states_;                          // one for each parameter
    std::vector<std::optional<OnePassSteps>> one_pass_;  // one for each group; see one_pass()
};

}  // namespace ptp::engine
