// Prints problems, errors and warnings to the standard error, in the form of common/render.hpp,
// and returns the exit code with which a command ends.
#pragma once

#include "base/diagnostics.hpp"
#include "distributed/rank_log.hpp"
#include "engine/request.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::ptprun {

// The name of the program in messages and help.
inline constexpr std::string_view kProgram = "ptprun";

// Prints all problems and their number. `overrides` are the texts of --set, for places in them.
void show(const Diagnostics& problems, const std::vector<std::string>& overrides = {});

// Prints problems in this order, and their number.
void show(const std::vector<Problem>& problems, const std::vector<std::string>& overrides = {});

// Prints one problem.
void show(const Problem& problem, const std::vector<std::string>& overrides = {});

// Prints an error in the form "MESSAGE", or "PLACE: MESSAGE" from other parts of the program.
void show_error(std::string_view message, const std::vector<std::string>& overrides = {});

// Returns an error of a component, whose settings are in `table`, with options as its fixes: "fix:
// --set 'validation.task.label="kind"'" for "fix: write label = 'kind'". Those of the `fixed`
// settings, which a bundle keeps, are left out.
std::string with_options(const std::string& error, const std::string& table,
                         const std::vector<std::string>& fixed = {});

// Returns whether an error of the engine has a fix; that of a plugin is not indented.
bool has_fix(std::string_view error);

// Returns the table of the component that an error of the engine is of: "pipeline.words"; of a task
// that of `section`, if there is one; "" for another error.
std::string table_of_error(const std::string& error, const pipeline::Plan& plan,
                           const std::string& section);

// Prints a warning without a place in an experiment. `fix` may be "".
void show_warning(const std::string& message, const std::string& fix = "");

// Prints an error in a command line. `command` is a name in the help: "check".
void show_usage_error(std::string_view message, std::string_view command);

// Prints all problems to standard error, and returns the exit code for them.
int report(const Diagnostics& problems, const plugin::Catalog& catalog,
           const std::vector<std::string>& overrides = {});

// Prints the error to standard error, if there is one, and returns the exit code. Also prints it to
// `errors` (optional), if the standard error has been redirected to a file.
int report(const engine::RunResult& result, const std::vector<std::string>& overrides = {},
           const distributed::FirstErrorStream* errors = nullptr);

}  // namespace ptp::ptprun
