// Completes command lines for the shell.

#pragma once

#include "common/command.hpp"

#include <vector>

namespace ptp::pack {

// Returns names, and tools::kFiles or tools::kFolders for the shell to complete. `words` are those
// after the name of the program; the last one is being completed, and may be "".
tools::Strings candidates(const tools::Strings& words, const std::vector<tools::Command>& commands);

}  // namespace ptp::pack
