#!/usr/bin/env bash
# python_live.sh BUILD-FOLDER ROOT: trainings with components in Python are killed and continue with the same bits;
# their scripts are exchanged while they run.

build=$1
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
quietly "$build/bin/ptp-python" "$here/python/parts.py" -o "$folder"

# Swaps change no bit: state, generators and loader threads. In this process, and in a child that tries them.
for rehearse in thread process; do
    quietly "$build/bin/ptprun" "$here/python/rings.toml" --plugins "$folder" --run-dir "$folder/$rehearse" --swap-check 5 \
        --set "swap.rehearse=\"$rehearse\""
done

# Killed, not stopped, and resumed.
long=(--set training.terminal_conditions.epoch_limit=400 --set checkpoint.every_epochs=1)
train "$folder/whole" "$here/python/rings.toml" "${long[@]}"
"$build/bin/ptprun" "$here/python/rings.toml" --plugins "$folder" --run-dir "$folder/killed" --quiet "${long[@]}" &
pid=$!
# wait_for COMMAND...: at most half a minute.
wait_for() {
    local i
    for ((i = 0; i < 300; i++)); do
        "$@" && return
        sleep 0.1
    done
    fail "waited in vain for: $*"
}
has_checkpoint() { [[ -e $folder/killed/checkpoints/last ]]; }
wait_for has_checkpoint
kill -KILL "$pid"
wait "$pid" 2>/dev/null && fail "the training was over before it was killed"
quietly "$build/bin/ptprun" resume "$folder/killed"
same_tables "$folder/whole" "$folder/killed"

# A script is saved: its plugin is built again, and the training continues with that, and its state.
cp "$here/python/parts.py" "$folder"
"$build/bin/ptp-python" "$folder/parts.py" -o "$folder/parts.so" --watch >"$folder/built" &
watcher=$!
is_built() { grep -q '^built' "$folder/built"; }
wait_for is_built
"$build/bin/ptprun" "$here/python/rings.toml" --plugins "$folder" --run-dir "$folder/live" --quiet --paused --watch \
    --set training.terminal_conditions.epoch_limit=100000 --set training.terminal_conditions.loss_stop_threshold=0 \
    --set training.terminal_conditions.early_stop_validations=100000 &
pid=$!
has_socket() { [[ -S $folder/live/control.sock ]]; }
wait_for has_socket
quietly "$build/bin/ptprun" control "$folder/live" continue
sed -i 's/draw.gauss(0, self.amount)/draw.gauss(0, 0.5)/; s/"1.2.0"/"1.3.0"/' "$folder/parts.py"
is_swapped() { grep -q 'swapped in parts 1.3.0' "$folder/live/run.log"; }
wait_for is_swapped
kill "$watcher"
[[ $(grep -c '^\[\[.*generation\|^sha256' "$folder/live/plugins.lock") -ge 2 ]] ||
    { fail "the run does not know both builds"; cat "$folder/live/plugins.lock"; }

# One with another port is refused, and the training continues.
mkdir "$folder/other"
sed 's/"names", ptp.STRING/"called", ptp.STRING/' "$here/python/parts.py" >"$folder/other/parts.py"
quietly "$build/bin/ptp-python" "$folder/other/parts.py" -o "$folder/other/parts.so"
if "$build/bin/ptprun" swap "$folder/live" "$folder/other/parts.so" >"$folder/log" 2>&1; then
    fail "a script with another port is swapped in"
fi
grep -q "cannot be swapped in (inspect)" "$folder/log" || { fail "the refusal is not named"; cat "$folder/log"; }
kill -TERM "$pid"
wait "$pid" || true

[[ $failures -eq 0 ]]
