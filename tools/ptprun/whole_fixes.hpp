// Completes fixes that are options, "--data ./new", to the command line that was typed with them.
#pragma once

#include "base/diagnostics.hpp"
#include "commands.hpp"
#include "engine/request.hpp"
#include "run_operand.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ptp::ptprun {

// Returns "ptprun predict RUN --data ./new predicts ..." for a fix "--data ./new predicts ...": the
// command line with these options in place of those of their names; a --set replaces one of its key
// alone. Other fixes stay as they are. The command "" trains.
std::string whole_fix(const std::string& command, const Given& given, const std::string& fix);

// Completes each fix in a text; a fix is a line: "    fix: --data ./new".
std::string with_whole_fixes(const std::string& command, const Given& given,
                             const std::string& text);

// Returns the problems as sorted(), with whole fixes. That of a --set which is to be left out is
// the command line without it.
std::vector<Problem> with_whole_fixes(const std::string& command, const Given& given,
                                      const Diagnostics& problems);

// The run or experiment that the engine has computed with.
struct ComputedWith {
    const Subject& subject;
    const pipeline::Plan& plan;
    std::string section = {};  // of its task, where an error names a task; "": the task's own
};

// Makes the fixes of an engine's error options that can be typed, with whole command lines.
void complete_options(engine::RunResult& result, const std::string& command, const Given& given,
                      const ComputedWith& with);

// Runs a command whose UsageErrors have fixes to complete.
int run_with_whole_fixes(const std::string& command, const Given& given,
                         const std::function<int()>& run);

}  // namespace ptp::ptprun
