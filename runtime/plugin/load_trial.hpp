// Loads a plugin in a child process first, so that a crash or a hang there harms nothing else.
#pragma once

#include "plugin/catalog.hpp"
#include "plugin/crash_memory.hpp"

#include <chrono>
#include <optional>

namespace ptp::plugin {

inline constexpr std::chrono::seconds kLoadLimit{60};

// Opens the file, asks for its description and compares it with its manifest, all in a fork of this
// process. Returns how that ended, or nullopt if it came to an end by itself, with the plugin
// loaded or refused: a refusal is reported when it is loaded. The hash is left empty.
// REQUIRES: the process has one thread. Throws std::system_error where there is no process for it.
// [main]
std::optional<Tried> try_loading(const CatalogEntry& entry,
                                 std::chrono::seconds limit = kLoadLimit);

}  // namespace ptp::plugin
