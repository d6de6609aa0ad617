// Groups of runs: means, deviations, their tables and their JSON.

#include "ptp-runs/groups.hpp"

#include "base/duration.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ptp::runs {

using run::number_text;
using run::Run;

namespace {

constexpr int kMaxDecimals = 12;

// Summarizes the column over the runs that have a number in it.
Summary column_summary(const std::vector<Run>& runs, const Column& column) {
    std::vector<double> values;
    for (const Run& run : runs) {
        const auto value = value_of(run, column);
        if (value && value->is_number()) {
            values.push_back(value->as_real());
        }
    }
    return summary_of(values);
}

// Returns the mean and the deviation for a person; of other values the common one, or their number.
std::string group_text(const std::vector<Run>& runs, const Column& column) {
    if (!is_measured(column)) {
        std::vector<std::string> texts;
        for (const Run& run : runs) {
            const std::string text = cell_text(run, column);
            if (std::ranges::find(texts, text) == texts.end()) {
                texts.push_back(text);
            }
        }
        return texts.size() == 1 ? texts.front() : fmt::format("({} values)", texts.size());
    }
    const Summary summary = column_summary(runs, column);
    if (!summary.mean) {
        return "";
    }
    const std::string text = column.is_like(kTime)
                                 ? duration_text(summary.mean, DurationStyle::kTable)
                                 : text_of(summary);
    return summary.count == runs.size() ? text : fmt::format("{} ({})", text, summary.count);
}

// Returns the keys, and the number of runs.
Table keys_of(const Groups& groups, const std::vector<Column>& keys) {
    Table table;
    for (const Column& key : keys) {
        TableColumn& cells = table.emplace_back(
            TableColumn{.title = key.title, .is_right = is_measured(key), .is_whole = true});
        for (const std::vector<Run>& runs : groups) {
            cells.cells.push_back(cell_text(runs.front(), key));
        }
    }
    TableColumn& counts =
        table.emplace_back(TableColumn{.title = "n", .is_right = true, .is_whole = true});
    for (const std::vector<Run>& runs : groups) {
        counts.cells.push_back(fmt::format("{}", runs.size()));
    }
    return table;
}

void add_texts(const Groups& groups, const Column& column, Table& table) {
    TableColumn& cells = table.emplace_back(TableColumn{
        .title = column.title, .is_right = is_measured(column), .is_whole = column.is_asked_for});
    for (const std::vector<Run>& runs : groups) {
        cells.cells.push_back(group_text(runs, column));
    }
}

Json json_or_null(const std::optional<double>& number) {
    return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

}  // namespace

Summary summary_of(const std::vector<double>& values) {
    Summary summary{.count = values.size(), .mean = {}, .deviation = {}};
    if (values.empty()) {
        return summary;
    }
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    const double mean = sum / static_cast<double>(values.size());
    summary.mean = mean;
    if (values.size() > 1) {
        double squares = 0;
        for (const double value : values) {
            squares += (value - mean) * (value - mean);
        }
        summary.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
    }
    return summary;
}

std::string text_of(const Summary& summary) {
    if (!summary.mean) {
        return "";
    }
    const double deviation = summary.deviation.value_or(0);
    if (!summary.deviation || !std::isfinite(deviation) || !std::isfinite(*summary.mean)) {
        return number_text(summary.mean);
    }
    if (deviation == 0) {
        return number_text(summary.mean) + " ± 0";
    }
    const int places = 1 - static_cast<int>(std::floor(std::log10(deviation)));
    if (places > kMaxDecimals) {
        return fmt::format("{} ± {:.2g}", number_text(summary.mean), deviation);
    }
    return fmt::format("{:.{}f} ± {:.{}f}", *summary.mean, std::max(places, 0), deviation,
                       std::max(places, 0));
}

Groups groups_of(const std::vector<Run>& runs, const std::vector<Column>& keys) {
    Groups groups;
    std::map<std::vector<std::string>, std::size_t> places;
    for (const Run& run : runs) {
        std::vector<std::string> values;
        for (const Column& key : keys) {
            const auto value = value_of(run, key);
            values.push_back(value ? inline_toml(*value) : "");
        }
        const auto [place, is_new] = places.try_emplace(values, groups.size());
        if (is_new) {
            groups.emplace_back();
        }
        groups[place->second].push_back(run);
    }
    return groups;
}

void sort_groups(Groups& groups, const Column& column, bool is_descending) {
    for (std::vector<Run>& runs : groups) {
        if (!is_measured(column)) {
            sort_by(runs, column, is_descending);
        }
    }
    const auto value = [&](const std::vector<Run>& runs) {
        const auto mean = column_summary(runs, column).mean;
        return is_measured(column) ? (mean ? std::optional<Value>(*mean) : std::nullopt)
                                   : value_of(runs.front(), column);
    };
    std::ranges::stable_sort(groups, [&](const auto& left, const auto& right) {
        const bool is_trained = is_of_training(left.front(), column);
        if (is_trained != is_of_training(right.front(), column)) {
            return !is_trained;
        }
        return is_before(value(left), value(right), is_descending);
    });
}

Table table_of(const Groups& groups, const std::vector<Column>& keys,
               const std::vector<Column>& columns) {
    Table table = keys_of(groups, keys);
    for (const Column& column : columns) {
        add_texts(groups, column, table);
    }
    return table;
}

Table full_table_of(const Groups& groups, const std::vector<Column>& keys,
                    const std::vector<Column>& columns) {
    const auto digits = [](const auto& number) {
        return number ? fmt::format("{}", *number) : std::string();
    };
    Table table = keys_of(groups, keys);
    for (const Column& column : columns) {
        if (!is_measured(column)) {
            add_texts(groups, column, table);
            continue;
        }
        TableColumn means{.title = column.title};
        TableColumn deviations{.title = column.title + " deviation"};
        for (const std::vector<Run>& runs : groups) {
            const Summary summary = column_summary(runs, column);
            means.cells.push_back(digits(summary.mean));
            deviations.cells.push_back(digits(summary.deviation));
        }
        table.push_back(std::move(means));
        table.push_back(std::move(deviations));
    }
    return table;
}

Json listing_of(const Groups& groups, const std::vector<Column>& keys,
                const std::vector<Column>& columns) {
    Json list = Json::array();
    for (const std::vector<Run>& runs : groups) {
        Json group = Json::object();
        for (const Column& key : keys) {
            group[key.title] = cell_text(runs.front(), key);
        }
        Json names = Json::array();
        for (const Run& run : runs) {
            names.push_back(run.folder.string());
        }
        Json statistics = Json::object();
        for (const Column& column : columns) {
            if (is_measured(column)) {
                const Summary summary = column_summary(runs, column);
                statistics[column.title] = {{"mean", json_or_null(summary.mean)},
                                            {"deviation", json_or_null(summary.deviation)},
                                            {"n", summary.count}};
            }
        }
        list.push_back({{"group", std::move(group)},
                        {"n", runs.size()},
                        {"runs", std::move(names)},
                        {"statistics", std::move(statistics)}});
    }
    return list;
}

bool is_seed_or_fold(const Column& setting) {
    const std::string last = setting.name.substr(setting.name.rfind('.') + 1);
    return last == "seed" || last == "fold" || last == "fold_seed" || last.ends_with("_fold") ||
           last.ends_with("_seed");
}

}  // namespace ptp::runs
