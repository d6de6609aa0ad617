#!/usr/bin/env bash
# Every C++ header has #pragma once, and const member functions that return a value are
# [[nodiscard]], as rule 3 of CONTRIBUTING.md has it.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

mapfile -t headers < <(for folder in sdk runtime tools plugins tests; do files "$folder" '*.hpp'; done)
while IFS= read -r file; do
    violation "$file:1: has no #pragma once"
done < <(cd "$root" && grep -L '^#pragma once$' /dev/null "${headers[@]}" | grep -v '^/dev/null$')

# Declarations on one line; not of functions that change an argument.
mapfile -t headers < <(for folder in runtime tools plugins; do files "$folder" '*.hpp'; done)
# shellcheck disable=SC2016
while IFS= read -r place; do
    violation "$place: a const member function that returns a value is [[nodiscard]]"
done < <(cd "$root" && awk '
/^ +[A-Za-z_][A-Za-z0-9_:<>,*& ]*[*& ][a-z_][a-z0-9_]*\(.*\) const( noexcept)?( override| final)*( = 0)?(;| \{)/ &&
    !/^ +(virtual )?void / && !/^ +(return|friend|static|using|const auto|auto) / && !/operator/ && !/ = .*\(.*\) const/ {
    arguments = substr($0, index($0, "("))
    gsub(/const [^,()]*&/, "", arguments)
    if (arguments !~ /& [a-z]/) print FILENAME ":" FNR
}' /dev/null "${headers[@]}")

finish
