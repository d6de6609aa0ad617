// ptp-pack: makes, signs, publishes and installs packages of plugins; see `ptp-pack --help`.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/system_file.hpp"
#include "common/completion.hpp"
#include "common/program.hpp"
#include "ptp-pack/commands.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace ptp::pack {

namespace {

Strings command_names() {
    return transformed(commands(), &Command::name);
}

// `words` are those after the name of the program.
Strings candidates(const Strings& words) {
    if (words.size() > 1 && words.front() != "help") {
        const Command* const command = find_command(words.front());
        return command == nullptr
                   ? Strings()
                   : tools::completions_of(*command, Strings(words.begin() + 1, words.end()))
                         .values;
    }
    Strings names = command_names();
    names.insert(names.end(), {"help", "--help", "--version"});
    return names;
}

int run_completion(const Given& given) {
    return tools::complete(kProgramName, candidates, given);
}

int report_error(const std::string& text, int code) {
    return tools::complain(kProgramName, text, code);
}

const Command& known_command(const std::string& name) {
    const Command* command = find_command(name);
    if (command == nullptr) {
        throw UsageError(fmt::format("'{}' is not a command{}", name, hint(name, command_names())));
    }
    return *command;
}

int run_command(const Command& command, const Strings& words) {
    try {
        const Given given = tools::parse(command, words);
        if (given.has("help")) {
            fmt::print("{}", tools::help_of(command, kProgramName));
            return kDone;
        }
        return command.run(given);
    } catch (const UsageError& error) {
        return report_error(
            fmt::format("{}\n    help: ptp-pack help {}", error.what(), command.name),
            kConfigurationError);
    }
}

int dispatch(Strings words) {
    if (words.empty() || words.front() != "completion") {  // it returns such completions
        tools::take_color_option(words);
    }
    const std::string first = words.empty() ? "--help" : words.front();
    if (first == "--version") {
        fmt::print("ptp-pack {}\n", PTP_VERSION);
        return kDone;
    }
    if (first == "--help" || first == "-h" || first == "help") {
        fmt::print("{}", words.size() < 2 ? overview()
                                          : tools::help_of(known_command(words[1]), kProgramName));
        return words.empty() ? kConfigurationError : kDone;
    }
    return run_command(known_command(first), Strings(words.begin() + 1, words.end()));
}

}  // namespace

Command completion_command() {
    return tools::completion_command(kProgramName, run_completion);
}

const std::vector<Command>& commands() {
    static const std::vector<Command> all = {
        create_command(),  sign_command(),    verify_command(),    key_command(),
        install_command(), upgrade_command(), list_command(),      show_command(),
        search_command(),  remove_command(),  publish_command(),   set_command(),
        restore_command(), unpack_command(),  completion_command()};
    return all;
}

const Command* find_command(std::string_view name) {
    return find_named(commands(), name);
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

int run_program(int argc, char** argv) {
    system::report_size_limit();
    system::outlive_reader();
    try {
        const int code = dispatch(Strings(argv + 1, argv + argc));
        tools::print("");  // throws if the output is incomplete
        return code;
    } catch (const UsageError& error) {
        return report_error(std::string(error.what()) + "\n    help: ptp-pack --help",
                            kConfigurationError);
    } catch (const RunError& error) {
        return report_error(error.what(), error.code());
    } catch (const std::exception& error) {
        return report_error(error.what(), kTrainingError);
    }
}

}  // namespace ptp::pack

int main(int argc, char** argv) {
    return ptp::pack::run_program(argc, argv);
}
