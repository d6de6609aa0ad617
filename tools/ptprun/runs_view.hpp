// How `ptprun runs` shows runs: as a list or in groups, to a person or to a program.

#pragma once

#include "commands.hpp"
#include "run/columns.hpp"
#include "run/condition.hpp"
#include "run/run.hpp"
#include "run/table.hpp"

#include <optional>
#include <vector>

namespace ptp::ptprun {

// What --sort names.
struct RunOrder {
    run::Column column;
    bool is_descending = false;
};

// The keys of all options are always among what is shown.
struct RunsView {
    std::vector<run::Column> chosen;  // by --columns; none: the most informative
    std::vector<run::Column> asked;   // by --sort and --where
    std::vector<run::Column> keys;    // by --group-by
    std::optional<RunOrder> order;
};

// Throws UsageError for a key that no run has.
RunsView view_from(const std::vector<run::Run>& all, const std::vector<run::Condition>& conditions,
                   const Given& given);

// As text, or as --csv or --json.
void print_view(const std::vector<run::Run>& all, const RunsView& view, const Given& given);

// As wide as the terminal.
void print_table(const run::Table& table);

// The table of what a sweep has trained; and where seeds or folds are among what varies, mean and
// deviation over these.
void print_sweep(const std::vector<run::Run>& all);

}  // namespace ptp::ptprun
