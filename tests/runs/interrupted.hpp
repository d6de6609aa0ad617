// What the tests of interrupted runs share: a training with all that has state, and how to
// interrupt and compare it.
#pragma once

#include "runs/support.hpp"

#include <string>
#include <vector>

namespace ptp::test {

// A training in which everything has state: dropout in the model, shuffling, moments of the
// optimizer, a warm-up and a schedule, accumulation and batches that do not divide the epoch,
// clipped gradients, averages of the weights, patience, statistics over a set that keep counts,
// scores and sums, and a component that is frozen before one with a learning rate of its own.
Lines stateful(int epochs);

// The same with a learning rate that follows the validations.
Lines stateful_on_plateau(int epochs);

// Options of ptprun: checkpoints in the middle of epochs too, and all forms of records.
const std::vector<std::string>& often();

ProcessResult resume(const ExperimentFolder& folder, const std::string& name);

// The files of two runs whose content is a function of the experiment, the seed and the build are
// the same, to the last bit; in TensorBoard's but for the moments of the events.
void check_same_results(const ExperimentFolder& folder, const std::string& left,
                        const std::string& right);

// The same but for the checkpoints, which have the rows that waited when they were saved, and for
// the journal, which has moments.
void check_same_rows(const ExperimentFolder& folder, const std::string& left,
                     const std::string& right);

// Trains with often(), once undisturbed; then kills the process at random moments and resumes until
// the run is done, and trains anew as long as fewer kills have happened. Each run must end with the
// results of the undisturbed one.
void check_kills(const ExperimentFolder& folder, int kills);

}  // namespace ptp::test
