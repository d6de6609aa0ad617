// Searches of a few trials on data made up for the test.
#pragma once

#include "runs/support.hpp"
#include "support/process.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace ptp::test {

// Below [training]: four epochs, judged by the accuracy.
inline constexpr const char* kFourEpochs =
    "optimizer = { type = \"Adam\", lr = 0.05 }\n"
    "terminal_conditions = { epoch_limit = 4, early_stop_validations = 0 }\n"
    "judge = { statistic = \"accuracy\", better = \"larger\" }\n";

// The options of a search in which four trials are halved twice, and further ones.
std::vector<std::string> four_trials(const std::vector<std::string>& more = {});

// Searches with experiment.toml of the folder into `name` there.
ProcessResult search(const ExperimentFolder& folder, const std::string& name,
                     const std::vector<std::string>& more);

// The command line of a worker of that search.
std::vector<std::string> worker_words(const ExperimentFolder& folder, const std::string& name,
                                      const std::vector<std::string>& more = four_trials());

// Of each trial of each rung: what it has come to, without its time.
nlohmann::json results_in(const ExperimentFolder& folder, const std::string& name);

// The folder of a trial, from 0.
std::string run_at_place(const ExperimentFolder& folder, const std::string& name,
                         std::size_t trial);

}  // namespace ptp::test
