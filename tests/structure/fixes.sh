#!/usr/bin/env bash
# A line of a fix that begins with a program's name or an option has no other words: it is copied as it
# is printed. What the command does is a part of the error's sentence, or stands before it with a
# colon.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

mapfile -t sources < <(for folder in runtime tools plugins sdk; do files "$folder" '*.cpp' '*.hpp'; done)
if [[ ${#sources[@]} -gt 0 ]]; then
    while IFS= read -r found; do
        violation "$found"
    done < <(cd "$root" && awk '
        # Literals in a row are one text; \034 is the end of a line in it.
        function look(    count, lines, i, line, rest) {
            count = split(text, lines, "\034")
            is_fix = lines[1] ~ /^(ptprun|ptp-[a-z]+) /
            for (i = 1; i <= count; i++) {
                line = lines[i]
                sub(/^ +/, "", line)
                is_option = 0
                if (sub(/^fix: /, "", line)) {
                    is_fix = 1
                    is_option = line ~ /^-/
                }
                rest = line
                gsub(/\047[^\047]*\047|\\"[^"]*\\"|\{[^}]*\}/, "X", rest)
                if ((is_option || (is_fix && rest ~ /^(ptprun|ptp-[a-z]+) /)) &&
                    rest ~ / (a|an|the|it|its|this|they|in|of|from|with|and|or|to|for|where|if)( |$)|[,;]( |$)/) {
                    printf "%s:%d: a fix is a command and other words: \"%s\"\n", FILENAME, at, line
                }
            }
            text = ""
        }
        FNR == 1 { text = "" }
        /^ *\/\// { next }
        {
            line = $0
            while (match(line, /"([^"\\]|\\.)*"/)) {
                before = substr(line, 1, RSTART - 1)
                if (before !~ /^[ \t]*$/ && text != "") look()
                if (text == "") at = FNR
                literal = substr(line, RSTART + 1, RLENGTH - 2)
                gsub(/\\n/, "\034", literal)
                text = text literal
                line = substr(line, RSTART + RLENGTH)
            }
            if (line !~ /^[ \t]*$/ && text != "") look()
        }' "${sources[@]}")
fi

finish
