// The request to explain predictions: which pixels speak for a class, and what is attended to.

#pragma once

#include "engine/request.hpp"
#include "experiment/explanations.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::engine {

struct ExplainRequest : SectionRequest, Screen {
    experiment::Explanations settings = {};  // its section does not count
    std::filesystem::path folder = {};       // must be empty or not exist
};

// Returns whether only magnitudes count in the maps of a method: a pixel is then shown by the
// largest one of its channels, and otherwise by their sum.
inline bool are_magnitudes(std::string_view method) {
    return method == "saliency" || method == "smooth_grad";
}

// Writes the maps into the folder. [main], once in a process.
using ExplainFunction = void (*)(const ExplainRequest& request, RunResult& result) noexcept;

// In the folder: what was computed, written last.
inline constexpr const char* kExplanationsFile = "explanations.json";

inline constexpr const char* kExplainSymbol = "ptp_engine_explain";  // is an ExplainFunction

}  // namespace ptp::engine
