// How a command ends: its problems on the standard error, and its exit code.

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

// Prints to standard error what went wrong, if anything did, and returns the exit code.
// It goes to `errors` (optional) as well, if the standard error goes to a file by now.
int report(const engine::RunResult& result, const std::vector<std::string>& overrides = {},
           const distributed::FirstErrorStream* errors = nullptr);

}  // namespace ptp::ptprun
