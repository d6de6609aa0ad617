// The experiments in configs/, and data to run them with.
#pragma once

#include "support/process.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::test {

// Paths within configs/ that begin so, sorted: "mnist/softmax.toml". Files that are only included,
// common.toml and those of folders parts, are left out.
std::vector<std::string> experiments(const std::string& begin = "");

std::filesystem::path configs_dir();

// Writes a few samples for the experiment into the folder, in the format of its data set. Returns
// the options with which ptprun takes them; nothing if the experiment brings or draws its own.
std::vector<std::string> write_data_for(const std::string& experiment,
                                        const std::filesystem::path& folder);

// `ptprun EXPERIMENT` with data of write_data_for() and these options, over a handful of episodes.
// nullopt if its data are not there.
std::optional<ProcessResult> run_briefly(const std::string& experiment,
                                         const std::filesystem::path& folder,
                                         const std::vector<std::string>& options);

}  // namespace ptp::test
