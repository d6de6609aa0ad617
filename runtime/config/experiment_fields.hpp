// The keys of the tables of an experiment that hold plain values. Reading, listing and recording
// all use these lists: a new key is one line here and a member in experiment.hpp.

#pragma once

#include "config/experiment.hpp"
#include "config/fields.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::config {

const std::vector<std::string>& optimizer_types();
const std::vector<std::string>& sampler_types();
const std::vector<std::string>& subset_sampler_types();

// An optimizer of this type with torch's defaults.
Optimizer default_optimizer(std::string_view type);

// The targets lie in the argument, which must outlive the list.
std::vector<Field> fields_of(Optimizer& optimizer);
std::vector<Field> fields_of(DataLoader& loader);
std::vector<Field> fields_of(TerminalConditions& conditions);

}  // namespace ptp::config
