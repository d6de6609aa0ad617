// The scales of the columns `values`: with them numbers are standardized, and predictions get their
// unit back.
#pragma once

#include "table_config.hpp"
#include "table_file.hpp"

#include <ptp/setup.hpp>
#include <ptp/state.hpp>

#include <optional>
#include <span>
#include <tuple>
#include <vector>

// One mean and one deviation for each column. The checkpoint has them as the global `value_scales`.
struct ValueScales {
    std::vector<double> means;
    std::vector<double> deviations;  // over the number of rows; 1 where all rows have one value

    static constexpr auto state() {
        return std::tuple{ptp::kept("means", &ValueScales::means),
                          ptp::kept("deviations", &ValueScales::deviations)};
    }
};

// Returns the scales of these rows, which are the training's.
ValueScales learn_scales(const TableFile& table, const TableConfig& config,
                         std::span<const size_t> rows);

// Warns in the training of numbers that are far from the scale of a network's first predictions.
void warn_of_scales(const ValueScales& scales, const TableConfig& config, const ptp::Setup& setup);

// Returns the scales of a checkpoint, whose training may have none. Throws SettingError where the
// section and the training differ in whether they standardize.
std::optional<ValueScales> saved_scales(const TableConfig& config, const ptp::Setup& setup);
