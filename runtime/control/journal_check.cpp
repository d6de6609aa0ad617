#include "control/journal_check.hpp"

#include "base/suggest.hpp"
#include "control/command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptp::control {

bool is_swap(const run::Entry& entry) {
    return entry.command == Swap::kName;
}

bool is_set(const run::Entry& entry) {
    return entry.command == kSetCommand;
}

void check_entry(const run::Entry& entry) {
    std::vector<std::string> known;
    for (const CommandInfo& command : command_list()) {
        if (command.is_journalled) {
            known.push_back(command.name);
        }
    }
    known.emplace_back(kSetCommand);
    if (std::ranges::find(known, entry.command) == known.end()) {
        throw ProtocolError(
            fmt::format("unknown command '{}'{}", entry.command, hint(entry.command, known)));
    }
    if (!is_set(entry) && !is_swap(entry)) {
        parse({entry.command, entry.arguments});
    }
}

}  // namespace ptp::control
