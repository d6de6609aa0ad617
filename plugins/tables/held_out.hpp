// The fold of the rows that does not count for means and deviations: that which a sampler of folds
// holds out of the training.
#pragma once

#include "table_file.hpp"

#include <ptp/settings.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

struct TableConfig;

struct HeldOutConfig {
    int64_t folds = 2;
    int64_t fold = 0;
    int64_t fold_seed = 0;
    std::string by = "rows";

    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("folds", &HeldOutConfig::folds,
                         {.help = "Into how many parts the rows are cut", .range = "[2, inf)"}),
            ptp::setting("fold", &HeldOutConfig::fold,
                         {.help = "The part that does not count, from 0", .range = "[0, inf)"}),
            ptp::setting("fold_seed", &HeldOutConfig::fold_seed,
                         {.help = "Which rows are in which part", .range = "[0, inf)"}),
            ptp::setting("by", &HeldOutConfig::by,
                         {.help = "How the sampler cuts them: rows is kFoldRandomSampler, classes "
                                  "kFoldStratifiedSampler, groups kFoldGroupSampler",
                          .choices = "rows|classes|groups"})};
    }
};

// Returns those of the training's rows that are not in the fold, as the sampler of folds with these
// numbers takes them. Throws SettingError.
std::vector<size_t> rows_outside_of_fold(const TableFile& table, const TableConfig& config,
                                         std::span<const size_t> rows);
