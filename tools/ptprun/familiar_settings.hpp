// The --set that does what an option or a word KEY=VALUE of another program does.
#pragma once

#include "commands.hpp"

#include <string>

namespace ptp::ptprun {

// Returns whether the command reads what a text sets by --set; keys of the training alone change
// nothing where nothing is trained.
bool is_read(const std::string& text, const Command& command);

// Returns the text for a key of another program, "--set training.optimizer.lr=0.1"; "" where none
// has it, or not with this value. The experiment that is among the arguments decides, too.
std::string set_text(const std::string& key, const std::string& value, const Strings& arguments);

// Returns set_text(), also for several values, which are those of a sweep: "0.1,0.01".
std::string sweep_set_text(const std::string& key, const std::string& values,
                           const Strings& arguments);

// Returns "--set KEY=VALUE" for a word KEY=VALUE whose key another program has, too; "" for others.
std::string familiar_setting(const std::string& word);

}  // namespace ptp::ptprun
