#!/usr/bin/env bash
# man_page.sh PROGRAM VERSION FILE: writes the manual page of a program, made of its own help and of that of its
# commands.

set -euo pipefail
program=$1 version=$2 file=$3
name=$(basename "$program")

help=$("$program" --help)

# roff HEADING: a help, from standard input, as sections of a page. HEADING is SH or SS.
roff() {
    awk -v heading="$1" '
        function text(line) {
            gsub(/\\/, "\\e", line)
            gsub(/-/, "\\-", line)
            return line ~ /^[.\047]/ ? "\\&" line : line
        }
        function section(title) {
            if (heading == "SH") printf ".SH %s\n", title
            else if (title != "DESCRIPTION") printf ".PP\n%s:\n", tolower(title)
        }
        function flush_paragraph(  i) {
            if (!count) return
            print ".PP"
            if (is_table) print ".nf"
            for (i = 1; i <= count; i++) print text(lines[i])
            if (is_table) print ".fi"
            count = 0
            is_table = 0
        }
        function add(line) {
            if (!part++) section("DESCRIPTION")
            lines[++count] = line
            if (line ~ /^ /) is_table = 1
        }
        { all[NR] = $0 }
        /show this help$/ { column = index($0, "show this help") }
        END {
            for (n = 1; n <= NR; n++) {
                line = all[n]
                sub(/ +$/, "", line)
                if (n == 1 || (n > 1 && in_usage && line ~ /^       /)) {
                    if (n == 1 && heading == "SH") section("SYNOPSIS")
                    if (n == 1) in_usage = 1
                    sub(/^(usage:|      ) /, "", line)
                    if (heading == "SH") printf ".nf\n%s\n.fi\n", text(line)
                    continue
                }
                in_usage = 0
                if (line == "options:") {
                    flush_paragraph()
                    section("OPTIONS")
                    while (n < NR && all[n + 1] ~ /^  /) {
                        line = all[++n]
                        sub(/ +$/, "", line)
                        if (line ~ /^ ? ?-|^  -/) {
                            option = substr(line, 1, column - 1)
                            gsub(/^ +| +$/, "", option)
                            gsub(/ \[ |\] */, " ", option)
                            sub(/ +$/, "", option)
                            gsub(/  +/, " ", option)
                            printf ".TP\n.B %s\n", text(option)
                        }
                        rest = substr(line, column)
                        if (rest != "") print text(rest)
                    }
                } else if (line == "example:") {
                    flush_paragraph()
                    section("EXAMPLE")
                    print ".nf"
                    while (n < NR && all[n + 1] ~ /^  /) print text(substr(all[++n], 3))
                    print ".fi"
                } else if (line ~ /^exit codes: /) {
                    flush_paragraph()
                    section("EXIT STATUS")
                    sub(/^exit codes: /, "", line)
                    print text(line)
                    while (n < NR && all[n + 1] != "") print text(all[++n])
                } else if (line == "") {
                    flush_paragraph()
                } else {
                    add(line)
                }
            }
            flush_paragraph()
        }'
}

# "does a thing", of the sentence "PROGRAM does a thing." or "PROGRAM does a thing: ..."; or what is beside the usage.
purpose() {
    local text sentence
    text=$(</dev/stdin)
    sentence=$(sed -nE "/^$name help /d; s/^$name ([^:.]*)[:.]?.*/\1/p" <<<"$text" | head -n 1)
    if [[ -z $sentence ]]; then
        sentence=$(sed -nE '1s/^usage: .*[^ ]   +([^ ].*)/\1/p' <<<"$text")
    fi
    printf '%s' "${sentence:?"the help of $name has no sentence about it"}"
}

# A program has commands where its help refers to `help COMMAND`, or lists "other uses". One of the
# first kind describes itself in the help of its first command.
commands=() first=$help
if [[ $help == *"help COMMAND"* ]]; then
    mapfile -t commands < <(sed -nE 's/^  ([a-z][a-z-]*)( .*)?  .*/\1/p' <<<"$help")
    if [[ $help =~ "$name help run"[:,] ]]; then
        commands=(run "${commands[@]}")
        first=$("$program" help run)
    fi
else
    mapfile -t commands < <(sed -nE "/^other uses/,/^\$/s/^  $name ([a-z][a-z-]*).*/\1/p" <<<"$help")
fi

# help_of COMMAND
help_of() { if [[ $1 == run ]]; then "$program" help run; else "$program" "$1" --help; fi; }

{
    printf '.\\" Made of the help of %s.\n' "$name"
    printf '.TH "%s" 1 "" "ptp %s" "ptp"\n' "${name^^}" "$version"
    printf '.SH NAME\n%s \\- %s\n' "$name" "$(purpose <<<"$first" | sed 's/-/\\-/g')"
    roff SH <<<"$help"
    if [[ ${#commands[@]} -gt 0 ]]; then
        echo '.SH COMMANDS'
        for command in "${commands[@]}"; do
            text=$(help_of "$command")
            [[ $text == "usage: $name "* ]] || continue # a program, which has a page of its own
            printf '.SS "%s"\n' "$(sed -nE '1s/^usage: //p' <<<"$text" | sed 's/-/\\-/g; s/"/\\(dq/g')"
            roff SS <<<"$text"
        done
    fi
    printf '.SH SEE ALSO\n'
    printf '.BR ptprun (1),\n.BR ptp\\-inspect (1),\n.BR ptp\\-new (1)\n.PP\nThe guides are in share/ptp: README.md is the first.\n'
} >"$file.new"
mv "$file.new" "$file"
