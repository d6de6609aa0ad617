#include "commands.hpp"

#include <algorithm>

namespace ptp::inspect {

const std::vector<tools::Command>& commands() {
    static const std::vector<tools::Command> all = {why_command(), diff_command(), replay_command(),
                                                    rules_command()};
    return all;
}

const tools::Command* find_command(std::string_view word) {
    const auto found = std::ranges::find(commands(), word, &tools::Command::name);
    return found == commands().end() ? nullptr : &*found;
}

}  // namespace ptp::inspect
