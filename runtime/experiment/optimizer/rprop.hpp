// Rprop, resilient backpropagation: each weight has its own step size, which grows by etas[1] if
// the gradient keeps its sign, and shrinks by etas[0], without a step, if it changes it.
//
// Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning: the RPROP
// algorithm" (1993), in the form of torch.optim.Rprop. For gradients of the whole training set.

#pragma once

#include "experiment/optimizer/common_fields.hpp"
#include "schema/one_of.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

struct Rprop {
    static constexpr std::string_view kName = "Rprop";
    static constexpr std::string_view kHelp =
        "a step size for each weight, by the sign of gradients";
    static constexpr std::string_view kExample = R"({ type = "Rprop", lr = 0.01 })";
    static constexpr bool kUsesRateOnce = true;

    double lr = 1e-2;
    std::array<double, 2> etas = {0.5, 1.2};
    std::array<double, 2> step_sizes = {1e-6, 50};

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        Field rate = lr_field(lr);
        rate.help = "the first step size of each weight";
        return {rate,
                {.name = "etas",
                 .into = &etas,
                 .help = "factors by which a step size shrinks and grows",
                 .range = "(0, inf)"},
                {.name = "step_sizes",
                 .into = &step_sizes,
                 .help = "smallest and largest step size",
                 .range = "[0, inf)"}};
    }

    [[nodiscard]] std::optional<schema::KeyProblem> problem() const {
        if (etas[0] >= 1 || etas[1] <= 1) {
            return {{"etas", "the first must be below 1, and the second above"}};
        }
        if (step_sizes[0] > step_sizes[1]) {
            return {{"step_sizes", "the first must not be above the second"}};
        }
        return std::nullopt;
    }

    template <class Tensor>
    struct State {
        std::int64_t step = 0;
        Tensor prev;
        Tensor step_size;

        void visit(auto& visitor) {
            visitor("step", step);
            visitor("prev", prev);
            visitor("step_size", step_size);
        }
    };

    template <class Tensor>
    void step(Tensor& w, Tensor g, State<Tensor>& s) const {
        if (s.step == 0) {
            s.prev = zeros_like(w);
            s.step_size = full_like(w, lr);
        }
        ++s.step;
        const Tensor product = g.mul(s.prev);
        s.step_size
            .mul_(ones_like(product)
                      .masked_fill_(product.gt(0), etas[1])
                      .masked_fill_(product.lt(0), etas[0]))
            .clamp_(step_sizes[0], step_sizes[1]);
        s.prev = g.masked_fill(product.lt(0), 0);
        w.addcmul_(s.prev.sign(), s.step_size, -1);
    }
};

}  // namespace ptp::optimizer
