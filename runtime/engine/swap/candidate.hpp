// New components that are to replace some of a session's.

#pragma once

#include "engine/component/components.hpp"
#include "engine/data/batch_source.hpp"
#include "engine/optimizer/optimization.hpp"
#include "engine/swap/next_pipeline.hpp"
#include "engine/train/training_session.hpp"
#include "plugin/generation.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

using NewGenerations = std::map<std::string, plugin::Generation>;  // by the plugin's name

struct Candidate {
    Components components;  // with the new ones; the others are the session's

    // The new sources of batches, in the places of TrainingSession::sources(), and an optimization
    // if a new component has tensors; nullptr where the session's stays.
    std::vector<std::unique_ptr<BatchSource>> sources;
    std::unique_ptr<Optimization> optimization;
};

// Creates the new components. While they are created, they draw from this seed, and libtorch's
// generator ends in another state. They keep the pipeline alive, and the session must outlive them.
// Throws SwapError (create). [main], or the one thread that uses the candidate
Candidate create_candidate(TrainingSession& session, const std::shared_ptr<NextPipeline>& next,
                           ComponentContext& component_context, const NewGenerations& generations,
                           std::uint64_t seed);

// Returns the state of a running component, if it has any. A running build that does not export it
// is no fault of the new one: throws SwapError (migrate) that refuses for now. [main]
std::optional<Instance::State> running_state(Instance& from);

// Moves the state of the old components into the new ones: tensors by name, other state as the
// component declares, the random generators. Returns what is new or lost, as text for users. Throws
// SwapError (migrate). [main], or the one thread that uses the candidate
std::vector<std::string> migrate(TrainingSession& session, Candidate& candidate);

// Makes the candidate's optimization, with the session's state of all unchanged parameters. Throws
// SwapError (migrate). [main]
void migrate_optimization(TrainingSession& session, Candidate& candidate);

}  // namespace ptp::engine
