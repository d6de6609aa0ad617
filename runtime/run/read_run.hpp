// Reads the parts of a run's folder for a listing: status.json, experiment.toml, run.json,
// tags.json.

#pragma once

#include "run/process.hpp"
#include "run/record.hpp"
#include "run/run.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::run {

// Always returns a run; its `problem` names what cannot be read.
Run read_run(const std::filesystem::path& folder, const Machine& machine);

// Returns the record of a run; nullopt after describing the reason in `problem`.
std::optional<Record> read_record(const std::filesystem::path& folder, std::string& problem);

// Throws NewerFormat for a run whose status or record a newer ptp wrote. Other errors are left to
// the readers of these files.
void refuse_newer(const std::filesystem::path& folder);

}  // namespace ptp::run
