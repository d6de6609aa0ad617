// By what a run's validations were compared, and the value of the best one.
#pragma once

#include "run/run.hpp"

#include <optional>
#include <string>

namespace ptp::run {

struct Judged {
    std::string name = "loss";  // or that of the statistic of training.judge, as written there
    bool is_larger_better = false;
    std::optional<double> value = {};  // nullopt: nothing was validated, or it is not finite

    // Smaller is better. REQUIRES: value.
    [[nodiscard]] double comparable() const { return is_larger_better ? -*value : *value; }
};

Judged judged(const Run& run);

}  // namespace ptp::run
