// Writes a learning rate into the file of an experiment.
#pragma once

#include "experiment/load/load.hpp"

#include <string>

namespace ptp::find_lr {

// Replaces the number of training.optimizer.lr in the file where it is written, which is returned:
// the experiment's, or one that it includes. Everything else in the file stays. Throws UsageError
// for a rate that is not a number in a file, such as one of --set.
std::string write_rate(const experiment::LoadRequest& request, const std::string& rate);

}  // namespace ptp::find_lr
