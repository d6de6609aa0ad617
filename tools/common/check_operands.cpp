// Checks operands, and finds what a word too many is probably meant for.

#include "common/check_operands.hpp"

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::tools {

namespace {

// "a run folder and a plugin file are needed".
std::string missing_text(const std::vector<Operand>& operands) {
    Strings needed;
    for (const Operand& operand : operands) {
        if (operand.min > 0) {
            needed.push_back(operand.what);
        }
    }
    // "run folders", and not "a file with cases".
    const bool are_several = needed.front().ends_with('s') && !needed.front().starts_with("a ");
    const bool is_one = needed.size() == 1 && operands.front().min == 1 && !are_several;
    return fmt::format("{} {} needed", joined(needed), is_one ? "is" : "are");
}

// Returns the quoted texts of a command line with words too many: texts of their own where one of
// them was quoted, otherwise the rest of the last text, whose quotes were forgotten.
Strings meant_texts(const Given& given, std::size_t index) {
    Strings texts = given.texts("text");
    const auto is_quoted = [](const std::string& word) { return word.find(' ') != word.npos; };
    const Strings words(given.operands().begin() + static_cast<std::ptrdiff_t>(index),
                        given.operands().end());
    const bool are_texts =
        std::ranges::any_of(words, is_quoted) || (!texts.empty() && is_quoted(texts.back()));
    if (are_texts) {
        texts.insert(texts.end(), words.begin(), words.end());
    } else if (texts.empty()) {
        texts.push_back(join(words, " "));
    } else {
        texts.back() += " " + join(words, " ");
    }
    return transformed(texts, shell_word);
}

// Returns the option that a word too many is probably meant for: `net.toml more.toml`,
// `RUN photos`, and where texts are taken the words of one without quotes.
std::string meant_option(const Given& given, std::size_t index, const Command& command) {
    const std::string& word = given.operands()[index];
    const auto exists = [&](std::string_view name) {
        return std::ranges::any_of(command.options, [&](const Option& option) {
            return option.long_name() == name && !option.value.empty();
        });
    };
    const std::string meant = word.ends_with(".toml") ? "over" : "data";
    std::error_code ignored;  // then it counts as absent
    constexpr std::string_view kSections = "training validation test";
    if (has_word(kSections, word) && !exists("data") && exists("section")) {
        return "section " + word;
    }
    const bool is_of_text = meant == "data" && !std::filesystem::exists(word, ignored) &&
                            !has_word(kSections, word) && !given.has("data");
    if (is_of_text && exists("text")) {
        return "text " + join(meant_texts(given, index), " --text ");
    }
    if (meant == "over" && exists(meant) && index > 0) {
        return "over " + shell_word(word);
    }
    if (!exists("data") && exists("output") && !given.has("output") &&
        std::filesystem::path(word).has_extension()) {
        return fmt::format("output {}", shell_word(word));
    }
    return exists(meant) ? fmt::format("{} {}", meant, shell_word(word)) : "";
}

// Returns KEY=VALUE for a word too many that is one, or is the value after `--set KEY`, with blanks
// around the '=' or without one; "" for others, and where the command has no such option.
std::string meant_setting(const Given& given, std::size_t index, const Command& command) {
    const auto is_set = [](const Option& option) { return option.name == "set"; };
    if (std::ranges::none_of(command.options, is_set)) {
        return "";
    }
    const Strings& words = given.operands();
    std::string key;
    for (const std::string& text : given.texts("set")) {
        const std::size_t equals = text.find('=');
        key = key.empty() && equals >= text.size() - 1 ? text.substr(0, equals) : key;
    }
    if (key.empty() && index + 1 < words.size() && words[index + 1].starts_with('=')) {
        key = words[index++];
    }
    index += words[index] == "=" && index + 1 < words.size() ? 1 : 0;
    const std::string& word = words[index];
    const bool is_whole = word.find('=') != std::string::npos && !word.starts_with('=');
    return key.empty() ? (is_whole ? word : "") : key + (word.starts_with('=') ? "" : "=") + word;
}

// Returns the words before the operands: "ptprun predict", "ptprun export", whose program is a
// command of ptprun without a name of its own, or "ptprun" for a training.
std::string line_start(const Command& command) {
    const std::string& example = command.example;
    const std::size_t first = example.find(' ');
    std::string line = example.substr(0, first);
    if (!command.name.empty() || line != "ptprun") {
        return line + (command.name.empty() ? "" : " " + command.name);
    }
    const std::string second = example.substr(first + 1, example.find(' ', first + 1) - first - 1);
    return second.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos
               ? line + " " + second
               : line;
}

// Returns the command line with these operands, and without the options that are left out.
std::string line_of(const Given& given, std::span<const std::string> operands,
                    const Strings& left_out, const Command& command) {
    std::string line = line_start(command);
    for (const std::string& operand : operands) {
        line += " " + shell_word(operand);
    }
    for (const std::string& word : given.options_without(left_out)) {
        line += " " + shell_word(word);
    }
    return line;
}

// Returns the command line with an option in place of the words too many: "ptprun predict RUN
// --data photos".
std::string line_with(const std::string& option, const Given& given,
                      std::span<const std::string> operands, const Command& command) {
    return line_of(given, operands, {option.substr(0, option.find(' '))}, command) + " --" + option;
}

// Returns whether a file of samples comes before the folder of the run.
bool is_data_first(const Strings& words, const Command& command) {
    std::error_code ignored;  // what cannot be looked at counts as absent
    const std::filesystem::path first = words[0];
    return std::ranges::count(command.options, "data", &Option::name) > 0 &&
           std::filesystem::is_regular_file(first, ignored) && first.extension() != ".toml" &&
           first.extension() != ".ptpm" && std::filesystem::is_directory(words[1], ignored);
}

// Returns "--set lr=0.1,0.01" where the word too many comes behind a value that is set, as in
// `--set lr=0.1 0.01`; "" elsewhere.
std::string meant_sweep(const Given& given, const std::string& word, const Command& command) {
    const Strings& words = given.words();
    const auto at = std::ranges::find(words, word);
    const bool is_swept = command.name.empty() || command.name == "check";
    if (!is_swept || at == words.end() || at - words.begin() < 2 || *(at - 2) != "--set" ||
        word.ends_with(".toml")) {
        return "";
    }
    const auto end = std::find_if(at, words.end(), [](const std::string& one) {
        return one.starts_with('-') || one.find('=') != one.npos || one.ends_with(".toml");
    });
    return "--set " + shell_word(join(Strings(at - 1, end), ","));
}

std::string surplus_text(const Given& given, std::size_t index, const Command& command,
                         const Advice& advice) {
    const Strings& words = given.operands();
    const std::string setting = meant_setting(given, index, command);
    std::string fix = advice && !setting.empty() ? advice(setting) : "";
    std::string what = index == 0 ? "" : fmt::format(" after '{}'", words[index - 1]);
    if (fix.empty() && !setting.empty()) {
        fix = "\n    fix: --set " + shell_word(setting);
    } else if (const std::string sweep = meant_sweep(given, words[index], command);
               fix.empty() && !sweep.empty()) {
        fix = "\n    fix: " + sweep;
    } else if (fix.empty() && index == 1 && words.size() == 2 && is_data_first(words, command)) {
        fix = "\n    fix: " + line_with("data " + shell_word(words[0]), given,
                                        std::span(words).subspan(1), command);
    } else if (fix.empty()) {
        const std::string meant = meant_option(given, index, command);
        const auto before = std::span(words).first(index);
        fix = "\n    fix: " + (meant.empty() ? line_of(given, before, {}, command)
                                             : line_with(meant, given, before, command));
        what += meant.starts_with("over ")
                    ? "; to train both, start each by itself, or lay it over that"
                    : "";
    }
    return fmt::format("'{}' is one word too many{}{}", words[index], what, fix);
}

// Returns what to type where an option of several values has taken the operand, too, as in
// `--data FILE RUN`; "" elsewhere.
std::string operands_first(const Command& command, const Given& given) {
    for (const Option& option : command.options) {
        Strings values = given.texts(option.long_name());
        if (!option.takes_several || values.size() < 2 || !given.operands().empty()) {
            continue;
        }
        const std::string operand = values.back();
        values.pop_back();
        std::string fix = fmt::format("\n    fix: {} {} --{}", line_start(command),
                                      shell_word(operand), option.long_name());
        for (const std::string& value : values) {
            fix += " " + shell_word(value);
        }
        return fix;
    }
    return "";
}

// Refuses an output that is a file which the command reads, and would be lost.
void require_other_output(const Command& command, const Given& given) {
    constexpr std::string_view kOutputs = "output card html";
    std::vector<std::pair<std::string, std::string>> files;  // how each is typed, and its path
    for (const std::string& word : given.operands()) {
        files.emplace_back(shell_word(word), word);
    }
    for (const Option& option : command.options) {
        const std::string name = option.long_name();
        for (const std::string& text : has_word(kOutputs, name) ? Strings() : given.texts(name)) {
            files.emplace_back(fmt::format("--{} {}", name, shell_word(text)), text);
        }
    }
    std::error_code ignored;  // a file that cannot be looked at is reported where it is read
    for (const Option& option : command.options) {
        const std::string name = option.long_name();
        const std::string output = has_word(kOutputs, name) ? given.text(name) : "";
        for (const auto& [typed, path] : files) {
            if (std::filesystem::is_regular_file(output, ignored) &&
                std::filesystem::equivalent(output, path, ignored)) {
                throw UsageError(
                    fmt::format("--{} {}: this is the file of {}, which would be lost\n"
                                "    fix: name another file",
                                name, shell_word(output), typed));
            }
        }
    }
}

// Returns the command line with the names of the operands that are missing.
std::string whole_line(const Command& command, const Given& given) {
    Strings operands = given.operands();
    std::size_t place = 0;
    for (const Operand& operand : command.operands) {
        for (std::size_t i = 0; i < operand.min; ++i, ++place) {
            if (place >= given.operands().size()) {
                operands.push_back(operand.name.substr(0, operand.name.find('|')));
            }
        }
    }
    return line_of(given, operands, {}, command);
}

}  // namespace

std::string refusal_of_choice(const std::string& value, const Strings& choices) {
    return choices.empty() || std::ranges::find(choices, value) != choices.end()
               ? ""
               : fmt::format("must be {}", joined(choices, "or"));
}

void check_operands(const Command& command, const Given& given, const Advice& advice) {
    const Strings& words = given.operands();
    std::size_t min = 0;
    std::size_t max = 0;
    for (const Operand& operand : command.operands) {
        for (std::size_t i = max; i < max + operand.max && i < words.size(); ++i) {
            if (const std::string why = refusal_of_choice(words[i], operand.choices);
                !why.empty()) {
                throw UsageError(fmt::format("'{}': {}", words[i], why));
            }
        }
        min += operand.min;
        max += operand.max;
    }
    if (words.size() < min) {
        const std::string other_order = operands_first(command, given);
        throw UsageError(
            missing_text(command.operands) +
            (other_order.empty() ? "\n    fix: " + whole_line(command, given) : other_order));
    }
    if (words.size() > max) {
        throw UsageError(surplus_text(given, max, command, advice));
    }
    require_other_output(command, given);
}

}  // namespace ptp::tools
