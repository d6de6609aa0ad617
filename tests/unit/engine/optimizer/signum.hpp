// Signum:  m <- b m + (1 - b) g,  w <- w - lr * sign(m)
//
// Bernstein et al., "signSGD: compressed optimisation for non-convex problems" (2018).

#pragma once

#include "experiment/optimizer/common_fields.hpp"

#include <string_view>
#include <vector>

namespace ptp::optimizer {

struct Signum {
    static constexpr std::string_view kName = "Signum";
    static constexpr std::string_view kHelp = "steps of one size, by the sign of the momentum";
    static constexpr std::string_view kExample = R"({ type = "Signum", lr = 0.001 })";

    double lr = 1e-3;
    double momentum = 0.9;

    std::vector<schema::Field> fields() {
        return {lr_field(lr),
                {.name = "momentum",
                 .into = &momentum,
                 .help = "share of the mean of gradients that a step keeps",
                 .range = "[0, 1)"}};
    }
    double& momentum_option() { return momentum; }  // so that OneCycleLR can move it

    template <class Tensor>
    struct State {
        Tensor mean;

        void visit(auto& visitor) { visitor("mean", mean); }
    };

    template <class Tensor>
    void step(Tensor& w, Tensor g, State<Tensor>& s) const {
        if (!s.mean.defined()) {
            s.mean = zeros_like(w);
        }
        s.mean.mul_(momentum).add_(g, 1 - momentum);
        w.add_(s.mean.sign(), -lr);
    }
};

}  // namespace ptp::optimizer
