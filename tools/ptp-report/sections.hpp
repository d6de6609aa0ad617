// The sections of a report, which are made from the files of a run. Nothing in these files is
// trusted: each function adds a sentence to the problems, with its fix, for a file that cannot be
// read.
#pragma once

#include "base/json.hpp"
#include "ptp-report/statistics_table.hpp"
#include "run/record.hpp"
#include "run/run.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::report {

// Returns the section `events` of a run: its journal, rollbacks and skipped steps, resumes. Adds a
// sentence to the problems for what cannot be read.
Json events_section(const run::Run& run, const std::vector<StatisticsTable>& tables,
                    const std::optional<run::Record>& record, std::vector<std::string>& problems);

// Returns the section `origin` of a run. What cannot be read is left out: other sections report
// damaged records.
Json origin_section(const run::Run& run, const std::optional<run::Record>& record);

// Adds the content of data.json, which `ptprun data RUN --record` writes, if the run has one, and a
// sentence, with its fix, if it cannot be read. Samples take up to `room` bytes. Nothing in the
// file is trusted.
void add_data(Json& sections, const std::filesystem::path& run, std::size_t room,
              std::vector<std::string>& problems);

// Returns sentences about what differs between the first section and each other one more than the
// numbers of samples explain; docs/report.md has the rules. `data` is the content of data.json.
std::vector<std::string> data_warnings(const Json& data);

// Adds the section `layers` for a run that has the table: of each layer, in the order of the
// computation, each measure at some of its episodes, at most 120. Adds a sentence to the problems
// for what cannot be read.
void add_layers(Json& sections, const std::filesystem::path& run,
                std::vector<std::string>& problems);

// Adds the curve of find_lr.json, if the run has one, and a sentence, with its fix, if it cannot be
// read. Nothing in the file is trusted.
void add_find_lr(Json& sections, const std::filesystem::path& run,
                 std::vector<std::string>& problems);

}  // namespace ptp::report
