#!/usr/bin/env bash
# Two classes of one name in one namespace, each in a file of its own, compile, link, and are wrong: of two
# destructors that the compiler wrote, the linker keeps one for both. So a name is declared once.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

# Classes at the left margin outside of anonymous namespaces, as "NAMESPACE::NAME FILE:LINE"; neither forward
# declarations nor specializations nor members of other classes.
# shellcheck disable=SC2016
classes='
FNR == 1 { depth = 0 }
/^namespace( [A-Za-z_0-9:]+)? \{$/ { spaces[++depth] = NF == 3 ? $2 : "anonymous"; next }
/^\}  \/\/ namespace/ { depth--; next }
/^(struct|class|union|enum class) / {
    line = $0
    sub(/^(struct|enum class|class|union) /, "", line)
    rest = line
    sub(/^[A-Za-z_0-9]+/, "", rest)
    name = substr(line, 1, length(line) - length(rest))
    if (rest ~ /^(;|<|::)/) next
    where = ""
    for (i = 1; i <= depth; i++) {
        if (spaces[i] == "anonymous") next
        where = where spaces[i] "::"
    }
    print where name, FILENAME ":" FNR
}'

mapfile -t sources < <(files runtime '*.cpp' '*.hpp'; files tools '*.cpp' '*.hpp')
if [[ ${#sources[@]} -gt 0 ]]; then
    while IFS= read -r found; do
        violation "$found"
    done < <(cd "$root" && awk "$classes" "${sources[@]}" |
        awk '$1 in first { print $2 ": " $1 " is declared in " first[$1] " too; name one of them otherwise" }
             !($1 in first) { first[$1] = $2 }')
fi
finish
