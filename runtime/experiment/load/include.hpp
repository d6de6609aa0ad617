// Reads an experiment file together with everything that it includes.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"
#include "experiment/load/layers.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::experiment {

// The merged tree, without its `include` keys. A file that is reached on several ways is read once.
// nullopt when a file is missing, is not TOML or includes itself; all such files are reported.
// `layers` (optional) gets the files that were merged, one that is included twice twice. `text`
// (optional) is what the file has, which is not read then.
std::optional<Value> read_with_includes(const std::filesystem::path& file,
                                        const std::filesystem::path& home, Diagnostics& problems,
                                        Layers* layers = nullptr,
                                        const std::optional<std::string>& text = std::nullopt);

}  // namespace ptp::experiment
