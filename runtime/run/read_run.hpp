// Finds runs, and reads the parts of their folders for a listing: status.json, experiment.toml,
// run.json, tags.json.

#pragma once

#include "run/process.hpp"
#include "run/record.hpp"
#include "run/run.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::run {

// Always returns a run; its `problem` names what cannot be read.
Run read_run(const std::filesystem::path& folder, const Machine& machine);

// Returns the last rate of "0.1, then 0.01", the setting `lr` of a run whose rate control has set;
// nullopt for any other text.
std::optional<double> last_rate(std::string_view rates);

// Returns the record of a run; nullopt after describing the reason in `problem`.
std::optional<Record> read_record(const std::filesystem::path& folder, std::string& problem);

// Throws NewerFormat for a run whose status or record a newer ptp wrote. Other errors are left to
// the readers of these files.
void refuse_newer(const std::filesystem::path& folder);

// Returns whether a folder has files that only a run has: an experiment.toml alone may be a
// person's.
bool is_run(const std::filesystem::path& folder);

// Returns whether a run has a folder of checkpoints, which is empty before the first one.
bool has_checkpoints_folder(const std::filesystem::path& folder);

// Returns the run at `folder`, or all runs below it, by their names. Does not follow links to
// folders. An unreadable folder is returned as a run with a problem.
std::vector<Run> find_runs(const std::filesystem::path& folder, const Machine& machine);

// Returns the common parent folder of the runs, also for a single one.
std::filesystem::path common_folder(const std::vector<Run>& runs);

// Returns the path of a run within that folder; the whole path where it is empty, as for one run
// with an absolute path and one with a relative path.
std::string name_below(const std::filesystem::path& common, const std::filesystem::path& run);

}  // namespace ptp::run
