// Reads the chosen columns of a section's rows.

#include "table_samples.hpp"

#include "cells.hpp"
#include "table_pictures.hpp"

#include <class_warnings.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace {

constexpr int64_t kUncounted = -100;

// Reads a column whose missing values are texts without words.
ptp::support::Texts read_texts(const SampleSource& from, const std::string& setting,
                               const std::string& column) {
    ptp::support::Texts texts;
    const size_t place = from.table.column(setting, column);
    for (const size_t row : from.rows) {
        texts.add(from.table.value(place, row).value_or(""));
    }
    return texts;
}

// Reads a column of names. It is an error if one is missing.
ptp::support::Texts read_names(const SampleSource& from, const std::string& setting,
                               const std::optional<std::string>& column, WrongCells& wrong) {
    if (!column) {
        return {};
    }
    const size_t place = from.table.column(setting, *column);
    for (const size_t row : from.rows) {
        if (!from.table.value(place, row)) {
            wrong.add_missing(place, row);
        }
    }
    return read_texts(from, setting, *column);
}

SampleNumbers read_features(const SampleSource& from, WrongCells& wrong) {
    SampleNumbers inputs{from.columns.width(),
                         std::vector<float>(from.columns.width() * from.rows.size())};
    size_t offset = 0;
    for (const ColumnCode& code : from.columns.features) {
        write_column(code, from.table, from.rows, inputs.numbers.data() + offset, inputs.width,
                     wrong);
        offset += code.width();
    }
    return inputs;
}

// Reads columns of numbers, standardized before they become floats: large numbers that differ
// little would be one float.
SampleNumbers numbers_of_columns(const SampleSource& from, const std::string& setting,
                                 const std::vector<std::string>& columns, WrongCells& wrong) {
    const ValueScales* const scales = setting == "values" ? from.scales : nullptr;
    SampleNumbers all{columns.size(), std::vector<float>(columns.size() * from.rows.size())};
    for (size_t i = 0; i < columns.size(); ++i) {
        const size_t column = from.table.column(setting, columns[i]);
        const double mean = scales != nullptr ? scales->means[i] : 0;
        const double deviation = scales != nullptr ? scales->deviations[i] : 1;
        float* to = all.numbers.data() + i;
        for (const size_t row : from.rows) {
            const auto cell = from.table.value(column, row);
            const auto number = cell ? number_in(*cell) : std::nullopt;
            if (!cell) {
                wrong.add_missing(column, row);
            } else if (!number) {
                wrong.add_not_a_number(
                    column, row,
                    setting == "weight"
                        ? "weights are numbers from 0"
                        : "if they are classes, set label = " + ptp::Data(columns[i]).toml() +
                              " instead; if they are texts, set text = " +
                              ptp::Data(columns[i]).toml());
            }
            *to = static_cast<float>((number.value_or(mean) - mean) / deviation);
            to += all.width;
        }
    }
    return all;
}

// Reads a column of lists with `size` numbers each.
SampleNumbers read_lists(const SampleSource& from, const std::string& name, int64_t size,
                         WrongCells& wrong) {
    SampleNumbers all{static_cast<size_t>(size), {}};
    all.numbers.reserve(all.width * from.rows.size());
    const size_t column = from.table.column("lists", name);
    for (const size_t row : from.rows) {
        const auto cell = from.table.value(column, row);
        auto list = cell ? list_in(*cell) : std::nullopt;
        if (!cell) {
            wrong.add_missing(column, row);
        } else if (!list) {
            wrong.add(column, row, "is not a list of numbers", kListFix);
        } else if (list->size() != all.width) {
            wrong.add(
                column, row,
                ptp::detail::join("has ", list->size(), list->size() == 1 ? " number" : " numbers",
                                  ", not the ", size, " of list_sizes"),
                "write lists of one length, and set it in list_sizes");
            list.reset();
        }
        for (size_t i = 0; i < all.width; ++i) {
            all.numbers.push_back(list ? static_cast<float>((*list)[i]) : 0);
        }
    }
    return all;
}

