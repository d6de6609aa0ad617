// OneCycleLR: the rate rises to the optimizer's and falls again, while momentum falls and rises.
//
// Smith and Topin, "Super-Convergence" (2018), in the form of torch.optim.lr_scheduler.OneCycleLR.

#pragma once

#include "experiment/schedule/parts.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::schedule {

struct OneCycleLr {
    static constexpr std::string_view kName = "OneCycleLR";
    static constexpr std::string_view kHelp = "rises to the optimizer's rate and falls again";
    static constexpr std::string_view kExample = R"({ type = "OneCycleLR" })";
    static constexpr std::array<std::string_view, 2> kOtherNames = {"one_cycle", "onecycle"};
    static constexpr bool kHasOwnWarmUp = true;

    TotalEpisodes total_episodes;
    double pct_start = 0.3;
    std::string anneal_strategy = "cos";
    double div_factor = 25;
    double final_div_factor = 1e4;
    bool three_phase = false;
    CycledMomentum cycled_momentum = {.base = 0.85, .max = 0.95};

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        std::vector<Field> all = {total_episodes.field(),
                                  {.name = "pct_start",
                                   .into = &pct_start,
                                   .help = "the part of the cycle in which the rate rises",
                                   .range = "(0, 1)"},
                                  {.name = "anneal_strategy",
                                   .into = &anneal_strategy,
                                   .help = "the form of rise and fall",
                                   .choices = {"cos", "linear"}},
                                  {.name = "div_factor",
                                   .into = &div_factor,
                                   .help = "the optimizer's rate divided by the first one",
                                   .range = "[1, inf)"},
                                  {.name = "final_div_factor",
                                   .into = &final_div_factor,
                                   .help = "the first rate divided by the last one",
                                   .range = "[1, inf)"},
                                  {.name = "three_phase",
                                   .into = &three_phase,
                                   .help = "falls to the first rate, then to the last"}};
        cycled_momentum.add_fields(all);
        return all;
    }

    [[nodiscard]] std::optional<schema::KeyProblem> problem() const {
        if (three_phase && pct_start > 0.5) {
            return {{"pct_start",
                     "must be at most 0.5 with three_phase, which falls as long as it rises"}};
        }
        return cycled_momentum.problem();
    }

    [[nodiscard]] double rate(double base, const Position& at) const {
        const double first = base / div_factor;
        return value({first, base, first / final_div_factor}, at);
    }

    [[nodiscard]] double momentum(const Position& at) const {
        return value({cycled_momentum.max, cycled_momentum.base, cycled_momentum.max}, at);
    }

private:
    struct Cycle {
        double start, turn, end;
    };

    // Goes from the start to the turn and to the end; with three phases, back to the start in
    // between. Stays at the end after the last episode.
    [[nodiscard]] double value(const Cycle& cycle, const Position& position) const {
        const double total = total_episodes.at(position);
        const double turn_at = pct_start * total - 1;
        struct Phase {
            double end, from, to;
        };
        std::vector<Phase> phases = {{turn_at, cycle.start, cycle.turn}};
        if (three_phase) {
            phases.push_back({2 * turn_at, cycle.turn, cycle.start});
        }
        phases.push_back({total - 1, three_phase ? cycle.start : cycle.turn, cycle.end});
        double begin = 0;
        const double at = static_cast<double>(position.episode);
        for (const Phase& phase : phases) {
            if (at <= phase.end && phase.end > begin) {
                const double part = (at - begin) / (phase.end - begin);
                return anneal_strategy == "cos" ? cosine_between(phase.from, phase.to, part)
                                                : phase.from + (phase.to - phase.from) * part;
            }
            begin = phase.end;
        }
        return cycle.end;
    }
};

}  // namespace ptp::schedule
