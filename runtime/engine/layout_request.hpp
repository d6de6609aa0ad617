// What a program asks of the engine about the tensors and the state of the components of a plugin,
// through a symbol of libptp-engine.so: what checkpoints have of them.

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
    std::string attempt;  // the settings and sizes that it was created with; see below
    std::vector<TensorLayout> tensors = {};          // in the order of the component
    std::optional<std::int64_t> state_version = {};  // nullopt: it has none that is not tensors
    std::string problem = {};                        // why it could not be created; "" if it was
};

struct LayoutRequest {
    const plugin::CatalogEntry& plugin;
    std::filesystem::path folder;     // empty; for copies and for what components write
    std::filesystem::path home = {};  // what "~" expands to
    int time_limit_s = 60;            // for each component
    // By the component's name: the attempt of another build's layout, so that the two compare. Of
    // others one is found by trying.
    std::map<std::string, std::string> attempts = {};
};

struct LayoutResult {
    std::vector<ComponentLayout> components;
    std::string error;  // why there are none
};

// Creates each component with settings and sizes that are made up, in a process of its own. [main],
// in a process of its own too: what a plugin does when it is loaded is done there.
using LayoutFunction = void (*)(const LayoutRequest& request, LayoutResult& result) noexcept;

inline constexpr const char* kLayoutSymbol = "ptp_engine_layout";  // is a LayoutFunction

}  // namespace ptp::engine
