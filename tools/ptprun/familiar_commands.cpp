// Commands, options and terms of other programs, and what ptprun has for them.

#include "help.hpp"

#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "base/shell_words.hpp"
#include "base/text.hpp"
#include "experiment/familiar_names.hpp"
#include "familiar_words.hpp"
#include "other_options.hpp"
#include "run/paths.hpp"
#include "training_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <sstream>

namespace ptp::ptprun {

namespace {

constexpr std::string_view kUnneeded = "leave it out";
constexpr std::string_view kNextLine = "\n         ";

// Returns words as they are typed in a shell.
std::string as_typed(std::span<const std::string> words, std::string_view between = " ") {
    return join(transformed(words, shell_word), between);
}

// A line of this program for one of another, and what was said about options that it has not.
struct Translation {
    std::string words;  // as they are typed in a shell; or a whole line, "ptprun ..."
    std::string notes = {};

    [[nodiscard]] bool is_whole() const { return words.starts_with("ptprun "); }
};

// A command that is typed, and those that a line may name in place of it.
struct Typed {
    const Command& command;
    std::span<const Command> known;
};

// Returns the command of a form, "ptprun check {}"; nullptr if it is none of these.
const Command* command_of(std::string_view form, std::span<const Command> known) {
    const std::string_view name = form.substr(form.find(' ') + 1);
    const auto found = std::ranges::find(
        known, name.starts_with("{") ? "" : name.substr(0, name.find(' ')), &Command::name);
    return found == known.end() ? nullptr : &*found;
}

// Returns the listing of runs, or a table of predictions, cut by another program: the first lines,
// with that of the names; of runs that are not sorted the newest, which are the last.
std::string cut_listing(const Command& listing, const std::string& option,
                        const Strings& arguments) {
    std::string command = "ptprun " + std::string(listing.name);
    bool is_sorted = listing.name != "runs";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool is_it = arguments[i] == option;
        is_sorted = is_sorted || arguments[i].starts_with("--sort");
        if (!is_it && !arguments[i].starts_with(option + "=")) {
            command += " " + shell_word(arguments[i]);
        }
        i += is_it ? 1 : 0;
    }
    const std::string value = option_value(option, arguments, "...");
    int count = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
    const bool is_number = error == std::errc() && end == value.data() + value.size();
    return is_sorted && is_number ? fmt::format("{} | head -n {}", command, count + 1)
                                  : fmt::format("{} | tail -n {}", command, value);
}

// PyTorchPipe's --disable adds to the list of the file.
std::string disabled(const Strings& names) {
    std::string options;
    for (const std::string& name : names) {
        options +=
            fmt::format("{}--set pipeline.{}.enabled=false", options.empty() ? "" : " ", name);
    }
    return options;
}

// Returns "--device NAME (cpu, cuda or cuda:N)" for an option of a training; "" for others.
std::string option_of_training(std::string_view typed) {
    for (const Option& option : training_options()) {
        if (typed == "--" + option.long_name()) {
            const char* const space = option.value.empty() ? "" : " ";
            return fmt::format("{}{}{} ({})", typed, space, option.value, option.help);
        }
    }
    return "";
}

Translation translated(const Typed& typed, const Strings& words);

// Returns the form with the value of an option; {rest} are the other words, as the command of the
// form has them, and {run} is a run folder among all.
std::string form_with(const Typed& typed, std::string_view form, const std::string& option,
                      const Strings& arguments) {
    const auto has = [&](std::string_view part) { return form.find(part) != form.npos; };
    const std::string value = option_value(option, arguments, "");
    Translation rest;
    if (has("{rest}")) {
        const Command* const named = command_of(form, typed.known);
        const Typed other{named == nullptr ? typed.command : *named, typed.known};
        const Strings words = without(option, arguments, has("{}") || has_value(option, arguments));
        const bool has_operand = !words.empty() && !words.front().starts_with('-');
        rest = translated(other, words);
        if (rest.is_whole()) {
            return rest.words;
        }
        const std::string missing = has_operand ? "" : other.command.operands.front().name;
        rest.words = missing + (missing.empty() || words.empty() ? "" : " ") + rest.words;
    }
    const auto run = std::ranges::find_if(arguments, is_run_folder);
    return fmt::format(fmt::runtime(form), value.empty() ? "..." : shell_word(value),
                       fmt::arg("rest", rest.words),
                       fmt::arg("run", run == arguments.end() ? "RUN-FOLDER" : shell_word(*run))) +
           rest.notes;
}

// Returns the command that has an option which `ptprun process` lacks; "" for other options.
std::string command_with(const Typed& typed, const std::string& option, const Strings& arguments) {
    const std::string name = plain_name(option);
    const std::string value = option_value(option, arguments, "");
    Strings words = without("--run-dir", arguments, true);
    if (has_word("dataset file files i input inputs", name)) {
        if (has_word("test train training val validation", value)) {
            return "--section " + (value == "val"     ? "validation"
                                   : value == "train" ? "training"
                                                      : value);
        }
        for (std::string& word : words) {
            word = word.starts_with(option) ? "--data" + word.substr(option.size()) : word;
        }
    } else if (!has_word("data jsonl text classes top_k worst", name)) {
        return "";
    }
    constexpr std::string_view kPredict = "ptprun predict ";
    const Command* const named = command_of(kPredict, typed.known);
    if (named == nullptr) {
        return std::string(kPredict) + as_typed(words);
    }
    const Translation line = translated({*named, typed.known}, words);
    return std::string(kPredict) + line.words + line.notes;
}

// Returns what ptprun has for an option of another program; "" where nothing is known.
std::string meant_by(const Typed& typed, const std::string& option, const Strings& arguments) {
    const Command& command = typed.command;
    const std::string plain = plain_name(option);
    const bool is_judge = command.name == "search" && has_word("metric monitor objective", plain);
    const std::string name = is_judge ? "judge" : plain;
    const std::string value = option_value(option, arguments, "");
    if (name == "best" && command.name == "runs") {
        return "--sort " + (value.empty() ? "loss" : shell_word(value));
    }
    if (has_word(kExperimentOptions, name) || has_word(kRunOptions, name)) {
        if (const Strings words = with_operands(command, arguments); words != arguments) {
            const Translation line = translated(typed, words);
            return fmt::format("ptprun {}{}{}{}", command.name, command.name.empty() ? "" : " ",
                               line.words, line.notes);
        }
    }
    const bool is_cut =
        command.name == "runs"
            ? has_word("first head last limit max_results n tail top", name)
            : command.name == "predict" && has_word("first head limit max_results n", name);
    if (is_cut) {
        return cut_listing(command, option, arguments);
    }
    if (const std::string other = command_with(typed, option, arguments);
        command.name == "process" && !other.empty()) {
        return other;
    }
    if (name == "disable") {
        return disabled(option_values(option, arguments));
    }
    const auto found = std::ranges::find_if(kFamiliarOptions, [&](const Familiar& one) {
        return has_word(one.names, name) && (one.values.empty() || has_word(one.values, value)) &&
               (one.command.empty() || one.command == command.name);
    });
    const auto is_set = [](const Option& one) { return one.name == "set"; };
    const bool is_key =
        experiment::familiar_key(name).has_value() || std::ranges::any_of(command.options, is_set);
    const bool is_swept = command.name.empty() || command.name == "check";
    const std::string text =
        found != kFamiliarOptions.end() ? form_with(typed, found->form, option, arguments)
        : is_key ? (is_swept ? sweep_set_text : set_text)(name, value, arguments)
                 : "";
    return is_read(text, command) ? text : "";
}

// Returns whether the word after this one is its value: of --set, and of --run-dir.
bool takes_next(const std::string& word) {
    return std::ranges::any_of(training_options(), [&](const Option& one) {
        return word == "--" + one.long_name() && !one.value.empty();
    });
}

// Returns the training with several values for a sweep: of a run its experiment, KEY=VALUE alone by
// --set, and an experiment and values where none are typed.
std::string sweep_text(const Strings& words) {
    std::string typed_words;
    bool has_experiment = false;
    bool has_values = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        std::error_code ignored;
        const bool is_alone = !word.starts_with('-') && (i == 0 || !takes_next(words[i - 1]));
        const bool is_run = is_alone && is_run_folder(word);
        const std::size_t equals = word.find('=');
        const bool is_setting =
            is_alone && !is_run && equals != word.npos && !std::filesystem::exists(word, ignored);
        has_experiment = has_experiment || (is_alone && !is_setting);
        has_values = has_values || (equals != word.npos && word.find(',', equals) != word.npos);
        const std::string setting = is_setting ? familiar_setting(word) : "";
        typed_words += setting.empty()
                           ? (is_setting ? " --set " : " ") +
                                 shell_word(is_run ? word + "/" + run::kExperimentFile : word)
                           : " " + setting;
    }
    return fmt::format("ptprun{}{}{}", has_experiment ? "" : " EXPERIMENT.toml", typed_words,
                       has_values ? "" : " --set training.optimizer.lr=0.1,0.01");
}

