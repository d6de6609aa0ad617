// ptp-pack: makes, signs, publishes and installs packages of plugins; see `ptp-pack --help`.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/suggest.hpp"
#include "base/system_file.hpp"
#include "common/color_option.hpp"
#include "experiment/render.hpp"
#include "ptp-pack/commands.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

namespace ptp::pack {

namespace {

void show_problem(std::string_view message) {
    const Problem problem = experiment::problem_from(message);
    const std::string text =
        experiment::rendered(problem, kProgramName, {}, experiment::style_for(STDERR_FILENO));
    static_cast<void>(std::fputs(text.c_str(), stderr));
}

// Prints a message, which may contain several errors with separate places.
int complain(const std::string& message, int code) {
    std::string one;
    for (std::size_t begin = 0; begin <= message.size();) {
        const std::size_t end = std::min(message.find('\n', begin), message.size());
        const std::string line = message.substr(begin, end - begin);
        if (!one.empty() && !line.starts_with(' ')) {
            show_problem(one);
            one.clear();
        }
        one += (one.empty() ? "" : "\n") + line;
        begin = end + 1;
    }
    show_problem(one);
    return code;
}

// Returns an error code if the output is incomplete.
int printed(int code) {
    if (std::fflush(stdout) == 0) {
        return code;
    }
    return complain(
        fmt::format("cannot write the standard output: {}", std::generic_category().message(errno)),
        kTrainingError);
}

std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (const Command& command : commands()) {
        names.push_back(command.name);
    }
    return names;
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
            return printed(kDone);
        }
        return printed(command.run(given));
    } catch (const UsageError& error) {
        return complain(fmt::format("{}\n    help: ptp-pack help {}", error.what(), command.name),
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
        return printed(kDone);
    }
    if (first == "--help" || first == "-h" || first == "help") {
        fmt::print("{}", words.size() < 2 ? overview()
                                          : tools::help_of(known_command(words[1]), kProgramName));
        return printed(words.empty() ? kConfigurationError : kDone);
    }
    return run_command(known_command(first), Strings(words.begin() + 1, words.end()));
}

}  // namespace

int run_program(int argc, char** argv) {
    system::report_size_limit();
    system::outlive_reader();
    try {
        return dispatch(Strings(argv + 1, argv + argc));
    } catch (const UsageError& error) {
        return complain(std::string(error.what()) + "\n    help: ptp-pack --help",
                        kConfigurationError);
    } catch (const RunError& error) {
        return complain(error.what(), error.code());
    } catch (const std::exception& error) {
        return complain(error.what(), kTrainingError);
    }
}

}  // namespace ptp::pack

int main(int argc, char** argv) {
    return ptp::pack::run_program(argc, argv);
}
