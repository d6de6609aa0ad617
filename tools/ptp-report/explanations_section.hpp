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

// Ends the name of a folder that is being written.
inline constexpr const char* kUnfinishedEnding = ".new";

// The explanations that were asked for, without their methods.
struct Asked {
    std::string data;     // a section or files
    std::string options;  // as typed
    bool operator==(const Asked&) const = default;
};

// Return the facts in the folder of a checkpoint, and of these what was asked for; "" for data if
// they do not state it. read_explanations() throws FileError.
Json read_explanations(const std::filesystem::path& folder);
Asked asked_in(const Json& facts);

// Adds what was asked for to the facts.
void add_asked(Json& facts, const Asked& asked);

// Returns whether the samples are of a section of the run. Files are none: they may have changed.
bool are_of_section(const Json& facts);

// Adds the section `explanations` for a run that has some: the images and maps of the newest
// checkpoint that was explained, and where there is room the maps of up to five earlier ones of the
// same samples, up to this many bytes. Adds a sentence to the problems for what cannot be read.
void add_explanations(Json& sections, const std::filesystem::path& run, std::size_t max_bytes,
                      std::vector<std::string>& problems);

// The sentence on what has failed, or "", and the exit code for it.
struct ExplainResult {
    std::string problem = {};
    int exit_code = 0;
};

// Explains predictions of the run for this data with its last checkpoint by `ptprun
// explain-prediction`, unless the run has maps of these methods already. Prints its errors.
ExplainResult explain_run(const std::filesystem::path& run,
                          const experiment::Explanations& explanations, const std::string& data);

}  // namespace ptp::report
