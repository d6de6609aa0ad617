#!/usr/bin/env bash
# python_arrays.sh BUILD-FOLDER ROOT: arrays of numpy and tensors of PyTorch pass without copies in both directions.
# Needs numpy, of the system or of PTP_PEERS_PYTHON; with the latter's PyTorch, that too.

build=$1
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

if [[ -n ${PTP_PEERS_PYTHON-} ]]; then
    PYTHONPATH=$("$PTP_PEERS_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    export PYTHONPATH
fi
has() { python3 -c "import $1" 2>/dev/null; }
has numpy || { echo "skipped: numpy is not installed"; exit 77; }
quietly "$build/bin/ptp-python" "$here/python/parts.py" -o "$folder"
quietly "$build/bin/ptp-python" "$here/python/arrays.py" -o "$folder"

sed -e '/^\[pipeline.jitter\]/,/^$/d' -e 's/"noisy"/"outputs"/' "$here/python/rings.toml" >"$folder/arrays.toml"
printf '\n[pipeline.double]\ntype = "Double"\nstreams = { inputs = "features" }\n' >>"$folder/arrays.toml"
printf '\n[pipeline.compare]\ntype = "Compare"\nstreams = { inputs = "features" }\n' >>"$folder/arrays.toml"

# passes FORM SAME-MEMORY [LIBRARY]
passes() {
    local run=$folder/run_$1_${3-numpy}
    train "$run" "$folder/arrays.toml" --set "pipeline.double.form=\"$1\"" \
        --set "pipeline.double.library=\"${3-numpy}\"" --set training.terminal_conditions.epoch_limit=2
    [[ $(last "$run/validation.csv" difference) =~ ^0(\.0*)?$ ]] || fail "$1: numbers differ"
    [[ $(last "$run/validation.csv" same_memory) =~ ^$2(\.0*)?$ ]] || fail "$1: same_memory is not $2"
}
passes plain 1
passes transposed 1
passes strided 1
passes read_only 0

# refused FORM MESSAGE
refused() {
    if "$build/bin/ptprun" "$folder/arrays.toml" --plugins "$folder" --run-dir "$folder/run_$1" --quiet \
        --set "pipeline.double.form=\"$1\"" >"$folder/log" 2>&1; then
        fail "$1: is taken"
    fi
    grep -qF -- "$2" "$folder/log" || { fail "$1: not found: $2"; cat "$folder/log"; }
}
refused reversed 'a tensor from Python has negative strides, which libtorch does not have; return a copy: numpy.ascontiguousarray(x)'
refused whole "float"

# PyTorch brings a libtorch of its own, which is not that of ptp here.
if has torch; then
    if "$build/bin/ptprun" "$folder/arrays.toml" --plugins "$folder" --run-dir "$folder/run_torch" --quiet \
        --set 'pipeline.double.library="torch"' >"$folder/log" 2>&1; then
        fail "two libtorch are loaded"
    fi
    grep -qF 'a process can use one of them' "$folder/log" || { fail "the other libtorch is not named"; cat "$folder/log"; }
else
    echo "not run: torch is not installed"
fi

[[ $failures -eq 0 ]]
