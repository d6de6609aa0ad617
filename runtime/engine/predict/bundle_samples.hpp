// The samples that a bundle stores with what its components compute of them: they are recorded when
// it is made, and computed again, as its self-test, before its weights are used.
#pragma once

#include "engine/predict/evaluated.hpp"
#include "engine/request.hpp"

#include <cstdint>
#include <filesystem>

namespace ptp::engine {

// Writes the first samples of a section as its task delivers them, and what the components compute
// of them. Returns their number. Throws RunError, also where there is nothing to compare. [main],
// once in a process.
std::int64_t record_samples(const SamplesRequest& request);

// Computes the samples of the bundle whose checkpoint this is, if it is that of a bundle with
// samples. Throws RunError with kDataError for an output that differs by more than the bundle's
// tolerance. Outputs that the plan does not compute are not compared. Warns where it
// computes some, but not from the stored inputs. Leaves the frame empty.
void test_samples(EvaluatedPipeline& pipeline, const std::filesystem::path& checkpoint);

}  // namespace ptp::engine
