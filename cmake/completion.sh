#!/usr/bin/env bash
# completion.sh PROGRAM SHELL FILE: writes the completion of a program for bash, zsh or fish: the one that it prints
# itself (PROGRAM completion SHELL), or else its options and commands, from its own help.

# shellcheck disable=SC2001,SC2016  # what is printed is expanded by the shell that completes
set -euo pipefail
program=$1 shell=$2 file=$3
name=$(basename "$program")
help=$("$program" --help)
function=_${name//-/_}
if grep -qE '^  completion ' <<<"$help"; then
    "$program" completion "$shell" >"$file.new"
    mv "$file.new" "$file"
    exit
fi

# "NAME VALUE MEANING" of each option, with the character 31 between them: what it takes, or "", and the first line of its help.
options() {
    awk '/show this help$/ { column = index($0, "show this help") }
         { line[NR] = $0 }
         END {
             for (n = 1; n <= NR; n++) {
                 if (line[n] !~ /^  (-. \[ )?--[a-z]/) continue
                 option = substr(line[n], 1, column - 1)
                 meaning = substr(line[n], column)
                 if (meaning == "") meaning = substr(line[n + 1], column)
                 gsub(/^ +| +$/, "", meaning)
                 sub(/^ *(-. \[ )?--/, "", option)
                 sub(/ \]/, "", option)
                 count = split(option, part, " ")
                 printf "%s\037%s\037%s\n", part[1], (count > 1 ? part[2] : ""), meaning
             }
         }' <<<"$help"
}
commands() { sed -nE "/^other uses/,/^\$/s/^  $name ([a-z][a-z-]*).*/\1/p" <<<"$help"; }

case $shell in
    bash)
        words=$(commands; options | cut -d $'\x1f' -f 1 | sed 's/^/--/')
        printf '# Made of the help of %s.\n%s() {\n' "$name" "$function"
        printf '    if [[ $2 == -* || $COMP_CWORD -eq 1 ]]; then\n'
        printf "        mapfile -t COMPREPLY < <(compgen -W '%s' -- \"\$2\")\n" "$(paste -sd ' ' <<<"$words")"
        printf '    fi\n}\ncomplete -o default -F %s %s\n' "$function" "$name"
        ;;
    zsh)
        printf '#compdef %s\n# Made of the help of %s.\n_arguments -s' "$name" "$name"
        options | while IFS=$'\x1f' read -r option value meaning; do
            meaning=$(sed "s/[]:\\\\[]/\\\\&/g; s/'/'\\\\''/g" <<<"$meaning")
            printf " \\\\\n    '--%s[%s]%s'" "$option" "$meaning" "${value:+:$value:_files}"
        done
        printf " \\\\\n    '1:: :_alternative \"files\\:file\\:_files\" \"commands\\:command\\:(%s)\"'" \
            "$(commands | paste -sd ' ')"
        printf " \\\\\n    '*:file:_files'\n"
        ;;
    fish)
        printf '# Made of the help of %s.\n' "$name"
        options | while IFS=$'\x1f' read -r option value meaning; do
            meaning=$(sed "s/['\\\\]/\\\\&/g" <<<"$meaning")
            printf "complete -c %s -l %s%s -d '%s'\n" "$name" "$option" "${value:+ -r}" "$meaning"
        done
        commands | while read -r command; do
            printf "complete -c %s -n __fish_use_subcommand -a %s\n" "$name" "$command"
        done
        ;;
    *)
        echo "completion.sh: $shell: must be bash, zsh or fish" >&2
        exit 2
        ;;
esac >"$file.new"
mv "$file.new" "$file"
