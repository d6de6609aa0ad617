// Shows the model the same samples after each epoch, without leaving a trace in the training.

#pragma once

#include "engine/output/sinks.hpp"
#include "engine/statistics/records.hpp"
#include "engine/train/training_session.hpp"

namespace ptp::engine {

// Throws RunError with kConfigurationError for samples that the task does not have, or that are
// more than a batch.
void check_probe(TrainingSession& session);

// If a sink has a probe after this epoch: runs the models on its samples, as a validation does, and
// shows it their streams; all processes call it, and the first one does the work. Components that
// write files, show pictures or count do not run. Generators, states and buffers are afterwards
// what they were, also if a component fails: then the sink is given up. [main] Throws RunError if
// they cannot be restored.
void probe(TrainingSession& session, Sinks& sinks, Position at);

}  // namespace ptp::engine
