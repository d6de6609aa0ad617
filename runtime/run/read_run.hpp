// Reads what a listing needs of a run's folder: status.json, experiment.toml, run.json, tags.json.

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

// The record of a run; nullopt after saying in `problem` why not.
std::optional<Record> read_record(const std::filesystem::path& folder, std::string& problem);

// Refuses a run whose status or record a newer ptp wrote, before anything is made of it: throws
// NewerFormat. Whatever else is wrong is for who reads them.
void refuse_newer(const std::filesystem::path& folder);

}  // namespace ptp::run
