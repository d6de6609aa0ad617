// Opens the engine, and with it libtorch, only when something is to be computed.

#pragma once

#include "engine/request.hpp"

namespace ptp::ptprun {

// Looks beside the executable and where it is installed. An engine that cannot be opened is a
// result with a plugin error's code.
engine::RunResult run_in_engine(const engine::RunRequest& request);
engine::RunResult process_in_engine(const engine::ProcessRequest& request);
engine::RunResult predict_in_engine(const engine::PredictRequest& request);

// Prints to standard error what went wrong, if anything did, and returns the exit code.
int report(const engine::RunResult& result, const std::vector<std::string>& overrides = {});

}  // namespace ptp::ptprun
