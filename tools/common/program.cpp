// Prints output and errors of a program, and runs a program of one command.

#include "common/program.hpp"

#include "base/exit_code.hpp"
#include "base/output_file.hpp"
#include "base/suggest.hpp"
#include "base/system_file.hpp"
#include "base/temporary_folders.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "common/render.hpp"

#include <fmt/core.h>
#include <boost/program_options/errors.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <sstream>
#include <system_error>
#include <utility>

namespace ptp::tools {

namespace fs = std::filesystem;

namespace {

std::size_t end_of_error(std::string_view text) {
    std::size_t end = text.find('\n');
    while (end != std::string_view::npos && end + 1 < text.size() && text[end + 1] == ' ') {
        end = text.find('\n', end + 1);
    }
    return std::min(end, text.size());
}

int run_command(const Program& program, Strings words) {
    take_color_option(words);
    if (std::ranges::find(words, "--version") != words.end()) {  // It needs no operands.
        print(fmt::format("{} {}\n", program.name, PTP_VERSION));
        return kDone;
    }
    const Given given = parse(program.command, words, program.advice);
    if (given.has("help")) {
        print(help_of(program.command, program.name) +
              fmt::format("\nexit codes: {}\n", program.exit_codes));
        return kDone;
    }
    return program.command.run(given);
}

constexpr std::string_view kOption = "--color";

void use(const std::string& choice) {
    if (choice != "auto" && choice != "always" && choice != "never") {
        throw boost::program_options::error(
            fmt::format("{} {}: must be auto, always or never", kOption, choice));
    }
    set_variable(kColorVariable, choice);
}

[[noreturn]] void refuse_output(const fs::path& named, std::string_view why) {
    throw UsageError(fmt::format("-o {}: {}", named.string(), why));
}

// Returns ".svg, .png or .pdf" for "svg png pdf".
std::string text_of_endings(std::string_view endings) {
    std::istringstream words{std::string(endings)};
    Strings list;
    for (std::string word; words >> word;) {
        list.push_back("." + word);
    }
    return joined(list, "or");
}

}  // namespace

void print(const std::string& text) {
    const bool is_whole =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!is_whole) {
        throw OutputError(kTrainingError, "cannot write the standard output: " +
                                              std::generic_category().message(errno));
    }
}

int complain(std::string_view program, std::string_view text, int code) {
    std::fflush(stdout);
    while (!text.empty()) {
        const std::size_t end = end_of_error(text);
        const Problem problem = problem_from(text.substr(0, end));
        const std::string shown = rendered(problem, program, {}, style_for(STDERR_FILENO));
        static_cast<void>(std::fputs(shown.c_str(), stderr));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return code;
}

int run_program(const Program& program, const Strings& words) {
    system::report_size_limit();
    system::outlive_reader();
    remove_temporary_folders_on_signals();
    try {
        return run_command(program, words);
    } catch (const UsageError& error) {
        return complain(program.name,
                        fmt::format("{}\n    help: {} --help", error.what(), program.name),
                        kConfigurationError);
    } catch (const RunError& error) {
        return complain(program.name, error.what(), error.code());
    } catch (const std::exception& error) {
        return complain(program.name, error.what(), kTrainingError);
    }
}

void take_color_option(std::vector<std::string>& arguments) {
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        if (word == kOption) {
            if (++i == arguments.size()) {
                throw boost::program_options::error("--color needs a value: auto, always or never");
            }
            use(arguments[i]);
        } else if (word.starts_with(std::string(kOption) + "=")) {
            use(word.substr(kOption.size() + 1));
        } else {
            rest.push_back(word);
        }
    }
    arguments = std::move(rest);
}

fs::path output_file(const fs::path& named, std::string_view endings) {
    std::error_code ignored;
    if (named.empty()) {
        throw UsageError("-o needs the name of a file");
    }
    if (fs::is_directory(named, ignored)) {
        refuse_output(named, "is a folder; name a file");
    }
    if (is_special_file(named)) {
        refuse_output(named, "is not a regular file; name another one");
    }
    const std::string ending = named.extension().string();
    if (!ending.empty() && !has_word(endings, ending.substr(1)) && fs::exists(named, ignored)) {
        refuse_output(named, fmt::format("there is such a file, which would be lost: the names of "
                                         "what is written here end with {}\n"
                                         "    fix: name another file, or remove this one",
                                         text_of_endings(endings)));
    }
    fs::path output;
    try {
        output = written_path(named);
    } catch (const RunError& error) {  // a cycle of links
        refuse_output(named, error.what());
    }
    const fs::path folder = fs::absolute(output).parent_path();
    if (!fs::is_directory(folder, ignored)) {
        refuse_output(named, fmt::format("no such folder: {}", folder.string()));
    }
    if (!system::may_write_into(folder)) {
        refuse_output(named, fmt::format("cannot write into the folder {}: {}", folder.string(),
                                         std::generic_category().message(errno)));
    }
    return output;
}

}  // namespace ptp::tools
