#!/usr/bin/env bash
# wheel.sh BUILD-FOLDER SOURCE-FOLDER: a wheel of a build folder beside this one that has a torch of the Python package index,
# or of this one, in a fresh virtual environment: it names the torch that it needs, trains in less than two minutes without a
# compiler, computes beside an imported torch, builds a plugin, and predicts what the ptp of this folder has trained.
#
# PTP_PEERS_PYTHON names an interpreter with that torch, whose packages are linked into the environment.

set -euo pipefail
build=$1 source=$2
python=${PTP_PEERS_PYTHON:-python3}
folder=$(realpath "$(mktemp -d)")
trap 'rm -rf "$folder"' EXIT
failures=0

skip() { echo "skipped: $*"; exit 77; }
fail() {
    echo "$*"
    failures=$((failures + 1))
}
# equals WHAT EXPECTED: what was printed, and the exit code.
equals() { [[ $said == "$2" ]] || fail "$1: expected $2, not $said"; }
# quietly COMMAND...: its output only if it fails.
quietly() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }; }

found=$("$python" -c 'import importlib.metadata as m; print(m.version("torch").split("+")[0], m.distribution("torch").locate_file(""))' \
    2>/dev/null) || skip "$python has no torch; to install: pip install torch, and PTP_PEERS_PYTHON=FOLDER/bin/python"
torch=${found%% *} packages=${found#* }
for cache in "$(dirname "$build")"/*/CMakeCache.txt; do
    made=$(dirname "$cache")
    if grep -qxF "PTP_LIBTORCH_FINGERPRINT:INTERNAL=$torch (libtorch_cpu.so)" "$cache" && [[ -f $made/lib/libptp.so.0 &&
        -x $made/bin/ptp-mlflow ]]; then
        break
    fi
    made=
done
[[ -n $made ]] || skip "no build folder beside $build is for torch $torch of $python; to make one: ./dev wheel"
"$python" "$source/cmake/wheel.py" "$made" "$torch" "$folder" >"$folder/wheel" || { cat "$folder/wheel"; exit 1; }

quietly "$python" -m venv "$folder/env"
quietly "$folder/env/bin/pip" install --no-index --no-deps "$(cat "$folder/wheel")"
site=$(echo "$folder"/env/lib/python3.*/site-packages)
grep -qxF "Requires-Dist: torch==$torch" "$site"/ptp-*.dist-info/METADATA || fail "the wheel does not require torch $torch"

# Without torch: plugins are listed, and whatever computes names it.
without_compiler=(env -i "HOME=$folder" "PATH=$folder/env/bin")
config=$("${without_compiler[@]}" python -m ptp.config --configs)/tables/houses.toml
"${without_compiler[@]}" ptp-inspect >"$folder/list"
grep -qF "losses 0.1.0  $site/ptp/lib/ptp/plugins/losses.so" "$folder/list" || fail "ptp-inspect does not list the plugins"
needs="this ptp computes with torch $torch, which is not installed in $site
    fix: pip install torch==$torch"
said=$("${without_compiler[@]}" ptprun "$config" --run-dir "$folder/none" 2>&1) && fail "ptprun trains without torch"
equals "ptprun without torch" "ptprun: error: $needs"
said=$("${without_compiler[@]}" python -c "
import ptp
try:
    ptp.Experiment('$config', run_folder='$folder/none').run()
except ptp.PluginError as error:
    print(error)")
equals "the package without torch" "$needs"

for package in "$packages"/*; do
    [[ -e $site/${package##*/} ]] || ln -s "$package" "$site"
done
# All that the files need is there, also where a plugin is copied and opened in another folder.
while read -r file; do
    ldd "$file" 2>/dev/null | grep 'not found' && fail "$file needs these"
done < <(find "$site"/ptp/{bin,lib,libexec} -type f)
begin=$SECONDS
quietly "${without_compiler[@]}" ptprun "$config" --run-dir "$folder/first"
echo "the first training took $((SECONDS - begin)) s"
[[ $((SECONDS - begin)) -lt 120 ]] || fail "the first training took longer than two minutes"
said=$("${without_compiler[@]}" python -c "
import torch
import ptp
limit = {'training.terminal_conditions.epoch_limit': 1}
with ptp.Experiment('$config', set=limit, run_folder='$folder/second') as experiment:
    next(iter(experiment))
    batch = torch.from_numpy(__import__('numpy').array(experiment.read('inputs')))
    experiment.run()
with ptp.load('$folder/first') as model:
    print(type(model(batch)['predictions']).__name__, *model(batch)['predictions'].shape)")
equals "tensors of torch" "Tensor 32 1"

# A plugin is built with its headers.
cd "$folder"
export PATH=$folder/env/bin:$PATH CMAKE_PREFIX_PATH
CMAKE_PREFIX_PATH=$(python -m ptp.config --cmake-path)
quietly ptp-new loss my_loss
quietly my_loss/test.sh
grep -qE " trains.experiment \.+ +Passed " "$folder/log" || fail "an experiment with a plugin of one's own does not train"

# What another libtorch has trained is predicted within a millionth.
cp "$source"/configs/tables/houses.{toml,csv} "$folder"
quietly "$build/bin/ptprun" houses.toml --run-dir "$folder/other"
quietly "$build/bin/ptprun" bundle "$folder/other" -o "$folder/houses.ptpm"
for program in "$build/bin/ptprun" ptprun; do
    "$program" predict houses.ptpm --data houses.csv --json --quiet 2>"$folder/log" || { cat "$folder/log"; exit 1; }
done >"$folder/predictions"
python - "$folder/predictions" <<'END' || fail "another libtorch predicts something else"
import json, sys
rows = [json.loads(line)["predictions"] for line in open(sys.argv[1])]
half = len(rows) // 2
worst = max(abs(a - b) / abs(a) for a, b in zip(rows[:half], rows[half:]))
print(f"{half} predictions differ by at most {worst:.1e} of their value")
sys.exit(not (half == 1000 and worst < 1e-6))
END

# Another version is refused, with both.
rm "$site/torch"
mkdir "$site/torch"
ln -s "$packages/torch/lib" "$site/torch"
echo "__version__ = '9.8.7'" >"$site/torch/version.py"
said=$(ptprun "$config" --run-dir "$folder/none" 2>&1) && fail "ptprun trains with another torch"
equals "ptprun with another torch" "ptprun: error: this ptp computes with torch $torch, and $site/torch is torch 9.8.7: one of the two has to be another
    fix: pip install torch==$torch"
[[ $failures -eq 0 ]]
