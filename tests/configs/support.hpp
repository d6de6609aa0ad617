// The experiments in configs/, and data to run them with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::test {

// Paths within configs/, sorted: "mnist/softmax.toml". Files that are only included, common.toml,
// are left out.
std::vector<std::string> experiments();

std::filesystem::path configs_dir();

// Writes a few samples for the experiment into the folder, in the format of its data set. Returns
// the options with which ptprun takes them; nothing if the experiment brings or draws its own.
std::vector<std::string> write_data_for(const std::string& experiment,
                                        const std::filesystem::path& folder);

}  // namespace ptp::test
