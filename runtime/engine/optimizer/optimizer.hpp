// The optimizer of [training.optimizer] with its groups of parameters; its types are listed in
// experiment/optimizer/optimizers.hpp.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/optimizer/gradients.hpp"
#include "experiment/optimizer/optimizers.hpp"

#include <c10/util/FunctionRef.h>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// Parameters that share their options.
template <class Options>
struct GroupOf {
    std::string name;  // the component; "" for those without options of their own
    Options options;
    std::vector<NamedParameter> parameters;
};
using ParameterGroup = GroupOf<optimizer::Any>;

// [main] The names of the parameters are unique.
class Optimizer {
public:
    // Calculates the gradients anew and returns the loss.
    using Closure = std::function<at::Tensor()>;

    Optimizer() = default;
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;
    virtual ~Optimizer() = default;

    // Returns the parameters of all groups, in the order of the groups.
    [[nodiscard]] const std::vector<NamedParameter>& parameters() const { return parameters_; }
    // Returns the names; "" is the group of all parameters that are in no other group.
    [[nodiscard]] const std::vector<std::string>& groups() const { return groups_; }

    // Returns whether step() needs a closure; the others must not be passed one.
    [[nodiscard]] virtual bool needs_closure() const = 0;

    // Makes the gradients undefined, so that the next backward pass need not add to zeros.
    void forget_gradients();

    // Updates the parameters that have a gradient. Throws RunError for a sparse gradient that the
    // optimizer cannot use.
    virtual void step(const Closure& closure = nullptr) = 0;

    // Sets the learning rate of each group to rate(its base rate).
    void set_learning_rates(c10::function_ref<double(double base)> rate);
    // Returns the current rates.
    [[nodiscard]] std::vector<double> learning_rates() const;

    // Sets whether the steps of a group are fused, "": of all parameters in no other group;
    // nullopt: on a CUDA device. Optimizers without fused steps ignore it.
    virtual void set_fused(const std::string& group, std::optional<bool> fused) = 0;

    // Sets the momentum of all groups; the first of betas. Optimizers without momentum ignore it.
    virtual void set_momentum(double momentum) = 0;
    // Restores each group's momentum of the experiment.
    virtual void reset_momentum() = 0;

    // Returns the rates that learning rates are derived from, as a list with one for each group:
    // the experiment's, unless replaced. set_base_rates() throws RunError with kDataError for
    // anything else.
    [[nodiscard]] Value base_rates() const;
    void set_base_rates(const Value& rates);
    // Sets that of a group, or of all for nullopt.
    void set_base_rate(double rate, const std::optional<std::string>& group);

    // Returns all state of the parameters, and the current options; see saved_optimizer.hpp. A
    // restored optimizer continues with the same bits. Everything that does not fit is reported at
    // once, with nothing changed: restore() throws RunError with kDataError.
    [[nodiscard]] virtual SavedState save() const = 0;
    virtual void restore(const SavedState& saved) = 0;

protected:
    void add_group(const std::string& name, double lr, std::vector<NamedParameter> parameters);
    // Returns the group of a parameter, by its index in parameters().
    [[nodiscard]] std::size_t group_of(std::size_t parameter) const { return group_of_[parameter]; }

private:
    [[nodiscard]] virtual double lr(std::size_t group) const = 0;
    virtual void set_lr(std::size_t group, double rate) = 0;

    std::vector<std::string> groups_;
    std::vector<double> base_rates_;  // one for each group
    std::vector<NamedParameter> parameters_;
    std::vector<std::size_t> group_of_;
};

// Makes the optimizer of at least one group, all of one type; of exactly one if it needs a closure.
std::unique_ptr<Optimizer> make_optimizer(std::vector<ParameterGroup> groups);

}  // namespace ptp::engine
