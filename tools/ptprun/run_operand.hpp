// What the words of a command line name: a run, or an experiment.

#pragma once

#include "base/diagnostics.hpp"
#include "prepare.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::ptprun {

// The folder of the run that a word names: a folder, `last`, `runs/NAME/best` ... (runs/resolve.hpp).
// Throws boost::program_options::error.
std::filesystem::path run_operand(const std::string& word);

// The folder that a word names: one of runs, or a run.
std::filesystem::path folder_operand(const std::string& word);

// What is to be looked at: an experiment, or a run with the record of its experiment.
struct Subject {
    std::string experiment;  // its file
    std::optional<std::filesystem::path> run;
};

// Throws boost::program_options::error for a folder that is not a run.
Subject subject_operand(const std::string& word);

// The folder of a checkpoint that --checkpoint names: `best`, which is the default, and `last` are
// those of the run. nullopt for an experiment without the option. Throws
// boost::program_options::error.
std::optional<std::filesystem::path> checkpoint_operand(
    const boost::program_options::variables_map& map, const Subject& subject);

// The request of a command that takes an experiment or a run. A run is looked at with the copies of
// its plugins that were in force at its last checkpoint, and after them those of the search path,
// for what --set may add. Reports copies that are not what the run used.
Request subject_request(const boost::program_options::variables_map& map, Diagnostics& problems);

// Says on the standard error what can be done with a run, for a command that trains experiments.
// Gives the exit code.
int explain_run(const std::filesystem::path& run);

}  // namespace ptp::ptprun
