// Adagrad:  s <- s + g^2,  w <- w - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)
//
// Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning and stochastic
// optimization" (2011).

#pragma once

#include "experiment/optimizer/common_fields.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

struct Adagrad {
    static constexpr std::string_view kName = "Adagrad";
    static constexpr std::string_view kHelp =
        "divides the gradient by the root of the sum of its squares";
    static constexpr std::string_view kExample = R"({ type = "Adagrad", lr = 0.01 })";
    static constexpr bool kTakesSparseGradients = true;

    double lr = 1e-2;
    double weight_decay = 0;
    double eps = 1e-10;
    double lr_decay = 0;
    double initial_accumulator_value = 0;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        std::vector<Field> all = group_fields();
        all.push_back({.name = "initial_accumulator_value",
                       .into = &initial_accumulator_value,
                       .help = "what the sums of squares begin with",
                       .range = "[0, inf)"});
        return all;
    }
    template <class Field = schema::Field>
    std::vector<Field> group_fields() {
        return {lr_field(lr),
                weight_decay_field(weight_decay),
                eps_field(eps),
                {.name = "lr_decay",
                 .into = &lr_decay,
                 .help = "how fast the learning rate falls with each step",
                 .range = "[0, inf)"}};
    }

    template <class Tensor>
    struct State {
        std::int64_t step = 0;
        Tensor sum;

        void visit(auto& visitor) {
            visitor("step", step);
            visitor("sum", sum);
        }
    };

    // Creates the state before the first step, so that it is saved even then.
    template <class Tensor>
    void begin(const Tensor& w, State<Tensor>& s) const {
        if (!s.sum.defined()) {
            s.sum = full_like(w, initial_accumulator_value);
        }
    }

    template <class Tensor>
    void step(Tensor& w, Tensor g, State<Tensor>& s) const {
        ++s.step;
        g = with_decay(g, w, weight_decay);
        const double rate = lr / (1 + static_cast<double>(s.step - 1) * lr_decay);
        if (g.is_sparse()) {
            step_sparse(w, g.coalesce(), rate, s);
            return;
        }
        s.sum.addcmul_(g, g, 1.0);
        w.addcdiv_(g, s.sum.sqrt().add_(eps), -rate);
    }

private:
    // Steps only the elements that a sparse gradient has.
    template <class Tensor>
    void step_sparse(Tensor& w, const Tensor& g, double rate, State<Tensor>& s) const {
        const auto sparse = [&g](const Tensor& values) {
            return sparse_coo_tensor(g.indices(), values, g.sizes(), g.options());
        };
        s.sum.add_(sparse(g.values().pow(2)));
        const Tensor divisor = s.sum.sparse_mask(g).values().sqrt().add_(eps);
        w.add_(sparse(g.values().div(divisor)), -rate);
    }
};

}  // namespace ptp::optimizer
