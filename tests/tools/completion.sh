#!/usr/bin/env bash
# completion.sh BUILD-FOLDER: the completion scripts of ptprun and ptp-pack, read and used by bash, and by zsh and
# fish where they are installed.

bin=$1/bin
export PATH=$bin:$PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mkdir runs
: >e.toml
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# offers SHELL WORDS EXPECTED: what the shell offers for the last of the words, in order of the alphabet.
offers() {
    local shell=$1 words=$2 expected=$3 offered
    offered=$("in_$shell" "$words" 2>&1 | sort | paste -sd ' ')
    [[ $offered == "$expected" ]] || fail "$shell: '$words': offers '$offered', not '$expected'"
}

in_bash() {
    # shellcheck disable=SC2016  # for another shell
    bash --norc -c 'program=${1%% *}
        eval "$("$program" completion bash)"
        COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDBREAKS="="
        "_$program"
        printf "%s\n" "${COMPREPLY[@]}"' - "$1" 2>/dev/null
}

# The functions of its completion system are in place only while a person types.
in_zsh() {
    # shellcheck disable=SC2016  # for another shell
    zsh -f -c 'compdef() { defined=$1 }
        compadd() { [[ $1 != -S ]] || shift 2; [[ $1 != -- ]] || shift; print -r -- "$1" }
        _files() { [[ -n $words[CURRENT] ]] || print -r -- "files $*" }
        words=("${(@s: :)1}")
        CURRENT=$#words
        eval "$($words[1] completion zsh)"
        $defined' - "$1"
}

in_fish() {
    # shellcheck disable=SC2016  # for another shell
    fish --no-config -c 'set -l program (string split " " -- $argv[1])[1]
        $program completion fish | source
        complete -C $argv[1] | string replace -r "\t.*" ""' "$1"
}

for shell in bash zsh fish; do
    command -v "$shell" >/dev/null || continue
    for program in ptprun ptp-pack; do
        "$program" completion "$shell" >"$folder/script"
        "$shell" -n "$folder/script" || fail "$shell cannot read the script of $program"
        rm "$folder/script"
    done
    offers "$shell" "ptprun expl" "explain explain-prediction"
    offers "$shell" "ptprun completion " "bash fish zsh"
    offers "$shell" "ptprun runs --j" "--json"
    offers "$shell" "ptp-pack key " "distrust list new trust"
done

offers bash "ptprun runs " "runs"
! command -v zsh >/dev/null || offers zsh "ptprun runs " "files -/"
! command -v fish >/dev/null || offers fish "ptprun runs " "runs/"

[[ $failures -eq 0 ]]
