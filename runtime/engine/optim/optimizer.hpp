// The optimizer of [training.optimizer], one of libtorch's, with its groups of parameters.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/optim/make_optimizer.hpp"
#include "engine/optim/optimizer_state.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

// [main]
class Optimizer {
public:
    // The names of the parameters are unique. REQUIRES: see make_optimizer().
    explicit Optimizer(std::vector<ParameterGroup> groups);
    ~Optimizer();
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;

    // Of all groups, one after the other.
    [[nodiscard]] const std::vector<NamedParameter>& parameters() const { return parameters_; }
    [[nodiscard]] bool is_lbfgs() const { return type_ == "LBFGS"; }

    // Leaves the gradients undefined, so that the next backward pass need not add to zeros.
    void forget_gradients();

    // Changes the parameters. LBFGS needs the closure, which computes the gradients anew and gives
    // the loss; the others must not be given one.
    void step(const std::function<at::Tensor()>& closure = nullptr);

    // Sets the learning rate of each group to what `rate` makes of the experiment's.
    void set_learning_rates(const std::function<double(double base)>& rate);
    // Of all groups; of Adam and AdamW the first beta. Optimizers without momentum ignore it.
    void set_momentum(double momentum);
    // The experiment's again, of each group its own.
    void reset_momentum();
    // As they are by now.
    [[nodiscard]] std::vector<double> learning_rates() const;

    // "" is that of what is in no other group.
    [[nodiscard]] const std::vector<std::string>& groups() const { return groups_; }

    // What learning rates are made from: the experiment's, unless another was set. A list with one
    // for each group. set_base_rates() throws RunError with kDataError for anything else.
    [[nodiscard]] Value base_rates() const;
    void set_base_rates(const Value& rates);
    void set_base_rate(double rate, const std::string& group);      // "": of all
    void set_rate_of_group(double rate, const std::string& group);  // "": of what is in no other

    // All that the optimizer has learnt of its parameters, and its options as they are by now; see
    // optimizer_state.hpp. A restored one continues with the same bits.
    [[nodiscard]] SavedState save() const;
    void restore(const SavedState& saved);

private:
    [[nodiscard]] OptimizerView view() const;

    std::string type_;
    std::vector<std::string> groups_;
    std::vector<double> base_rates_;  // of the groups
    std::vector<double> momenta_;     // of the groups, as the experiment has them
    std::vector<NamedParameter> parameters_;
    std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

}  // namespace ptp::engine
