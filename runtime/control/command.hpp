// What a running training can be asked: a file for each request, and this list.

#pragma once

#include "control/protocol.hpp"
#include "control/requests/checkpoint.hpp"
#include "control/requests/continue.hpp"
#include "control/requests/learning_rate.hpp"
#include "control/requests/pause.hpp"
#include "control/requests/status.hpp"
#include "control/requests/stop.hpp"
#include "control/requests/swap.hpp"
#include "control/requests/validate.hpp"
#include "schema/key.hpp"

#include <string>
#include <variant>
#include <vector>

namespace ptp::control {

// Each has a name, a line of help, whether it is journalled so that a resume and a replay do it
// again, and its arguments as fields; check(), if it has one, checks what the fields cannot
// express. What it does is act(run): `run` is the engine's (see LiveCommands::Run in
// engine/swap/live_commands.cpp). Before that, and before it is journalled, require(run) throws
// RunError where it cannot be done.
using Command =
    std::variant<Status, Pause, Continue, Stop, Checkpoint, Validate, LearningRate, Swap>;

struct CommandInfo {
    std::string name;
    std::string help;
    bool is_journalled = false;
    std::vector<schema::Key> arguments;
};

// Of all, in their order.
const std::vector<CommandInfo>& command_list();

// Throws ProtocolError, with one line for each problem, unless the command is known and has the
// arguments that it needs, of the right types, and no others.
Command parse(const Request& request);

}  // namespace ptp::control
