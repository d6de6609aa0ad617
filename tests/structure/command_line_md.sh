#!/usr/bin/env bash
# The tables of docs/command-line.md and docs/glossary.md are what `ptprun --help`, `ptprun help COMMAND` and
# `ptprun help words` print, between the lines <!-- commands -->, <!-- options --> or <!-- words -->, and <!-- end -->.
#
#   command_line_md.sh FILE PTPRUN           fails if the file has other tables
#   command_line_md.sh --write FILE PTPRUN   writes them

set -euo pipefail

# A table of what `ptprun --help` lists: lines "  USAGE   SUMMARY", and the line of a training.
commands() {
    printf '| command | what it does |\n|---|---|\n'
    "$ptprun" --help | sed -nE \
        -e 's/^usage: (ptprun \S+) \[OPTION\]\.\.\. +(.*)$/\1\t\2/p' -e 's/^  (\S.*\S)  +(\S.*)$/ptprun \1\t\2/p' |
        awk -F'\t' '{ gsub(/\|/, "\\|"); printf "| `%s` | %s |\n", $1, $2 }'
}

names() {
    echo run
    "$ptprun" --help | sed -nE 's/^  (\S+) .*  .*/\1/p'
}

# Usage and options of a command, but for --color and --help, which all have. The help begins in the
# column of "show this help"; what is longer continues below.
options() {
    local name
    for name in $(names); do
        "$ptprun" help "$name" | awk '
            /^usage: / { usage = $0; sub(/^usage: /, "", usage); sub(/ \[OPTION\]\.\.\.$/, "", usage) }
            { sub(/ +$/, ""); gsub(/\|/, "\\|"); lines[NR] = $0 }
            /^  -h \[ --help \]/ { column = index($0, "show this help"); last = NR }
            /^options:/ { first = NR + 1 }
            END {
                printf "### `%s`\n\n", usage
                for (i = first; i < last; i++) {
                    option = substr(lines[i], 1, column - 1)
                    gsub(/^ +| +$/, "", option)
                    text = substr(lines[i], column)
                    for (; lines[i + 1] ~ /^     /; i++) text = text " " substr(lines[i + 1], column)
                    sub(/^ /, "", text)
                    if (option ~ /^--color/) continue
                    if (!count++) print "| option | meaning |\n|---|---|"
                    printf "| `%s` | %s |\n", option, text
                }
                if (count) print ""
            }' | sed -E 's/`-(\S) \[ (--\S+) \]/`-\1, \2/'
    done
}

# The words of ptp, and what other tools call it.
words() {
    printf '| word | in ptp |\n|---|---|\n'
    "$ptprun" help words | sed -E -e 's/\|/\\|/g' -e 's/^(.*[^ ])  +(.*)$/| \1 | \2 |/'
}

tables() {
    local line
    while IFS= read -r line; do
        printf '%s\n' "$line"
        if [[ $line =~ ^'<!-- '(commands|options|words)' -->'$ ]]; then
            printf '\n%s\n\n' "$(${line//[<>! -]/})"
            while IFS= read -r line && [[ $line != '<!-- end -->' ]]; do :; done
            printf '%s\n' "$line"
        fi
    done <"$1"
}

if [[ $1 == --write ]]; then
    ptprun=$3
    tables "$2" >"$2.new"
    mv "$2.new" "$2"
    exit
fi
ptprun=$2
if ! difference=$(tables "$1" | diff --unified=0 "$1" -); then
    printf '%s\n' "$difference" | head -n 40
    echo "$1 has other tables than the help; ./dev docs writes them anew"
    exit 1
fi
