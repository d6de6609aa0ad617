// Checks the entries of a run's journal that are repeated: the requests that change a training.

#pragma once

#include "run/journal.hpp"

namespace ptp::control {

// A run::EntryCheck. Throws ProtocolError for an unknown command, or one that lacks its arguments.
void check_entry(const run::Entry& entry);

// Commands that differ in a journal: a swap has other arguments there than in a request, and `set`,
// a change of the experiment by `ptprun resume --set`, exists only there. See run/journal.hpp.
inline constexpr const char* kSetCommand = "set";
bool is_swap(const run::Entry& entry);
bool is_set(const run::Entry& entry);

}  // namespace ptp::control
