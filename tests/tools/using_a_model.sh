#!/usr/bin/env bash
# using_a_model.sh ROOT BIN: the commands that docs/using-a-model.md shows about bundles and JSON lines do what it says, one after
# the other, with a model that this script trains.

set -euo pipefail
root=$1 bin=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# shellcheck source-path=SCRIPTDIR source=kinds.sh
source "$root/tests/tools/kinds.sh" "$bin"
printf 'x,y\n0.9,0.8\n0.1,0.2\n' >new.csv

# The commands of the two sections, in their order.
awk '
    /^## / { is_mine = $0 == "## One file" || $0 == "## JSON lines" }
    /^```sh$/ { inside = is_mine; next } /^```$/ { inside = 0 }
    inside { print }' "$root/docs/using-a-model.md" >commands.sh
[[ $(grep -c . commands.sh) -ge 10 ]] || { echo "the page shows too little"; exit 1; }
bash -euo pipefail commands.sh >output.txt

fail() {
    echo "$1"
    cat output.txt
    exit 1
}
[[ $(grep -c '^[01],\(big\|small\),' output.txt) == 8 ]] || fail "predict does not tell the two new samples"
grep -q '^0,big,' output.txt || fail "the first is not big"
grep -q '^{"line":1,"predicted":"big","score":0\.[0-9]*}$' output.txt || fail "no line of JSON for the first item"
grep -q '^{"line":2,"predicted":"small","score":0\.[0-9]*}$' output.txt || fail "no line of JSON for the second item"
grep -qF "{\"line\":3,\"error\":\"has no 'y'\"}" output.txt || fail "no error for the third item"
grep -q '^kinds.ptpm: signed with the key ' output.txt || fail "the signature is not verified"
grep -q '^# kinds$' kinds.md || fail "no model card"
tar tf kinds.ptpm >files.txt
head -n 1 files.txt | grep -qx manifest.toml || fail "tar does not list it"
