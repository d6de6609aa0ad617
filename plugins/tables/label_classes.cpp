// Counts the rows of each class.

#include "label_classes.hpp"

#include <class_warnings.hpp>

#include <iterator>
#include <map>
#include <ranges>

namespace {

void warn_of_text(const TableConfig& config, const ptp::Setup& setup) {
    if (config.text == config.label) {
        setup.log_warning(ptp::support::warning_of_leak(*config.label, "text"));
    }
}

}  // namespace

std::vector<std::string> learn_classes(const TableFile& table, const TableConfig& config,
                                       std::span<const size_t> rows, const ptp::Setup& setup) {
    const size_t column = table.column("label", *config.label);
    std::map<std::string, size_t> counts;
    for (const size_t row : rows) {
        config.for_each_label(table.value(column, row).value_or(""),
                              [&](std::string_view label) { ++counts[std::string(label)]; });
    }
    const auto warn = [&](const std::vector<std::string>& warnings) {
        for (const std::string& warning : is_training(setup) ? warnings : decltype(warnings){}) {
            setup.log_warning(warning);
        }
    };
    if (is_training(setup)) {
        warn_of_text(config, setup);
    }
    if (!config.classes.empty()) {
        warn(ptp::support::warnings_of_absent(counts, config.classes, *config.label));
        return config.classes;
    }
    warn(ptp::support::warnings_of_classes(counts, *config.label,
                                           config.values.value_or(std::vector<std::string>())));
    std::vector<std::string> classes;
    std::ranges::copy(std::views::keys(counts), std::back_inserter(classes));
    if (classes.empty()) {
        throw ptp::SettingError("label", "no row of the training has a class in the column '",
                                *config.label, "'\nfix: fill the column, or name another one");
    }
    return classes;
}
