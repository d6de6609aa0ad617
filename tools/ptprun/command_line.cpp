// Parses and runs commands, prints what they throw, and hands commands to other programs.

#include "command_line.hpp"
#include "base/ranges.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/system_file.hpp"
#include "base/text.hpp"
#include "common/program.hpp"
#include "plugin/search_path.hpp"
#include "report.hpp"
#include "training_options.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

namespace ptp::ptprun {

namespace {

// Ends as by SIGTERM. [signal]
void end_as_terminated(int /*signal*/) {
    std::signal(SIGTERM, SIG_DFL);
    std::raise(SIGTERM);
}

void mask_termination(int how) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(how, &signals, nullptr);
}

}  // namespace

void take_signals() {
    std::signal(SIGUSR1, end_as_terminated);
    mask_termination(SIG_UNBLOCK);
}

int printed(int code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
        return code;
    }
    show_error(fmt::format("cannot write the standard output: {}",
                           std::generic_category().message(errno)));
    return kTrainingError;
}

int run_named(const Command& command, const Strings& words, const tools::Advice& advice) {
    try {
        const Given given = parse(command, words, advice);
        if (given.has("help")) {
            fmt::print("{}", help_of(command, kProgram));
            return printed(kDone);
        }
        if (!command.program.empty()) {
            become_beside(command.program, command.name, words);
        }
        use_threads(given);
        const int code = command.run(given);
        return command.keeps_results ? code : printed(code);
    } catch (const std::system_error& error) {
        if (std::ferror(stdout) == 0) {
            throw;
        }
        show_error(fmt::format("cannot write the standard output: {}", error.code().message()));
        return kTrainingError;
    } catch (const UsageError& error) {
        const bool is_training =
            command.name.empty() || command.name == kSweep || command.name == kSwapCheck;
        show_usage_error(error.what(), is_training ? "run" : command.name);
        return kConfigurationError;
    }
}

int shown(const std::function<int()>& work) {
    try {
        return work();
    } catch (const UsageError& error) {
        show_usage_error(error.what(), "run");
        return kConfigurationError;
    } catch (const RunError& error) {
        show_error(error.what());
        return error.code();
    } catch (const std::exception& error) {
        show_error(error.what());
        return kTrainingError;
    }
}

int run_beside_ptprun(const char* program, const std::vector<Command>& commands,
                      const Strings& words) {
    take_signals();
    system::report_size_limit();
    system::outlive_reader();
    return shown([&]() -> int {
        Strings rest = words;
        tools::take_color_option(rest);
        const std::string name = rest.empty() ? "" : rest.front();
        const auto command = std::ranges::find(commands, name, &Command::name);
        if (command != commands.end()) {
            return run_named(*command, Strings(rest.begin() + 1, rest.end()));
        }
        const std::vector<std::string> names = transformed(commands, &Command::name);
        const bool is_help = name == "--help" || name == "-h";
        fmt::print(is_help ? stdout : stderr,
                   "usage: {} {} ...\n\nptprun starts it for these commands of its own.\n", program,
                   join(names, "|"));
        return is_help ? printed(kDone) : kConfigurationError;
    });
}

void become(const std::filesystem::path& program, const Strings& arguments) {
    std::vector<char*> words = {const_cast<char*>(program.c_str())};
    for (const std::string& word : arguments) {
        words.push_back(const_cast<char*>(word.c_str()));
    }
    words.push_back(nullptr);
    std::fflush(stdout);
    const auto pipe = std::signal(SIGPIPE, SIG_DFL);  // a program inherits what is ignored
    const auto size = std::signal(SIGXFSZ, SIG_DFL);
    execv(program.c_str(), words.data());
    const int reason = errno;
    std::signal(SIGPIPE, pipe);
    std::signal(SIGXFSZ, size);
    throw RunError(kTrainingError, fmt::format("{} cannot be started: {}", program.string(),
                                               std::generic_category().message(reason)));
}

std::filesystem::path beside(const std::string& program) {
    return plugin::executable_path().parent_path() / program;
}

// A signal that arrives while the process becomes another one waits for its take_signals().
void become_beside(const std::string& program, const std::string& command, const Strings& words) {
    Strings all = words;
    all.insert(all.begin(), command);
    mask_termination(SIG_BLOCK);
    try {
        become(beside(program), all);
    } catch (const RunError&) {
        mask_termination(SIG_UNBLOCK);
        throw;
    }
}

}  // namespace ptp::ptprun
