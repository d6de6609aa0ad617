// The value by which a run's validations were compared, and the best one.
#pragma once

#include "run/run.hpp"

#include <optional>
#include <string>

namespace ptp::run {

struct Judged {
    std::string name = "loss";  // or the statistic of training.judge, as written there
    bool is_larger_better = false;
    std::optional<double> value = {};  // nullopt: no validation, or not finite

    // Returns the value such that smaller is better. REQUIRES: value.
    [[nodiscard]] double comparable() const { return is_larger_better ? -*value : *value; }
};

Judged judged(const Run& run);

}  // namespace ptp::run
