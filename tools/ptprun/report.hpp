// Prints the problems of a command, or the error of the engine, to the standard error, and returns
// the exit code. It is how most commands end.

#pragma once

#include "base/diagnostics.hpp"
#include "distributed/rank_log.hpp"
#include "engine/request.hpp"
#include "plugin/catalog.hpp"

#include <string>
#include <vector>

namespace ptp::ptprun {

// Prints all problems to standard error, and returns the exit code for them.
int report(const Diagnostics& problems, const plugin::Catalog& catalog,
           const std::vector<std::string>& overrides = {});

// Prints the error to standard error, if there is one, and returns the exit code. Also prints it to
// `errors` (optional), if the standard error has been redirected to a file.
int report(const engine::RunResult& result, const std::vector<std::string>& overrides = {},
           const distributed::FirstErrorStream* errors = nullptr);

}  // namespace ptp::ptprun
