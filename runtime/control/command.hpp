// The list of requests that a running training accepts, and the check of one that arrives.

#pragma once

#include "control/protocol.hpp"
#include "control/requests.hpp"
#include "run/journal.hpp"
#include "schema/key.hpp"

#include <string>
#include <variant>
#include <vector>

namespace ptp::control {

// Each request has a name, a line of help, whether it is journalled so that a resume and a replay
// repeat it, and its arguments as fields; check(), if present, checks what the fields cannot
// express. act(run) performs it: `run` is the engine's (LiveCommands in
// engine/swap/live_commands.hpp). Before that, and before it is journalled, require(run) throws
// RunError if it cannot be performed.
using AnyRequest =
    std::variant<Status, Pause, Continue, Stop, Checkpoint, Validate, LearningRate, Swap>;

struct RequestInfo {
    std::string name;
    std::string help;
    bool is_journalled = false;
    std::vector<schema::Key> arguments = {};
};

// Returns all requests in their order.
const std::vector<RequestInfo>& request_list();

// Throws ProtocolError, with one line for each problem, unless the request is known and has exactly
// the arguments that it needs, of the right types.
AnyRequest parse(const Request& request);

// A run::EntryCheck. Throws ProtocolError for an entry with an unknown command, or one that lacks
// its arguments.
void check_entry(const run::Entry& entry);

// Entries that differ from requests: a swap has other arguments there than in a request, and `set`,
// a change of the experiment by `ptprun resume --set`, exists only there. See run/journal.hpp.
inline constexpr const char* kSetCommand = "set";
bool is_swap(const run::Entry& entry);
bool is_set(const run::Entry& entry);

}  // namespace ptp::control
