#!/usr/bin/env bash
# make.sh PTPRUN NAME: keeps a run of this ptprun in the folder NAME beside this file, as README.md describes. One made by
# an older ptprun is never made again: it is there because nothing writes it any more.

set -euo pipefail
ptprun=$(realpath "$1")
kept=$(cd "$(dirname "$0")" && pwd)/$2
[[ ! -e $kept ]] || { echo "$kept is there already" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/kept.toml" "$work"
cd "$work"
export OMP_NUM_THREADS=1

# A journal with a swap and a change of the experiment, so that there is something in each file.
"$ptprun" kept.toml --run-dir first
"$ptprun" replay first --run-dir run --swaps 1 --plugin transforms
"$ptprun" resume run --set training.terminal_conditions.epoch_limit=3
"$ptprun" tag run kept --note "for the tests"

# The builds of plugins are large, and fit one machine: the test puts today's builds in their place. What else tells of
# this machine is replaced.
rm run/plugins/*.so run/lock run/run.log
sed -i -E 's|^source = ".*/|source = "/usr/lib/ptp/plugins/|' run/plugins.lock
sed -i -E 's|"host": "[^"]*"|"host": "there"|; s|"boot": "[^"]*"|"boot": "0"|; s|"kernel": "[^"]*"|"kernel": "Linux 6.1"|' \
    run/run.json run/status.json
cp -r run "$kept"
