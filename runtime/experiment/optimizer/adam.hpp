// Adam:  m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2,
//        w <- w - lr * m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps)
//
// Kingma and Ba, "Adam: a method for stochastic optimization" (2015). With amsgrad the largest v so
// far replaces v: Reddi, Kale and Kumar, "On the convergence of Adam and beyond" (2018).

#pragma once

#include "experiment/optimizer/common_fields.hpp"

#include <array>
#include <cmath>
#include <optional>
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
    std::optional<bool> fused = {};  // nullopt: on a CUDA device

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        std::vector<Field> all = adam_fields(*this);
        all.push_back(amsgrad_field(amsgrad));
        all.push_back(fused_field(fused));
        return all;
    }
    template <class Field = schema::Field>
    static Field amsgrad_field(bool& amsgrad) {
        return {.name = "amsgrad",
                .into = &amsgrad,
                .help = "divides by the largest running mean so far"};
    }

    double& momentum_option() { return betas[0]; }

    template <class Tensor>
    struct State : Means<Tensor> {
        Tensor max_exp_avg_sq;

        void visit(auto& visitor) {
            Means<Tensor>::visit(visitor);
            visitor("max_exp_avg_sq", max_exp_avg_sq);
        }
    };

    template <class Tensor>
    void step(Tensor& w, const Tensor& g, State<Tensor>& s) const {
        if (s.step == 0) {
            s.max_exp_avg_sq = amsgrad ? zeros_like(w) : Tensor();
        }
        s.update(w, with_decay(g, w, weight_decay), betas);
        const auto t = static_cast<double>(s.step);
        const double correction1 = 1 - std::pow(betas[0], t);
        const double correction2 = 1 - std::pow(betas[1], t);
        if (amsgrad) {
            max_out(s.max_exp_avg_sq, s.exp_avg_sq, s.max_exp_avg_sq);
        }
        const Tensor& square = amsgrad ? s.max_exp_avg_sq : s.exp_avg_sq;
        const Tensor divisor = square.sqrt().div(std::sqrt(correction2)).add_(eps);
        w.addcdiv_(s.exp_avg, divisor, -(lr / correction1));
    }

    // Counts a step of a parameter and adds its state to the lists. Returns false before the first
    // step, which creates the state.
    template <class Tensor>
    bool fuse(State<Tensor>& s, FusedLists<Tensor>& lists) const {
        if (s.step == 0) {
            return false;
        }
        add_plain(lists.exp_avgs, s.exp_avg);
        add_plain(lists.exp_avg_sqs, s.exp_avg_sq);
        if (amsgrad) {
            add_plain(lists.max_exp_avg_sqs, s.max_exp_avg_sq);
        }
        lists.steps.push_back(++s.step);
        return true;
    }
    template <class Tensor>
    void fused_step(const FusedLists<Tensor>& lists, const auto& kernels) const {
        kernels.adam(lists, *this);
    }
};

}  // namespace ptp::optimizer
