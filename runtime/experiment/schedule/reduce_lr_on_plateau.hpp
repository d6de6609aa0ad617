// ReduceLROnPlateau: multiplies the rate by `factor` when the validation loss, or the statistic
// that judges the training, stops improving.

#pragma once

#include "experiment/schedule/parts.hpp"
#include "schema/one_of.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::schedule {

struct ReduceLrOnPlateau {
    static constexpr std::string_view kName = "ReduceLROnPlateau";
    static constexpr std::string_view kHelp =
        "the rate times factor where the validation loss stops improving";
    static constexpr std::string_view kExample = R"({ type = "ReduceLROnPlateau" })";
    static constexpr std::array<std::string_view, 1> kOtherNames = {"plateau"};

    // The state after the validations so far.
    struct State {
        double best_loss = std::numeric_limits<double>::infinity();
        std::int64_t bad_validations = 0;
        std::int64_t cooldown_left = 0;
        std::int64_t reductions = 0;

        void visit(auto& visitor) {
            visitor("best_loss", best_loss);
            visitor("bad_validations", bad_validations);
            visitor("cooldown_left", cooldown_left);
            visitor("reductions", reductions);
        }
    };

    double factor = 0.1;
    std::int64_t patience = 10;
    double threshold = 1e-4;
    std::string threshold_mode = "rel";
    std::int64_t cooldown = 0;
    double min_lr = 0;
    State state = {};

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {{.name = "factor",
                 .into = &factor,
                 .help = "factor of the learning rate",
                 .range = "(0, 1)"},
                {.name = "patience",
                 .into = &patience,
                 .help = "validations without improvement before the rate is reduced",
                 .range = "[0, inf)"},
                {.name = "threshold",
                 .into = &threshold,
                 .help = "how much better a loss must be to count",
                 .range = "[0, inf)"},
                {.name = "threshold_mode",
                 .into = &threshold_mode,
                 .help = "whether the threshold is relative or absolute",
                 .choices = {"rel", "abs"}},
                {.name = "cooldown",
                 .into = &cooldown,
                 .help = "validations after a reduction that do not count",
                 .range = "[0, inf)"},
                {.name = "min_lr",
                 .into = &min_lr,
                 .help = "the rate is not reduced below this",
                 .range = "[0, inf)"}};
    }

    [[nodiscard]] std::optional<schema::KeyProblem> problem() const {
        if (threshold_mode == "rel" && threshold >= 1) {
            return {
                {"threshold", "must be below 1 with threshold_mode \"rel\", or no loss is better"}};
        }
        return std::nullopt;
    }

    [[nodiscard]] double rate(double base, const Position&) const {
        double rate = base;
        for (std::int64_t i = 0; i < state.reductions; ++i) {
            rate = std::min(rate, std::max(rate * factor, min_lr));
        }
        return rate;
    }

    // Handles a judging validation by its loss, or by its value of a statistic, negated if larger
    // is better.
    void validated(double loss, bool is_negated = false) {
        const double share = is_negated ? 1 + threshold : 1 - threshold;
        const double wanted =
            threshold_mode == "rel" ? state.best_loss * share : state.best_loss - threshold;
        if (loss < wanted) {
            state.best_loss = loss;
            state.bad_validations = 0;
        } else {
            ++state.bad_validations;
        }
        if (state.cooldown_left > 0) {
            --state.cooldown_left;
            state.bad_validations = 0;
        }
        if (state.bad_validations > patience) {
            ++state.reductions;
            state.cooldown_left = cooldown;
            state.bad_validations = 0;
        }
    }
};

}  // namespace ptp::schedule
