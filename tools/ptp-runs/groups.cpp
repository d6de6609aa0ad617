// Groups of runs: means, deviations and their tables.

#include "ptp-runs/groups.hpp"

#include "base/duration.hpp"
#include "base/toml_writer.hpp"
#include "run/read_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ptp::runs {

using namespace run;

namespace fs = std::filesystem;

namespace {

constexpr int kMaxDecimals = 12;

// Returns the common text for a person, or the number of different values.
std::string common_text(const std::vector<Run>& runs, const Column& column) {
    std::vector<std::string> texts;
    for (const Run& run : runs) {
        const std::string text = cell_text(run, column);
        if (std::ranges::find(texts, text) == texts.end()) {
            texts.push_back(text);
        }
    }
    return texts.size() == 1 ? texts.front() : fmt::format("({} values)", texts.size());
}

std::string measured_text(const std::vector<Run>& runs, const Column& column) {
    const Summary summary = summary_of(runs, column);
    if (!summary.mean) {
        return "";
    }
    const std::string text = column.source == Source::kSeconds
                                 ? duration_text(summary.mean, DurationStyle::kTable)
                                 : text_of(summary);
    return summary.count == runs.size() ? text : fmt::format("{} ({})", text, summary.count);
}

std::string digits_of(const std::optional<double>& number) {
    return number ? fmt::format("{}", *number) : "";
}

TableColumn column_of(const Groups& groups, const Column& column) {
    TableColumn cells{.title = column.title,
                      .is_right = is_measured(column),
                      .is_whole = column.is_asked_for,
                      .cells = {}};
    for (const std::vector<Run>& runs : groups) {
        cells.cells.push_back(is_measured(column) ? measured_text(runs, column)
                                                  : common_text(runs, column));
    }
    return cells;
}

TableColumn counts_of(const Groups& groups) {
    TableColumn counts{.title = "n", .is_right = true, .is_whole = true, .cells = {}};
    for (const std::vector<Run>& runs : groups) {
        counts.cells.push_back(fmt::format("{}", runs.size()));
    }
    return counts;
}

void add_group_keys(const Groups& groups, const std::vector<Column>& keys, Table& table) {
    for (Column key : keys) {
        key.is_asked_for = true;
        TableColumn cells = column_of(groups, key);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            cells.cells[i] = cell_text(groups[i].front(), key);
        }
        table.push_back(std::move(cells));
    }
    table.push_back(counts_of(groups));
}

