// The scripts of three shells, and the completions that they ask for.

#include "common/completion.hpp"

#include "base/exit_code.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace ptp::tools {

namespace {

// bash treats "=" as the end of a word, so the text before it must not be in the answer.
constexpr std::string_view kBash = R"shell(# eval "$(ptprun completion bash)"
_ptprun() {
    local line=${COMP_LINE:0:COMP_POINT} current before answer
    local -a words
    read -ra words <<<"$line"
    [[ $line != *[[:space:]] ]] || words+=("")
    current=${words[-1]}
    before=
    [[ $current != *=* || $COMP_WORDBREAKS != *=* ]] || before=${current%"${current##*=}"}
    COMPREPLY=()
    while IFS= read -r answer; do
        case $answer in
        :files) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
            compopt -o filenames 2>/dev/null ;;
        :folders) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current")
            compopt -o filenames 2>/dev/null ;;
        *=) COMPREPLY+=("${answer#"$before"}")
            compopt -o nospace 2>/dev/null ;;
        *) COMPREPLY+=("${answer#"$before"}") ;;
        esac
    done < <("${words[0]}" completion --words "${words[@]:1}" 2>/dev/null)
}
complete -F _ptprun ptprun
)shell";

constexpr std::string_view kZsh = R"shell(#compdef ptprun
# eval "$(ptprun completion zsh)"
_ptprun() {
    local answer
    for answer in "${(@f)$(${words[1]} completion --words "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $answer in
        '') ;;
        :files) _files ;;
        :folders) _files -/ ;;
        *=) compadd -S '' -- "$answer" ;;
        *) compadd -- "$answer" ;;
        esac
    done
}
if [[ ${funcstack[1]-} == _ptprun ]]; then  # loaded from a folder of completions
    _ptprun "$@"
else
    compdef _ptprun ptprun
fi
)shell";

constexpr std::string_view kFish = R"shell(# ptprun completion fish | source
function __ptprun_complete
    set -l words (commandline -opc) (commandline -ct)
    for answer in ($words[1] completion --words $words[2..-1] 2>/dev/null)
        switch $answer
            case ':files'
                __fish_complete_path (commandline -ct)
            case ':folders'
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $answer
        end
    end
end
complete -c ptprun -f -a '(__ptprun_complete)'
)shell";

// The program name in the scripts.
constexpr std::string_view kWrittenFor = "ptprun";

std::string_view script_of(std::string_view shell) {
    if (shell == "bash") {
        return kBash;
    }
    if (shell == "zsh") {
        return kZsh;
    }
    return shell == "fish" ? kFish : std::string_view();
}

std::string completion_script(std::string_view shell, std::string_view program) {
    std::string script(script_of(shell));
    for (std::size_t at = script.find(kWrittenFor); at != std::string::npos;
         at = script.find(kWrittenFor, at + program.size())) {
        script.replace(at, kWrittenFor.size(), program);
    }
    return script;
}

void print_completions(const Strings& values, const Strings& words) {
    for (const std::string& value : values) {
        const bool is_meant = words.empty() || value.starts_with(words.back());
        if (!value.empty() && (value.starts_with(':') || is_meant)) {
            fmt::print("{}\n", value);
        }
    }
}

const Option* value_option(const std::vector<Option>& options, const std::string& word) {
    const auto found = std::ranges::find_if(options, [&](const Option& option) {
        return !option.value.empty() &&
               (word == "--" + option.long_name() || (word.size() == 2 && word.front() == '-' &&
                                                      option.name.ends_with(',' + word.substr(1))));
    });
    return found == options.end() ? nullptr : &*found;
}

Strings both(Strings choices, const Strings& completions) {
    choices.insert(choices.end(), completions.begin(), completions.end());
    return choices;
}

}  // namespace

Completions completions_of(const Command& command, const Strings& words) {
    const std::vector<Option> options = all_options(command);
    Completions found;
    std::size_t operands = 0;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (const Option* option = value_option(options, words[i])) {
            if (i + 2 == words.size()) {
                found.values = both(option->choices, option->completions);
                return found;
            }
            ++i;
        } else if (!words[i].starts_with('-') && operands++ == 0) {
            found.first = words[i];
        }
    }
    if (words.back().starts_with('-')) {
        for (const Option& option : options) {
            if (option.refusal.empty()) {
                found.values.push_back("--" + option.long_name());
            }
        }
        return found;
    }
    std::size_t end = 0;
    for (const Operand& operand : command.operands) {
        end += operand.max;
        if (operands < end) {
            found.values = both(operand.choices, operand.completions);
            break;
        }
    }
    return found;
}

Command completion_command(std::string_view program, int (*run)(const Given&)) {
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
        .example = fmt::format(
            "{0} completion bash > ~/.local/share/bash-completion/completions/{0}", program),
        .run = run};
}

int complete(std::string_view program, Strings (*candidates)(const Strings& words),
             const Given& given) {
    if (given.has("words")) {
        print_completions(candidates(given.operands()), given.operands());
    } else {
        fmt::print("{}", completion_script(given.operands().front(), program));
    }
    return kDone;
}

}  // namespace ptp::tools
