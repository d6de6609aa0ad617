// Puts the options of a fix into the command line.

#include "whole_fixes.hpp"

#include "base/error.hpp"
#include "base/shell_words.hpp"
#include "base/text.hpp"
#include "host/bundle_parameters.hpp"
#include "moved_data.hpp"
#include "report.hpp"
#include "request_options.hpp"

#include <algorithm>
#include <optional>
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

using Options = std::vector<std::pair<std::string, std::optional<std::string>>>;  // by their names

// Returns the command line without the --set of these keys, and with these options.
std::string command_line(const std::string& command, const Given& given, const Options& options,
                         const Strings& left_out) {
    Strings replaced = {"set"};
    for (const auto& [name, value] : options) {
        replaced.push_back(name);
        if (name == "data" || name == "text" || name == "jsonl") {  // one takes the others' place
            replaced.insert(replaced.end(), {"data", "text", "jsonl"});
        }
    }
    std::string line = command.empty() ? "ptprun" : "ptprun " + command;
    for (const std::string& word : given.operands()) {
        line += " " + shell_word(word);
    }
    for (const std::string& word : given.options_without(replaced)) {
        line += " " + shell_word(word);
    }
    for (const std::string& set : given.texts("set")) {
        const std::string typed = key_of_set(set);
        const auto is_it = [&](const std::string& key) { return is_named(key, typed); };
        const bool is_replaced = std::ranges::any_of(left_out, is_it) ||
                                 std::ranges::any_of(options, [&](const auto& option) {
                                     return option.first == "set" && option.second &&
                                            key_of_set(*option.second) == typed;
                                 });
        line += is_replaced ? "" : " --set " + shell_word(set);
    }
    for (const auto& [name, value] : options) {
        line += " --" + name + (value ? " " + shell_word(*value) : "");
    }
    return line;
}

// Takes options from the front: "--with-plugins --set KEY=VALUE".
Options take_options(std::string_view& words) {
    Options options;
    while (words.starts_with("--")) {
        const std::string name = take_shell_word(words).substr(2);
        const bool is_alone = words.empty() || words.starts_with("--");
        options.emplace_back(name, is_alone ? std::nullopt : std::optional(take_shell_word(words)));
    }
    return options;
}

// Completes a line of a fix that is options, or ends with them: "fill the cell; or have it
// replaced: --set KEY=VALUE".
std::string completed_line(const std::string& command, const Given& given, const std::string& fix,
                           const Strings& left_out) {
    constexpr std::string_view kBefore = ": --";
    const std::size_t colon = fix.starts_with("--") ? fix.npos : fix.rfind(kBefore);
    const std::size_t begin = colon == fix.npos ? 0 : colon + kBefore.find('-');
    std::string_view rest = std::string_view(fix).substr(begin);
    const Options options = take_options(rest);
    return options.empty() || !rest.empty()
               ? fix
               : fix.substr(0, begin) + command_line(command, given, options, left_out);
}

// Completes the lines of a fix. `left_out` are the keys of each --set that they lack.
std::string completed(const std::string& command, const Given& given, std::string_view fix,
                      const Strings& left_out) {
    std::string whole;
    for (std::size_t end = 0; end != fix.npos;) {
        end = fix.find(kNextFix);
        whole += completed_line(command, given, std::string(fix.substr(0, end)), left_out);
        if (end != fix.npos) {
            whole += kNextFix;
            fix.remove_prefix(end + kNextFix.size());
        }
    }
    return whole;
}

}  // namespace

std::string whole_fix(const std::string& command, const Given& given, const std::string& fix) {
    return completed(command, given, fix, {});
}

std::string with_whole_fixes(const std::string& command, const Given& given,
                             const std::string& text) {
    constexpr std::string_view kFix = "    fix: ";
    const std::string_view kMore = kNextFix.substr(1);
    std::istringstream lines(text);
    std::string whole;
    bool is_in_fix = false;
    for (std::string line; std::getline(lines, line);) {
        const std::string_view fix = trimmed(line);
        const bool begins = fix.starts_with(trimmed(kFix));
        is_in_fix = begins || (is_in_fix && line.starts_with(kMore));
        if (is_in_fix) {
            const std::string_view advice = begins ? fix.substr(trimmed(kFix).size()) : fix;
            line = std::string(begins ? kFix : kMore) +
                   whole_fix(command, given, std::string(trimmed(advice)));
        }
        whole += (whole.empty() ? "" : "\n") + line;
    }
    return whole;
}

std::vector<Problem> with_whole_fixes(const std::string& command, const Given& given,
                                      const Diagnostics& problems) {
    constexpr std::string_view kOr = "; ";
    std::vector<Problem> sorted = problems.sorted();
    name_moved_data(sorted);
    const auto is_surplus = [](const Problem& problem) {
        return problem.place.file() == kCommandLine && problem.fix.starts_with(kLeaveOut);
    };
    Strings surplus;  // a fix that had one of them would be followed by the next error
    for (Problem& problem : sorted) {
        if (is_surplus(problem)) {
            name_set(given, problem);
            surplus.push_back(problem.key);
        }
    }
    for (Problem& problem : sorted) {
        Strings left_out = surplus;
        if (problem.place.file() == kCommandLine) {
            left_out.push_back(problem.key);
        }
        if (!is_surplus(problem)) {
            problem.fix = completed(command, given, problem.fix, left_out);
            continue;
        }
        const std::string other = problem.fix.substr(kLeaveOut.size());  // "; --data ..."
        const std::string without = command_line(command, given, {}, left_out);
        problem.fix = without == command_line(command, given, {}, {}) ? kLeaveOut : without;
        if (other.starts_with(kOr)) {
            problem.fix += std::string(kNextFix) +
                           completed(command, given, other.substr(kOr.size()), left_out);
        }
    }
    return sorted;
}

void complete_options(engine::RunResult& result, const std::string& command, const Given& given,
                      const ComputedWith& with) {
    const std::string table = table_of_error(result.error, with.plan, with.section);
    result.error = with_options(
        result.error, table, host::fixed_settings(with.subject.run.value_or(""), with.plan, table));
    result.error = with_whole_fixes(command, given, result.error);
}

int run_with_whole_fixes(const std::string& command, const Given& given,
                         const std::function<int()>& run) {
    try {
        return run();
    } catch (const UsageError& error) {
        throw UsageError(with_whole_fixes(command, given, error.what()));
    } catch (const RunError& error) {
        throw RunError(error.code(), with_whole_fixes(command, given, error.what()));
    }
}

}  // namespace ptp::ptprun