// A label of a row, or a problem of its cell.
struct Label {
    size_t column;
    size_t row;
    std::string_view text;
};

using ClassNames = std::set<std::string_view>;

constexpr size_t kMaxNamedClasses = 20;

// Returns the classes of the rows.
ClassNames classes_of_rows(const SampleSource& from) {
    const size_t column = from.table.column("label", *from.config.label);
    ClassNames found;
    for (const size_t row : from.rows) {
        from.config.for_each_label(from.table.value(column, row).value_or(""),
                                   [&](auto label) { found.insert(label); });
    }
    return found;
}

std::string classes_setting(const ClassNames& names) {
    std::string list;
    for (const std::string_view label : names) {
        list += (list.empty() ? "" : ", ") + ptp::Data(std::string(label)).toml();
    }
    return "classes = [" + list + "]";
}

// Returns the fix for `classes` that no row has: those of the rows; "" where a row has one, and
// where there are more than may be meant.
std::string fix_of_absent_classes(const SampleSource& from) {
    const ClassNames found = classes_of_rows(from);
    const bool has_listed = std::ranges::any_of(
        from.config.classes, [&](const std::string& one) { return found.contains(one); });
    const bool fit = from.config.binary ? found.size() == 2 : found.size() <= kMaxNamedClasses;
    return from.config.classes.empty() || has_listed || !fit
               ? ""
               : "write " + classes_setting(found) + ", which the column has";
}

// Returns what to do about a class that the training's rows lack.
std::string unlisted_fix(const SampleSource& from, std::string_view label) {
    for (const std::string& one : from.columns.classes) {
        if (ptp::support::folded(one) == ptp::support::folded(label)) {
            return ptp::detail::join("write '", one,
                                     "', as the other rows do; or list both in classes");
        }
    }
    if (ptp::support::are_numbers(from.columns.classes) && number_in(label)) {
        return "to predict numbers, set values = [" + ptp::Data(*from.config.label).toml() +
               "] in place of label in each section, and take MSELoss";
    }
    if (from.config.binary) {
        return "correct the cell, or remove the row";
    }
    if (!from.config.classes.empty()) {
        return "add it to classes, correct the cell, or remove the row";
    }
    ClassNames all = classes_of_rows(from);
    all.insert(from.columns.classes.begin(), from.columns.classes.end());
    const bool is_drawn =
        from.config.split && from.config.split->shares && !from.config.split->stratify;
    return ptp::detail::join(
        all.size() <= kMaxNamedClasses ? "write " + classes_setting(all) : "list all in classes",
        " in the training",
        is_drawn ? ", or draw the parts with stratify = " + ptp::Data(*from.config.label).toml() +
                       " beside shares"
                 : "",
        "; or correct the cell; or measure without such rows: unlisted = \"uncounted\"");
}

void add_unlisted(const SampleSource& from, const Label& label, const std::string& fix,
                  WrongCells& wrong) {
    const bool is_listed = !from.config.classes.empty();
    const std::string what = from.config.multi_label
                                 ? ptp::detail::join("has '", label.text, "', which is not")
                                 : "is not";
    wrong.add(label.column, label.row,
              what + (is_listed ? " one of `classes`" : " a class of the training's rows"),
              fix.empty() ? unlisted_fix(from, label.text) : fix);
}

