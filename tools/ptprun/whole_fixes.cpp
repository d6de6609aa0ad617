// Puts the options of a fix into the command line.

#include "whole_fixes.hpp"

#include "base/shell_words.hpp"
#include "base/text.hpp"
#include "request_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

namespace ptp::ptprun {

namespace {

constexpr std::string_view kLeaveOut = "leave it out";

std::string key_of_set(const std::string& override) {
    return std::string(trimmed(std::string_view(override).substr(0, override.find('='))));
}

// Returns whether a --set of `typed`, whole or by its last part, is that of the key.
bool is_named(const std::string& key, const std::string& typed) {
    return key == typed || key.ends_with("." + typed);
}

// Returns whether a --set of `typed` has set a table with the key in it.
bool sets_table_of(const std::string& key, const std::string& typed) {
    return ("." + key).find("." + typed + ".") != std::string::npos;
}

// Names the --set where the key of a problem is in a table that was set as a whole.
void name_set(const Given& given, Problem& problem) {
    const Strings sets = given.texts("set");
    const auto within = std::ranges::find_if(
        sets, [&](const std::string& set) { return sets_table_of(problem.key, key_of_set(set)); });
    const bool is_named_itself = std::ranges::any_of(
        sets, [&](const std::string& set) { return is_named(problem.key, key_of_set(set)); });
    if (within != sets.end() && !is_named_itself) {
        const std::string typed = key_of_set(*within);
        const std::size_t begin = ("." + problem.key).find("." + typed + ".") + typed.size() + 1;
        problem.message = problem.key.substr(begin) + ": " + problem.message;
        problem.key.resize(begin - 1);
    }
}

using Options = std::vector<std::pair<std::string, std::string>>;  // their names and values

// Returns the command line without the --set of `left_out`, and with these options.
std::string command_line(const std::string& command, const Given& given, const Options& options,
                         const std::string& left_out) {
    Strings replaced = {"set"};
    for (const auto& [name, value] : options) {
        replaced.push_back(name);
        if (name == "data" || name == "text") {  // one takes the place of the other
            replaced.insert(replaced.end(), {"data", "text"});
        }
    }
    std::string line = "ptprun " + command;
    for (const std::string& word : given.operands()) {
        line += " " + shell_word(word);
    }
    for (const std::string& word : given.options_without(replaced)) {
        line += " " + shell_word(word);
    }
    for (const std::string& set : given.texts("set")) {
        const bool is_replaced =
            is_named(left_out, key_of_set(set)) ||
            std::ranges::any_of(options, [&](const auto& option) {
                return option.first == "set" && key_of_set(option.second) == key_of_set(set);
            });
        line += is_replaced ? "" : " --set " + shell_word(set);
    }
    for (const auto& [name, value] : options) {
        line += fmt::format(" --{} {}", name, shell_word(value));
    }
    return line;
}

// Completes a fix, or the last part of one that ends with --set: "fill the cell; or have it
// replaced: --set KEY=VALUE". `left_out` is the key of a --set that it replaces, or "".
std::string completed(const std::string& command, const Given& given, const std::string& fix,
                      const std::string& left_out) {
    constexpr std::string_view kSet = ": --set ";
    if (const std::size_t at = fix.rfind(kSet); at != fix.npos && !fix.starts_with("--")) {
        std::string_view value = std::string_view(fix).substr(at + kSet.size());
        if (take_shell_word(value).find('=') != std::string::npos) {
            const std::size_t begin = at + kSet.find("--");
            return fix.substr(0, begin) + completed(command, given, fix.substr(begin), left_out);
        }
    }
    std::string_view rest = fix;
    Options options;
    while (rest.starts_with("--")) {
        const std::string name = take_shell_word(rest).substr(2);
        options.emplace_back(name, take_shell_word(rest));
    }
    return options.empty() ? fix
                           : command_line(command, given, options, left_out) +
                                 (rest.empty() ? "" : " " + std::string(rest));
}

}  // namespace

std::string whole_fix(const std::string& command, const Given& given, const std::string& fix) {
    return completed(command, given, fix, "");
}

std::string with_whole_fixes(const std::string& command, const Given& given,
                             const std::string& text) {
    constexpr std::string_view kFix = "    fix: ";
    std::istringstream lines(text);
    std::string whole;
    for (std::string line; std::getline(lines, line);) {
        if (const std::string_view fix = trimmed(line); fix.starts_with(trimmed(kFix))) {
            const std::string_view advice = fix.substr(trimmed(kFix).size());
            line = std::string(kFix) + whole_fix(command, given, std::string(trimmed(advice)));
        }
        whole += (whole.empty() ? "" : "\n") + line;
    }
    return whole;
}

std::vector<Problem> with_whole_fixes(const std::string& command, const Given& given,
                                      const Diagnostics& problems) {
    constexpr std::string_view kOr = "; ";
    std::vector<Problem> sorted = problems.sorted();
    for (Problem& problem : sorted) {
        const bool is_of_set = problem.place.file() == kCommandLine;
        if (!is_of_set || !problem.fix.starts_with(kLeaveOut)) {
            problem.fix = completed(command, given, problem.fix, is_of_set ? problem.key : "");
            continue;
        }
        name_set(given, problem);
        const std::string other = problem.fix.substr(kLeaveOut.size());  // "; --data ..."
        const std::string without = command_line(command, given, {}, problem.key);
        problem.fix = without == command_line(command, given, {}, "") ? kLeaveOut : without;
        if (other.starts_with(kOr)) {
            problem.fix +=
                "\n         " + completed(command, given, other.substr(kOr.size()), problem.key);
        }
    }
    return sorted;
}

int run_with_whole_fixes(const std::string& command, const Given& given,
                         const std::function<int()>& run) {
    try {
        return run();
    } catch (const UsageError& error) {
        throw UsageError(with_whole_fixes(command, given, error.what()));
    }
}

}  // namespace ptp::ptprun
