// Runs a plugin's code for the first time: within a time limit, and without harm to the run.

#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

namespace ptp::engine {

using TrialLimit = std::chrono::duration<double>;

// Works in a child process with a copy of everything, which is lost afterwards; it only writes to
// the folder. The caller waits. Its exceptions are rethrown as std::runtime_error with their text,
// and so is a crash, with the call in which it happened, or work that exceeds the limit. [main]
void try_in_process(TrialLimit limit, const std::filesystem::path& folder,
                    const std::function<void()>& work);

}  // namespace ptp::engine
