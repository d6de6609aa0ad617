#include "base/exit_code.hpp"
#include "candidates.hpp"
#include "commands.hpp"
#include "common/completion_scripts.hpp"

#include <fmt/core.h>

#include <cstdio>

namespace ptp::ptprun {

namespace {

int run_completion(const Given& given) {
    if (given.has("words")) {
        for (const std::string& one : candidates(given.operands())) {
            fmt::print("{}\n", one);
        }
        return kDone;
    }
    fmt::print("{}", tools::completion_script(given.operands().front(), "ptprun"));
    return kDone;
}

}  // namespace

Command completion_command() {
    return {
        .name = "completion",
        .summary = "prints a script for completion in the shell",
        .operands = {{.name = "bash|zsh|fish",
                      .what = "bash, zsh or fish",
                      .choices = {"bash", "zsh", "fish"}}},
        .options = {{.name = "words",
                     .help = "print the completions of the last of the words that follow; for the "
                             "scripts",
                     .takes_rest = true}},
        .example = "ptprun completion bash > ~/.local/share/bash-completion/completions/ptprun",
        .run = run_completion};
}

}  // namespace ptp::ptprun
