// RMSprop:  v <- alpha v + (1 - alpha) g^2,  w <- w - lr * g / (sqrt(v) + eps)
//
// With momentum, b <- momentum * b + g / (sqrt(v) + eps) replaces the quotient. Hinton's lectures
// (2012). Centered, v minus the square of the running mean of g replaces v: Graves, "Generating
// sequences with recurrent neural networks" (2013).

#pragma once

#include "experiment/optimizer/common_fields.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

struct RmsProp {
    static constexpr std::string_view kName = "RMSprop";
    static constexpr std::string_view kHelp = "divides the gradient by the root of its mean square";
    static constexpr std::string_view kExample = R"({ type = "RMSprop", lr = 0.01 })";

    double lr = 1e-2;
    double weight_decay = 0;
    double momentum = 0;
    double eps = 1e-8;
    double alpha = 0.99;
    bool centered = false;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {
            lr_field(lr),
            weight_decay_field(weight_decay),
            {.name = "momentum", .into = &momentum, .help = "momentum factor", .range = "[0, 1)"},
            eps_field(eps),
            {.name = "alpha",
             .into = &alpha,
             .help = "smoothing constant: decay rate of the mean of squared gradients",
             .range = "[0, inf)"},
            {.name = "centered", .into = &centered, .help = "divides by the standard deviation"}};
    }

    double& momentum_option() { return momentum; }

    template <class Tensor>
    struct State {
        std::int64_t step = 0;
        Tensor square_avg;
        Tensor momentum_buffer;
        Tensor grad_avg;

        void visit(auto& visitor) {
            visitor("step", step);
            visitor("square_avg", square_avg);
            visitor("momentum_buffer", momentum_buffer);
            visitor("grad_avg", grad_avg);
        }
    };

    template <class Tensor>
    void step(Tensor& w, Tensor g, State<Tensor>& s) const {
        if (s.step == 0) {
            s.square_avg = zeros_like(w);
            s.grad_avg = centered ? zeros_like(w) : Tensor();
        }
        if (momentum > 0 && !s.momentum_buffer.defined()) {
            s.momentum_buffer = zeros_like(w);
        }
        ++s.step;
        g = with_decay(g, w, weight_decay);
        s.square_avg.mul_(alpha).addcmul_(g, g, 1 - alpha);
        if (centered) {
            s.grad_avg.mul_(alpha).add_(g, 1 - alpha);
        }
        Tensor divisor = centered ? s.square_avg.addcmul(s.grad_avg, s.grad_avg, -1).sqrt_()
                                  : s.square_avg.sqrt();
        divisor.add_(eps);
        if (momentum > 0) {
            s.momentum_buffer.mul_(momentum).addcdiv_(g, divisor);
            w.add_(s.momentum_buffer, -lr);
        } else {
            w.addcdiv_(g, divisor, -lr);
        }
    }
};

}  // namespace ptp::optimizer
