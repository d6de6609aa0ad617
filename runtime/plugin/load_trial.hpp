// Loads a plugin in a child process first, where a crash or a hang is harmless.
#pragma once

#include "plugin/catalog.hpp"
#include "plugin/crash_memory.hpp"

#include <chrono>

namespace ptp::plugin {

inline constexpr std::chrono::seconds kLoadLimit{60};

// The result of an attempt to load a plugin.
struct LoadTrial {
    // The result without the hash. Without an `end` the attempt completed, with the plugin loaded
    // or refused: a refusal is reported when the plugin is loaded.
    Tried tried;
    // False if the end was not caused by the plugin, which it does not reflect on. Such an end is
    // not remembered.
    bool is_conclusive = true;
};

// Opens the file, requests its description and compares it with its manifest, all in a fork of this
// process. In a process with several threads only success is meaningful: the fork has no other
// threads, but their locks stay held. Throws std::system_error if no process can be created.
LoadTrial try_loading(const CatalogEntry& entry, std::chrono::seconds limit = kLoadLimit);

}  // namespace ptp::plugin