// Returns the words behind a command of another program, with options of this one in place of the
// other program's, or a whole line where another command has one. What is done without, or after
// it, is in the notes.
Translation translated(const Typed& typed, const Strings& words) {
    const Command& command = typed.command;
    Translation line;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string option = words[i].substr(0, words[i].find('='));
        const bool is_other = option.starts_with("--") && !has_option(command, option);
        const std::string meant = is_other ? meant_by(typed, option, words) : "";
        if (meant.starts_with("ptprun ")) {
            return {meant};
        }
        const std::string first = meant.substr(0, meant.find('\n'));
        const bool is_option = has_option(command, first.substr(0, first.find(' ')));
        const bool is_note = !is_option && !meant.empty() && !meant.starts_with("--");
        if (is_note) {
            line.notes += kNextLine;
            line.notes += meant.starts_with(kUnneeded)
                              ? "without " + option + meant.substr(kUnneeded.size())
                              : meant;
        } else {
            line.words += line.words.empty() ? "" : " ";
            line.words += is_option ? first : shell_word(words[i]);
        }
        if (is_option && first != meant) {
            line.notes += fmt::format("{}or, in place of {}: {}", kNextLine, first,
                                      meant.substr(first.size() + kNextLine.size()));
        }
        i += (is_option || is_note) && words[i] == option && has_value(option, words) ? 1 : 0;
    }
    return line;
}

