// What the tests of interrupted runs share: a training with all that has state, and how to interrupt
// and compare it.
#pragma once

#include "runs/support.hpp"

#include <string>
#include <vector>

namespace ptp::test {

// Lines for [training]: dropout in the model, shuffling, moments of the optimizer, statistics over a
// set, and batches that do not divide the set.
std::string stateful_training(int epochs);

// Options of ptprun: checkpoints in the middle of epochs too, and all forms of records.
const std::vector<std::string>& often();

ProcessResult resume(const ExperimentFolder& folder, const std::string& name);

// The files of two runs whose content is a function of the experiment, the seed and the build are
// the same, to the last bit.
void check_same_results(const ExperimentFolder& folder, const std::string& left,
                        const std::string& right);

// Trains with often(), kills the process again and again after up to `longest_wait` milliseconds,
// and resumes, until the run is done; gives the number of kills.
int train_with_kills(const ExperimentFolder& folder, const std::string& name, int most_kills,
                     int longest_wait);

}  // namespace ptp::test
