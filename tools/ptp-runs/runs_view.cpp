// Prints what the options of `ptprun runs` ask for, as text, CSV or JSON.

#include "ptp-runs/runs_view.hpp"

#include "base/json.hpp"
#include "base/terminal.hpp"
#include "ptp-runs/groups.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

namespace ptp::runs {

using namespace ptprun;

namespace {

Column known_column(const std::string& key, const std::vector<run::Run>& all) {
    const auto column = find_column(key, all);
    if (const auto* none = std::get_if<NoColumn>(&column)) {
        throw UsageError(none->why);
    }
    return std::get<Column>(column);
}

std::optional<RunOrder> order_from(const std::vector<run::Run>& all, const Given& given) {
    if (!given.has("sort") || all.empty()) {
        return std::nullopt;
    }
    std::string key = given.text("sort");
    const bool is_descending = key.starts_with('-');
    key.erase(0, is_descending ? 1 : 0);
    try {
        return RunOrder{known_column(key, all), is_descending};
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("--sort: {}", error.what()));
    }
}

// Returns the columns that an option names: "a,b".
std::vector<Column> columns_from(const char* option, const std::vector<run::Run>& all,
                                 const Given& given) {
    std::vector<Column> columns;
    for (const std::string& text : given.texts(option)) {
        std::istringstream keys(text);
        for (std::string key; !all.empty() && std::getline(keys, key, ',');) {
            try {
                Column column = known_column(key, all);
                column.is_asked_for = true;
                add_column(columns, std::move(column));
            } catch (const UsageError& error) {
                throw UsageError(fmt::format("--{}: {}", option, error.what()));
            }
        }
    }
    return columns;
}

void print_json(const Json& json) {
    fmt::print("{}\n", ptp::text_of(json, 2));
}

std::vector<Column> shown(const std::vector<run::Run>& all, const RunsView& view) {
    if (view.chosen.empty()) {
        return comparison(all, view.asked);
    }
    std::vector<Column> columns = {{Source::kRun, "", "run"}};
    for (const auto* some : {&view.chosen, &view.asked}) {
        for (const Column& column : *some) {
            add_column(columns, column);
        }
    }
    return columns;
}

void print_list(std::vector<run::Run> all, const RunsView& view, const Given& given) {
    if (view.order) {
        sort_by(all, view.order->column, view.order->is_descending);
    }
    if (given.has("json")) {
        print_json(listing_of(all));
    } else if (given.has("csv")) {
        std::vector<Column> columns = shown(all, view);
        if (view.chosen.empty()) {
            for (const Column& column : differing_settings(all)) {
                add_column(columns, column);
            }
        }
        fmt::print("{}", csv_of(table_of(all, columns)));
    } else if (!all.empty()) {
        print_table(table_of(all, shown(all, view)));
    }
}

void say_unfinished(const std::vector<run::Run>& all) {
    const auto count =
        std::ranges::count_if(all, [](const run::Run& run) { return run.state != "done"; });
    if (count > 0) {
        fmt::print(stderr, "{} of the {} runs {} not done; --where state=done leaves {} out\n",
                   count, all.size(), count == 1 ? "is" : "are", count == 1 ? "it" : "them");
    }
}

// Returns the columns by which runs are grouped, of several experiments each by itself: means over
// different experiments say nothing.
std::vector<Column> keys_within_experiments(const std::vector<run::Run>& all,
                                            std::vector<Column> keys) {
    const bool are_mixed = std::ranges::any_of(
        all, [&](const run::Run& run) { return run.experiment != all.front().experiment; });
    if (are_mixed && std::ranges::count(keys, Source::kExperiment, &Column::source) == 0) {
        keys.insert(keys.begin(), {Source::kExperiment, "", "experiment"});
    }
    return keys;
}

void print_groups(const std::vector<run::Run>& all, const RunsView& view, const Given& given) {
    const std::vector<Column> keys = keys_within_experiments(all, view.keys);
    Groups groups = groups_of(all, keys);
    if (view.order) {
        sort_groups(groups, view.order->column, view.order->is_descending);
    }
    std::vector<Column> columns = view.chosen;
    if (columns.empty()) {
        columns = view.asked;
        add_column(columns, {Source::kLoss, "", "loss"});
        for (const Column& column : statistics_of(all)) {
            add_column(columns, column);
        }
        add_column(columns, {Source::kSeconds, "", "time"});
    }
    std::erase_if(columns, [&](const Column& column) {
        return std::ranges::any_of(keys, [&](const Column& key) {
            return key.source == column.source && key.name == column.name;
        });
    });
    if (given.has("json")) {
        print_json(listing_of(groups, keys, columns));
    } else if (given.has("csv")) {
        fmt::print("{}", csv_of(full_table_of(groups, keys, columns)));
    } else if (!all.empty()) {
        print_table(table_of(groups, keys, columns));
    }
    say_unfinished(all);
}

}  // namespace

RunsView view_from(const std::vector<run::Run>& all, const std::optional<Condition>& condition,
                   const Given& given) {
    RunsView view{.chosen = columns_from("columns", all, given),
                  .asked = {},
                  .keys = columns_from("group-by", all, given),
                  .order = order_from(all, given)};
    if (view.order) {
        view.asked.push_back(view.order->column);
    }
    if (condition) {
        add_column(view.asked, condition->column);
    }
    for (Column& column : view.asked) {
        column.is_asked_for = true;
    }
    return view;
}

// Limits the width also without a terminal: runs with little in common differ in hundreds of
// settings.
void print_table(const Table& table) {
    constexpr std::size_t kWidthWithoutTerminal = 200;
    fmt::print("{}", text_of(table, terminal_width(STDOUT_FILENO).value_or(kWidthWithoutTerminal)));
}

void print_view(const std::vector<run::Run>& all, const RunsView& view, const Given& given) {
    if (view.keys.empty()) {
        print_list(all, view, given);
    } else {
        print_groups(all, view, given);
    }
}

void print_sweep(const std::vector<run::Run>& all) {
    print_table(table_of(all, comparison(all)));
    const std::vector<Column> varied = varied_settings(all);
    const bool are_repeated = std::ranges::any_of(
        varied, [](const Column& column) { return is_seed_or_fold(column.name); });
    if (!are_repeated) {
        return;
    }
    std::vector<Column> columns = {{Source::kLoss, "", "loss"}};
    std::ranges::copy(statistics_of(all), std::back_inserter(columns));
    const std::vector<Column> keys = varied_but_seeds(all);
    fmt::print("\nmean ± deviation over seeds and folds\n");
    print_table(table_of(groups_of(all, keys), keys, columns));
    say_unfinished(all);
}

}  // namespace ptp::runs
