// The commands of ptprun. Each takes the words after its name, says what it has to say on the
// standard output, what is wrong on the standard error, and returns the exit code.
// boost::program_options::error is for the caller.

#pragma once

#include <boost/program_options/options_description.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::ptprun {

using Arguments = std::vector<std::string>;
using Options = boost::program_options::options_description;

// What a word that is not an option stands for.
enum class Operand { kExperiment, kKey, kRun, kRunFolder, kRequest, kPluginFile, kShell, kTag };

struct Command {
    std::string_view name;  // empty: what ptprun does with a file and no command
    std::string_view usage;
    std::string_view summary;
    std::vector<Operand> operands;  // the last may stand for several words
    int (*run)(const Arguments&);
    Options (*options)();
    bool has_folder = false;  // for what it has to give; what it prints may be lost
    std::string_view example = {};
};

// All of them, in the order of the help.
std::span<const Command> commands();

// Trains: what ptprun does with a file and no command.
int run_command(const Arguments& arguments);
Options run_options();

// Trains an experiment once for each fold, and ends with mean and deviation.
int cv_command(const Arguments& arguments);
Options cv_options();

// Continues with a run that was interrupted.
int resume_command(const Arguments& arguments);
Options resume_options();

// Runs an experiment again, with all that was done to the first run while it ran.
int replay_command(const Arguments& arguments);
Options replay_options();

// Asks a training that is running to take newer builds of plugins.
int swap_command(const Arguments& arguments);
Options swap_options();

// Asks a training that is running for something else.
int control_command(const Arguments& arguments);
Options control_options();

// What can be asked of it: "status", "learning-rate" and so on.
const std::vector<std::string>& control_requests();

// One pass over sections of an experiment, with weights that are there.
int process_command(const Arguments& arguments);
Options process_options();

// A table of predictions for samples that may have no targets.
int predict_command(const Arguments& arguments);
Options predict_options();

// Whether an experiment could run, as far as that can be known without libtorch.
int check_command(const Arguments& arguments);
Options check_options();

// What would be trained, and on what.
int summary_command(const Arguments& arguments);
Options summary_options();

// The pipeline as text or as a picture.
int draw_command(const Arguments& arguments);
Options draw_options();

// Where a value comes from.
int explain_command(const Arguments& arguments);
Options explain_options();

// What an experiment may say, for editors.
int schema_command(const Arguments& arguments);
Options schema_options();

// Which runs there are, beside each other.
int runs_command(const Arguments& arguments);
Options runs_options();

// The table of `ptprun runs FOLDER`.
void print_runs(const std::string& folder);

// What people call a run, and say of it.
int tag_command(const Arguments& arguments);
Options tag_options();

// What two runs do not have in common.
int diff_command(const Arguments& arguments);
Options diff_options();

// Scripts with which shells complete command lines.
int completion_command(const Arguments& arguments);
Options completion_options();

// Those of a command, and those of all commands.
Options all_options(const Command& command);

// The help on a command's options.
std::string options_text(const Options& options);

// What a command is called in the help: "run" for the one without a name.
std::string_view help_name(const Command& command);

// All commands, a line for each; fits on a screen.
std::string overview();

// Usage, an example and the options of one command.
std::string help_of(const Command& command);

}  // namespace ptp::ptprun
