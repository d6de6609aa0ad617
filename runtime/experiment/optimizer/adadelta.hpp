// Adadelta:  v <- rho v + (1 - rho) g^2,  d = sqrt(u + eps) / sqrt(v + eps) * g,
//            u <- rho u + (1 - rho) d^2,  w <- w - lr * d
//
// Zeiler, "ADADELTA: an adaptive learning rate method" (2012).

#pragma once

#include "experiment/optimizer/common_fields.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

struct Adadelta {
    static constexpr std::string_view kName = "Adadelta";
    static constexpr std::string_view kHelp = "steps as large as the ones before, by their means";
    static constexpr std::string_view kExample = R"({ type = "Adadelta" })";

    double lr = 1;
    double weight_decay = 0;
    double rho = 0.9;
    double eps = 1e-6;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {lr_field(lr),
                weight_decay_field(weight_decay),
                {.name = "rho",
                 .into = &rho,
                 .help = "decay rate of the means of squared gradients and squared steps",
                 .range = "[0, 1]"},
                eps_field(eps)};
    }

    template <class Tensor>
    struct State {
        std::int64_t step = 0;
        Tensor square_avg;
        Tensor acc_delta;

        void visit(auto& visitor) {
            visitor("step", step);
            visitor("square_avg", square_avg);
            visitor("acc_delta", acc_delta);
        }
    };

    template <class Tensor>
    void step(Tensor& w, Tensor g, State<Tensor>& s) const {
        if (s.step == 0) {
            s.square_avg = zeros_like(w);
            s.acc_delta = zeros_like(w);
        }
        ++s.step;
        g = with_decay(g, w, weight_decay);
        s.square_avg.mul_(rho).addcmul_(g, g, 1 - rho);
        const Tensor root = s.square_avg.add(eps).sqrt_();
        const Tensor change = s.acc_delta.add(eps).sqrt_().div_(root).mul_(g);
        s.acc_delta.mul_(rho).addcmul_(change, change, 1 - rho);
        w.add_(change, -lr);
    }
};

}  // namespace ptp::optimizer
