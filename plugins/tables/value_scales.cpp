// Learns the scales of the columns `values`, and reads those of a checkpoint.

#include "value_scales.hpp"

#include "cells.hpp"
#include "label_classes.hpp"

#include <mean_deviation.hpp>

#include <string>

ValueScales learn_scales(const TableFile& table, const TableConfig& config,
                         std::span<const size_t> rows) {
    ValueScales scales;
    for (const std::string& name : *config.values) {
        const size_t column = table.column("values", name);
        std::vector<double> numbers;
        for (const size_t row : rows) {
            const auto cell = table.value(column, row);
            if (const auto number = cell ? number_in(*cell) : std::nullopt) {
                numbers.push_back(*number);
            }
        }
        const auto learned = ptp::support::mean_deviation(numbers);
        scales.means.push_back(learned.mean);
        scales.deviations.push_back(learned.deviation);
    }
    return scales;
}

void warn_of_scales(const ValueScales& scales, const TableConfig& config, const ptp::Setup& setup) {
    for (size_t i = 0; i < scales.means.size(); ++i) {
        const std::string warning = ptp::support::warning_of_scale(
            config.values->at(i), {scales.means[i], scales.deviations[i]},
            "set standardize_values = true in the task of each section");
        if (!warning.empty()) {
            return setup.log_warning(warning);
        }
    }
}

std::optional<ValueScales> saved_scales(const TableConfig& config, const ptp::Setup& setup) {
    const auto saved = setup.saved_global("value_scales");
    if (saved.has_value() != config.standardize_values) {
        throw ptp::SettingError("standardize_values", "the training has ",
                                saved ? "standardized its values\nfix: set standardize_values = "
                                        "true in this section, too"
                                      : "not standardized its values\nfix: remove it here");
    }
    if (!saved) {
        return std::nullopt;
    }
    ValueScales scales = ptp::support::restored_scales(*saved);
    if (config.values && config.values->size() != scales.means.size()) {
        throw ptp::SettingError("values", "are ", config.values->size(), " columns, and ",
                                scales.means.size(),
                                " in the checkpoint\nfix: name as many, in the same order");
    }
    return scales;
}
