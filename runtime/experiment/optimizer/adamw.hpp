// Adam with decoupled weight decay:  w <- w - lr * weight_decay * w,  and then a step of Adam.
//
// Loshchilov and Hutter, "Decoupled weight decay regularization" (2019).

#pragma once

#include "experiment/optimizer/adam.hpp"

#include <optional>

namespace ptp::optimizer {

struct AdamW {
    static constexpr std::string_view kName = "AdamW";
    static constexpr std::string_view kHelp = "Adam with decoupled weight decay";
    static constexpr std::string_view kExample = R"({ type = "AdamW", lr = 0.001 })";

    double lr = 1e-3;
    double weight_decay = 1e-2;
    std::array<double, 2> betas = {0.9, 0.999};
    double eps = 1e-8;
    bool amsgrad = false;
    std::optional<bool> fused = {};  // nullopt: on a CUDA device

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        Field decay = weight_decay_field(weight_decay);
        decay.help = "pulls the weights towards 0, apart from the gradient";
        return {lr_field(lr),
                decay,
                betas_field(betas),
                eps_field(eps),
                Adam::amsgrad_field(amsgrad),
                fused_field(fused)};
    }

    double& momentum_option() { return betas[0]; }

    template <class Tensor>
    using State = Adam::State<Tensor>;

    template <class Tensor>
    void step(Tensor& w, const Tensor& g, State<Tensor>& s) const {
        if (weight_decay != 0) {
            w.mul_(1 - lr * weight_decay);
        }
        adam().step(w, g, s);
    }

    template <class Tensor>
    bool fuse(State<Tensor>& s, FusedLists<Tensor>& lists) const {
        return adam().fuse(s, lists);
    }
    template <class Tensor>
    void fused_step(const FusedLists<Tensor>& lists, const auto& kernels) const {
        kernels.adamw(lists, *this);
    }

private:
    [[nodiscard]] Adam adam() const {
        return {.lr = lr, .weight_decay = 0, .betas = betas, .eps = eps, .amsgrad = amsgrad};
    }
};

}  // namespace ptp::optimizer
