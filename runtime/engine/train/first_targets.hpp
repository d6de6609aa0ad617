// Looks at the first batch: targets that are never reached by predictions, are padding that counts,
// or are among the inputs; and features of unlike scales.

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

// [main] Warns of features in the frame whose sizes differ by orders of magnitude, if a linear map
// reads them as they are.
void warn_of_unlike_scales(const pipeline::Plan& plan, const Frame& frame, spdlog::logger& log);
// [main] Does so with a batch of the training that it loads, if there may be such features. Throws
// RunError.
void warn_of_unlike_scales(TrainingSession& session);

}  // namespace ptp::engine
