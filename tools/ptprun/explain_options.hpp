// The settings of explanations on a command line: for a key `noisy_copies` the option
// --noisy-copies, for `methods`, a list, --method with several values, for `check`, which is true,
// --without-check.
#pragma once

#include "commands.hpp"
#include "experiment/explanations.hpp"

namespace ptp::ptprun {

std::vector<Option> explain_options();

// Returns the settings that are given. Throws UsageError for an invalid value.
experiment::Explanations explanations_from(const Given& given);

// Returns the options that give these settings, those with defaults left out.
Strings explain_words(experiment::Explanations explanations);

}  // namespace ptp::ptprun
