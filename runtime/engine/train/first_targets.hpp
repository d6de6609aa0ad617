// Looks at the targets of the first batch: some are never reached by predictions, are padding that
// counts, or are among the inputs.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/train/training_session.hpp"
#include "pipeline/plan.hpp"

#include <spdlog/logger.h>

namespace ptp::engine {

// [main] Warns of losses whose predictions stay between 0 and 1, such as those of a sigmoid, where
// many of the targets in the frame are beyond: such a training never reaches them.
void warn_of_target_range(const pipeline::Plan& plan, const Frame& frame, spdlog::logger& log);

// [main] Warns of models that see their answers: in the frame each target is the next of the
// inputs, and predictions depend on later ones.
void warn_of_seen_answers(const pipeline::Plan& plan, const Frame& frame, spdlog::logger& log);

// [main] Warns of losses and statistics that count padding which is among the targets in the
// session's frame, unless `ptprun check` has.
void warn_of_counted_padding(const TrainingSession& session, spdlog::logger& log);

}  // namespace ptp::engine
