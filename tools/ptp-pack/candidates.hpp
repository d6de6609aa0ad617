// How a command line can continue, for completion in the shell.

#pragma once

#include "common/command.hpp"

#include <vector>

namespace ptp::pack {

// `words` are those after the name of the program; the last one is being completed, and may be "".
// Names, and tools::kFiles or tools::kFolders where the shell knows better.
tools::Strings candidates(const tools::Strings& words, const std::vector<tools::Command>& commands);

}  // namespace ptp::pack
