#!/usr/bin/env bash
# Where the time of a build went, from Ninja's log: build_times.sh BUILD [--all]
#
# The last build, or with --all the last time that each file was built. Seconds of a step are those that
# passed while it ran, so that the sum is more than the build took where several ran at a time.

set -euo pipefail
log=$1/.ninja_log
[[ -f $log ]] || {
    printf '%s: there is no log; build first\n' "$log" >&2
    exit 2
}

awk -F '\t' -v all="${2-}" '
function place(output) {  # runtime/engine/CMakeFiles/ptp_engine.dir/Unity/ptp_engine/unity_swap_bd69_1.cpp.o
    if (output !~ /CMakeFiles\//) return output
    folder = output
    sub(/\/?CMakeFiles\/.*/, "", folder)
    name = output
    sub(/.*CMakeFiles\/[^\/]*\.dir\//, "", name)
    if (sub(/^Unity\/[^\/]*\/unity_/, "", name)) {
        sub(/\.cpp\.o$/, "", name)
        sub(/_[0-9a-f]+_/, ", unit ", name)
        return folder " (" name ")"
    }
    sub(/\.o$/, "", name)
    return (folder == "" ? "" : folder "/") name
}
function top(output, parts, count) {
    sub(/\/?CMakeFiles\/.*/, "", output)
    count = split(output, parts, "/")
    if (count <= 1) return parts[1] == "" ? "." : parts[1]
    return parts[1] "/" parts[2]
}
NR == 1 || NF < 5 { next }
all == "" && $2 < last { delete taken }  # times begin anew with each build
{ last = $2; taken[$4] = ($2 - $1) / 1000; if ($2 > until) until = $2 }
all == "" { finished = $2 / 1000 }
END {
    for (output in taken) {
        seconds[top(output)] += taken[output]
        steps[top(output)]++
        total += taken[output]
        count++
        if (output ~ /\.o$/) { compiling += taken[output]; units++ }
    }
    printf "%d steps, %.0f s in all, of them %d units compiled in %.0f s", count, total, units, compiling
    if (all == "") printf "; the build took %.0f s", finished
    printf "\n\nby folder\n"
    sorter = "sort -k1,1nr | head -20"
    for (folder in seconds) printf "%8.1f s %4d steps  %s\n", seconds[folder], steps[folder], folder | sorter
    close(sorter)
    printf "\nslowest\n"
    sorter = "sort -k1,1nr | head -20"
    for (output in taken) printf "%8.1f s  %s\n", taken[output], place(output) | sorter
    close(sorter)
}' "$log"
