// The order and the columns of a comparison, and its table.

#include "ptp-runs/compare.hpp"

#include "run/read_run.hpp"

#include <algorithm>
#include <set>

namespace ptp::runs {

using namespace run;

namespace fs = std::filesystem;

namespace {

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