void read_labels(const SampleSource& from, TableSamples& samples, WrongCells& wrong) {
    std::map<std::string_view, int64_t> numbers;
    for (const std::string& one : from.columns.classes) {
        if (!numbers.emplace(one, static_cast<int64_t>(numbers.size())).second) {
            throw ptp::SettingError("classes", "'", one,
                                    "' is listed twice\nfix: remove one of them");
        }
    }
    const size_t column = from.table.column("label", *from.config.label);
    const bool are_several = from.config.multi_label;
    // No loss leaves out a number: with binary, such a row is an error.
    const bool is_refused = from.config.unlisted == "refused" || from.config.binary;
    std::optional<std::string> fix;  // of all rows, once one is wrong
    for (const size_t row : from.rows) {
        const auto cell = from.table.value(column, row);
        int64_t target = kUncounted;
        from.config.for_each_label(cell.value_or(""), [&](std::string_view label) {
            const auto number = numbers.find(label);
            if (number != numbers.end()) {
                target = number->second;
                if (are_several) {
                    samples.class_lists.classes.push_back(static_cast<int32_t>(target));
                }
            } else if (is_refused) {
                fix = fix ? fix : fix_of_absent_classes(from);
                add_unlisted(from, {column, row, label}, *fix, wrong);
            }
        });
        if (are_several) {
            samples.labels.add(cell.value_or(""));
            samples.class_lists.ends.push_back(samples.class_lists.classes.size());
            continue;
        }
        if (target == kUncounted) {
            samples.unlisted.emplace(samples.targets.size(), cell.value_or(""));
        }
        samples.targets.push_back(target);
        if (!cell && is_refused) {
            wrong.add(column, row, "has no class", kMissingFix);
        }
    }
}

void read_weights(const SampleSource& from, TableSamples& samples, WrongCells& wrong) {
    samples.weights = numbers_of_columns(from, "weight", {*from.config.weight}, wrong);
    const size_t column = from.table.column("weight", *from.config.weight);
    for (size_t i = 0; i < from.rows.size(); ++i) {
        if (samples.weights.numbers[i] < 0) {
            wrong.add(column, from.rows[i], "is a negative weight", "write weights from 0");
        }
    }
}

}  // namespace

TableSamples read_samples(const SampleSource& from, WrongCells& wrong) {
    const TableConfig& config = from.config;
    TableSamples samples;
    if (config.features) {
        samples.inputs = read_features(from, wrong);
    }
    for (const std::string& column : config.all_texts()) {
        samples.texts.push_back(
            read_texts(from, column == config.text ? "text" : "more_texts", column));
    }
    for (size_t i = 0; i < config.lists.size(); ++i) {
        samples.lists.push_back(read_lists(from, config.lists[i], config.list_sizes.at(i), wrong));
    }
    samples.ids = read_names(from, "id", config.id, wrong);
    if (config.group && config.is_predicting() && !from.table.has_column(*config.group)) {
        for (size_t i = 0; i < from.rows.size(); ++i) {
            samples.groups.add("");
        }
    } else {
        samples.groups = read_names(from, "group", config.group, wrong);
    }
    for (const std::string& column : config.all_images()) {
        samples.images.push_back(picture_paths(from.table,
                                               column == config.image ? "image" : "more_images",
                                               column, from.rows, wrong));
    }
    if (config.rows) {
        return samples;
    }
    if (config.mask) {
        samples.masks = picture_paths(from.table, "mask", *config.mask, from.rows, wrong);
    }
    if (config.values) {
        samples.values = numbers_of_columns(from, "values", *config.values, wrong);
    }
    if (config.weight) {
        read_weights(from, samples, wrong);
    }
    if (config.label) {
        read_labels(from, samples, wrong);
    }
    return samples;
}

void warn_of_empty_texts(const TableSamples& samples, const TableConfig& config,
                         ptp::Setup& setup) {
    const std::vector<std::string> columns = config.all_texts();
    for (size_t i = 0; i < samples.texts.size(); ++i) {
        const ptp::support::Texts& texts = samples.texts[i];
        size_t empty = 0;
        for (size_t sample = 0; sample < texts.size(); ++sample) {
            empty += texts[sample].empty() ? 1 : 0;
        }
        if (empty > 0) {
            setup.log_warning(ptp::detail::join(
                "column '", columns[i], "' is empty in ", empty, " of ", texts.size(),
                " rows: each counts as a text without words; missing = \"drop\" leaves them out, "
                "with all other rows in which something is missing"));
        }
    }
}
