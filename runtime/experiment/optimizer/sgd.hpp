// Stochastic gradient descent:  b <- momentum * b + (1 - dampening) * g,  w <- w - lr * b
//
// With nesterov, g + momentum * b replaces b. Sutskever et al., "On the importance of
// initialization and momentum in deep learning" (2013), in the form of torch::optim::SGD.

#pragma once

#include "experiment/optimizer/common_fields.hpp"
#include "schema/one_of.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

struct Sgd {
    static constexpr std::string_view kName = "SGD";
    static constexpr std::string_view kHelp = "gradient descent, with or without momentum";
    static constexpr std::string_view kExample = R"({ type = "SGD", lr = 0.01, momentum = 0.9 })";
    static constexpr bool kTakesSparseGradients = true;

    double lr = 1e-3;
    double weight_decay = 0;
    double momentum = 0;
    double dampening = 0;
    bool nesterov = false;
    std::optional<bool> fused = {};  // nullopt: on a CUDA device

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        Field rate = lr_field(lr);
        rate.is_required = true;  // PyTorch has no default for it
        return {
            rate,
            weight_decay_field(weight_decay),
            {.name = "momentum", .into = &momentum, .help = "momentum factor", .range = "[0, 1)"},
            {.name = "dampening",
             .into = &dampening,
             .help = "share of the gradient that momentum leaves out",
             .range = "(-inf, inf)"},
            {.name = "nesterov", .into = &nesterov, .help = "looks one step ahead; needs momentum"},
            fused_field(fused)};
    }

    [[nodiscard]] std::optional<schema::KeyProblem> problem() const {
        if (nesterov && !(momentum > 0 && dampening == 0)) {
            return {{"nesterov", "needs a momentum above 0 and no dampening"}};
        }
        return std::nullopt;
    }

    double& momentum_option() { return momentum; }

    template <class Tensor>
    struct State {
        Tensor momentum_buffer;

        void visit(auto& visitor) { visitor("momentum_buffer", momentum_buffer); }
    };

    template <class Tensor>
    void step(Tensor& w, Tensor g, State<Tensor>& s) const {
        g = with_decay(g, w, weight_decay);
        if (momentum != 0) {
            Tensor& buffer = s.momentum_buffer;
            if (buffer.defined()) {
                buffer.mul_(momentum).add_(g, 1 - dampening);
            } else {
                buffer = g.clone();
            }
            g = nesterov ? g.add(buffer, momentum) : buffer;
        }
        w.add_(g, -lr);
    }

    // Adds the state of a parameter to the lists. Returns false before the step that creates its
    // buffer.
    template <class Tensor>
    bool fuse(State<Tensor>& s, FusedLists<Tensor>& lists) const {
        if (momentum == 0) {
            return true;
        }
        if (!s.momentum_buffer.defined()) {
            return false;
        }
        add_plain(lists.momentum_buffers, s.momentum_buffer);
        return true;
    }
    template <class Tensor>
    void fused_step(const FusedLists<Tensor>& lists, const auto& kernels) const {
        kernels.sgd(lists, *this);
    }
};

}  // namespace ptp::optimizer
