// What the words of a command line name: a run, or an experiment.

#pragma once

#include "base/diagnostics.hpp"
#include "commands.hpp"
#include "host/prepare.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::ptprun {

// The declarations of words that name an experiment, a run, and one or the
// other.
tools::Operand declared_experiment();
tools::Operand declared_run(std::size_t count = 1, const char* what = "a run folder");
tools::Operand declared_subject();

// The folder of the run that a word names: a folder, `last`, `runs/NAME/best`
// ... (runs/resolve.hpp). Throws UsageError.
std::filesystem::path run_operand(const std::string& word);

// The folder that a word names: one of runs, or a run.
std::filesystem::path folder_operand(const std::string& word);

// What is to be looked at: an experiment, or a run with the record of its experiment.
struct Subject {
    std::string experiment;  // its file
    std::optional<std::filesystem::path> run;
};

// Throws UsageError for a folder that is not a run.
Subject subject_operand(const std::string& word);

// The folder of a checkpoint that --checkpoint names: `best`, which is the
// default, and `last` are in the run's folder. nullopt for an experiment without
// the option. Throws UsageError.
std::optional<std::filesystem::path> checkpoint_operand(const Given& given, const Subject& subject);

// The request of a command that takes an experiment or a run. A run is looked at with the copies of
// its plugins that were active at its last checkpoint, and after them of the search path,
// for what --set may add. Reports copies that are not what the run used.
host::Request subject_request(const Given& given, Diagnostics& problems);

// Prints to standard error what can be done with a run, for a command that trains experiments.
// Returns the exit code.
int explain_run(const std::filesystem::path& run);

}  // namespace ptp::ptprun
