#!/usr/bin/env bash
# Loops of our own step aside for libtorch's operations while somebody observes these: each file of a
# plugin with an autograd function of its own asks ptp::is_observed(), and a test states that it
# steps aside. Other files that use the memory of tensors are in own_kernels.txt, with the reason
# why no gradient passes through what they compute.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1
list=$root/tests/structure/own_kernels.txt

paths=()
if [[ -f $list ]]; then
    mapfile -t paths < <(sed -nE 's/^([^# ]+) +[^ ].*/\1/p' "$list")
fi

# is_listed FILE: it, or a folder that holds it, has a reason.
is_listed() {
    local path
    for path in "${paths[@]}"; do
        [[ $1 == "$path" || ( $path == */ && $1 == "$path"* ) ]] && return 0
    done
    return 1
}

mapfile -t sources < <(files plugins '*.cpp' '*.hpp')
used=()
for file in "${sources[@]}"; do
    if grep -q 'autograd::Function<' "$root/$file"; then
        name=$(basename "${file%.*}" | tr _ ' ')
        grep -q 'is_observed()' "$root/$file" ||
            violation "$file: has an autograd function of its own and does not ask ptp::is_observed()"
        grep -rqs "\"$name: steps aside" "$root/tests" ||
            violation "$file: no test '$name: steps aside ...' shows that its loops do while somebody observes"
    elif grep -q 'data_ptr' "$root/$file"; then
        used+=("$file")
        is_listed "$file" ||
            violation "$file: uses the memory of tensors; tests/structure/own_kernels.txt has no reason why no gradient passes through it"
    fi
done
for path in "${paths[@]}"; do
    printf '%s\n' "${used[@]}" | grep -q "^$path" ||
        violation "tests/structure/own_kernels.txt: no file of $path uses the memory of tensors"
done
finish
