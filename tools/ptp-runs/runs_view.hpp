// Shows runs for `ptprun runs`: as a list or in groups, to a person or to a program.

#pragma once

#include "ptp-runs/columns.hpp"
#include "ptp-runs/table.hpp"
#include "ptprun/commands.hpp"
#include "run/run.hpp"

#include <optional>
#include <vector>

namespace ptp::runs {

// The order of --sort.
struct RunOrder {
    Column column;
    bool is_descending = false;
};

// The columns to show. They always include the keys of all options.
struct RunsView {
    std::vector<Column> chosen;  // by --columns; empty: the most informative ones
    std::vector<Column> asked;   // by --sort and --where
    std::vector<Column> keys;    // by --group-by
    std::optional<RunOrder> order;
};

// Throws UsageError for a key that no run has.
RunsView view_from(const std::vector<run::Run>& all, const std::optional<Condition>& condition,
                   const ptprun::Given& given);

// Prints text, or the format of --csv or --json.
void print_view(const std::vector<run::Run>& all, const RunsView& view, const ptprun::Given& given);

// Prints a table fitted to the terminal.
void print_table(const Table& table);

// Prints the table of a sweep; if seeds or folds vary, also mean and deviation over these.
void print_sweep(const std::vector<run::Run>& all);

}  // namespace ptp::runs
