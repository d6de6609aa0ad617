// Finds a command by its name, and writes the list of commands for `ptprun help`.
#include "commands.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::ptprun {

std::string_view help_name(const Command& command) {
    return command.name.empty() ? std::string_view("run") : command.name;
}

const Command* find_command(std::string_view name) {
    const auto found = std::ranges::find(commands(), name, help_name);
    return found == commands().end() ? nullptr : &*found;
}

std::string overview() {
    std::string text;
    for (Command command : commands()) {
        command.options.clear();  // those that are required are in the help of the command
        text += command.name.empty()
                    ? fmt::format("usage: ptprun {} [OPTION]...   {}\n       ptprun COMMAND ...\n",
                                  usage_of(command), command.summary)
                    : fmt::format("  {:<31}  {}\n", usage_of(command), command.summary);
    }
    return text +
           "\nptprun help run, help COMMAND: options; help words: what other tools call it\n"
           "exit codes: 0 done, 2 wrong input, 3 plugin, 4 data, 5 training, 6 diverged\n";
}

}  // namespace ptp::ptprun
