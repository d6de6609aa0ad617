// Reads an experiment file together with all files that it includes.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"
#include "experiment/load/load.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::experiment {

// Returns the merged tree, without its `include` keys. A file that is included several times is
// read once. Returns nullopt if a file is missing, is not TOML or includes itself; all such files
// are reported. `layers` (optional) receives the merged files, one entry for each inclusion. `text`
// (optional) is the content of the file, which is then not read.
std::optional<Value> read_with_includes(const std::filesystem::path& file,
                                        const std::filesystem::path& home, Diagnostics& problems,
                                        Layers* layers = nullptr,
                                        const std::optional<std::string>& text = std::nullopt);

}  // namespace ptp::experiment
