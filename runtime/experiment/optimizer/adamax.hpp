// Adamax:  m <- b1 m + (1 - b1) g,  u <- max(b2 u, |g| + eps),  w <- w - lr / (1 - b1^t) * m / u
//
// Kingma and Ba, "Adam: a method for stochastic optimization" (2015), section 7.1.

#pragma once

#include "experiment/optimizer/common_fields.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

struct Adamax {
    static constexpr std::string_view kName = "Adamax";
    static constexpr std::string_view kHelp = "Adam with the largest gradient in place of the mean";
    static constexpr std::string_view kExample = R"({ type = "Adamax", lr = 0.002 })";

    double lr = 2e-3;
    double weight_decay = 0;
    std::array<double, 2> betas = {0.9, 0.999};
    double eps = 1e-8;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return adam_fields(*this);
    }

    double& momentum_option() { return betas[0]; }

    template <class Tensor>
    struct State {
        std::int64_t step = 0;
        Tensor exp_avg;
        Tensor exp_inf;

        void visit(auto& visitor) {
            visitor("step", step);
            visitor("exp_avg", exp_avg);
            visitor("exp_inf", exp_inf);
        }
    };

    template <class Tensor>
    void step(Tensor& w, Tensor g, State<Tensor>& s) const {
        if (s.step == 0) {
            s.exp_avg = zeros_like(w);
            s.exp_inf = zeros_like(w);
        }
        ++s.step;
        g = with_decay(g, w, weight_decay);
        s.exp_avg.mul_(betas[0]).add_(g, 1 - betas[0]);
        s.exp_inf.mul_(betas[1]);
        max_out(s.exp_inf, s.exp_inf, g.abs().add_(eps));
        w.addcdiv_(s.exp_avg, s.exp_inf,
                   -(lr / (1 - std::pow(betas[0], static_cast<double>(s.step)))));
    }
};

}  // namespace ptp::optimizer
