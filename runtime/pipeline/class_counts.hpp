// Checks that predictions have a score for each class that the targets can be.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/wiring.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// Warns of losses over class indices that a task writes, where the task publishes more or fewer
// classes than the predictions have scores; fewer only where the scores are a constant of the
// experiment. It is a warning, because a sampler may leave classes out, and weights trained on more
// classes may be used. To be asked once all shapes are solved.
void check_class_counts(const Assembly& assembly, const Shapes& shapes, Diagnostics& problems);

struct ClassCountProblem {
    Explanation explanation;
    std::string place = {};  // "e.toml:37:31" of the number of scores; "" if not written
    bool is_fatal = false;   // a training that meets every class ends in an error

    bool operator==(const ClassCountProblem&) const = default;
};

// Returns such problems of a plan, as far as its sizes are known by now; `globals` is a table of
// the globals that have been published. REQUIRES: the plan has a task.
std::vector<ClassCountProblem> class_count_problems(const Plan& plan, const Value& globals);

}  // namespace ptp::pipeline
