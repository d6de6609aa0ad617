// The experiment of a search, with the options applied.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/searching.hpp"
#include "host/prepare.hpp"
#include "ptprun/commands.hpp"

#include <string>
#include <vector>

namespace ptp::search {

struct SearchRequest {
    host::Request request;
    // The typed option for each override, "--halving 2", or "" for a value of the experiment.
    std::vector<std::string> options = {};
};

// Applies options as values of the experiment, checked like those in its file; a range replaces
// that of the file. Throws UsageError.
SearchRequest search_request(const ptprun::Given& given);

// Reports the options that set a searched key, or one below it: trials have their own values for
// it.
void refuse_searched(const SearchRequest& request, const experiment::Searching& search,
                     Diagnostics& problems);

// Returns the values of --set for the trials, without those for the search itself.
std::vector<std::string> common_overrides(const ptprun::Given& given);

// Prints the problems, with those of search options at the typed options.
void show_problems(const Diagnostics& problems, const SearchRequest& request);

}  // namespace ptp::search
