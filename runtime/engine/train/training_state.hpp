// The state of a training except the weights and the trainer's counters: optimizer, statistics of
// the current epoch, random generators, and the components' state besides tensors.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/train/training_session.hpp"

#include <cstdint>
#include <string>

namespace ptp::engine {

// [main] Both throw RunError; the session must not be used after a failed restore.
SavedState save_session(TrainingSession& session);
// Restores also a state from another device: then components draw other random numbers, which a
// warning reports.
void restore_session(TrainingSession& session, const SavedState& saved);

// The state besides weights and statistics that running the components changes. Restoring it makes
// an abandoned evaluation, or a look at a sample, leave no trace.
struct EvaluationState {
    TensorsByName generators;
    SavedState components;
};
EvaluationState evaluation_state(const TrainingSession& session);
void restore_evaluation(const TrainingSession& session, const EvaluationState& before);

// Makes this process draw other random numbers from now on than those that it shares batches with,
// except in tasks and the transforms that see whole batches; the first one draws as if alone.
void draw_apart(const TrainingSession& session, std::uint64_t episode);

// Returns the states of libtorch's own generators and of every component's.
TensorsByName generator_states(const TrainingSession& session);
// Restores all generators except those of the task of the section `but`.
void restore_generators(const TrainingSession& session, const TensorsByName& states,
                        const std::string& but = "");

}  // namespace ptp::engine
