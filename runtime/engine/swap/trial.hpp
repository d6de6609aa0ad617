// Runs a plugin's code for the first time: within a time limit, and without harm to the run.

#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

namespace ptp::engine {

using TrialLimit = std::chrono::duration<double>;

// Both do the work while the caller waits, and throw std::runtime_error if it exceeds the limit.
// [main]

// Works on a separate thread. Rethrows its exceptions. A thread that exceeds the limit is stopped
// where it is and never continues: it keeps its locks, so that nothing that the work uses may be
// used again. A crash ends the process.
void try_in_thread(TrialLimit limit, const std::function<void()>& work);

// Works in a child process with a copy of everything, which is lost afterwards; it only writes to
// the folder. Its exceptions are rethrown as std::runtime_error with their text, and so is a crash,
// with the call in which it happened.
void try_in_process(TrialLimit limit, const std::filesystem::path& folder,
                    const std::function<void()>& work);

}  // namespace ptp::engine
