// Reads the samples of sections and measures what their tasks deliver.

#pragma once

#include "engine/data_request.hpp"

namespace ptp::engine {

// Creates the tasks of the sections, and all components if a section's sampler reads their streams;
// leaves nothing on the disk. A section whose task cannot be created, and samples that cannot be
// read, are part of what was found. Throws RunError. [main], once in a process
void survey_data(const DataRequest& request);

}  // namespace ptp::engine
