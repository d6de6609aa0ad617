// Lists what has happened to a training: what was done to it, and what it met.
#pragma once

#include "base/json.hpp"
#include "ptp-report/statistics_table.hpp"
#include "run/record.hpp"
#include "run/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ptp::report {

// Returns the section `events` of a run: its journal, rollbacks and skipped steps, resumes. Adds a
// sentence to the problems for what cannot be read.
Json events_section(const run::Run& run, const std::vector<StatisticsTable>& tables,
                    const std::optional<run::Record>& record, std::vector<std::string>& problems);

}  // namespace ptp::report
