// The setting `binary` of tasks with classes: the targets of two classes are one number.
#pragma once

#include <ptp/error.hpp>
#include <ptp/settings.hpp>
#include <words.hpp>

#include <string>
#include <vector>

namespace ptp::support {

inline constexpr SettingText kBinaryText{
    .help =
        "Two classes as one yes or no: a target is 1 for the second class and 0 for the first, "
        "as BCEWithLogitsLoss takes it beside one score",
    .is_preparation = true};

inline constexpr const char* kBinaryTargetText = "1 for the second class, 0 for the first";

// Throws SettingError for a table without a column of classes.
inline void check_binary(bool is_binary, bool has_label) {
    if (is_binary && !has_label) {
        throw SettingError("binary",
                           "needs `label`, the column of the classes\nfix: set label, or remove "
                           "binary");
    }
}

// Throws SettingError for `binary` with other than two classes.
inline void check_classes(bool is_binary, const std::vector<std::string>& classes) {
    if (is_binary && classes.size() != 2) {
        throw SettingError(
            "binary", "needs two classes, and there ", classes.size() == 1 ? "is one: " : "are ",
            classes.size() == 1 ? "" : std::to_string(classes.size()) + ": ", quoted_names(classes),
            classes.size() == 1 ? "\nfix: add samples of the other class"
                                : "\nfix: remove binary, take CrossEntropyLoss, and let the last "
                                  "layer make num_classes scores");
    }
}

}  // namespace ptp::support