// Returns the form without its last option, if the words have it, or name the samples otherwise.
std::string_view without_repeated(std::string_view form, const std::string& words) {
    const std::size_t at = std::min(form.find(" -"), form.size());
    const std::string option(form.substr(at, form.find(' ', at + 1) - at));
    const auto has = [&](std::string_view name) { return words.find(name) != words.npos; };
    const bool is_given = (option == " -o" && has(" --output")) ||
                          (option == " --data" && (has(" --jsonl") || has(" --text")));
    return is_given || has(option) ? form.substr(0, at) : form;
}

}  // namespace

std::string advice_on_command(const std::vector<std::string>& arguments,
                              const std::vector<Command>& known) {
    Strings words(arguments.begin() + 1, arguments.end());
    const bool has_run = !words.empty() && is_directory(std::filesystem::path(words[0]));
    const auto is_it = [&](const FamiliarCommand& one) {
        return has_word(one.names, arguments.front());
    };
    auto found = std::ranges::find_if(kFamiliarCommands, [&](const FamiliarCommand& one) {
        return has_run && one.operand == kRun && is_it(one);
    });
    found =
        found == kFamiliarCommands.end() ? std::ranges::find_if(kFamiliarCommands, is_it) : found;
    if (found == kFamiliarCommands.end()) {
        return "";
    }
    if (arguments.front() == "sweep") {
        return Explanation{"", sweep_text(words)}.text();
    }
    if (arguments.front() == "compare" && has_run && words.size() == 1 &&
        !is_run_folder(words[0])) {
        return Explanation{"", "ptprun runs " + shell_word(words[0])}.text();
    }
    const Command* const named = command_of(found->form, known);
    words = named == nullptr ? words : with_operands(*named, words);
    if (!words.empty() && found->operand == kRun && words[0].ends_with(".toml")) {
        words[0] = kRun;  // of the experiment
    }
    Translation rest = words.empty()      ? Translation{std::string(found->operand)}
                       : named == nullptr ? Translation{as_typed(words)}
                                          : translated({*named, known}, words);
    if (!rest.is_whole()) {
        const std::string_view form = without_repeated(found->form, rest.words);
        rest.words = fmt::format(fmt::runtime(form), rest.words);
    }
    return Explanation{"", rest.words + rest.notes}.text();
}

std::function<std::string(const std::string& option)> advice_on_option(
    const Command& command, const std::vector<std::string>& arguments,
    std::span<const Command> known) {
    return [&command, arguments, known](const std::string& option) -> std::string {
        if (!option.starts_with('-')) {
            return Explanation{"", familiar_setting(option)}.text();
        }
        const std::string own = meant_by({command, known}, option, arguments);
        const std::string meant = own.empty() ? option_of_training(option) : own;
        const bool is_taken =
            !meant.starts_with("--") || has_option(command, meant.substr(0, meant.find(' ')));
        const auto is_begun = [&](const Option& one) {
            return ("--" + one.long_name()).starts_with(option);
        };
        if (!is_taken && std::ranges::any_of(command.options, is_begun)) {
            return "";  // "--out" is its own --output
        }
        return Explanation{"", (is_taken ? "" : "leave it out; a training takes ") + meant}.text();
    };
}

}  // namespace ptp::ptprun
