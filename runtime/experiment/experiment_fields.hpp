// The keys of the tables of an experiment that hold plain values. Reading, listing and recording
// all use these lists: a new key is one line here and a member in experiment.hpp.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <string>
#include <vector>

namespace ptp::experiment {

const std::vector<std::string>& sampler_types();

// The targets lie in the argument, which must outlive the list.
std::vector<Field> fields_of(DataLoader& loader);
std::vector<Field> fields_of(TerminalConditions& conditions);
std::vector<Field> fields_of(Checkpointing& checkpointing);

// The keys of a sampler, with the values that are read elsewhere.
struct SamplerKeys {
    Sampler& sampler;
    Raw indices = nullptr;
    Raw weights = nullptr;
    Raw labels = nullptr;

    // The targets lie in this structure and in the sampler.
    std::vector<Field> fields();
};

}  // namespace ptp::experiment
