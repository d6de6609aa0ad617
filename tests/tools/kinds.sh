# shellcheck shell=bash
# Trains a model of a small table: `kinds` in runs/kinds of the current folder, which becomes the home. The folder of the programs
# is $1. A script sources it.

export HOME=$PWD PATH=$1:$PATH
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME PTP_PLUGIN_PATH PTP_RUNS
{
    echo x,y,kind
    for ((i = 0; i < 100; i++)); do
        x=$((i * 37 % 100)) y=$((i * 61 % 100))
        echo "0.$(printf %02d $x),0.$(printf %02d $y),$( ((x + y > 100)) && echo big || echo small)"
    done
} >kinds.csv
task='type = "Table"
file = "kinds.csv"
features = ["x", "y"]
columns = { x = { standardize = false }, y = { standardize = false } }
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
