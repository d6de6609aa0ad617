// The test of a bundle: the samples that it stores are computed again before its weights are used.

#pragma once

#include "engine/predict/evaluated.hpp"

#include <filesystem>

namespace ptp::engine {

// Computes the samples of the bundle whose checkpoint this is, if it is that of a bundle with
// samples. Throws RunError with kDataError for an output that differs by more than the bundle's
// tolerance. Outputs that the plan does not compute are not compared. Warns where it
// computes some, but not from the stored inputs. Leaves the frame empty.
void test_samples(EvaluatedPipeline& pipeline, const std::filesystem::path& checkpoint);

}  // namespace ptp::engine
