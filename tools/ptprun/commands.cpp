#include "commands.hpp"

#include "common/color_option.hpp"

#include <fmt/core.h>
#include <boost/program_options/value_semantic.hpp>

#include <sstream>

namespace ptp::ptprun {

std::span<const Command> commands() {
    static const std::vector<Command> all = {
        {"",
         "ptprun EXPERIMENT.toml",
         "trains, and writes a run folder",
         {Operand::kExperiment},
         run_command,
         run_options,
         true,
         "ptprun net.toml --set training.optimizer.lr=0.01 --seed 1"},
        {"cv",
         "ptprun cv EXPERIMENT.toml",
         "trains once for each fold; mean and deviation",
         {Operand::kExperiment},
         cv_command,
         cv_options,
         true,
         "ptprun cv net.toml --folds 5 --jobs 2"},
        {"resume",
         "ptprun resume RUN-FOLDER",
         "continues a run that was interrupted",
         {Operand::kRun},
         resume_command,
         resume_options,
         true,
         "ptprun resume runs/net/20260131_120000"},
        {"replay",
         "ptprun replay RUN-FOLDER",
         "repeats a run, with all that was done to it",
         {Operand::kRun},
         replay_command,
         replay_options,
         true,
         "ptprun replay runs/net/20260131_120000 --run-dir again"},
        {"swap",
         "ptprun swap RUN-FOLDER PLUGIN-FILE...",
         "exchanges plugins of a running training",
         {Operand::kRunFolder, Operand::kPluginFile},
         swap_command,
         swap_options,
         false,
         "ptprun swap runs/net/20260131_120000 build/my_plugin.so --dry-run"},
        {"control",
         "ptprun control RUN-FOLDER REQUEST",
         "status, pause, continue, ... of a running one",
         {Operand::kRunFolder, Operand::kRequest},
         control_command,
         control_options,
         false,
         "ptprun control runs/net/20260131_120000 learning-rate 0.001"},
        {"process",
         "ptprun process RUN-OR-EXPERIMENT",
         "evaluates sections with the weights of a run",
         {Operand::kExperiment},
         process_command,
         process_options,
         true,
         "ptprun process runs/net/20260131_120000 --section test"},
        {"predict",
         "ptprun predict RUN --data DATA",
         "predicts for files, a folder or a section",
         {Operand::kExperiment},
         predict_command,
         predict_options,
         false,
         "ptprun predict runs/net/20260131_120000 --data photos -o predictions.csv"},
        {"check",
         "ptprun check RUN-OR-EXPERIMENT",
         "reports all errors, without running anything",
         {Operand::kExperiment},
         check_command,
         check_options,
         false,
         "ptprun check net.toml --set pipeline.model.dropout_rate=0.2"},
        {"summary",
         "ptprun summary RUN-OR-EXPERIMENT",
         "shows what would be trained, and on what",
         {Operand::kExperiment},
         summary_command,
         summary_options,
         false,
         "ptprun summary net.toml"},
        {"draw",
         "ptprun draw RUN-OR-EXPERIMENT",
         "shows the pipeline as text or as a picture",
         {Operand::kExperiment},
         draw_command,
         draw_options,
         false,
         "ptprun draw net.toml --format svg > net.svg"},
        {"explain",
         "ptprun explain RUN-OR-EXPERIMENT [KEY]",
         "shows where a value comes from",
         {Operand::kExperiment, Operand::kKey},
         explain_command,
         explain_options,
         false,
         "ptprun explain net.toml training.optimizer.lr"},
        {"schema",
         "ptprun schema",
         "prints a JSON schema of experiments",
         {},
         schema_command,
         schema_options,
         false,
         "ptprun schema > experiment.schema.json"},
        {"runs",
         "ptprun runs [DIR]...",
         "lists and compares runs (default: runs/)",
         {Operand::kRunFolder},
         runs_command,
         runs_options,
         false,
         "ptprun runs --where 'lr<0.01' --sort loss"},
        {"tag",
         "ptprun tag RUN [TAG]...",
         "adds tags and a note to a run",
         {Operand::kRun, Operand::kTag},
         tag_command,
         tag_options,
         false,
         "ptprun tag last baseline"},
        {"diff",
         "ptprun diff RUN RUN",
         "shows how two runs differ (exit code 1)",
         {Operand::kRun, Operand::kRun},
         diff_command,
         diff_options,
         false,
         "ptprun diff runs/net/20260131_120000 runs/net/20260131_130000"},
        {"completion",
         "ptprun completion bash|zsh|fish",
         "prints a script for completion in the shell",
         {Operand::kShell},
         completion_command,
         completion_options,
         false,
         "ptprun completion bash > ~/.local/share/bash-completion/completions/ptprun"},
    };
    return all;
}

std::string_view help_name(const Command& command) {
    return command.name.empty() ? "run" : command.name;
}

std::string overview() {
    constexpr std::string_view kProgram = "ptprun ";
    std::string text =
        "usage: ptprun EXPERIMENT.toml [OPTION]...   trains, and writes a run folder\n"
        "       ptprun COMMAND ...\n\n";
    for (const Command& command : commands()) {
        if (!command.name.empty()) {
            text +=
                fmt::format("  {:<32}{}\n", command.usage.substr(kProgram.size()), command.summary);
        }
    }
    return text +
           "\nptprun help run: options of a training; ptprun help COMMAND: of a command;\n"
           "ptp-inspect: the components that there are; ptprun --version\n"
           "exit codes: 0 done, 2 wrong input, 3 plugin, 4 data, 5 training, 6 diverged\n";
}

Options all_options(const Command& command) {
    Options options = command.options();
    options.add_options()("color", boost::program_options::value<std::string>()->value_name("WHEN"),
                          tools::kColorHelp);
    return options;
}

std::string help_of(const Command& command) {
    const std::string_view signals =
        command.has_folder ? "\nBesides the exit codes of ptprun --help: 129 hung up (SIGHUP), 130 "
                             "interrupted\n(SIGINT), 143 terminated (SIGTERM).\n"
                           : "";
    return fmt::format("usage: {} [OPTION]...\n\nThis command {}.\n\nexample:\n  {}\n\n{}{}",
                       command.usage, command.summary, command.example,
                       options_text(all_options(command)), signals);
}

std::string options_text(const Options& options) {
    std::ostringstream text;
    text << options;
    return text.str();
}

}  // namespace ptp::ptprun
