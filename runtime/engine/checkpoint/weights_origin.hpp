// Warns of loaded weights that are not what their file's name says, or that were trained with the
// classes, words or columns in another order: they fit, and predict something else.

#pragma once

#include "engine/checkpoint/fit.hpp"
#include "engine/component/components.hpp"
#include "engine/component/globals.hpp"

#include <spdlog/logger.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

// A file of weights, and the beginning of messages about its `load`, "net.toml:3:1: pipeline.load:
// FILE: ".
struct WeightsOrigin {
    std::string where;
    std::filesystem::path file;
};

// Warns by the beginning of the hash in the file names of PyTorch's hub.
void warn_of_other_hash(const WeightsOrigin& origin, spdlog::logger& log);

// Compares what the training of a checkpoint or bundle has recorded of its data, in its globals,
// with that of this pipeline. Names that are numbered are judged where a loaded tensor has their
// number as a size, and none that begins untrained: a new output layer is for new classes.
// `pipeline` has the loads.
void warn_of_other_order(const WeightsOrigin& origin, const std::vector<Fit>& fits,
                         const experiment::Pipeline& pipeline, const Components& components,
                         const Globals& globals, spdlog::logger& log);

}  // namespace ptp::engine
