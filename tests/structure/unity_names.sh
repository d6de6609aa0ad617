#!/usr/bin/env bash
# A unity build compiles the files of a folder as one, and those of small folders together. A name in an
# anonymous namespace would collide with the same name in another file there, or hide one that a header
# declares: a call might then choose another overload, and nothing would tell. So these names differ. Each
# test file has a namespace of its own instead, named after it.
#
# usage: unity_names.sh ROOT [UNITS]; UNITS has the path of each unit, which includes its files

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1
units=${2:-/dev/null}

# Names declared at the left margin: all of anonymous namespaces with want=anonymous, functions and
# constants with want=header; as "NAME FILE LINE".
# shellcheck disable=SC2016
names='
FNR == 1 { is_anonymous = 0 }
/^namespace \{$/ { is_anonymous = 1; next }
/^\}  \/\/ namespace$/ { is_anonymous = 0; next }
/^[^A-Za-z_\[]/ || /^(namespace|template|TEST_CASE|PTP_|static_assert|extern|typedef)/ || /^$/ { next }
want == "anonymous" && !is_anonymous { next }
{
    line = $0
    name = ""
    sub(/^\[\[[^]]*\]\] */, "", line)
    while (sub(/^(static|inline|constexpr|const) /, "", line)) {}
    if (line ~ /^(struct|class|enum) /) {
        sub(/^(struct|enum class|class|enum) /, "", line)
        if (want == "anonymous" && line !~ /^[A-Za-z_0-9]+;/) name = line
    } else if (line !~ /^using / && line ~ /[({=;]/) {
        sub(/[({=;].*/, "", line)
        count = split(line, words, /[ *&\[\]]+/)
        name = words[count] == "" ? words[count - 1] : words[count]
        if (count < 2 || line ~ /::[A-Za-z_~0-9]+ *$/) name = ""
    }
    sub(/[^A-Za-z_0-9].*/, "", name)
    if (name != "" && !((FILENAME, name) in seen)) {
        seen[FILENAME, name] = 1
        print name, FILENAME, FNR
    }
}'

# check FOLDER HEADER-FOLDER...
check() {
    local folder=$1
    shift
    mapfile -t sources < <(cd "$root" && find "$folder" -maxdepth 1 -name '*.cpp' ! -name '*_test.cpp' | sort)
    check_sources "$@"
}

# check_sources HEADER-FOLDER...: the files `sources`, which are compiled as one
check_sources() {
    local headers
    mapfile -t headers < <(cd "$root" && find "$@" -name '*.hpp' 2>/dev/null | sort)
    [[ ${#sources[@]} -gt 1 ]] || return 0
    while IFS= read -r found; do
        violation "$found"
    done < <(cd "$root" &&
        { [[ ${#headers[@]} -eq 0 ]] || awk -v want=header "$names" "${headers[@]}" | sed 's/^/header /'
          awk -v want=anonymous "$names" "${sources[@]}" | sed 's/^/anonymous /'; } |
        awk '$1 == "header" { header[$2] = $3; next }
             $2 in first { print $3 ":" $4 ": " $2 " is in " first[$2] " too; in a unity build names of a unit differ" }
             !($2 in first) { first[$2] = $3 }
             $2 in header { print $3 ":" $4 ": " $2 " hides the one in " header[$2] " in a unity build; name it otherwise" }')
}

while IFS= read -r folder; do
    case $folder in
        runtime/engine/*) check "$folder" runtime/engine runtime/base ;;
        runtime/*) check "$folder" "$folder" runtime/base ;;
        tools/*) check "$folder" "$folder" tools/common ;;
        plugins/*) check "$folder" "$folder" plugins/support ;;
        tests/*) check "$folder" "$folder" tests/support ;;
    esac
done < <(files . '*.cpp' | grep -vE 'must_not_compile|abi_is_c|/(bench|fuzz)/' | sed 's|/[^/]*$||' | sort -u)

# Units of several folders. The names in headers are those of each folder above.
while IFS= read -r unit; do
    mapfile -t sources < <(sed -n 's/^#include "\(.*\)"$/\1/p' "$unit" | grep -v '_test\.cpp$')
    [[ $(printf '%s\n' "${sources[@]%/*}" | sort -u | wc -l) -lt 2 ]] || check_sources /dev/null
done <"$units"

mapfile -t tests < <(files tests '*_test.cpp')
while IFS= read -r found; do
    violation "$found"
done < <(cd "$root" && awk '
FNR == 1 { name = FILENAME; sub(/.*\//, "", name); sub(/\.cpp$/, "", name) }
$0 == "namespace " name " {" { has_own[FILENAME] = 1 }
END {
    for (i = 2; i < ARGC; i++) {
        name = ARGV[i]; sub(/.*\//, "", name); sub(/\.cpp$/, "", name)
        if (!(ARGV[i] in has_own)) print ARGV[i] ":1: a test file is in a namespace of its own: namespace " name " { ... }"
    }
}' /dev/null "${tests[@]}")

finish
