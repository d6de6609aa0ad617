// A request of a program to store samples of trained components, with what they compute of them.

#pragma once

#include "engine/request.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace ptp::engine {

struct SamplesRequest {
    const experiment::Experiment& experiment;
    const pipeline::Plan& plan;              // the experiment's, for processing this section
    const pipeline::Prediction& prediction;  // found in the same plan
    std::string section;
    std::filesystem::path checkpoint;  // its folder
    std::int64_t count = 0;            // of samples; fewer are stored where the section has fewer
    std::filesystem::path file;        // to write
};

// Writes the first samples of the section. `stored` is set to their number. [main], once in a
// process.
using SamplesFunction = void (*)(const SamplesRequest& request, std::int64_t& stored,
                                 RunResult& result) noexcept;

inline constexpr const char* kSamplesSymbol = "ptp_engine_samples";  // is a SamplesFunction

}  // namespace ptp::engine
