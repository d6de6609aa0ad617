// Resolves words of a command line that name a run or an experiment.

#pragma once

#include "base/diagnostics.hpp"
#include "bundle/bundle.hpp"
#include "commands.hpp"
#include "host/prepare.hpp"
#include "run/run.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::ptprun {

inline constexpr const char* kStandardInput = "-";  // in place of a file

// The declarations of operands for an experiment, a run, or either.
tools::Operand declared_experiment();
tools::Operand declared_run(std::size_t count = 1, const char* what = "a run folder");
tools::Operand declared_subject();

// The details of commands whose subject may be kStandardInput.
inline constexpr const char* kTakesInput =
    "RUN-OR-EXPERIMENT may be -, an experiment from the standard input.\n";

// Returns the folder of the run that a word names: a folder, `last`, `runs/NAME/best` ...
// (run/resolve.hpp). Throws UsageError.
std::filesystem::path run_operand(const std::string& word);

// Returns the runs that words name, each once; a folder of runs names all below it. Throws
// UsageError.
std::vector<run::Run> run_operands(const tools::Strings& words);

// Returns the folder that a word names: one of runs, or a run.
std::filesystem::path folder_operand(const std::string& word);

// The subject of a command: an experiment, or a run with the record of its experiment. A bundle is
// a run in a folder that exists as long as the subject or a request with its bundle.
struct Subject {
    std::string experiment;  // its file
    std::optional<std::filesystem::path> run;
    std::shared_ptr<const bundle::OpenedBundle> bundle = {};

    // Returns the run as the user named it.
    [[nodiscard]] std::filesystem::path shown_run() const {
        return bundle ? bundle->file().path() : run.value_or("");
    }
};

// Returns which weights a checkpoint has: "runs/digits/TIME, epoch 3 (best)".
std::string checkpoint_text(const Subject& subject, const std::filesystem::path& checkpoint);

// Throws UsageError for a folder that is not a run, and RunError for a damaged bundle.
Subject subject_operand(const std::string& word);

// Returns the options of a command that takes a run, a bundle or an experiment: request_options(),
// --with-plugins and --stdin-filename.
std::vector<tools::Option> subject_options(bool takes_sweeps = false);

// Returns those of a command that computes with a bundle, too: --no-self-test and --with-plugins.
std::vector<tools::Option> bundle_options();

// Applies --no-self-test and --with-plugins to the bundle of a subject. Throws RunError.
void apply_bundle_options(const Given& given, const Subject& subject);

// Returns the folder of the checkpoint of --checkpoint: `best`, the default, and `last` are in the
// run's folder. nullopt for an experiment without the option. Throws UsageError.
std::optional<std::filesystem::path> checkpoint_operand(const Given& given, const Subject& subject);

// Returns why a run without a folder of checkpoints cannot be used, and how to get one that can.
std::string why_no_checkpoints(const run::Run& run);

// Returns the request of a command that takes an experiment, a run, or the text of an experiment
// from the standard input, whose relative paths begin at the folder of --stdin-filename, or at the
// current one. A run is read with the copies of its plugins that were active at its last
// checkpoint, followed by those of the search path for additions by --set. Reports copies that
// differ from those of the run.
host::Request subject_request(const Given& given, Diagnostics& problems);

// Returns the file of such a request as the user named it: a bundle in place of its experiment.
std::string shown_file(const host::Request& request);

// Prints to standard error what can be done with a run or a bundle, for a command that trains
// experiments; `command` is its name, if it is not that of a training. Returns the exit code.
// REQUIRES: subject.run.
int explain_run(const Subject& subject, const std::string& command = "");

}  // namespace ptp::ptprun
