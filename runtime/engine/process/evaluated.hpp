// What processing and predicting have in common: a section whose samples come once, and weights
// that somebody trained.

#pragma once

#include "engine/component/components.hpp"
#include "experiment/experiment.hpp"

#include <spdlog/logger.h>

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::engine {

const experiment::Section& section_named(const experiment::Experiment& experiment,
                                         const std::string& name);

// The section with each of its samples once, in order.
experiment::Section each_once(experiment::Section section);

// Puts the weights of the checkpoint's folder into the components; without one those that the
// experiment loads. Throws RunError for weights that nobody trained: they would give numbers that
// mean nothing.
void load_evaluated_weights(const std::optional<std::filesystem::path>& checkpoint,
                            const experiment::Experiment& experiment, const Components& components,
                            spdlog::logger& log);

}  // namespace ptp::engine
