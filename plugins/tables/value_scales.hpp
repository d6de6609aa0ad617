// The scales of the columns `values`: with them numbers are standardized, and predictions get their
// unit back.
#pragma once

#include "table_config.hpp"
#include "table_file.hpp"

#include <ptp/setup.hpp>
#include <saved_scales.hpp>

#include <optional>
#include <span>

using ptp::support::ValueScales;

// Returns the scales of these rows, which are the training's.
ValueScales learn_scales(const TableFile& table, const TableConfig& config,
                         std::span<const size_t> rows);

// Warns in the training of numbers that are far from the scale of a network's first predictions.
void warn_of_scales(const ValueScales& scales, const TableConfig& config, const ptp::Setup& setup);

// Returns the scales of a checkpoint, whose training may have none. Throws SettingError where the
// section and the training differ in whether they standardize, and DataError for wrong scales.
std::optional<ValueScales> saved_scales(const TableConfig& config, const ptp::Setup& setup);
