// NAdam, Adam with Nesterov's momentum: with mu_t = b1 (1 - 0.96^(t * momentum_decay) / 2) and the
// means m and v of Adam,
//
//     w <- w - lr / (sqrt(v / (1 - b2^t)) + eps)
//            * ((1 - mu_t) g / (1 - mu_1 ... mu_t) + mu_t+1 m / (1 - mu_1 ... mu_t+1))
//
// Dozat, "Incorporating Nesterov momentum into Adam" (2016).

#pragma once

#include "experiment/optimizer/common_fields.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

struct NAdam {
    static constexpr std::string_view kName = "NAdam";
    static constexpr std::string_view kHelp = "Adam with Nesterov's momentum";
    static constexpr std::string_view kExample = R"({ type = "NAdam", lr = 0.002 })";

    double lr = 2e-3;
    double weight_decay = 0;
    std::array<double, 2> betas = {0.9, 0.999};
    double eps = 1e-8;
    double momentum_decay = 4e-3;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        std::vector<Field> all = adam_fields(*this);
        all.push_back({.name = "momentum_decay",
                       .into = &momentum_decay,
                       .help = "how fast the momentum grows to the first of betas",
                       .range = "[0, inf)"});
        return all;
    }

    double& momentum_option() { return betas[0]; }

    template <class Tensor>
    struct State : Means<Tensor> {
        double mu_product = 1;

        void visit(auto& visitor) {
            Means<Tensor>::visit(visitor);
            visitor("mu_product", mu_product);
        }
    };

    template <class Tensor>
    void step(Tensor& w, Tensor g, State<Tensor>& s) const {
        g = with_decay(g, w, weight_decay);
        s.update(w, g, betas);
        s.mu_product *= momentum_at(s.step);
        const double next_mu = momentum_at(s.step + 1);
        const double correction = 1 - std::pow(betas[1], static_cast<double>(s.step));
        const Tensor divisor = s.exp_avg_sq.div(correction).sqrt_().add_(eps);
        w.addcdiv_(g, divisor, -lr * (1 - momentum_at(s.step)) / (1 - s.mu_product));
        w.addcdiv_(s.exp_avg, divisor, -lr * next_mu / (1 - s.mu_product * next_mu));
    }

private:
    [[nodiscard]] double momentum_at(std::int64_t step) const {
        const auto t = static_cast<double>(step);
        return betas[0] * (1 - 0.5 * std::pow(0.96, t * momentum_decay));
    }
};

}  // namespace ptp::optimizer
