#include "common/completion_scripts.hpp"

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

}  // namespace

std::string completion_script(std::string_view shell, std::string_view program) {
    std::string script(script_of(shell));
    for (std::size_t at = script.find(kWrittenFor); at != std::string::npos;
         at = script.find(kWrittenFor, at + program.size())) {
        script.replace(at, kWrittenFor.size(), program);
    }
    return script;
}

}  // namespace ptp::tools
