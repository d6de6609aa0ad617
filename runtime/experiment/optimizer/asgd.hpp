// ASGD, averaged stochastic gradient descent: with eta_t = lr / (1 + lambd * lr * (t - 1))^alpha
// and mu_t = 1 / max(1, t - 1 - t0),
//
//     w  <- (1 - lambd * eta_t) w - eta_t g
//     ax <- ax + mu_t (w - ax),  w itself while mu_t = 1
//
// Polyak and Juditsky, "Acceleration of stochastic approximation by averaging" (1992), as in
// PyTorch, except that a changed learning rate takes effect at once, not a step later. The averages
// ax are kept in checkpoints; weight_average evaluates averages instead.

#pragma once

#include "experiment/optimizer/common_fields.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

struct Asgd {
    static constexpr std::string_view kName = "ASGD";
    static constexpr std::string_view kHelp = "averaged stochastic gradient descent";
    static constexpr std::string_view kExample = R"({ type = "ASGD", lr = 0.01 })";

    double lr = 1e-2;
    double weight_decay = 0;
    double lambd = 1e-4;
    double alpha = 0.75;
    double t0 = 1e6;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {lr_field(lr),
                weight_decay_field(weight_decay),
                {.name = "lambd", .into = &lambd, .help = "decay term", .range = "[0, inf)"},
                {.name = "alpha",
                 .into = &alpha,
                 .help = "power of the decay of the learning rate",
                 .range = "[0, inf)"},
                {.name = "t0",
                 .into = &t0,
                 .help = "the step after which averages of the weights begin",
                 .range = "[0, inf)"}};
    }

    template <class Tensor>
    struct State {
        std::int64_t step = 0;
        Tensor ax;

        void visit(auto& visitor) {
            visitor("step", step);
            visitor("ax", ax);
        }
    };

    template <class Tensor>
    void step(Tensor& w, Tensor g, State<Tensor>& s) const {
        const auto before = static_cast<double>(s.step++);
        const double eta = lr / std::pow(1 + lambd * lr * before, alpha);
        g = with_decay(g, w, weight_decay);
        w.mul_(1 - lambd * eta);
        w.add_(g, -eta);
        const double mu = 1 / std::max(1.0, before - t0);
        if (!s.ax.defined() || mu == 1) {
            s.ax = w.clone();
        } else {
            s.ax.add_(w.sub(s.ax), mu);
        }
    }
};

}  // namespace ptp::optimizer
