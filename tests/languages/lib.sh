# Read by the tests of this folder: building a plugin by hand, and training with it.
# shellcheck shell=bash disable=SC2154  # build, root: the test sets them

set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMP_NUM_THREADS=1
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# quietly COMMAND...: its output only if it fails.
quietly() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }; }

# last FILE COLUMN: the value in the last row of a table of a run.
last() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
        END { print $column }' "$1"
}

# train RUN EXPERIMENT [OPTION...]: with the plugins in the folder.
train() {
    local run=$1 experiment=$2
    shift 2
    quietly "$build/bin/ptprun" "$experiment" --plugins "$folder" --run-dir "$run" "$@"
}

# at_least NUMBER LEAST WHAT
at_least() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }' || fail "$3 is $1, less than $2"
}

# same_tables RUN RUN: their losses and statistics have the same bits.
same_tables() {
    local table
    for table in training.csv validation.csv; do
        [[ -s $1/$table ]] || fail "$1 has no $table"
        diff <(without_times "$1/$table") <(without_times "$2/$table") || fail "$table differs"
    done
}

# without_times TABLE: without the columns of seconds.
without_times() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) keep[i] = $i !~ /seconds|time/ }
        { for (i = 1; i <= NF; i++) if (keep[i]) printf "%s,", $i; print "" }' "$1"
}
