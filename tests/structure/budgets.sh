#!/usr/bin/env bash
# Rooms stay as small as they are: budgets.txt has the lines of .cpp and .hpp that each may have. A
# tenth more is allowed; a commit that needs more raises the budget and says why in its body.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1
budgets=${2:-$root/tests/structure/budgets.txt}

lines_of() { (cd "$root" && files "$1" '*.cpp' '*.hpp' | xargs -r -d '\n' cat | wc -l); }

while read -r room budget; do
    [[ -n $room && $room != '#'* ]] || continue
    [[ -d $root/$room ]] || { violation "$room: has a budget, but is no folder"; continue; }
    count=$(lines_of "$room")
    [[ $count -le $((budget + budget / 10)) ]] ||
        violation "$room: $count lines, the budget is $budget and a tenth: make it smaller, or raise it and state why"
done <"$budgets"

while read -r room; do
    grep -q "^$room " "$budgets" || violation "$room: has no budget in budgets.txt"
done < <(cd "$root" && find runtime runtime/engine tools -mindepth 1 -maxdepth 1 -type d ! -path runtime/engine 2>/dev/null | sort)

# Small files cost a reader a jump each: at most this share of the runtime's has fewer than 40 lines.
readonly most_percent=20
mapfile -t sources < <(files runtime '*.cpp' '*.hpp')
small=$(cd "$root" && for file in "${sources[@]}"; do wc -l <"$file"; done | awk '$1 < 40' | wc -l)
((${#sources[@]} < 40 || small * 100 <= most_percent * ${#sources[@]})) ||
    violation "runtime: $small of ${#sources[@]} files have fewer than 40 lines: fold those with one caller into it"

finish
