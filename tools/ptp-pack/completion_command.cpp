#include "base/exit_code.hpp"
#include "common/completion_scripts.hpp"
#include "ptp-pack/candidates.hpp"
#include "ptp-pack/commands.hpp"

#include <fmt/core.h>

namespace ptp::pack {

namespace {

int run_completion(const Given& given) {
    if (given.has("words")) {
        for (const std::string& one : candidates(given.operands(), commands())) {
            fmt::print("{}\n", one);
        }
        return kDone;
    }
    fmt::print("{}", tools::completion_script(given.operands().front(), kProgramName));
    return kDone;
}

}  // namespace

Command completion_command() {
    return {.name = "completion",
            .summary = "prints a script for completion in the shell",
            .operands = {{.name = "bash|zsh|fish",
                          .what = "bash, zsh or fish",
                          .choices = {"bash", "zsh", "fish"}}},
            .options = {{.name = "words",
                         .help = "print the completions of the last of the words that follow; for "
                                 "the scripts",
                         .takes_rest = true}},
            .example =
                "ptp-pack completion bash > "
                "~/.local/share/bash-completion/completions/ptp-pack",
            .run = run_completion};
}

}  // namespace ptp::pack
