// Options of commands that read an experiment (--set, --over, --plugins and the like) or print
// while they run (--quiet, --json), and the requests made of them. Options of trainings alone are
// in training_options.hpp.
#pragma once

#include "commands.hpp"
#include "engine/explain_request.hpp"
#include "engine/request.hpp"
#include "host/prepare.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::ptprun {

// Returns --quiet and --verbose.
std::vector<Option> console_options();

// Returns --json, --show, --paused and --stop-after, for the commands that train.
std::vector<Option> training_console_options();

Option watch_option();

// Applies the options and the properties of the terminal.
void apply_console_options(const Given& given, engine::RunRequest& request);
// `descriptor` is that of the output that a person sees.
void apply_console_options(const Given& given, engine::Screen& screen, int descriptor);

Option plugins_option();    // --plugins
Option safe_mode_option();  // --safe-mode
Option device_option();     // --device
Option section_option(const char* help);
Option run_dir_option(const char* help);
Option checkpoint_option();  // of a run, or a folder

// --over, --set, --plugins and --safe-mode. `takes_sweeps`: a --set may have several values.
std::vector<Option> request_options(bool takes_sweeps = false);

// The files or folders given with an option.
std::vector<std::filesystem::path> paths_from(const Given& given, const char* option);

// Completes a short key: returns "training.optimizer.lr=0.1" for "lr=0.1" if the experiment has
// only one value of that name, and the text unchanged otherwise. `subject` is the operand, a run or
// a file.
std::string with_whole_key(const std::string& text, const std::string& subject);

// Returns the request for the experiment that the first operand names, with the values of these
// options.
host::Request request_from(const Given& given);

// Returns such a request for the experiment in `file`, which a run or a bundle has.
host::Request request_from(const Given& given, const std::string& file);

// Returns the value of --device, if it was given. Throws UsageError if that is not a device.
std::optional<std::string> device_from(const Given& given);
// Sets the experiment's `device` to the value of --device, so that the record of the run has it.
// Throws UsageError.
void add_device(const Given& given, host::Request& request);

}  // namespace ptp::ptprun
