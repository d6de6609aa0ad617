// The section of a report about the data: what the sections of the experiment deliver, and where
// they differ.
#pragma once

#include "base/json.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::report {

// Adds the content of data.json, which `ptprun data RUN --record` writes, if the run has one, and a
// sentence, with its fix, if it cannot be read. Samples take up to `room` bytes. Nothing in the
// file is trusted.
void add_data(Json& sections, const std::filesystem::path& run, std::size_t room,
              std::vector<std::string>& problems);

// Returns sentences about what differs between the first section and each other one more than the
// numbers of samples explain; docs/report.md has the rules. `data` is the content of data.json.
std::vector<std::string> data_warnings(const Json& data);

}  // namespace ptp::report
