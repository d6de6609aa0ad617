// Where what a plugin does for the first time is done: within a time limit, and where the run is
// not harmed by it.

#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

namespace ptp::engine {

using TrialLimit = std::chrono::duration<double>;

// Both do the work while the caller waits, and throw std::runtime_error where it is not done after
// so long. [main]

// On a thread of its own. What the work throws is thrown here. A thread that exceeds the limit is
// stopped where it is and never continues: what it holds stays held, so that what the work uses
// must not be used again. A crash ends the process.
void try_in_thread(TrialLimit limit, const std::function<void()>& work);

// In a child process with a copy of everything, which is lost afterwards; it writes nothing but to
// the folder. What the work throws is thrown here as std::runtime_error with its text, and so is a
// crash, which names the call in which it happened.
void try_in_process(TrialLimit limit, const std::filesystem::path& folder,
                    const std::function<void()>& work);

}  // namespace ptp::engine
