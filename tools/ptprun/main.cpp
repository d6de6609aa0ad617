// ptprun: checks, draws and trains experiments.

#include "commands.hpp"
#include "config/suggest.hpp"
#include "engine/error.hpp"
#include "engine/exit_code.hpp"
#include "locale.hpp"
#include "run_operand.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>
#include <boost/program_options/errors.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ptp::ptprun {

namespace {

void print_help() {
    fmt::print("Trains pipelines of components that come out of plugins.\n\n");
    for (const Command& command : commands()) {
        fmt::print("  {:<38}{}\n", command.usage, command.summary);
    }
    fmt::print("  {:<38}{}\n", "ptprun --version", "says the version");
    for (const Command& command : commands())
        fmt::print("\n{}", options_text(command.options()));
    fmt::print(
        "\nExit codes: 0 done, 2 command line or experiment, 3 plugin, 4 data, 5 training,\n"
        "6 diverged, 129 hung up (SIGHUP), 130 interrupted (SIGINT), 143 terminated (SIGTERM).\n");
}

// A file that is opened while a standard stream is closed would take its place, and get what is
// printed.
void open_standard_streams() {
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) == -1)
            open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY);
    }
}

// A word that is neither an option nor a file, but nearly a command.
bool is_mistyped_command(const std::string& word) {
    return !word.starts_with('-') && word.find_first_of("./") == std::string::npos &&
           !std::filesystem::exists(folder_operand(word));
}

int refuse_command(const std::string& word) {
    std::vector<std::string> names;
    for (const Command& command : commands()) {
        if (!command.name.empty())
            names.emplace_back(command.name);
    }
    fmt::print(stderr, "ptprun: '{}' is neither a file nor a command{}\n", word,
               config::hint(word, names));
    return engine::kConfigurationError;
}

// The exit code of a command that is there to print: half a table is not what was asked for.
int printed(int code) {
    if (std::fflush(stdout) == 0)
        return code;
    fmt::print(stderr, "ptprun: cannot write the standard output: {}\n",
               std::generic_category().message(errno));
    return engine::kTrainingError;
}

int dispatch(const Arguments& arguments) {
    const std::string first = arguments.empty() ? "--help" : arguments.front();
    if (first == "--help" || first == "-h" || first == "help") {
        print_help();
        return arguments.empty() ? engine::kConfigurationError : engine::kDone;
    }
    if (first == "--version") {
        fmt::print("ptprun {}\n", PTP_VERSION);
        return engine::kDone;
    }
    const auto named = std::ranges::find(commands(), first, &Command::name);
    if (named != commands().end()) {
        const int code = named->run(Arguments(arguments.begin() + 1, arguments.end()));
        return named->has_folder ? code : printed(code);
    }
    if (is_mistyped_command(first))
        return refuse_command(first);
    return run_command(arguments);
}

}  // namespace

}  // namespace ptp::ptprun

int main(int argc, char** argv) {
    ptp::ptprun::open_standard_streams();
    ptp::ptprun::require_known_locale();
    try {
        return ptp::ptprun::dispatch(ptp::ptprun::Arguments(argv + 1, argv + argc));
    } catch (const boost::program_options::error& error) {
        fmt::print(stderr, "ptprun: {}; see ptprun --help\n", error.what());
        return ptp::engine::kConfigurationError;
    } catch (const ptp::engine::RunError& error) {
        fmt::print(stderr, "ptprun: {}\n", error.what());
        return error.code();
    } catch (const std::exception& error) {
        fmt::print(stderr, "ptprun: {}\n", error.what());
        return ptp::engine::kTrainingError;
    }
}
