// All of a training's state but the weights and what the trainer itself counts: optimizer,
// statistics of the epoch that is running, random generators, and what components keep besides
// tensors.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/train/session.hpp"

#include <cstdint>
#include <string>

namespace ptp::engine {

// [main] Throw RunError; the session is not to be used when restoring has failed.
SavedState save_session(Session& session);
// Also a state that was saved on another device: then components draw other random numbers, which
// a warning reports.
void restore_session(Session& session, const SavedState& saved);

// What running the components changes besides weights and statistics, so that an evaluation that is
// given up, or a look at a sample, leaves no trace.
struct EvaluationState {
    TensorsByName generators;
    SavedState components;
};
EvaluationState evaluation_state(const Session& session);
void restore_evaluation(const Session& session, const EvaluationState& before);

// From here on this process draws other random numbers than those that it shares batches with, but
// for tasks and the transforms that see whole batches; the first one draws what it would alone.
void draw_apart(const Session& session, std::uint64_t episode);

// Of libtorch's own generators and of every component's.
TensorsByName generator_states(const Session& session);
// The name of one of these that some thread holds; "" if there is none.
std::string held_generator(const Session& session);
// All but those of the task of the section `but`.
void restore_generators(const Session& session, const TensorsByName& states,
                        const std::string& but = "");

}  // namespace ptp::engine
