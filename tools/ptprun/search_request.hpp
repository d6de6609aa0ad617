// The experiment that a search draws from, as its options make it.

#pragma once

#include "base/diagnostics.hpp"
#include "commands.hpp"
#include "experiment/searching.hpp"
#include "host/prepare.hpp"

#include <string>
#include <vector>

namespace ptp::ptprun {

struct SearchRequest {
    host::Request request;
    // Of each override: the option that was typed for it, "--halving 2", or "" for a value of the
    // experiment.
    std::vector<std::string> options = {};
};

// Options are values of the experiment, checked as those in its file; a range replaces one of the
// file. Throws UsageError.
SearchRequest search_request(const Given& given);

// Reports the options that set a key which is searched, or one below it: trials have values of
// their own there.
void refuse_searched(const SearchRequest& request, const experiment::Searching& search,
                     Diagnostics& problems);

// What the trials have of --set: the values for the search itself are none of theirs.
std::vector<std::string> common_overrides(const Given& given);

// Prints the problems, those of options of the search at what was typed.
void show_problems(const Diagnostics& problems, const SearchRequest& request);

}  // namespace ptp::ptprun