Json json_or_null(const std::optional<double>& number) {
    return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

// Orders numbers before texts, and nan and missing values last.
bool is_before(const std::optional<Value>& left, const std::optional<Value>& right,
               bool is_descending) {
    const auto rank = [](const std::optional<Value>& value) {
        if (!value || (value->is_real() && value->as_real() != value->as_real())) {
            return 2;
        }
        return value->is_number() ? 0 : 1;
    };
    if (rank(left) != rank(right)) {
        return rank(left) < rank(right);
    }
    if (rank(left) == 2) {
        return false;
    }
    const auto& first = is_descending ? *right : *left;
    const auto& second = is_descending ? *left : *right;
    if (rank(left) == 0) {
        return first.as_real() < second.as_real();
    }
    return first.is_string() && second.is_string() && first.as_string() < second.as_string();
}

bool are_several(const std::vector<Run>& runs, const Column& column) {
    std::set<std::string> values;
    for (const Run& run : runs) {
        values.insert(cell_text(run, column));
    }
    return values.size() > 1;
}

bool any_has(const std::vector<Run>& runs, const Column& column) {
    return std::ranges::any_of(runs,
                               [&](const Run& run) { return !cell_text(run, column).empty(); });
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

Summary summary_of(const std::vector<Run>& runs, const Column& column) {
    std::vector<double> values;
    for (const Run& run : runs) {
        const auto value = value_of(run, column);
        if (value && value->is_number()) {
            values.push_back(value->as_real());
        }
    }
    return summary_of(values);
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
    if (!is_measured(column)) {
        for (std::vector<Run>& runs : groups) {
            sort_by(runs, column, is_descending);
        }
        std::ranges::stable_sort(groups, [&](const auto& left, const auto& right) {
            std::vector<Run> both = {right.front(), left.front()};
            sort_by(both, column, is_descending);
            return both.front().folder == left.front().folder;
        });
        return;
    }
    const auto rank = [&](const std::vector<Run>& runs) {
        const double mean = summary_of(runs, column).mean.value_or(std::nan(""));
        return std::isnan(mean) ? std::pair(1, 0.0) : std::pair(0, is_descending ? -mean : mean);
    };
    std::ranges::stable_sort(groups, {}, rank);
}

Table table_of(const Groups& groups, const std::vector<Column>& keys,
               const std::vector<Column>& columns) {
    Table table;
    add_group_keys(groups, keys, table);
    for (const Column& column : columns) {
        table.push_back(column_of(groups, column));
    }
    return table;
}

Table full_table_of(const Groups& groups, const std::vector<Column>& keys,
                    const std::vector<Column>& columns) {
    Table table;
    add_group_keys(groups, keys, table);
    for (const Column& column : columns) {
        if (!is_measured(column)) {
            table.push_back(column_of(groups, column));
            continue;
        }
        TableColumn means{.title = column.title, .cells = {}};
        TableColumn deviations{.title = column.title + " deviation", .cells = {}};
        for (const std::vector<Run>& runs : groups) {
            const Summary summary = summary_of(runs, column);
            means.cells.push_back(digits_of(summary.mean));
            deviations.cells.push_back(digits_of(summary.deviation));
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
                const Summary summary = summary_of(runs, column);
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

bool is_seed_or_fold(const std::string& path) {
    const std::string last = path.substr(path.rfind('.') + 1);
    return last == "seed" || last == "fold" || last == "fold_seed" || last.ends_with("_fold") ||
           last.ends_with("_seed");
}

std::vector<Column> varied_but_seeds(const std::vector<Run>& runs) {
    std::vector<Column> columns = varied_settings(runs);
    std::erase_if(columns, [](const Column& column) { return is_seed_or_fold(column.name); });
    return columns;
}

void sort_by(std::vector<Run>& runs, const Column& column, bool is_descending) {
    std::ranges::stable_sort(runs, [&](const Run& left, const Run& right) {
        return is_before(value_of(left, column), value_of(right, column), is_descending);
    });
}

void add_column(std::vector<Column>& columns, Column column) {
    const bool is_there = std::ranges::any_of(columns, [&](const Column& other) {
        return other.source == column.source && other.name == column.name;
    });
    if (!is_there) {
        columns.push_back(std::move(column));
    }
}

std::vector<Column> comparison(const std::vector<Run>& runs, const std::vector<Column>& asked) {
    std::vector<Column> columns = {{Source::kRun, "", "run"}, {Source::kState, "", "state"}};
    const auto add_if_any = [&](const Column& column) {
        if (any_has(runs, column)) {
            add_column(columns, column);
        }
    };
    const Column experiment{Source::kExperiment, "", "experiment"};
    if (are_several(runs, experiment)) {
        columns.push_back(experiment);
    }
    add_if_any({Source::kTrial, "", "trial"});
    for (const Column& column : asked) {
        add_column(columns, column);
    }
    add_column(columns, {Source::kLoss, "", "loss"});
    for (const Column& column : statistics_of(runs)) {
        add_column(columns, column);
    }
    add_column(columns, {Source::kEpoch, "", "epoch"});
    for (const Column& column : varied_settings(runs)) {
        add_column(columns, column);
    }
    add_if_any({Source::kTags, "", "tags"});
    add_column(columns, {Source::kEpisodes, "", "episodes"});
    add_column(columns, {Source::kSeconds, "", "time"});
    add_if_any({Source::kNote, "", "note"});
    add_if_any({Source::kProblem, "", "problem"});
    return columns;
}

Table table_of(const std::vector<Run>& runs, const std::vector<Column>& columns) {
    const fs::path common = common_folder(runs);
    Table table;
    for (const Column& column : columns) {
        TableColumn cells{.title = column.title,
                          .is_right = is_measured(column),
                          .is_whole = column.is_asked_for,
                          .cells = {}};
        for (const Run& run : runs) {
            const bool is_folder = column.source == Source::kRun;
            cells.cells.push_back(is_folder ? plain(run.folder.lexically_relative(common).string())
                                            : cell_text(run, column));
        }
        table.push_back(std::move(cells));
    }
    return table;
}

}  // namespace ptp::runs
