// Commands, options and terms of other programs, and what ptprun has for them.

#include "help.hpp"

#include "base/diagnostics.hpp"
#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "base/shell_words.hpp"
#include "base/text.hpp"
#include "base/value.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "familiar_words.hpp"
#include "other_options.hpp"
#include "run/paths.hpp"
#include "sweep_points.hpp"
#include "training_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <sstream>

namespace ptp::ptprun {

namespace {

// The experiment that is named; a form of a name where there is none.
std::string experiment_in(const std::vector<std::string>& arguments) {
    const auto found = std::ranges::find_if(arguments, [](const std::string& word) {
        return !word.starts_with('-') && word.ends_with(".toml");
    });
    return found == arguments.end() ? "EXPERIMENT.toml" : shell_word(*found);
}

// Returns words as they are typed in a shell.
std::string as_typed(std::span<const std::string> words, std::string_view between = " ") {
    return join(transformed(words, shell_word), between);
}

// `rest` and `file` are as they are typed in a shell.
std::string form_with(std::string_view form, const std::string& rest, const std::string& file) {
    return fmt::format(fmt::runtime(form), rest, fmt::arg("file", file));
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

// Returns the words without --run-dir DIR, which `ptprun predict` lacks.
Strings without_run_folder(const Strings& arguments) {
    Strings kept;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--run-dir") {
            ++i;
        } else if (!arguments[i].starts_with("--run-dir=")) {
            kept.push_back(shell_word(arguments[i]));
        }
    }
    return kept;
}

// Returns the command that has an option which `ptprun process` lacks; "" for other options.
std::string command_with(const std::string& option, const Strings& arguments) {
    const std::string name = plain_name(option);
    const std::string value = option_value(option, arguments, "");
    Strings words = without_run_folder(arguments);
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
    return "ptprun predict " + join(words, " ");
}

// Returns whether the command reads what a text sets by --set; keys of the training alone change
// nothing where nothing is trained.
bool is_read(const std::string& text, const Command& command) {
    const bool trains_nothing = command.name == "predict" || command.name == "process";
    return !trains_nothing || std::ranges::none_of(set_options(text), [](const std::string& word) {
        Diagnostics unsaid;
        const auto set = experiment::read_override(word, 1, unsaid);
        const auto is_at = [&](std::size_t i, std::string_view name) {
            return set && i < set->path.size() && set->path[i] == name;
        };
        return is_at(0, "checkpoint") || (is_at(0, "training") && !is_at(1, "task"));
    });
}

// Returns what the file of the experiment states; nullopt where none is named, or it is unreadable.
std::optional<Value> stated_in(const Strings& arguments) {
    const auto found = std::ranges::find_if(arguments, [](const std::string& word) {
        std::error_code ignored;
        return word.ends_with(".toml") && std::filesystem::exists(word, ignored);
    });
    Diagnostics reported_elsewhere;
    return found == arguments.end()
               ? std::nullopt
               : experiment::load_experiment({.file = *found}, reported_elsewhere);
}

// Returns the text for a key of another program, "--set training.optimizer.lr=0.1"; "" where none
// has it, or not with this value.
std::string set_text(const std::string& key, const std::string& value,
                     const Strings& arguments = {}) {
    Diagnostics unsaid;
    const auto read = experiment::read_override("value=" + value, 1, unsaid);
    const std::size_t dot = key.rfind('.');
    const std::string table = key.substr(0, dot == key.npos ? 0 : dot);
    const Member member{key.substr(dot + 1), SourceLocation(std::string(kCommandLine), 1, 1),
                        read ? read->value : Value(value)};
    const auto root = arguments.empty() ? std::nullopt : stated_in(arguments);
    const auto meant = experiment::familiar_key_in({member, table, root ? &*root : nullptr});
    if (meant && root &&
        (meant->fix.starts_with("--set ") || meant->fix.starts_with("leave it out"))) {
        return meant->fix;  // for several keys, or for none
    }
    if (meant && !meant->fix.empty() && meant->keys == Strings{key}) {  // which has no meaning here
        return meant->fix.starts_with("leave it out") ? meant->fix : "";
    }
    if (key == "data") {  // files or a section, as of `ptprun predict`, and no type of a task
        return "";
    }
    if (!meant || meant->keys.size() != 1 || (!value.empty() && !meant->expected.empty()) ||
        meant->keys.front().starts_with("pipeline.")) {  // whose components have other names here
        return "";
    }
    const std::string written = value.empty() ? "..." : meant->value.empty() ? value : meant->value;
    return "--set " + shell_word(meant->keys.front() + "=" + written);
}

// Returns set_text(), also for several values, which are those of a sweep: "0.1,0.01".
std::string sweep_set_text(const std::string& key, const std::string& values,
                           const Strings& arguments) {
    Diagnostics unsaid;
    const auto each = alternatives("value=" + values, 0, unsaid);
    if (each.size() < 2 || !unsaid.ok()) {
        return set_text(key, values, arguments);
    }
    const std::string first = set_text(key, each.front().substr(each.front().find('=') + 1));
    const std::size_t begin = first.find(' ') + 1;
    const bool is_quoted = first.find('\'') != first.npos;  // as another value than the given one
    return first.empty() || is_quoted
               ? ""
               : "--set " + shell_word(first.substr(begin, first.find('=') + 1 - begin) + values);
}

std::string translated(const Command& command, const Strings& words);

// Returns what ptprun has for an option of another program; "" where nothing is known.
std::string meant_by(const Command& command, const std::string& option, const Strings& arguments) {
    const std::string typed = plain_name(option);
    const bool is_judge = command.name == "search" && has_word("metric monitor objective", typed);
    const std::string name = is_judge ? "judge" : typed;
    const std::string value = option_value(option, arguments, "");
    if (name == "best" && command.name == "runs") {
        return "--sort " + (value.empty() ? "loss" : shell_word(value));
    }
    if (has_word(kExperimentOptions, name) || has_word(kRunOptions, name)) {
        if (const Strings words = with_operands(command, arguments); words != arguments) {
            return fmt::format("ptprun {}{}{}", command.name, command.name.empty() ? "" : " ",
                               translated(command, words));
        }
    }
    const bool is_cut =
        command.name == "runs"
            ? has_word("first head last limit max_results n tail top", name)
            : command.name == "predict" && has_word("first head limit max_results n", name);
    if (is_cut) {
        return cut_listing(command, option, arguments);
    }
    if (const std::string other = command_with(option, arguments);
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
    const std::string text = found != kFamiliarOptions.end()
                                 ? form_with(found->form, value.empty() ? "..." : shell_word(value),
                                             experiment_in(arguments))
                             : is_key
                                 ? (is_swept ? sweep_set_text : set_text)(name, value, arguments)
                                 : "";
    return is_read(text, command) ? text : "";
}

// Returns "--set KEY=VALUE" for a word KEY=VALUE whose key another program has, too; "" for others.
std::string familiar_setting(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    return equals != word.npos && experiment::familiar_key(key.substr(key.rfind('.') + 1))
               ? set_text(key, word.substr(equals + 1))
               : "";
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

// Returns the words behind a command of another program, as they are typed, with options of this
// one in place of the other program's; a whole line, "ptprun ...", where another command has one.
std::string translated(const Command& command, const Strings& words) {
    std::string line;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string option = words[i].substr(0, words[i].find('='));
        const bool is_other = option.starts_with("--") && !has_option(command, option);
        const std::string meant = is_other ? meant_by(command, option, words) : "";
        if (meant.starts_with("ptprun ")) {
            return meant;
        }
        const std::string value = option_value(option, words, "");
        const bool is_whole = has_option(command, meant.substr(0, meant.find(' '))) &&
                              meant.find('\n') == meant.npos &&
                              (value.empty() || meant.find(value) != meant.npos);
        line += (line.empty() ? "" : " ") + (is_whole ? meant : shell_word(words[i]));
        i += is_whole && words[i] == option && !value.empty() ? 1 : 0;
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
    const std::string_view name = found->form.substr(found->form.find(' ') + 1);
    const auto named = std::ranges::find(
        known, name.starts_with("{}") ? "" : name.substr(0, name.find(' ')), &Command::name);
    words = named == known.end() ? words : with_operands(*named, words);
    if (!words.empty() && found->operand == kRun && words[0].ends_with(".toml")) {
        words[0] = kRun;  // of the experiment
    }
    const std::string rest = words.empty()          ? std::string(found->operand)
                             : named == known.end() ? as_typed(words)
                                                    : translated(*named, words);
    const std::string_view form = without_repeated(found->form, rest);
    return Explanation{"", rest.starts_with("ptprun ") ? rest : form_with(form, rest, "")}.text();
}

std::function<std::string(const std::string& option)> advice_on_option(
    const Command& command, const std::vector<std::string>& arguments) {
    return [&command, arguments](const std::string& option) -> std::string {
        if (!option.starts_with('-')) {
            return Explanation{"", familiar_setting(option)}.text();
        }
        const std::string own = meant_by(command, option, arguments);
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
