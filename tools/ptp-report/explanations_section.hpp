// The section of a report about explanations of predictions, and the program that computes them.
#pragma once

#include "base/json.hpp"
#include "experiment/explanations.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::report {

// The folder in that of a run, with a folder for each checkpoint that was explained.
inline constexpr const char* kExplanationsFolder = "explanations";

// Returns the facts in the folder of a checkpoint. Throws FileError.
Json read_explanations(const std::filesystem::path& folder);

// Adds the section `explanations` for a run that has some: the images and maps of the newest
// checkpoint that was explained, and where there is room the maps of up to five earlier ones, up to
// this many bytes. Adds a sentence to the problems for what
// cannot be read.
void add_explanations(Json& sections, const std::filesystem::path& run, std::size_t max_bytes,
                      std::vector<std::string>& problems);

// Explains predictions of the run for this data with its last checkpoint by `ptprun
// explain-prediction`, unless the run has maps of these methods already. Returns what has failed,
// or "".
std::string explain_run(const std::filesystem::path& run,
                        const experiment::Explanations& explanations, const std::string& data);

}  // namespace ptp::report
