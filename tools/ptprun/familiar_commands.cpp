#include "familiar_commands.hpp"

#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/value.hpp"
#include "experiment/familiar_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

namespace ptp::ptprun {

namespace {

struct Familiar {
    std::string_view name;
    std::string_view form;  // "{}" is replaced by what follows the name
};

struct FamiliarCommand {
    std::string_view name;
    std::string_view form;                         // "{}" is replaced by what follows the name
    std::string_view operand = "EXPERIMENT.toml";  // where nothing follows, or another one
};

constexpr std::string_view kRun = "RUN";

constexpr std::array kCommands = {
    FamiliarCommand{"components", "ptp-inspect"},
    FamiliarCommand{"continue", "ptprun resume {}", kRun},
    FamiliarCommand{"eval", "ptprun process {}", kRun},
    FamiliarCommand{"evaluate", "ptprun process {}", kRun},
    FamiliarCommand{"fit", "ptprun {}"},
    FamiliarCommand{"graph", "ptprun draw {}"},
    FamiliarCommand{"infer", "ptprun predict {} --data FILE", kRun},
    FamiliarCommand{"info", "ptprun summary {}"},
    FamiliarCommand{"inspect", "ptp-inspect"},
    FamiliarCommand{"list", "ptprun runs"},
    FamiliarCommand{"ls", "ptprun runs"},
    FamiliarCommand{"pause", "ptprun control {} pause", kRun},
    FamiliarCommand{"plot", "ptprun draw {}"},
    FamiliarCommand{"plugins", "ptp-inspect"},
    FamiliarCommand{"run", "ptprun {}"},
    FamiliarCommand{"start", "ptprun {}"},
    FamiliarCommand{"status", "ptprun control {} status", kRun},
    FamiliarCommand{"sweep", "ptprun {} --set KEY=A,B"},
    FamiliarCommand{"test", "ptprun process {}", kRun},
    FamiliarCommand{"train", "ptprun {}"},
    FamiliarCommand{"tune", "ptprun search {}"},
    FamiliarCommand{"validate", "ptprun check {}"},
    FamiliarCommand{"verify", "ptprun check {}"},
};

constexpr std::array kOptions = {
    Familiar{"config", "ptprun {}"},
    Familiar{"config_file", "ptprun {}"},
    Familiar{"checkpoint", "ptprun resume RUN-FOLDER"},
    Familiar{"ckpt", "ptprun resume RUN-FOLDER"},
    Familiar{"continue", "ptprun resume RUN-FOLDER"},
    Familiar{"cpu", "--device cpu"},
    Familiar{"cuda", "--device cuda"},
    Familiar{"debug", "--verbose"},
    Familiar{"dry_run", "ptprun check EXPERIMENT.toml"},
    Familiar{"eval", "ptprun process RUN-FOLDER"},
    Familiar{"evaluate", "ptprun process RUN-FOLDER"},
    Familiar{"experiment", "ptprun {}"},
    Familiar{"gpu", "--device cuda"},
    Familiar{"gpus", "--device cuda"},
    Familiar{"load", "--set pipeline.NAME.load={}"},
    Familiar{"log_dir", "--run-dir {}"},
    Familiar{"logdir", "--run-dir {}"},
    Familiar{"out", "--run-dir {}"},
    Familiar{"output", "--run-dir {}"},
    Familiar{"output_dir", "--run-dir {}"},
    Familiar{"override", "--set {}"},
    Familiar{"resume", "ptprun resume RUN-FOLDER"},
    Familiar{"resume_from_checkpoint", "ptprun resume RUN-FOLDER"},
    Familiar{"save_dir", "--run-dir {}"},
    Familiar{"test", "ptprun process RUN-FOLDER --section test"},
    Familiar{"threads", "OMP_NUM_THREADS={} in the environment"},
};

std::string fix(std::string_view form, const std::string& rest) {
    return fmt::format("\n    fix: {}", fmt::format(fmt::runtime(form), rest));
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

// "--set KEY=VALUE", as a shell takes it.
std::string set_text(const std::string& key, const std::string& value) {
    const std::string text = fmt::format("{}={}", key, value);
    return text.find_first_of(" {}[]\"") == std::string::npos ? fmt::format("--set {}", text)
                                                              : fmt::format("--set '{}'", text);
}

// Other data of the section that a command looks at.
std::string data_text(std::string_view command, const std::string& given) {
    std::error_code ignored;
    const bool is_file = std::filesystem::is_regular_file(given, ignored);
    const std::string key = fmt::format("{}.task.{}", command == "process" ? "test" : "training",
                                        is_file ? "file" : "data_folder");
    return set_text(key, given);
}

// The value as this key takes it.
std::string set_familiar(const std::string& key, const std::string& name,
                         const std::string& given) {
    const Value value = read_toml_value(given).value_or(Value(given));
    if (key == "device") {
        return given == "cpu" ? "--device cpu" : "--device cuda";
    }
    if (key.starts_with("pipeline.")) {
        const std::vector<std::string> types = experiment::familiar_components(given);
        return set_text(key + ".type", types.empty() ? given : types.front());
    }
    if (const std::string other = experiment::familiar_value(key, value); !other.empty()) {
        const std::size_t end = other.find(", ");
        const std::string rest = end == std::string::npos ? "" : other.substr(end);
        std::string first = other.substr(0, end);
        std::erase(first, '"');
        return set_text(key, first) + rest;
    }
    const auto meant = experiment::familiar_key_in("", Member{name, {}, value});
    return set_text(key, meant && !meant->value.empty() ? meant->value : given);
}

}  // namespace

std::string advice_on_command(const std::vector<std::string>& arguments) {
    const auto found = std::ranges::find(kCommands, arguments.front(), &FamiliarCommand::name);
    if (found == kCommands.end()) {
        return "";
    }
    const bool is_other = arguments.size() > 1 && found->operand == kRun &&
                          std::filesystem::path(arguments[1]).extension() == ".toml";
    const std::string rest = arguments.size() > 1 && !is_other
                                 ? join(std::span(arguments).subspan(1), " ")
                                 : std::string(found->operand);
    return fix(found->form, rest);
}

std::function<std::string(const std::string& option)> advice_on_option(
    std::string_view command, const std::vector<std::string>& arguments) {
    return [command, arguments](const std::string& option) -> std::string {
        const std::string name = plain_name(option);
        const std::string given = option_value(option, arguments, "...");
        const auto found = std::ranges::find(kOptions, name, &Familiar::name);
        if (found != kOptions.end()) {
            return fix(found->form, given);
        }
        if (name == "data") {
            return fix("{}", data_text(command, given));
        }
        const auto key = experiment::familiar_key(name);
        return key ? fix("{}", set_familiar(*key, name, given)) : "";
    };
}

}  // namespace ptp::ptprun
