// The keys of the tables in [training] that say how the weights are changed; see
// experiment_fields.hpp.

#pragma once

#include "experiment/fields.hpp"
#include "experiment/optimization.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

const std::vector<std::string>& optimizer_types();
const std::vector<std::string>& scheduler_types();
const std::vector<std::string>& precisions();
const std::vector<std::string>& bad_loss_actions();

// Whether an optimizer of this type has momentum, or the first of `betas` in its place.
bool has_momentum(std::string_view type);

// An optimizer of this type with torch's defaults.
Optimizer default_optimizer(std::string_view type);

// What is done by default about a bad loss, if `action` is asked for.
BadLoss default_bad_loss(std::string_view action);

// The targets lie in the argument, which must outlive the list. Keys whose values are no plain ones
// are not in it: an optimizer's `groups` and a scheduler's `milestones`.
std::vector<Field> fields_of(Optimizer& optimizer);
std::vector<Field> fields_of(ParameterGroup& group);
std::vector<Field> fields_of(Scheduler& scheduler);
std::vector<Field> fields_of(WarmUp& warm_up);
std::vector<Field> fields_of(WeightAverage& average);
std::vector<Field> fields_of(BadLoss& bad_loss);

}  // namespace ptp::experiment
