// The option --set for a key of another program.

#pragma once

#include <string>

namespace ptp::ptprun {

// Returns the text for a key of another program, "--set training.optimizer.lr=0.1"; "" where none
// has it, or not with this value.
std::string set_text(const std::string& key, const std::string& value);

// Returns set_text(), also for several values, which are those of a sweep: "0.1,0.01".
std::string sweep_set_text(const std::string& key, const std::string& values);

}  // namespace ptp::ptprun
