// Commands, options and terms of other programs, and what ptprun has for them.

#include "help.hpp"

#include "base/diagnostics.hpp"
#include "base/ranges.hpp"
#include "base/shell_words.hpp"
#include "base/text.hpp"
#include "base/value.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/load/override.hpp"
#include "run/paths.hpp"
#include "set_text.hpp"
#include "training_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <sstream>

namespace ptp::ptprun {

namespace {

struct Familiar {
    std::string_view names;  // separated by spaces
    std::string_view form;   // "{}" is replaced by what follows the name, {file} by the experiment
    std::string_view values = {};   // with which alone it is meant so; it comes before one without
    std::string_view command = {};  // with which alone, too
};

struct FamiliarCommand {
    std::string_view names;                        // separated by spaces
    std::string_view form;                         // "{}" is replaced by what follows the name
    std::string_view operand = "EXPERIMENT.toml";  // where nothing follows, or another one
};

constexpr std::string_view kRun = "RUN";

constexpr std::array kCommands = {
    FamiliarCommand{"components inspect plugins", "ptp-inspect"},
    FamiliarCommand{"continue", "ptprun resume {}", kRun},
    FamiliarCommand{"eval evaluate test", "ptprun process {}", kRun},
    FamiliarCommand{"onnx torchscript", "ptprun export {} -o model.onnx", kRun},
    FamiliarCommand{"fit run start train", "ptprun {}"},
    FamiliarCommand{"graph plot", "ptprun draw {}"},
    FamiliarCommand{"infer", "ptprun predict {} --data FILE", kRun},
    FamiliarCommand{"info", "ptprun summary {}"},
    FamiliarCommand{"install", "ptp-pack install {}", "NAME"},
    FamiliarCommand{"list ls", "ptprun runs"},
    FamiliarCommand{"pause", "ptprun control {} pause", kRun},
    FamiliarCommand{"publish upload", "ptp-pack publish FOLDER --key FILE"},
    FamiliarCommand{"sign", "ptp-pack sign {} --key FILE", "FILE"},
    FamiliarCommand{"status", "ptprun control {} status", kRun},
    FamiliarCommand{"sweep", ""},
    FamiliarCommand{"tune", "ptprun search {}"},
    FamiliarCommand{"validate verify", "ptprun check {}"},
};

constexpr std::array kOptions = {
    Familiar{"accelerator", "--device cpu", "cpu"},
    Familiar{"batch_size bs", "leave it out: it changes no prediction", {}, "predict"},
    Familiar{"d file files i input inputs", "--data {}", {}, "predict"},
    Familiar{"f format", "--json", "json jsonl", "predict"},
    Familiar{"k splits", "--folds {}", {}, "cv"},
    Familiar{"devices gpus num_gpus", "--device cpu", "0"},
    Familiar{"devices gpus num_gpus", "--nproc {} --device cuda", "2 3 4 5 6 7 8"},
    Familiar{"accelerator cuda devices gpu gpus num_gpus", "--device cuda"},
    Familiar{"agree dry_run", "ptprun check {file}"},
    Familiar{"config_file experiment", "ptprun {}"},
    Familiar{
        "columns cols fields usecols",
        "leave it out; --stream NAME chooses the streams that are predicted, and a table has a "
        "row for each sample",
        "", "predict"},
    Familiar{"checkpoint ckpt ckpt_path continue resume resume_from_checkpoint",
             "ptprun resume RUN-FOLDER"},
    Familiar{"cpu", "--device cpu"},
    Familiar{"debug", "--verbose"},
    Familiar{"eval evaluate", "ptprun process RUN-FOLDER"},
    Familiar{"expdir", "export PTP_RUNS={}"},
    Familiar{"exptag", "--tag {}"},
    Familiar{"amp bf16", "--set training.precision=bf16"},
    Familiar{"folds k_folds kfold kfolds n_splits", "ptprun cv {file} --folds {}"},
    Familiar{"fp16 half",
             "--set training.precision=bf16\n         --device cuda --set training.precision=fp16"},
    Familiar{"interval log_every_n_steps", "--set interval={}"},
    Familiar{"load", "--set pipeline.load={}"},
    Familiar{"log_dir logdir out output output_dir save_dir", "--run-dir {}"},
    Familiar{"logger", "--verbose", "DEBUG NOTSET"},
    Familiar{"logger", "leave it out", "INFO"},
    Familiar{"logger", "--quiet"},
    Familiar{"nprocs nproc_per_node num_processes world_size", "--nproc {}"},
    Familiar{"override", "--set {}"},
    Familiar{"pipeline",
             "leave it out, the pipeline is [pipeline]; of a file of PyTorchPipe: ptp-import "
             "--pipeline {}"},
    Familiar{"precision",
             "--set training.precision=bf16\n         --device cuda --set training.precision=fp16",
             "16 16-mixed"},
    Familiar{"precision", "--set training.precision=bf16", "bf16-mixed"},
    Familiar{"precision", "leave it out", "32"},
    Familiar{"saveall", "--set checkpoint.every_epochs=1 --set checkpoint.keep=1000000"},
    Familiar{"section", "ptprun process last --section {}"},
    Familiar{"tensorboard",
             "--set records.tensorboard.every_episodes=1 --set "
             "records.tensorboard.histograms_every_episodes=100",
             "1 2"},
    Familiar{"tensorboard", "--set records.tensorboard.every_episodes=1"},
    Familiar{"test", "ptprun process RUN-FOLDER --section test"},
    Familiar{"threads", "OMP_NUM_THREADS={} in the environment"},
    Familiar{"training",
             "leave it out, the section is [training]; another one in a file of its own: "
             "--over FILE.toml"},
    Familiar{"validation",
             "leave it out, the section is [validation]; a further set is [validation.{}]"},
};

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

// "max_epochs" for "--max-epochs".
std::string plain_name(std::string_view option) {
    std::string name(option.substr(std::min(option.find_first_not_of('-'), option.size())));
    std::ranges::replace(name, '-', '_');
    return name;
}

// The value given to an option, "--epochs 5" or "--epochs=5"; a form of one where there is none.
std::string option_value(const std::string& option, const std::vector<std::string>& arguments,
                         const std::string& otherwise) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].starts_with(option + "=")) {
            return arguments[i].substr(option.size() + 1);
        }
        const bool has_next = i + 1 < arguments.size() && !arguments[i + 1].starts_with("--");
        if (arguments[i] == option && has_next) {
            return arguments[i + 1];
        }
    }
    return otherwise;
}

