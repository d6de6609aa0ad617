#include "commands.hpp"

#include <sstream>

namespace ptp::ptprun {

std::span<const Command> commands() {
    static const std::vector<Command> all = {
        {"",
         "ptprun EXPERIMENT.toml",
         "trains, and writes a run folder",
         {Operand::kExperiment},
         run_command,
         run_options},
        {"resume",
         "ptprun resume RUN-FOLDER",
         "goes on with a run that was interrupted",
         {Operand::kRun},
         resume_command,
         resume_options},
        {"swap",
         "ptprun swap RUN-FOLDER PLUGIN-FILE...",
         "gives a running training newer builds of plugins",
         {Operand::kRunFolder, Operand::kPluginFile},
         swap_command,
         swap_options},
        {"control",
         "ptprun control RUN-FOLDER REQUEST",
         "asks a running training for its status, or to pause, save ...",
         {Operand::kRunFolder, Operand::kRequest},
         control_command,
         control_options},
        {"process",
         "ptprun process RUN-OR-EXPERIMENT",
         "runs sections once, with the weights of a run",
         {Operand::kRun},
         process_command,
         process_options},
        {"check",
         "ptprun check EXPERIMENT.toml",
         "says all that is wrong, without running anything",
         {Operand::kExperiment},
         check_command,
         check_options},
        {"summary",
         "ptprun summary EXPERIMENT.toml",
         "says what would be trained, and on what",
         {Operand::kExperiment},
         summary_command,
         summary_options},
        {"draw",
         "ptprun draw EXPERIMENT.toml",
         "shows the pipeline as text or as a picture",
         {Operand::kExperiment},
         draw_command,
         draw_options},
        {"explain",
         "ptprun explain EXPERIMENT.toml [KEY]",
         "says where a value comes from",
         {Operand::kExperiment, Operand::kKey},
         explain_command,
         explain_options},
        {"schema",
         "ptprun schema",
         "prints a JSON schema of experiments, for editors",
         {},
         schema_command,
         schema_options},
        {"runs",
         "ptprun runs [DIR]...",
         "lists and compares runs; those in runs/ if no folder is named",
         {Operand::kRunFolder},
         runs_command,
         runs_options},
        {"diff",
         "ptprun diff RUN RUN",
         "says what two runs do not have in common; ends with 0 if nothing, else 1",
         {Operand::kRun, Operand::kRun},
         diff_command,
         diff_options},
        {"completion",
         "ptprun completion bash|zsh|fish",
         "prints a script with which the shell completes command lines",
         {Operand::kShell},
         completion_command,
         completion_options},
    };
    return all;
}

std::string options_text(const Options& options) {
    std::ostringstream text;
    text << options;
    return text.str();
}

}  // namespace ptp::ptprun
