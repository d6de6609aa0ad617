#include "ptp-pack/commands.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::pack {

const std::vector<Command>& commands() {
    static const std::vector<Command> all = {
        create_command(),  sign_command(),      verify_command(),  key_command(),
        install_command(), upgrade_command(),   list_command(),    show_command(),
        search_command(),  remove_command(),    publish_command(), set_command(),
        restore_command(), completion_command()};
    return all;
}

const Command* find_command(std::string_view name) {
    const auto found = std::ranges::find(commands(), name, &Command::name);
    return found == commands().end() ? nullptr : &*found;
}

std::string overview() {
    std::string text = "usage: ptp-pack COMMAND ...   plugins as signed packages\n\n";
    for (const Command& command : commands()) {
        text += fmt::format("  {:<35}{}\n", usage_of(command), command.summary);
    }
    return text +
           "\nptp-pack help COMMAND: options of a command; ptp-pack --version\n"
           "exit codes: 0 done, 2 wrong command line or package.toml, 3 does not fit this host or what "
           "is\ninstalled, 4 a package, signature or index that cannot be trusted, 5 cannot write or "
           "fetch\n";
}

}  // namespace ptp::pack
