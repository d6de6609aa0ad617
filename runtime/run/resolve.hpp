// The run that a word of a command line names.

#pragma once

#include "run/process.hpp"

#include <filesystem>
#include <string>
#include <variant>

namespace ptp::run {

inline constexpr const char* kRunsFolder = "runs";  // where runs are by default

// Why a word does not name a run, for a person: a whole sentence with the word in it.
struct UnknownRun {
    std::string why;
};

// What exists is what it is. Otherwise a part of the path may be a name: `last` is the run below
// the folder before it that was started or resumed most recently, not one that has failed before
// its first checkpoint unless there is no other, `best` the one with the lowest validation loss,
// trials left out; what follows is below that run. What is neither is looked for below `runs` too,
// so that `last` alone is `runs/last`. Returns the word unchanged if it means nothing of this.
std::variant<std::filesystem::path, UnknownRun> resolve(const std::filesystem::path& word,
                                                        const Machine& machine);

// The same for a word that must be the folder of a run.
std::variant<std::filesystem::path, UnknownRun> find_run(const std::filesystem::path& word,
                                                         const Machine& machine);

}  // namespace ptp::run
