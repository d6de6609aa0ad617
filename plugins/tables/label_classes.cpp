// Counts the rows of each class.

#include "label_classes.hpp"

#include <class_warnings.hpp>

#include <iterator>
#include <map>
#include <ranges>
#include <set>

namespace {

void warn_of_text(const TableConfig& config, const ptp::Setup& setup) {
    if (config.text == config.label) {
        setup.log_warning(ptp::support::warning_of_leak(*config.label, "text"));
    }
}

// Returns the number of names in these cells with this separator.
size_t count_names(const std::map<std::string, size_t>& cells, const std::string& separator) {
    TableConfig config;
    config.multi_label = true;
    config.label_separator = separator;
    std::set<std::string> names;
    for (const auto& [cell, count] : cells) {
        config.for_each_label(cell, [&](std::string_view name) { names.emplace(name); });
    }
    return names.size();
}

// Warns of cells that no separator divides, as another usual one would, into fewer names.
void warn_of_separator(const std::map<std::string, size_t>& cells, const TableConfig& config,
                       const ptp::Setup& setup) {
    for (const std::string separator : {"|", ",", ";", "/", " "}) {
        size_t rows = 0;
        std::string first;
        for (const auto& [cell, count] : cells) {
            const bool is_divided = cell.find(separator) != std::string::npos;
            rows += is_divided ? count : 0;
            first = first.empty() && is_divided ? cell : first;
            if (cell.find(config.label_separator) != std::string::npos) {
                return;
            }
        }
        if (rows > 1 && count_names(cells, separator) < cells.size()) {
            setup.log_warning(ptp::detail::join(
                "no cell of the column '", *config.label,
                "' has label_separator = ", ptp::Data(config.label_separator).toml(), ", and in ",
                rows, " rows it has '", separator, "', so that '", first,
                "' is one class\nfix: write label_separator = ", ptp::Data(separator).toml(),
                " in the task of each section"));
            return;
        }
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
    if (is_training(setup) && config.multi_label) {
        warn_of_separator(counts, config, setup);
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
