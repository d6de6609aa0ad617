// Refuses settings of Table that need others, and joins those that name columns of one type.

#include "table_config.hpp"

namespace {

TableConfig::Names joined(const std::optional<std::string>& first, const TableConfig::Names& more) {
    TableConfig::Names names = more;
    if (first) {
        names.insert(names.begin(), *first);
    }
    return names;
}

}  // namespace

TableConfig::Names TableConfig::all_texts() const {
    return joined(text, more_texts);
}

TableConfig::Names TableConfig::all_images() const {
    return joined(image, more_images);
}

std::vector<Whole> TableConfig::undivided() const {
    return {{"image", all_images()}, {"group", joined(group, {})}};
}

void check_settings(const TableConfig& config) {
    if (!config.features && config.all_texts().empty() && config.all_images().empty() &&
        config.lists.empty()) {
        throw ptp::ConfigError(
            "no column is chosen: set at least one of features, text, image and lists\nfix: "
            "features = \"*\" takes all columns of numbers and categories");
    }
    if ((!config.all_images().empty() || config.mask) && !config.resize_image) {
        throw ptp::SettingError(config.image                  ? "image"
                                : !config.more_images.empty() ? "more_images"
                                                              : "mask",
                                "needs the size of the images\nfix: set resize_image = [64, "
                                "64], height and width");
    }
    if (config.vocabulary && config.all_texts().empty()) {
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
    ptp::support::check_binary(config.binary, config.label.has_value());
    if (config.resize_image) {
        check_depth(config.image_depth);
    }
}
