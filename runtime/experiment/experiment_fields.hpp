// The keys of the tables of an experiment that hold plain values. Reading, listing and recording
// all use these lists: a new key is one line here and a member in experiment.hpp.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <string>
#include <vector>

namespace ptp::experiment {

// The targets lie in the argument, which must outlive the list.
Kinds kinds_of(DataLoader& loader);
std::vector<Field> fields_of(TerminalConditions& conditions);
std::vector<Field> fields_of(Checkpointing& checkpointing);

}  // namespace ptp::experiment
