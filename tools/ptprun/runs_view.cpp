#include "runs_view.hpp"

#include "base/json.hpp"
#include "base/terminal.hpp"
#include "run/compare.hpp"
#include "run/groups.hpp"
#include "run/json_listing.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

namespace ptp::ptprun {

namespace {

run::Column column_of(const std::string& key, const std::vector<run::Run>& all) {
    const auto column = run::find_column(key, all);
    if (const auto* none = std::get_if<run::NoColumn>(&column)) {
        throw UsageError(none->why);
    }
    return std::get<run::Column>(column);
}

std::optional<RunOrder> order_from(const std::vector<run::Run>& all, const Given& given) {
    if (!given.has("sort") || all.empty()) {
        return std::nullopt;
    }
    std::string key = given.text("sort");
    const bool is_descending = key.starts_with('-');
    key.erase(0, is_descending ? 1 : 0);
    try {
        return RunOrder{column_of(key, all), is_descending};
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("--sort: {}", error.what()));
    }
}

// Returns the columns that an option names: "a,b".
std::vector<run::Column> columns_from(const char* option, const std::vector<run::Run>& all,
                                      const Given& given) {
    std::vector<run::Column> columns;
    for (const std::string& text : given.texts(option)) {
        std::istringstream keys(text);
        for (std::string key; !all.empty() && std::getline(keys, key, ',');) {
            try {
                run::Column column = column_of(key, all);
                column.is_asked_for = true;
                run::add_column(columns, std::move(column));
            } catch (const UsageError& error) {
                throw UsageError(fmt::format("--{}: {}", option, error.what()));
            }
        }
    }
    return columns;
}

void print_json(const Json& json) {
    fmt::print("{}\n", text_of(json, 2));
}

std::vector<run::Column> shown(const std::vector<run::Run>& all, const RunsView& view) {
    if (view.chosen.empty()) {
        return run::comparison(all, view.asked);
    }
    std::vector<run::Column> columns = {{run::Source::kRun, "", "run"}};
    for (const auto* some : {&view.chosen, &view.asked}) {
        for (const run::Column& column : *some) {
            run::add_column(columns, column);
        }
    }
    return columns;
}

void print_list(std::vector<run::Run> all, const RunsView& view, const Given& given) {
    if (view.order) {
        run::sort_by(all, view.order->column, view.order->is_descending);
    }
    if (given.has("json")) {
        print_json(run::listing_of(all));
    } else if (given.has("csv")) {
        std::vector<run::Column> columns = shown(all, view);
        if (view.chosen.empty()) {
            for (const run::Column& column : run::differing_settings(all)) {
                run::add_column(columns, column);
            }
        }
        fmt::print("{}", run::csv_of(run::table_of(all, columns)));
    } else if (!all.empty()) {
        print_table(run::table_of(all, shown(all, view)));
    }
}

void say_unfinished(const std::vector<run::Run>& all) {
    const auto count =
        std::ranges::count_if(all, [](const run::Run& run) { return run.state != "done"; });
    if (count > 0) {
        fmt::print(stderr, "{} of the {} runs {} not done; --status done leaves {} out\n", count,
                   all.size(), count == 1 ? "is" : "are", count == 1 ? "it" : "them");
    }
}

// Returns the columns by which runs are grouped, of several experiments each by itself: means over
// different experiments say nothing.
std::vector<run::Column> keys_within_experiments(const std::vector<run::Run>& all,
                                                 std::vector<run::Column> keys) {
    const bool are_mixed = std::ranges::any_of(
        all, [&](const run::Run& run) { return run.experiment != all.front().experiment; });
    if (are_mixed &&
        std::ranges::count(keys, run::Source::kExperiment, &run::Column::source) == 0) {
        keys.insert(keys.begin(), {run::Source::kExperiment, "", "experiment"});
    }
    return keys;
}

void print_groups(const std::vector<run::Run>& all, const RunsView& view, const Given& given) {
    const std::vector<run::Column> keys = keys_within_experiments(all, view.keys);
    run::Groups groups = run::groups_of(all, keys);
    if (view.order) {
        run::sort_groups(groups, view.order->column, view.order->is_descending);
    }
    std::vector<run::Column> columns = view.chosen;
    if (columns.empty()) {
        columns = view.asked;
        run::add_column(columns, {run::Source::kLoss, "", "loss"});
        for (const run::Column& column : run::statistics_of(all)) {
            run::add_column(columns, column);
        }
        run::add_column(columns, {run::Source::kSeconds, "", "time"});
    }
    std::erase_if(columns, [&](const run::Column& column) {
        return std::ranges::any_of(keys, [&](const run::Column& key) {
            return key.source == column.source && key.name == column.name;
        });
    });
    if (given.has("json")) {
        print_json(run::listing_of(groups, keys, columns));
    } else if (given.has("csv")) {
        fmt::print("{}", run::csv_of(run::full_table_of(groups, keys, columns)));
    } else if (!all.empty()) {
        print_table(run::table_of(groups, keys, columns));
    }
    say_unfinished(all);
}

}  // namespace

RunsView view_from(const std::vector<run::Run>& all, const std::vector<run::Condition>& conditions,
                   const Given& given) {
    RunsView view{.chosen = columns_from("columns", all, given),
                  .asked = {},
                  .keys = columns_from("group-by", all, given),
                  .order = order_from(all, given)};
    if (view.order) {
        view.asked.push_back(view.order->column);
    }
    for (const run::Condition& condition : conditions) {
        run::add_column(view.asked, condition.column);
    }
    for (run::Column& column : view.asked) {
        column.is_asked_for = true;
    }
    return view;
}

// Limits the width also without a terminal: runs with little in common differ in hundreds of
// settings.
void print_table(const run::Table& table) {
    constexpr std::size_t kWidthWithoutTerminal = 200;
    fmt::print("{}",
               run::text_of(table, terminal_width(STDOUT_FILENO).value_or(kWidthWithoutTerminal)));
}

void print_view(const std::vector<run::Run>& all, const RunsView& view, const Given& given) {
    if (view.keys.empty()) {
        print_list(all, view, given);
    } else {
        print_groups(all, view, given);
    }
}

void print_sweep(const std::vector<run::Run>& all) {
    print_table(run::table_of(all, run::comparison(all)));
    const std::vector<run::Column> varied = run::varied_settings(all);
    const bool are_repeated = std::ranges::any_of(
        varied, [](const run::Column& column) { return run::is_seed_or_fold(column.name); });
    if (!are_repeated) {
        return;
    }
    std::vector<run::Column> columns = {{run::Source::kLoss, "", "loss"}};
    std::ranges::copy(run::statistics_of(all), std::back_inserter(columns));
    const std::vector<run::Column> keys = run::varied_but_seeds(all);
    fmt::print("\nmean ± deviation over seeds and folds\n");
    print_table(run::table_of(run::groups_of(all, keys), keys, columns));
    say_unfinished(all);
}

}  // namespace ptp::ptprun
