// The section of a report about the model: components, layers, operations, parameters and costs.
#pragma once

#include "base/json.hpp"
#include "ptp-report/projector.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::report {

// Adds the content of model.json, if the run has one, and a sentence, with its fix, if it cannot be
// read. Nothing in the file is trusted.
void add_model(Json& sections, const std::filesystem::path& run,
               std::vector<std::string>& problems);

// Adds the kernels of the first convolution of each component, from the best weights or the last
// ones, as up to `bytes` of pixels.
void add_kernels(Json& sections, const std::filesystem::path& run, std::size_t bytes,
                 std::vector<std::string>& problems);

// Adds the embeddings that the model looked up in the first episode, as two principal components.
void add_embeddings(Json& sections, const std::filesystem::path& run,
                    std::vector<std::string>& problems);

// Adds all vectors of these embeddings, with their words. Throws FileError and RunError.
void project_embeddings(const std::filesystem::path& run, Projector& projector);

// Returns the file of the best weights, or of the last ones; "" if there are none.
std::filesystem::path recorded_weights(const std::filesystem::path& run);

}  // namespace ptp::report
