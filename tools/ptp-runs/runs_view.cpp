// Prints what the options of `ptprun runs` ask for, as text, CSV or JSON.

#include "ptp-runs/runs_view.hpp"

#include "base/json.hpp"
#include "base/number.hpp"
#include "base/suggest.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "ptp-runs/groups.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

namespace ptp::runs {

using namespace ptprun;

namespace {

// The request of the options. The columns that are shown always include the keys of all options.
struct View {
    std::vector<Column> chosen;  // by --columns; empty: the most informative ones
    std::vector<Column> keys;    // by --group-by
    std::optional<Condition> condition;
    std::optional<Column> order;
    bool is_descending = false;

    // Returns the columns of --sort and --where.
    [[nodiscard]] std::vector<Column> asked() const {
        std::vector<Column> columns;
        if (order) {
            add_column(columns, *order);
        }
        if (condition) {
            add_column(columns, condition->column);
        }
        for (Column& column : columns) {
            column.is_asked_for = true;
        }
        return columns;
    }
};

// Returns what `read` returns, or names the option in its error.
auto of_option(const char* option, const auto& read) {
    try {
        return read();
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("--{}: {}", option, error.what()));
    }
}

// Returns the columns that an option names: "a,b".
std::vector<Column> columns_from(const char* option, const std::vector<run::Run>& all,
                                 const Given& given) {
    std::vector<Column> columns;
    for (const std::string& text : given.texts(option)) {
        std::istringstream keys(text);
        for (std::string key; std::getline(keys, key, ',');) {
            Column column = of_option(option, [&] { return find_column(key, all); });
            column.is_asked_for = true;
            add_column(columns, std::move(column));
        }
    }
    return columns;
}

View view_from(const std::vector<run::Run>& all, const Given& given) {
    View view;
    if (all.empty()) {
        return view;  // no key would be known
    }
    view.chosen = columns_from("columns", all, given);
    view.keys = columns_from("group-by", all, given);
    if (given.has("where")) {
        view.condition =
            of_option("where", [&] { return read_condition(given.text("where"), all); });
    }
    if (given.has("sort")) {
        std::string key = given.text("sort");
        view.is_descending = key.starts_with('-');
        key.erase(0, view.is_descending ? 1 : 0);
        view.order = of_option("sort", [&] { return find_column(key, all); });
    }
    return view;
}

void print_json(const Json& json) {
    fmt::print("{}\n", ptp::text_of(json, 2));
}

void add_columns(std::vector<Column>& columns, const std::vector<Column>& more) {
    for (const Column& column : more) {
        add_column(columns, column);
    }
}

void print_list(std::vector<run::Run> all, const View& view, const Given& given) {
    if (view.order) {
        sort_by(all, *view.order, view.is_descending);
    }
    if (given.has("json")) {
        print_json(listing_of(all));
        return;
    }
    std::vector<Column> columns = {{"run"}};
    if (view.chosen.empty()) {
        columns = comparison(all, view.asked());
    } else {
        add_columns(columns, view.chosen);
        add_columns(columns, view.asked());
    }
    if (given.has("csv")) {
        if (view.chosen.empty()) {
            add_columns(columns, differing_settings(all));
        }
        fmt::print("{}", csv_of(table_of(all, columns)));
    } else if (!all.empty()) {
        print_table(table_of(all, columns));
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

// Returns the title of a setting where it means that setting among all runs, else its whole path.
std::string key_of(const Column& column, const std::vector<run::Run>& all) {
    try {
        return find_column(column.title, all).is_like(column) ? column.title : column.name;
    } catch (const UsageError&) {
        return column.name;
    }
}

// Names settings that differ in groups, besides the keys: a mean over such runs says little.
void say_pooled(const Groups& groups, const std::vector<Column>& keys,
                const std::vector<run::Run>& all, const Given& given) {
    std::vector<Column> pooled;
    std::size_t count = 0;
    for (const std::vector<run::Run>& runs : groups) {
        std::vector<Column> varied = varied_settings(runs);
        std::erase_if(varied, [&](const Column& column) {
            return is_seed_or_fold(column) || std::ranges::any_of(keys, [&](const Column& key) {
                       return key.is_like(column);
                   });
        });
        count += varied.empty() ? 0 : 1;
        add_columns(pooled, varied);
    }
    if (count == 0) {
        return;
    }
    std::vector<std::string> names;
    std::vector<std::string> wanted = given.texts("group-by");
    for (const Column& column : pooled) {
        names.push_back(harmless(column.title));
        wanted.push_back(key_of(column, all));
    }
    fmt::print(stderr,
               "the runs of {} differ in {}, too, and their means are over all of these\n    fix: "
               "--group-by {}\n",
               count == 1 ? "a group" : fmt::format("{} groups", count), joined(names),
               shell_word(harmless(join(wanted, ","))));
}

// Returns whether two runs are one experiment, with one seed, that came to the same numbers.
bool are_repetitions(const run::Run& one, const run::Run& other) {
    const auto same = [](const std::optional<run::Measurement>& left,
                         const std::optional<run::Measurement>& right) {
        return left && right && left->loss == right->loss && left->episode == right->episode &&
               left->statistics == right->statistics;
    };
    return one.state == "done" && other.state == "done" && one.episode == other.episode &&
           one.settings == other.settings && same(one.best, other.best) &&
           same(one.last, other.last);
}

// Leaves out runs that repeat another one bit by bit: they are no further samples of a mean.
void leave_out_repetitions(std::vector<run::Run>& all) {
    std::vector<run::Run> kept;
    for (run::Run& run : all) {
        if (std::ranges::none_of(kept,
                                 [&](const auto& one) { return are_repetitions(one, run); })) {
            kept.push_back(std::move(run));
        }
    }
    if (const std::size_t count = all.size() - kept.size(); count > 0) {
        fmt::print(stderr, "{} not counted: {} another one with the same seed, number for number\n",
                   count == 1 ? "1 run is" : fmt::format("{} runs are", count),
                   count == 1 ? "it repeats" : "each repeats");
    }
    all = std::move(kept);
}

void print_groups(std::vector<run::Run> all, const View& view, const Given& given) {
    leave_out_repetitions(all);
    std::vector<Column> keys = view.keys;
    const auto is = [](const Column& column) {
        return [&column](const Column& other) { return other.is_like(column); };
    };
    const auto is_trained = [](const run::Run& run) { return is_of_training(run, {"loss"}); };
    // Means over different experiments say nothing, nor do those over training and validation.
    const auto separate = [&](const Column& key, bool are_mixed) {
        if (are_mixed && std::ranges::none_of(keys, is(key))) {
            keys.insert(keys.begin(), key);
        }
    };
    separate({"set"}, std::ranges::any_of(all, is_trained));
    separate({"experiment"}, std::ranges::any_of(all, [&](const run::Run& run) {
                 return run.experiment != all.front().experiment;
             }));
    Groups groups = groups_of(all, keys);
    if (view.order) {
        sort_groups(groups, *view.order, view.is_descending);
    }
    std::vector<Column> columns = view.chosen;
    if (columns.empty()) {
        columns = view.asked();
        add_column(columns, {"loss"});
        add_columns(columns, statistics_of(all));
        add_column(columns, kTime);
    }
    std::erase_if(columns,
                  [&](const Column& column) { return std::ranges::any_of(keys, is(column)); });
    if (given.has("json")) {
        print_json(listing_of(groups, keys, columns));
    } else if (given.has("csv")) {
        fmt::print("{}", csv_of(full_table_of(groups, keys, columns)));
    } else if (!all.empty()) {
        print_table(table_of(groups, keys, columns));
    }
    say_pooled(groups, keys, all, given);
    say_unfinished(all);
}

}  // namespace

void print_runs(std::vector<run::Run> all, const std::string& folders, const Given& given) {
    const View view = view_from(all, given);
    const std::size_t count = all.size();
    if (view.condition) {
        std::erase_if(all, [&](const run::Run& run) { return !meets(run, *view.condition); });
    }
    if (all.empty() && count > 0) {
        fmt::print(stderr, "no run in {} meets --where, of {}\n", folders, counted(count, "run"));
    }
    if (view.keys.empty()) {
        print_list(std::move(all), view, given);
    } else {
        print_groups(std::move(all), view, given);
    }
}

// A program that reads the table gets all of it.
void print_table(const Table& table) {
    fmt::print("{}", text_of(table, terminal_width(STDOUT_FILENO)));
}

namespace {

// Returns "seeds", "folds" or "seeds and folds".
std::string text_of_repeated(const std::vector<Column>& repeated) {
    const auto seeds = std::ranges::count_if(
        repeated, [](const Column& column) { return column.name.ends_with("seed"); });
    const bool has_folds = std::cmp_less(seeds, repeated.size());
    return seeds == 0 ? "folds" : has_folds ? "seeds and folds" : "seeds";
}

}  // namespace

void print_sweep(const std::vector<run::Run>& all) {
    print_table(table_of(all, comparison(all)));
    std::vector<Column> keys = varied_settings(all);
    std::vector<Column> repeated;
    std::ranges::copy_if(keys, std::back_inserter(repeated), is_seed_or_fold);
    if (repeated.empty()) {
        return;
    }
    std::erase_if(keys, is_seed_or_fold);
    std::vector<Column> columns = {{"loss"}};
    add_columns(columns, statistics_of(all));
    const std::string what = text_of_repeated(repeated);
    const bool is_chosen = what != "seeds" && std::ranges::any_of(all, [](const run::Run& run) {
                               return run.best && run.last && run.best->epoch != run.last->epoch;
                           });
    fmt::print(
        "\nmean ± deviation over {}{}\n", what,
        is_chosen ? ", each at its best epoch, which the held-out samples chose: optimistic" : "");
    print_table(table_of(groups_of(all, keys), keys, columns));
    if (is_chosen) {
        std::vector<run::Run> at_end = all;
        for (run::Run& run : at_end) {
            run.best = run.last;
        }
        fmt::print("\nthe same, each at its last epoch\n");
        print_table(table_of(groups_of(at_end, keys), keys, columns));
    }
    say_unfinished(all);
}

}  // namespace ptp::runs
