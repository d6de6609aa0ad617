// Requests of a program for the tensors and the state, as in checkpoints, of a plugin's components,
// through a symbol of libptp-engine.so.

#pragma once

#include "plugin/catalog.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

struct TensorLayout {
    std::string name;
    std::string form;  // "parameter Float [3, 4]", "buffer Long []"
};

struct ComponentLayout {
    std::string component;
    std::string attempt;                     // the settings and sizes of its creation; see below
    std::vector<TensorLayout> tensors = {};  // in the order of the component
    std::optional<std::int64_t> state_version = {};  // nullopt: no state except tensors
    std::string problem = {};                        // why it could not be created; "" if it was
};

struct LayoutRequest {
    const plugin::CatalogEntry& plugin;
    std::filesystem::path folder;     // empty; for copies and components' files
    std::filesystem::path home = {};  // the expansion of "~"
    int time_limit_s = 60;            // for each component
    // The attempts of another build's layout, by component name, so that both are comparable. For
    // other components one is found by trying.
    std::map<std::string, std::string> attempts = {};
};

struct LayoutResult {
    std::vector<ComponentLayout> components;
    std::string error;  // why there are none
};

// Creates each component with made-up settings and sizes, in a process of its own. [main], in a
// process of its own: loading a plugin runs its code there.
using LayoutFunction = void (*)(const LayoutRequest& request, LayoutResult& result) noexcept;

inline constexpr const char* kLayoutSymbol = "ptp_engine_layout";  // is a LayoutFunction

}  // namespace ptp::engine
