// The classes of a column of labels.
#pragma once

#include "table_config.hpp"
#include "table_file.hpp"

#include <ptp/setup.hpp>

#include <span>
#include <string>
#include <vector>

// Returns `classes`, or those of these rows of the training. Warns in the training of classes that
// are probably none, and of a label that is an input, too.
std::vector<std::string> learn_classes(const TableFile& table, const TableConfig& config,
                                       std::span<const size_t> rows, const ptp::Setup& setup);

// Returns whether it is the task of the training, whose warnings are those of all sections.
inline bool is_training(const ptp::Setup& setup) {
    return setup.section().empty() || setup.section() == "training";
}
