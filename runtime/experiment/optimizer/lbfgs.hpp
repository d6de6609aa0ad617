// L-BFGS, which evaluates a batch several times. The step itself is libtorch's: see
// engine/optimizer/optimizer.cpp.
//
// Liu and Nocedal, "On the limited memory BFGS method for large scale optimization" (1989).

#pragma once

#include "experiment/optimizer/common_fields.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

struct Lbfgs {
    static constexpr std::string_view kName = "LBFGS";
    static constexpr std::string_view kHelp =
        "evaluates a batch several times and estimates the curvature";
    static constexpr std::string_view kExample = R"({ type = "LBFGS" })";
    static constexpr bool kNeedsClosure = true;

    double lr = 1;
    std::int64_t max_iter = 20;
    std::optional<std::int64_t> max_eval = {};
    double tolerance_grad = 1e-7;
    double tolerance_change = 1e-9;
    std::int64_t history_size = 100;
    std::string line_search_fn = "none";

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {lr_field(lr),
                {.name = "max_iter",
                 .into = &max_iter,
                 .help = "iterations on each batch",
                 .range = "[1, inf)"},
                {.name = "max_eval",
                 .into = &max_eval,
                 .help = "evaluations of each batch; 5/4 of max_iter by default",
                 .range = "[1, inf)"},
                {.name = "tolerance_grad",
                 .into = &tolerance_grad,
                 .help = "ends a batch where no element of the gradient is larger",
                 .range = "[0, inf)"},
                {.name = "tolerance_change",
                 .into = &tolerance_change,
                 .help = "ends a batch where weights and loss change by less",
                 .range = "[0, inf)"},
                {.name = "history_size",
                 .into = &history_size,
                 .help = "updates from which the curvature is estimated",
                 .range = "[1, inf)"},
                {.name = "line_search_fn",
                 .into = &line_search_fn,
                 .help = "how the length of a step is found",
                 .choices = {"none", "strong_wolfe"}}};
    }
    // Returns no keys: all parameters have the same options.
    std::vector<schema::Field> group_fields() { return {}; }

    // Sets absent options from the other options.
    void complete() { max_eval = max_eval.value_or(max_iter * 5 / 4); }

    // The only state, for all parameters; kept with the first.
    template <class Tensor>
    struct State {
        std::int64_t func_evals = 0;
        std::int64_t n_iter = 0;
        double t = 0;
        double prev_loss = 0;
        Tensor d;
        Tensor h_diag;
        Tensor prev_flat_grad;
        std::deque<Tensor> old_dirs;
        std::deque<Tensor> old_stps;
        std::deque<Tensor> ro;

        void visit(auto& visitor) {
            visitor("func_evals", func_evals);
            visitor("n_iter", n_iter);
            if (n_iter > 0) {  // undefined before the first step
                visitor("t", t);
                visitor("prev_loss", prev_loss);
            }
            visitor("d", d, Shape::kAllParameters);
            visitor("H_diag", h_diag, Shape::kScalar);
            visitor("prev_flat_grad", prev_flat_grad, Shape::kAllParameters);
            visitor("old_dirs", old_dirs, Shape::kAllParameters);
            visitor("old_stps", old_stps, Shape::kAllParameters);
            visitor("ro", ro, Shape::kScalar);
        }
    };
};

}  // namespace ptp::optimizer
