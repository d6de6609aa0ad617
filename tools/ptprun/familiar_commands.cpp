#include "familiar_commands.hpp"

#include "base/text.hpp"
#include "experiment/familiar_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace ptp::ptprun {

namespace {

struct Familiar {
    std::string_view name;
    std::string_view form;  // "{}" is replaced by what follows the name
};

constexpr std::array kCommands = {
    Familiar{"components", "ptp-inspect"},
    Familiar{"continue", "ptprun resume {}"},
    Familiar{"eval", "ptprun process {}"},
    Familiar{"evaluate", "ptprun process {}"},
    Familiar{"fit", "ptprun {}"},
    Familiar{"graph", "ptprun draw {}"},
    Familiar{"info", "ptprun summary {}"},
    Familiar{"inspect", "ptp-inspect"},
    Familiar{"list", "ptprun runs {}"},
    Familiar{"ls", "ptprun runs {}"},
    Familiar{"pause", "ptprun control {} pause"},
    Familiar{"plot", "ptprun draw {}"},
    Familiar{"plugins", "ptp-inspect"},
    Familiar{"run", "ptprun {}"},
    Familiar{"start", "ptprun {}"},
    Familiar{"status", "ptprun control {} status"},
    Familiar{"sweep", "ptprun {}"},
    Familiar{"test", "ptprun process {}"},
    Familiar{"train", "ptprun {}"},
    Familiar{"tune", "ptprun search {}"},
    Familiar{"validate", "ptprun check {}"},
    Familiar{"verify", "ptprun check {}"},
};

constexpr std::array kOptions = {
    Familiar{"config", "ptprun {}"},
    Familiar{"config_file", "ptprun {}"},
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
    Familiar{"interval", "--set interval={}"},
    Familiar{"log_dir", "--run-dir {}"},
    Familiar{"log_every_n_steps", "--set interval={}"},
    Familiar{"logdir", "--run-dir {}"},
    Familiar{"out", "--run-dir {}"},
    Familiar{"output", "--run-dir {}"},
    Familiar{"output_dir", "--run-dir {}"},
    Familiar{"override", "--set {}"},
    Familiar{"resume", "ptprun resume RUN-FOLDER"},
    Familiar{"resume_from_checkpoint", "ptprun resume RUN-FOLDER"},
    Familiar{"save_dir", "--run-dir {}"},
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

}  // namespace

std::string advice_on_command(const std::vector<std::string>& arguments) {
    const auto found = std::ranges::find(kCommands, arguments.front(), &Familiar::name);
    if (found == kCommands.end()) {
        return "";
    }
    const std::string rest =
        arguments.size() > 1 ? join(std::span(arguments).subspan(1), " ") : "EXPERIMENT.toml";
    return fix(found->form, rest);
}

std::function<std::string(const std::string& option)> advice_on_option(
    const std::vector<std::string>& arguments) {
    return [arguments](const std::string& option) -> std::string {
        const std::string name = plain_name(option);
        const auto found = std::ranges::find(kOptions, name, &Familiar::name);
        if (found != kOptions.end()) {
            return fix(found->form, option_value(option, arguments, "..."));
        }
        const auto key = experiment::familiar_key(name);
        if (!key) {
            return "";
        }
        return fix("--set {}", fmt::format("{}={}", *key, option_value(option, arguments, "...")));
    };
}

}  // namespace ptp::ptprun
