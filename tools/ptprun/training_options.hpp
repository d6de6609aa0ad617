// The options of commands that train experiments, and the place and the threads of their processes.
#pragma once

#include "commands.hpp"
#include "distributed/place.hpp"
#include "host/prepare.hpp"

#include <string_view>
#include <vector>

namespace ptp::ptprun {

std::vector<Option> training_options();

// Applies --seed, --device, --worker, --fold and the options for trials. Throws UsageError.
host::Request training_request(const Given& given);

// Returns --nproc, --restarts and --min-nproc.
std::vector<Option> process_options();

// Returns whether this process starts training processes instead of training itself. Throws
// UsageError if another launcher has already started several of it.
bool starts_processes(const Given& given);

// Returns the place of this process in a training, and sets the number of threads to use the cores
// of the host, unless it is set. --nproc 1 overrides the environment. Throws RunError for an
// inconsistent environment. [main], before the engine is opened
distributed::Place training_place(const Given& given);

// Returns the place by the environment, and removes it there, so that child processes train
// separately. [main]
distributed::Place take_place_from_environment();

// Throws UsageError if several of this process were started together for a command that needs one.
// `what` is "ptprun predict".
void require_one_process(std::string_view what);

Option threads_option();

// Applies --threads to this process and its children; call it before any of them opens the engine.
// Throws UsageError for anything but a number from 1 or auto.
void use_threads(const Given& given);

// Returns whether the number may adapt to the cores that other processes leave.
bool adapts_threads(const Given& given);

}  // namespace ptp::ptprun
