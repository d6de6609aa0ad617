#!/usr/bin/env bash
# using_a_model.sh ROOT BIN: the commands and programs that docs/using-a-model.md shows do what it says, one after the other, with a
# model that this script trains. tests/peers runs those of ONNX Runtime and PyTorch.

set -euo pipefail
root=$1 bin=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# shellcheck source-path=SCRIPTDIR source=kinds.sh
source "$root/tests/tools/kinds.sh" "$bin"
printf 'x,y\n0.9,0.8\n0.1,0.2\n' >new.csv

# blocks LANGUAGE SECTION...: the lines of the page's blocks in that language, in their order.
blocks() {
    awk -v language="$1" -v sections="$(printf '%s|' "${@:2}")" '
        /^## / { is_mine = index("|" sections, "|" substr($0, 4) "|") > 0 }
        $0 == "```" language { inside = is_mine; next } /^```$/ { inside = 0 }
        inside { print }' "$root/docs/using-a-model.md"
}

# ONNX Runtime is not here: the interpreter of --verify is a program that finds no difference.
printf '#!/bin/sh\necho "  predictions: largest difference 0.0e+00"\n' >python
chmod +x python
export PTP_PYTHON=$PWD/python
blocks sh "The whole way" "One file" "JSON lines" "ONNX, TorchScript, safetensors" >commands.sh
[[ $(grep -c . commands.sh) -ge 10 ]] || { echo "the page shows too little"; exit 1; }
bash -euo pipefail commands.sh >output.txt

fail() {
    echo "$1"
    cat output.txt
    exit 1
}
[[ $(grep -c '^[01],\(big\|small\),' output.txt) == 10 ]] || fail "predict does not tell the two new samples"
grep -q '^0,big,' output.txt || fail "the first is not big"
grep -q '^{"line":1,"predicted":"big","score":0\.[0-9]*}$' output.txt || fail "no line of JSON for the first item"
grep -q '^{"line":2,"predicted":"small","score":0\.[0-9]*}$' output.txt || fail "no line of JSON for the second item"
grep -qF "{\"line\":3,\"error\":\"has no 'y'\"}" output.txt || fail "no error for the third item"
grep -q '^kinds.ptpm: signed with the key ' output.txt || fail "the signature is not verified"
grep -q '^# kinds$' kinds.md || fail "no model card"
tar tf kinds.ptpm >files.txt
head -n 1 files.txt | grep -qx manifest.toml || fail "tar does not list it"
for file in model.onnx model.pt model.safetensors; do
    [[ -s $file ]] || fail "$file was not exported"
done

# Programs in Python and C compute the same scores, and the first of them is large and the second small.
ptprun bundle runs/kinds/first -o kinds.ptpm >output.txt
blocks python "The whole way" >program.py
blocks c "The whole way" >program.c
lib=$(realpath "$bin/../lib")
is_big_and_small() { awk 'NR == 1 { first = $1 > $2 } NR == 2 { second = $1 < $2 } END { exit !(NR == 2 && first && second) }'; }
if command -v python3 >/dev/null; then
    PTP_LIBRARY=$lib/libptp.so.0 PYTHONPATH=$root/sdk/python python3 program.py >output.txt
    grep -q big output.txt || fail "Python does not predict that it is big"
    tail -n 1 output.txt | sed 's/], \[/\n/; s/[][,]/ /g' | is_big_and_small || fail "Python has other scores"
fi
if command -v cc >/dev/null; then
    cc -std=c11 -Wall -Wextra -Werror -I"$root/runtime/host/include" program.c -L"$lib" -lptp -Wl,-rpath,"$lib" -o program
    ./program >output.txt
    is_big_and_small <output.txt || fail "C has other scores"
fi

# Each wrong input has the text that the page shows.
rm kinds.ptpm.minisig  # of another kinds.ptpm
blocks console "Wrong input" >expected.txt
while read -r line; do
    [[ $line != '$ '* ]] || { echo "$line"; (bash -c "${line#'$ '}" 2>&1 </dev/null || true) | sed "s|$folder|/home/me|g"; }
done <expected.txt >output.txt
diff expected.txt output.txt || { echo "the page shows other messages, < those that it has"; exit 1; }
