// Loads a plugin in a child process first, so that a crash or a hang there harms nothing else.
#pragma once

#include "plugin/catalog.hpp"
#include "plugin/crash_memory.hpp"

#include <chrono>

namespace ptp::plugin {

inline constexpr std::chrono::seconds kLoadLimit{60};

// How an attempt to load a plugin has ended.
struct LoadTrial {
    // The hash is left empty. Without an `end` it came to its end by itself, with the plugin loaded
    // or refused: a refusal is reported when it is loaded.
    Tried tried;
    // false: what ended it has no cause in the plugin, so that nothing is known of it. Such an end
    // is not remembered.
    bool is_conclusive = true;
};

// Whether a process that runs a plugin's code is ended by this signal because of that code. Any
// other has its cause elsewhere: an interrupt, a limit, a lack of memory.
bool is_crash_signal(int signal);

// Opens the file, asks for its description and compares it with its manifest, all in a fork of this
// process. In a process with several threads only a good end says something: the fork does not have
// the others, and what they held. Throws std::system_error where there is no process
// for it.
LoadTrial try_loading(const CatalogEntry& entry, std::chrono::seconds limit = kLoadLimit);

}  // namespace ptp::plugin
