// Adam:  m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2,
//        w <- w - lr * m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps)
//
// Kingma and Ba, "Adam: a method for stochastic optimization" (2015). With amsgrad the largest v so
// far takes the place of v: Reddi, Kale and Kumar, "On the convergence of Adam and beyond" (2018).

#pragma once

#include "optimizer/common_fields.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

struct Adam {
    static constexpr std::string_view kName = "Adam";
    static constexpr std::string_view kHelp = "steps by running means of gradient and square";
    static constexpr std::string_view kExample = R"({ type = "Adam", lr = 0.001 })";

    double lr = 1e-3;
    double weight_decay = 0;
    std::array<double, 2> betas = {0.9, 0.999};
    double eps = 1e-8;
    bool amsgrad = false;

    std::vector<schema::Field> fields() {
        return {lr_field(lr), weight_decay_field(weight_decay), betas_field(betas), eps_field(eps),
                amsgrad_field(amsgrad)};
    }
    static schema::Field amsgrad_field(bool& amsgrad) {
        return {.name = "amsgrad",
                .into = &amsgrad,
                .help = "divides by the largest running mean so far"};
    }

    double& momentum_option() { return betas[0]; }

    template <class Tensor>
    struct State {
        std::int64_t step = 0;
        Tensor exp_avg;
        Tensor exp_avg_sq;
        Tensor max_exp_avg_sq;

        void visit(auto& visitor) {
            visitor("step", step);
            visitor("exp_avg", exp_avg);
            visitor("exp_avg_sq", exp_avg_sq);
            visitor("max_exp_avg_sq", max_exp_avg_sq);
        }
    };

    template <class Tensor>
    void step(Tensor& w, Tensor g, State<Tensor>& s) const {
        if (s.step == 0) {
            s.exp_avg = zeros_like(w);
            s.exp_avg_sq = zeros_like(w);
            s.max_exp_avg_sq = amsgrad ? zeros_like(w) : Tensor();
        }
        ++s.step;
        const auto t = static_cast<double>(s.step);
        const double correction1 = 1 - std::pow(betas[0], t);
        const double correction2 = 1 - std::pow(betas[1], t);
        if (weight_decay != 0) {
            g = g.add(w, weight_decay);
        }
        s.exp_avg.mul_(betas[0]).add_(g, 1 - betas[0]);
        s.exp_avg_sq.mul_(betas[1]).addcmul_(g, g, 1 - betas[1]);
        if (amsgrad) {
            max_out(s.max_exp_avg_sq, s.exp_avg_sq, s.max_exp_avg_sq);
        }
        const Tensor& square = amsgrad ? s.max_exp_avg_sq : s.exp_avg_sq;
        const Tensor divisor = square.sqrt().div(std::sqrt(correction2)).add_(eps);
        w.addcdiv_(s.exp_avg, divisor, -(lr / correction1));
    }
};

}  // namespace ptp::optimizer
