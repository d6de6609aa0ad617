#!/usr/bin/env bash
# rust.sh BUILD-FOLDER ROOT: the statistic in Rust is built without the net, keeps all rules, and measures what
# Python computes from the same predictions. Its bindings are those of today's headers.

build=$1
root=$2
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
command -v cargo >/dev/null || { echo "skipped: cargo is not installed"; exit 77; }
sample=$root/sdk/samples/rust

# Whitespace and commas at the ends of lists are the formatter's.
if command -v bindgen >/dev/null && bindgen --version | grep -qF ' 0.60.'; then
    "$sample/make_bindings.sh" "$root/sdk/include" | tr -d ' \n,' >"$folder/bindings"
    tr -d ' \n,' <"$sample/src/bindings.rs" | cmp - "$folder/bindings" ||
        fail "src/bindings.rs is out of date: make_bindings.sh INCLUDE-FOLDER | rustfmt > src/bindings.rs"
else
    echo "not compared: bindgen 0.60 is not installed"
fi

cp -r "$sample" "$folder/crate"
CARGO_TARGET_DIR=$folder/target quietly cargo build --release --offline --locked --manifest-path "$folder/crate/Cargo.toml"
grep -q warning "$folder/log" && { cat "$folder/log"; fail "cargo warns"; }
cp "$folder/target/release/libconfidence.so" "$folder/confidence.so"
rm -r "$folder/target"
if "$build/bin/ptp-inspect" "$folder/confidence.so" >"$folder/log" 2>&1; then
    fail "a plugin without a manifest is taken"
fi
"$build/bin/ptp-manifest" --embed "$folder/confidence.so"
quietly "$build/bin/ptp-inspect" --check --strict "$folder/confidence.so"

{
    cat "$sample/experiment.toml"
    printf '\n[pipeline.export]\ntype = "StreamFileExporter"\nphases = ["validation"]\n'
    printf 'input_streams = ["predictions"]\nfilename = "predictions.jsonl"\nformat = "json_lines"\n'
} >"$folder/experiment.toml"
train "$folder/run" "$folder/experiment.toml"
at_least "$(last "$folder/run/validation.csv" accuracy)" 0.8 "the accuracy"
python3 - "$folder/run" <<'CHECK' || fail "the numbers are not those of Python"
import csv, json, math, sys
rows = [json.loads(line)["predictions"] for line in open(sys.argv[1] + "/exports/predictions.jsonl")][-1000:]
last = list(csv.DictReader(open(sys.argv[1] + "/validation.csv")))[-1]
confidence = math.fsum(math.exp(max(row)) for row in rows) / len(rows)
entropy = math.fsum(-math.exp(x) * x for row in rows for x in row) / len(rows)
assert len(rows) == 1000
assert math.isclose(float(last["confidence"]), confidence, rel_tol=1e-9), (last["confidence"], confidence)
assert math.isclose(float(last["entropy"]), entropy, rel_tol=1e-9), (last["entropy"], entropy)
CHECK

[[ $failures -eq 0 ]]
