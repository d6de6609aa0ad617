// Refuses settings of Table that need others.

#include "table_config.hpp"

void check_settings(const TableConfig& config) {
    if (!config.features && !config.text && !config.image) {
        throw ptp::ConfigError(
            "no column is chosen: set at least one of features, text and "
            "image\nfix: features = \"*\" takes all columns of numbers and "
            "categories");
    }
    if ((config.image || config.mask) && !config.resize_image) {
        throw ptp::SettingError(config.image ? "image" : "mask",
                                "needs the size of the images\nfix: set resize_image = [64, "
                                "64], height and width");
    }
    if (config.vocabulary && !config.text) {
        throw ptp::SettingError("vocabulary",
                                "needs `text`, the column of its words\nfix: set "
                                "text, or remove vocabulary");
    }
    if (config.label_separator.empty()) {
        throw ptp::SettingError("label_separator", "is empty\nfix: set label_separator = \";\"");
    }
    if (config.multi_label && !config.label) {
        throw ptp::SettingError("multi_label",
                                "needs `label`, the column of the classes\nfix: set label, or "
                                "remove multi_label");
    }
    if (config.resize_image) {
        check_depth(config.image_depth);
    }
}
