// Finds the run that a word of a command line names.

#pragma once

#include "run/process.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace ptp::run {

inline constexpr const char* kRunsFolder = "runs";  // default folder of runs

// Returns whether a word that chooses a checkpoint is the name of one that a run has, "best" or
// "last"; any other word is a folder.
bool is_checkpoint_name(std::string_view word);

// The reason why a word does not name a run, as a sentence for a person that contains the word.
struct UnknownRun {
    std::string why;
};

// Resolves a word to a path. An existing path stays as it is. Otherwise a part of the path may be a
// name: `last` is the most recently started or resumed run below the preceding folder, preferring
// those that have a checkpoint; `best` is the run with the lowest validation loss, excluding
// trials. The remaining parts are below that run. Other words are also looked up below `runs`, so
// that `last` alone is `runs/last`. Returns the word if none of this applies. A slash at the end is
// left out in any case.
std::variant<std::filesystem::path, UnknownRun> resolve(const std::filesystem::path& word,
                                                        const Machine& machine);

// Returns the run of a folder of a checkpoint; nullopt for another folder.
std::optional<std::filesystem::path> run_of_checkpoint(const std::filesystem::path& folder);

// Returns why a folder without experiment.toml is not a run, or not yet.
std::string without_experiment(const std::filesystem::path& folder);

// Resolves a word that must be the folder of a run.
std::variant<std::filesystem::path, UnknownRun> find_run(const std::filesystem::path& word,
                                                         const Machine& machine);

// Resolves a word that may be the folder of a run, or a file, which need not exist if its ending is
// that of an experiment.
std::variant<std::filesystem::path, UnknownRun> find_subject(const std::filesystem::path& word,
                                                             const Machine& machine);

}  // namespace ptp::run
