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
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
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
// printed. The output is opened so that nothing can be written to it: who asks for text that cannot
// be printed gets an error.
void open_standard_streams() {
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) == -1) {
            open("/dev/null", descriptor == 2 ? O_WRONLY : O_RDONLY);
        }
    }
}

// Ends as by SIGTERM. [signal]
void end_as_terminated(int /*signal*/) {
    std::signal(SIGTERM, SIG_DFL);
    std::raise(SIGTERM);
}

// A training takes signals itself when it has begun.
void take_signals() {
    std::signal(SIGUSR1, end_as_terminated);
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

// The exit code of a command that is there to print: half a table is not what was asked for.
int printed(int code) {
    const bool is_whole = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (is_whole) {
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
        const Given given = parse(command, arguments, advice_on_option(command, arguments));
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

// With less than this the program or libtorch would end by a signal where they call deeply, and so
// would threads, whose stacks are as large.
void require_stack() {
    constexpr rlim_t kUsualStack = rlim_t{8} << 20U;
    constexpr rlim_t kMinStack = rlim_t{512} << 10U;
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kUsualStack) {
        return;
    }
    const rlim_t wanted = std::min(kUsualStack, limit.rlim_max);
    limit.rlim_cur = wanted;
    pthread_attr_t attributes{};
    static_cast<void>(setrlimit(RLIMIT_STACK, &limit));
    if (pthread_attr_init(&attributes) == 0) {
        static_cast<void>(pthread_attr_setstacksize(&attributes, kUsualStack));
        static_cast<void>(pthread_setattr_default_np(&attributes));
        static_cast<void>(pthread_attr_destroy(&attributes));
    }
    if (wanted < kMinStack) {
        show_error(
            fmt::format("the stack may have {} KiB here, ptprun needs {}\n    fix: ulimit -s {}",
                        wanted >> 10U, kMinStack >> 10U, kUsualStack >> 10U));
        std::exit(kConfigurationError);
    }
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
    ptp::ptprun::take_signals();
    ptp::ptprun::open_standard_streams();
    ptp::ptprun::require_stack();
    ptp::ptprun::require_known_locale();
    ptp::system::report_size_limit();
    ptp::system::outlive_reader();
    ptp::host::leave(ptp::ptprun::run_main(ptp::ptprun::Strings(argv + 1, argv + argc)));
}
