// Numbers of new data that are far from those of the training's rows.
#pragma once

#include "table_samples.hpp"

#include <string>

// Returns the warning of the standardized number that is farthest from the training's mean, where
// one is so far that its unit may be another one; "" if none is.
std::string warning_of_far_numbers(const TableColumns& columns, const SampleNumbers& inputs);