// Returns all values that the option was given, separated by commas or spaces.
Strings option_values(const std::string& option, const Strings& arguments) {
    Strings values;
    bool is_value = false;
    for (const std::string& word : arguments) {
        const bool has_value = word.starts_with(option + "=");
        is_value = has_value || word == option || (is_value && !word.starts_with('-'));
        if (is_value && word != option) {
            std::istringstream list(has_value ? word.substr(option.size() + 1) : word);
            for (std::string value; std::getline(list, value, ',');) {
                values.push_back(value);
            }
        }
    }
    return values;
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

// PyTorchPipe's --config: the first of its files counts most.
std::string files_in_order(Strings files) {
    std::ranges::reverse(files);
    return files.empty() ? "ptprun EXPERIMENT.toml" : "ptprun " + as_typed(files, " --over ");
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
            return fmt::format("{} ({})",
                               option.value.empty() ? std::string(typed)
                                                    : fmt::format("{} {}", typed, option.value),
                               option.help);
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
    const bool is_of_predict = has_word("data jsonl text classes top_k worst", plain_name(option));
    return is_of_predict ? "ptprun predict " + join(without_run_folder(arguments), " ") : "";
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

// Returns what ptprun has for an option of another program; "" where nothing is known.
std::string meant_by(const Command& command, const std::string& option, const Strings& arguments) {
    const std::string name = plain_name(option);
    const std::string value = option_value(option, arguments, "");
    if (name == "config") {
        return files_in_order(option_values(option, arguments));
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
    const auto found = std::ranges::find_if(kOptions, [&](const Familiar& one) {
        return has_word(one.names, name) && (one.values.empty() || has_word(one.values, value)) &&
               (one.command.empty() || one.command == command.name);
    });
    const auto is_set = [](const Option& one) { return one.name == "set"; };
    const bool is_key =
        experiment::familiar_key(name).has_value() || std::ranges::any_of(command.options, is_set);
    const bool is_swept = command.name.empty() || command.name == "check";
    const std::string text = found != kOptions.end()
                                 ? form_with(found->form, value.empty() ? "..." : shell_word(value),
                                             experiment_in(arguments))
                             : is_key ? (is_swept ? sweep_set_text : set_text)(name, value)
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
        const std::filesystem::path record = std::filesystem::path(word) / run::kExperimentFile;
        std::error_code ignored;
        const bool is_alone = !word.starts_with('-') && (i == 0 || !takes_next(words[i - 1]));
        const bool is_run = is_alone && std::filesystem::exists(record, ignored);
        const std::size_t equals = word.find('=');
        const bool is_setting =
            is_alone && !is_run && equals != word.npos && !std::filesystem::exists(word, ignored);
        has_experiment = has_experiment || (is_alone && !is_setting);
        has_values = has_values || (equals != word.npos && word.find(',', equals) != word.npos);
        const std::string setting = is_setting ? familiar_setting(word) : "";
        typed_words += setting.empty() ? (is_setting ? " --set " : " ") +
                                             shell_word(is_run ? record.string() : word)
                                       : " " + setting;
    }
    return fmt::format("ptprun{}{}{}", has_experiment ? "" : " EXPERIMENT.toml", typed_words,
                       has_values ? "" : " --set training.optimizer.lr=0.1,0.01");
}

}  // namespace

std::string advice_on_command(const std::vector<std::string>& arguments) {
    const auto found = std::ranges::find_if(kCommands, [&](const FamiliarCommand& one) {
        return has_word(one.names, arguments.front());
    });
    if (found == kCommands.end()) {
        return "";
    }
    if (arguments.front() == "sweep") {
        return "\n    fix: " + sweep_text({arguments.begin() + 1, arguments.end()});
    }
    const bool is_other = arguments.size() > 1 && found->operand == kRun &&
                          std::filesystem::path(arguments[1]).extension() == ".toml";
    const std::string rest = arguments.size() > 1 && !is_other
                                 ? as_typed(std::span(arguments).subspan(1))
                                 : std::string(found->operand);
    return "\n    fix: " + form_with(found->form, rest, "");
}

std::function<std::string(const std::string& option)> advice_on_option(
    const Command& command, const std::vector<std::string>& arguments) {
    return [&command, arguments](const std::string& option) -> std::string {
        if (!option.starts_with('-')) {
            const std::string set = familiar_setting(option);
            return set.empty() ? "" : "\n    fix: " + set;
        }
        std::string meant = meant_by(command, option, arguments);
        if (meant.empty()) {
            meant = option_of_training(option);
        }
        const auto is_it = [&](const Option& one) {
            return meant.starts_with("--" + one.long_name() + " ") ||
                   meant == "--" + one.long_name();
        };
        const bool is_taken =
            !meant.starts_with("--") || std::ranges::any_of(command.options, is_it);
        return meant.empty()
                   ? ""
                   : fmt::format("\n    fix: {}{}",
                                 is_taken ? "" : "leave it out; a training takes ", meant);
    };
}

}  // namespace ptp::ptprun
