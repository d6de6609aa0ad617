// The facts about the training of a model in the manifest of its bundle.
#pragma once

#include "bundle/manifest.hpp"
#include "experiment/experiment.hpp"
#include "ptp-bundle/contents.hpp"
#include "run/checkpoint_record.hpp"
#include "run/record.hpp"

#include <vector>

namespace ptp::bundling {

// Describes the training without the machine's user, its processes and its folders.
bundle::Lineage lineage_of(const Source& source, const run::CheckpointRecord& checkpoint,
                           const run::Record& record, const experiment::Experiment& experiment);

// Returns what the weights were measured with at their checkpoint, and with the test set if they
// are those that it was measured with.
std::vector<run::Measurement> metrics_of(const Source& source,
                                         const run::CheckpointRecord& checkpoint);

// Returns the sections of data in the state of a training.
std::vector<bundle::BundledData> data_of(const Value& training);

}  // namespace ptp::bundling
