// Which entries of a run's journal can be done again: the requests that change a training.

#pragma once

#include "run/journal.hpp"

namespace ptp::control {

// A run::EntryCheck. Throws ProtocolError for a command that is not known, or that lacks its
// arguments.
void check_entry(const run::Entry& entry);

// Two have other arguments in a journal than in a request, or are in journals alone: plugins were
// exchanged, and `ptprun resume --set` has changed the experiment. See run/journal.hpp.
inline constexpr const char* kSetCommand = "set";
bool is_swap(const run::Entry& entry);
bool is_set(const run::Entry& entry);

}  // namespace ptp::control
