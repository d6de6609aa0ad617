// The data that ptp-python has written into this file: the declarations of a script's classes, and
// the script.
#pragma once

#include <ptp/abi.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::python {

// Properties of a class beyond its declarations.
struct Extras {
    bool has_state = false;
    bool is_per_sample = false;
    std::uint32_t state_version = 1;
};

// A module that the script imports from its folder.
struct OwnModule {
    std::string_view name;  // "shapes.round"
    std::string_view file;
    bool is_package = false;
    std::string_view source;
};

struct Script {
    ptp_plugin_info info{};
    std::vector<Extras> extras;  // one for each component
    std::string_view file;       // its absolute original path
    std::string_view source;
    std::vector<OwnModule> modules;
};

// The maximum number of classes in a script: each needs its own functions.
inline constexpr std::uint32_t kMaxComponents = 16;

// Returns the script, which is read in the first call and lives until the process ends. An empty
// plugin if nothing was written.
const Script& script();

}  // namespace ptp::python
