// ptprun: checks, draws and trains experiments.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/suggest.hpp"
#include "base/system_file.hpp"
#include "commands.hpp"
#include "common/color_option.hpp"
#include "familiar_commands.hpp"
#include "glossary.hpp"
#include "host/open_engine.hpp"
#include "locale.hpp"
#include "run_operand.hpp"
#include "show_error.hpp"
#include "threads_option.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::ptprun {

namespace {

// A file that is opened while a standard stream is closed would take its place, and get what is
// printed.
void open_standard_streams() {
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) == -1) {
            open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY);
        }
    }
}

// A word that is neither an option nor a file, but nearly a command.
bool is_mistyped_command(const std::string& word) {
    return !word.starts_with('-') && word.find_first_of("./") == std::string::npos &&
           !std::filesystem::exists(folder_operand(word));
}

int refuse_command(const Strings& arguments) {
    const std::string& word = arguments.front();
    if (const std::string advice = advice_on_command(arguments); !advice.empty()) {
        show_error(fmt::format("'{}' is not a command{}", word, advice));
        return kConfigurationError;
    }
    if (const std::string meaning = meaning_of(word); !meaning.empty()) {
        show_error(fmt::format("'{}' is not a command\n    fix: {}", word,
                               meaning.substr(0, meaning.find('\n'))));
        return kConfigurationError;
    }
    std::vector<std::string> names;
    for (const Command& command : commands()) {
        if (!command.name.empty()) {
            names.emplace_back(command.name);
        }
    }
    show_error(fmt::format("'{}' is neither a file nor a command{}", word, hint(word, names)));
    return kConfigurationError;
}

// The exit code of a command that is there to print: half a table is not what was asked for, unless
// the reader, such as `head`, has had enough.
int printed(int code) {
    if (std::fflush(stdout) == 0 || errno == EPIPE) {
        return code;
    }
    show_error(fmt::format("cannot write the standard output: {}",
                           std::generic_category().message(errno)));
    return kTrainingError;
}

// `ptprun help`, `ptprun help check`, `ptprun help words`, `ptprun help metric`.
int help(const Strings& arguments) {
    if (arguments.size() < 2) {
        fmt::print("{}", overview());
        return printed(kDone);
    }
    const Command* command = find_command(arguments[1]);
    const std::string words = arguments[1] == "words" ? glossary() : meaning_of(arguments[1]);
    if (command == nullptr && !words.empty()) {
        fmt::print("{}", words);
        return printed(kDone);
    }
    if (command == nullptr) {
        std::vector<std::string> names;
        for (const Command& known : commands()) {
            names.emplace_back(help_name(known));
        }
        show_error(fmt::format("'{}' is not a command{}", arguments[1], hint(arguments[1], names)));
        return kConfigurationError;
    }
    fmt::print("{}", help_of(*command, kProgram));
    return printed(kDone);
}

int print_version() {
    fmt::print("ptprun {}\n", PTP_VERSION);
    return printed(kDone);
}

int run_named(const Command& command, const Strings& arguments) {
    try {
        const Given given = parse(command, arguments, advice_on_option(arguments));
        if (given.has("help")) {
            fmt::print("{}", help_of(command, kProgram));
            return printed(kDone);
        }
        if (given.has("version")) {
            return print_version();
        }
        use_threads(given);
        const int code = command.run(given);
        return command.keeps_results ? code : printed(code);
    } catch (const std::system_error& error) {
        if (std::ferror(stdout) == 0) {
            throw;
        }
        if (error.code().value() == EPIPE) {
            return kDone;
        }
        show_error(fmt::format("cannot write the standard output: {}", error.code().message()));
        return kTrainingError;
    } catch (const UsageError& error) {
        show_usage_error(error.what(), help_name(command));
        return kConfigurationError;
    }
}

int dispatch(Strings arguments) {
    if (arguments.empty() || arguments.front() != "completion") {  // which is asked about it
        tools::take_color_option(arguments);
    }
    const std::string first = arguments.empty() ? "--help" : arguments.front();
    if (first == "--help" || first == "-h" || first == "help") {
        const int code = help(arguments);
        return arguments.empty() ? kConfigurationError : code;
    }
    if (first == "--version") {
        return print_version();
    }
    const auto named = std::ranges::find(commands(), first, &Command::name);
    if (named != commands().end()) {
        return run_named(*named, Strings(arguments.begin() + 1, arguments.end()));
    }
    if (is_mistyped_command(first)) {
        return refuse_command(arguments);
    }
    return run_named(*find_command("run"), arguments);
}

int run_main(Strings arguments) {
    try {
        return dispatch(std::move(arguments));
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

}  // namespace

}  // namespace ptp::ptprun

int main(int argc, char** argv) {
    ptp::ptprun::open_standard_streams();
    ptp::ptprun::require_known_locale();
    ptp::system::report_size_limit();
    ptp::host::leave(ptp::ptprun::run_main(ptp::ptprun::Strings(argv + 1, argv + argc)));
}
