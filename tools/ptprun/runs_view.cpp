#include "runs_view.hpp"

#include "base/terminal.hpp"
#include "runs/compare.hpp"
#include "runs/groups.hpp"
#include "runs/json_listing.hpp"

#include <fmt/core.h>
#include <unistd.h>
#include <boost/program_options/errors.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

namespace ptp::ptprun {

namespace po = boost::program_options;

namespace {

using Strings = std::vector<std::string>;

Strings strings(const po::variables_map& map, const char* option) {
    return map.count(option) > 0 ? map[option].as<Strings>() : Strings();
}

runs::Column column_of(const std::string& key, const std::vector<runs::Run>& all) {
    const auto column = runs::find_column(key, all);
    if (const auto* none = std::get_if<runs::NoColumn>(&column)) {
        throw po::error(none->why);
    }
    return std::get<runs::Column>(column);
}

std::optional<RunOrder> order_from(const std::vector<runs::Run>& all,
                                   const po::variables_map& map) {
    if (map.count("sort") == 0 || all.empty()) {
        return std::nullopt;
    }
    std::string key = map["sort"].as<std::string>();
    const bool is_descending = key.starts_with('-');
    key.erase(0, is_descending ? 1 : 0);
    try {
        return RunOrder{column_of(key, all), is_descending};
    } catch (const po::error& error) {
        throw po::error(fmt::format("--sort: {}", error.what()));
    }
}

// "a,b": the columns that an option names.
std::vector<runs::Column> columns_from(const char* option, const std::vector<runs::Run>& all,
                                       const po::variables_map& map) {
    std::vector<runs::Column> columns;
    for (const std::string& text : strings(map, option)) {
        std::istringstream keys(text);
        for (std::string key; !all.empty() && std::getline(keys, key, ',');) {
            try {
                runs::Column column = column_of(key, all);
                column.is_asked_for = true;
                runs::add_column(columns, std::move(column));
            } catch (const po::error& error) {
                throw po::error(fmt::format("--{}: {}", option, error.what()));
            }
        }
    }
    return columns;
}

// Runs that have little in common differ in hundreds of settings.
void print_table(const runs::Table& table) {
    constexpr std::size_t kWidthWithoutTerminal = 200;
    fmt::print("{}",
               runs::text_of(table, terminal_width(STDOUT_FILENO).value_or(kWidthWithoutTerminal)));
}

void print_json(const runs::Json& json) {
    fmt::print("{}\n", json.dump(2, ' ', false, runs::Json::error_handler_t::replace));
}

std::vector<runs::Column> shown(const std::vector<runs::Run>& all, const RunsView& view) {
    if (view.chosen.empty()) {
        return runs::comparison(all, view.asked);
    }
    std::vector<runs::Column> columns = {{runs::Source::kRun, "", "run"}};
    for (const auto* some : {&view.chosen, &view.asked}) {
        for (const runs::Column& column : *some) {
            runs::add_column(columns, column);
        }
    }
    return columns;
}

void print_list(std::vector<runs::Run> all, const RunsView& view, const po::variables_map& map) {
    if (view.order) {
        runs::sort_by(all, view.order->column, view.order->is_descending);
    }
    if (map.count("json") > 0) {
        print_json(runs::listing_of(all));
    } else if (map.count("csv") > 0) {
        std::vector<runs::Column> columns = shown(all, view);
        if (view.chosen.empty()) {
            for (const runs::Column& column : runs::differing_settings(all)) {
                runs::add_column(columns, column);
            }
        }
        fmt::print("{}", runs::csv_of(runs::table_of(all, columns)));
    } else if (!all.empty()) {
        print_table(runs::table_of(all, shown(all, view)));
    }
}

void say_unfinished(const std::vector<runs::Run>& all) {
    const auto count =
        std::ranges::count_if(all, [](const runs::Run& run) { return run.state != "done"; });
    if (count > 0) {
        fmt::print(stderr, "{} of the {} runs {} not done; --status done leaves {} out\n", count,
                   all.size(), count == 1 ? "is" : "are", count == 1 ? "it" : "them");
    }
}

void print_groups(const std::vector<runs::Run>& all, const RunsView& view,
                  const po::variables_map& map) {
    runs::Groups groups = runs::groups_of(all, view.keys);
    if (view.order) {
        runs::sort_groups(groups, view.order->column, view.order->is_descending);
    }
    std::vector<runs::Column> columns = view.chosen;
    if (columns.empty()) {
        columns = view.asked;
        runs::add_column(columns, {runs::Source::kLoss, "", "loss"});
        for (const runs::Column& column : runs::statistics_of(all)) {
            runs::add_column(columns, column);
        }
        runs::add_column(columns, {runs::Source::kSeconds, "", "time"});
    }
    std::erase_if(columns, [&](const runs::Column& column) {
        return std::ranges::any_of(view.keys, [&](const runs::Column& key) {
            return key.source == column.source && key.name == column.name;
        });
    });
    if (map.count("json") > 0) {
        print_json(runs::listing_of(groups, view.keys, columns));
    } else if (map.count("csv") > 0) {
        fmt::print("{}", runs::csv_of(runs::full_table_of(groups, view.keys, columns)));
    } else if (!all.empty()) {
        print_table(runs::table_of(groups, view.keys, columns));
    }
    say_unfinished(all);
}

}  // namespace

RunsView view_from(const std::vector<runs::Run>& all,
                   const std::vector<runs::Condition>& conditions, const po::variables_map& map) {
    RunsView view{.chosen = columns_from("columns", all, map),
                  .asked = {},
                  .keys = columns_from("group-by", all, map),
                  .order = order_from(all, map)};
    if (view.order) {
        view.asked.push_back(view.order->column);
    }
    for (const runs::Condition& condition : conditions) {
        runs::add_column(view.asked, condition.column);
    }
    for (runs::Column& column : view.asked) {
        column.is_asked_for = true;
    }
    return view;
}

void print_view(const std::vector<runs::Run>& all, const RunsView& view,
                const po::variables_map& map) {
    if (view.keys.empty()) {
        print_list(all, view, map);
    } else {
        print_groups(all, view, map);
    }
}

void print_sweep(const std::vector<runs::Run>& all) {
    print_table(runs::table_of(all, runs::comparison(all)));
    const std::vector<runs::Column> varied = runs::varied_settings(all);
    const bool are_repeated = std::ranges::any_of(
        varied, [](const runs::Column& column) { return runs::is_seed_or_fold(column.name); });
    if (!are_repeated) {
        return;
    }
    std::vector<runs::Column> columns = {{runs::Source::kLoss, "", "loss"}};
    std::ranges::copy(runs::statistics_of(all), std::back_inserter(columns));
    const std::vector<runs::Column> keys = runs::varied_but_seeds(all);
    fmt::print("\nmean ± deviation over seeds and folds\n");
    print_table(runs::table_of(runs::groups_of(all, keys), keys, columns));
    say_unfinished(all);
}

}  // namespace ptp::ptprun
