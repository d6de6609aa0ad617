// Puts saved tensors into components.

#pragma once

#include "engine/checkpoint/fit.hpp"
#include "engine/component/components.hpp"
#include "engine/component/globals.hpp"
#include "engine/pretrained/torch_file.hpp"
#include "experiment/experiment.hpp"

#include <spdlog/logger.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

// Puts the tensors that were saved under a component's name into an instance. Each is required,
// with its shape and type, and no other; all differences are reported at once. Nothing is changed
// unless everything fits. `file` is for messages. Throws RunError with kDataError.
void load_tensors(const SavedWeights& saved, const std::filesystem::path& file,
                  const std::string& component, Instance& instance, Filling filling);

// Returns the load of a component as it is typed, here { from = "digits/last", except = ["fc"] },
// with these layers left out, too.
std::string load_without(experiment::Load load, const std::vector<std::string>& layers,
                         const Instance& instance);

struct Loaded {
    std::vector<std::string> lines = {};
    std::vector<Fit> fits = {};
};

// Executes the `load`s of a pipeline and of its components; a component's `load` has precedence
// over the pipeline's. Each names a file of weights in any form (read_weights()), a checkpoint's
// folder, or a run's folder, whose best checkpoint is used: see experiment::weights_file(). Files
// with a hash in their folder must match it. A strict load must fit completely: all differences, of
// all loads, are reported at once, and then nothing is changed. For the others, tensors that do not
// fit are logged and stay unchanged; at least one must fit. Returns a line for each load, in their
// order, with how many tensors it has filled and which it has not, and what it has copied, and
// warns of those that were trained with data in another order than the globals have. Throws
// RunError with kDataError; with kConfigurationError for unknown layers in `freeze`, beside what
// else is wrong.
Loaded load_weights(const experiment::Pipeline& pipeline, const Components& components,
                    const Globals& globals, spdlog::logger& log);

}  // namespace ptp::engine
