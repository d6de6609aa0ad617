// The fold of the rows that does not count for means and deviations: that which a sampler of folds
// holds out of the training.
#pragma once

#include "table_file.hpp"

#include <ptp/declare.hpp>
#include <ptp/settings.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

struct TableConfig;

struct HeldOutConfig {
    int64_t folds = 2;
    int64_t fold = 0;
    int64_t fold_seed = 0;
    std::string sampler = "kFoldRandomSampler";

    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("folds", &HeldOutConfig::folds,
                         {.help = "Into how many parts the rows are cut", .range = "[2, inf)"}),
            ptp::setting("fold", &HeldOutConfig::fold,
                         {.help = "The part that does not count, from 0", .range = "[0, inf)"}),
            ptp::setting("fold_seed", &HeldOutConfig::fold_seed,
                         {.help = "Which rows are in which part", .range = "[0, inf)"}),
            ptp::setting("sampler", &HeldOutConfig::sampler,
                         {.help = "What cuts them: by the classes `label`, or by `group`",
                          .choices = "kFoldRandomSampler|kFoldStratifiedSampler|"
                                     "kFoldGroupSampler"})};
    }
};

inline constexpr ptp::Requirement kFoldExists =
    ptp::requirement("!$held_out or $held_out.fold < $held_out.folds",
                     "must hold out a fold below the number of folds");
inline constexpr ptp::Requirement kFoldHasClasses =
    ptp::requirement("!$held_out or $held_out.sampler != 'kFoldStratifiedSampler' or $label",
                     "keeps the shares of classes, and no column has them: set label");
inline constexpr ptp::Requirement kFoldHasGroups =
    ptp::requirement("!$held_out or $held_out.sampler != 'kFoldGroupSampler' or $group",
                     "keeps groups together, and no column has them: set group");

// Returns those of the training's rows that are not in the fold, as the sampler of folds with these
// numbers takes them; nullopt without a fold, and for new data. Throws SettingError.
std::optional<std::vector<size_t>> rows_outside_of_fold(const TableFile& table,
                                                        const TableConfig& config,
                                                        std::span<const size_t> rows);
