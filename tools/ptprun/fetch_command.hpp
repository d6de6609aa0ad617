// Errors about files that an experiment lacks: those whose source is known have `ptprun fetch` as
// their fix.

#pragma once

#include "engine/request.hpp"
#include "host/prepare.hpp"

namespace ptp::ptprun {

// Does as report() of problems and a catalog: where nothing is wrong but missing files, those
// that can be fetched have the command as their fix.
int report(const Diagnostics& problems, const host::Prepared& prepared,
           const host::Request& request);

// Does so for components that were created: a folder that is there may lack files.
void advise_fetching(engine::RunResult& result, const host::Prepared& prepared,
                     const host::Request& request);

}  // namespace ptp::ptprun
