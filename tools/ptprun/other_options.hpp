// Words of a command line of another program: the values of its options, the operand that it names
// by an option, and the --set that does what an option does there.
#pragma once

#include "commands.hpp"

#include <string>
#include <string_view>

namespace ptp::ptprun {

// "max_epochs" for "--max-epochs".
std::string plain_name(std::string_view option);

// Returns whether the command itself has the option, as it is typed.
bool has_option(const Command& command, std::string_view typed);

// The value given to an option, "--epochs 5" or "--epochs=5"; a form of one where there is none.
std::string option_value(const std::string& option, const Strings& arguments,
                         const std::string& otherwise);

// Returns all values that the option was given, separated by commas or spaces.
Strings option_values(const std::string& option, const Strings& arguments);

bool is_run_folder(const std::string& word);

// Returns whether an option has the next word as its value, which no experiment and no run is that
// stands behind a switch.
bool has_value(const std::string& option, const Strings& arguments);

// Returns the words without an option and its value.
Strings without(const std::string& option, const Strings& arguments, bool is_valued);

// Returns the words with the experiment or the run that an option names in front, as the operand:
// "net.toml --lr 0.1" for "--config net.toml --lr 0.1". Of several experiments, as of PyTorchPipe's
// --config, the first counts most. An experiment beside a run is left out, and a checkpoint beside
// a run is --checkpoint.
Strings with_operands(const Command& command, const Strings& words);

// In familiar_settings.cpp.

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
