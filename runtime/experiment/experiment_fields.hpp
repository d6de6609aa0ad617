// The keys of the tables of an experiment that have plain values. Reading, listing and recording
// all use these lists: a new key is one line here and a member in experiment.hpp.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <string>
#include <vector>

namespace ptp::experiment {

// Return the keys, whose targets are in the argument. It must outlive the list.
Kinds kinds_of(DataLoader& loader);
std::vector<Field> fields_of(TerminalConditions& conditions);
std::vector<Field> fields_of(Checkpointing& checkpointing);

}  // namespace ptp::experiment
