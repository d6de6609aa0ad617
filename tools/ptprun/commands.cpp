#include "commands.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

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

std::string shell_word(const std::string& text) {
    const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("._=+-/:,@%").find(c) != std::string_view::npos;
    });
    if (is_plain) {
        return text;
    }
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

}  // namespace ptp::ptprun
