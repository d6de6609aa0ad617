#!/usr/bin/env bash
# using_a_model.sh ROOT BIN: the commands that docs/using-a-model.md shows about bundles and JSON lines do what it says, one after
# the other, with a model that this script trains.

set -euo pipefail
root=$1 bin=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder PATH=$bin:$PATH
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME PTP_PLUGIN_PATH PTP_RUNS
cd "$folder"

{
    echo x,y,kind
    for ((i = 0; i < 100; i++)); do
        x=$((i * 37 % 100)) y=$((i * 61 % 100))
        echo "0.$(printf %02d $x),0.$(printf %02d $y),$( ((x + y > 100)) && echo big || echo small)"
    done
} >kinds.csv
printf 'x,y\n0.9,0.8\n0.1,0.2\n' >new.csv
task='type = "Table"
file = "kinds.csv"
features = ["x", "y"]
label = "kind"
batch_size = 20
split = { shares = [0.7, 0.3] }'
cat >kinds.toml <<EOF
name = "kinds"
seed = 3
[training]
optimizer = { type = "Adam", lr = 0.05 }
terminal_conditions = { epoch_limit = 30 }
[training.task]
$task
[validation.task]
$task
[pipeline.net]
type = "FeedForwardNetwork"
hidden_sizes = [8]
globals = { input_size = "num_features", prediction_size = "num_classes" }
[pipeline.nll]
type = "NLLLoss"
EOF
ptprun kinds.toml --quiet

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
[[ $(grep -c '^[01],\(big\|small\),' output.txt) == 6 ]] || fail "predict does not tell the two new samples"
grep -q '^0,big,' output.txt || fail "the first is not big"
grep -q '^{"line":1,"predicted":"big","score":0\.[0-9]*}$' output.txt || fail "no line of JSON for the first item"
grep -q '^{"line":2,"predicted":"small","score":0\.[0-9]*}$' output.txt || fail "no line of JSON for the second item"
grep -qF "{\"line\":3,\"error\":\"has no 'y'\"}" output.txt || fail "no error for the third item"
grep -q '^kinds.ptpm: signed with the key ' output.txt || fail "the signature is not verified"
grep -q '^# kinds$' kinds.md || fail "no model card"
tar tf kinds.ptpm >files.txt
head -n 1 files.txt | grep -qx manifest.toml || fail "tar does not list it"
