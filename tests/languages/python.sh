#!/usr/bin/env bash
# python.sh BUILD-FOLDER ROOT: plugins made of scripts keep all rules, train, and measure what Python computes
# from the exported streams. Two loader threads change no bit.

build=$1
root=$2
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

quietly "$build/bin/ptp-python" "$root/sdk/samples/python/text_parts.py" -o "$folder"
quietly "$build/bin/ptp-python" "$here/python/parts.py" -o "$folder/parts.so"
for plugin in text_parts parts; do
    quietly "$build/bin/ptp-inspect" --check --strict "$folder/$plugin.so"
done

# What is declared in Python is shown without running it.
"$build/bin/ptp-inspect" "$folder/parts.so" >"$folder/page"
for line in 'parts 1.2.0' 'Jane Doe' 'Rings' 'size' '\[1, 10000\]' 'B, (2 \* width)' 'median'; do
    grep -q -- "$line" "$folder/page" || { fail "ptp-inspect does not show: $line"; cat "$folder/page"; }
done

# A file that was changed is refused.
sed 's/Whether letters become lower-case/Whether letters become upper-case/' "$folder/text_parts.so" >"$folder/changed.so"
if "$build/bin/ptp-inspect" "$folder/changed.so" >"$folder/log" 2>&1; then
    fail "a changed script is taken"
fi
grep -q 'has changed since it was built' "$folder/log" || { fail "a change is not named"; cat "$folder/log"; }
rm "$folder/changed.so"

train "$folder/words" "$root/sdk/samples/python/experiment.toml"
at_least "$(last "$folder/words/validation.csv" accuracy)" 1 "the accuracy"
at_least "$(last "$folder/words/validation.csv" kappa)" 1 "kappa"

{
    cat "$here/python/rings.toml"
    printf '\n[pipeline.kappa]\ntype = "CohenKappa"\n'
    printf '\n[pipeline.export]\ntype = "StreamFileExporter"\nphases = ["validation"]\nformat = "json_lines"\n'
    printf 'input_streams = ["inputs", "features", "targets", "names", "predictions"]\nfilename = "all.jsonl"\n'
} >"$folder/rings.toml"
train "$folder/rings" "$folder/rings.toml"
at_least "$(last "$folder/rings/validation.csv" accuracy)" 0.95 "the accuracy of rings"
python3 - "$folder/rings" <<'CHECK' || fail "the numbers are not those of Python"
import csv, json, math, statistics, sys
rows = [json.loads(line) for line in open(sys.argv[1] + "/exports/all.jsonl")][-64:]
last = list(csv.DictReader(open(sys.argv[1] + "/validation.csv")))[-1]
close = lambda a, b: math.isclose(float(a), b, rel_tol=1e-6, abs_tol=1e-12)
for i, row in enumerate(rows):
    x, y = row["inputs"]
    assert row["names"] == ("outer" if i % 2 else "inner") and row["targets"] == i % 2, row
    assert abs(math.hypot(x, y) - 1 - i % 2) < 0.3, row
    assert all(close(a, b) for a, b in zip(row["features"], [x, y, x * x, y * y])), row
values = [value for row in rows for value in row["features"]]
assert close(last["median"], statistics.median(values)), last["median"]
assert close(last["mean_value"], statistics.fmean(values)), last["mean_value"]
pairs = [(row["predictions"].index(max(row["predictions"])), row["targets"]) for row in rows]
right = sum(p == t for p, t in pairs) / 64
chance = sum(sum(p == c for p, _ in pairs) * sum(t == c for _, t in pairs) for c in (0, 1)) / 64 ** 2
assert close(last["kappa"], (right - chance) / (1 - chance)), (last["kappa"], right, chance)
CHECK
grep -q "names: \['" "$folder/rings/run.log" || fail "the viewer showed nothing"
grep -q 'inputs: ptp.Tensor((16, 2), float32)' "$folder/rings/run.log" || fail "a tensor is not described"

train "$folder/alone" "$folder/rings.toml" --set training.dataloader.num_workers=0
same_tables "$folder/rings" "$folder/alone"

[[ $failures -eq 0 ]]
