#!/usr/bin/env bash
# python_modules.sh BUILD-FOLDER ROOT: modules beside a script are a part of its plugin: a change in one is another
# build, what becomes of the file later is not, and each build has its own.

build=$1
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

# The parts of parts.py in four files: a module, and a package with a module that another one of it imports.
mkdir -p "$folder/own/shapes" "$folder/own/numpy"
own=$folder/own
sed -e 's/^import math$/import helpers, shapes.flat as flat\nfrom shapes import later\nfrom shapes.round import */' \
    -e 's/1 + target + random.gauss/flat.base() + target + random.gauss/' \
    -e 's/math.pi/PI/; s/math.cos/helpers.math.cos/; s/math.sin/helpers.math.sin/' \
    -e 's/^        self.amount, self.setup = /        import late\n        assert late.VALUE == later.VALUE == 3\n&/' \
    "$here/python/parts.py" >"$own/parts.py"
echo 'import math' >"$own/helpers.py"
echo 'from .flat import base' >"$own/shapes/__init__.py"
printf 'from . import later\ndef base():\n    return 1\n' >"$own/shapes/flat.py"
echo 'VALUE = 3' | tee "$own/shapes/later.py" >"$own/late.py"
printf 'import math\n__all__ = ["PI"]\nPI = math.pi\n' >"$own/shapes/round.py"
echo 'raise RuntimeError("a folder without __init__.py is no package")' >"$own/numpy/core.py"

(cd / && "$build/bin/ptp-python" "$own/parts.py" -o "$folder") >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
[[ $(<"$folder/log") == "built $folder/parts.so with helpers, late, shapes, shapes.flat, shapes.later, shapes.round" ]] ||
    { fail "the modules are not named"; cat "$folder/log"; }
quietly "$build/bin/ptp-inspect" --check --strict "$folder/parts.so"

# Another module, another build; the same again, the same build.
cp "$folder/parts.so" "$folder/first"
quietly "$build/bin/ptp-python" "$own/parts.py" -o "$folder"
cmp "$folder/first" "$folder/parts.so" || fail "two builds of the same files differ"
echo '# changed' >>"$own/helpers.py"
quietly "$build/bin/ptp-python" "$own/parts.py" -o "$folder"
! cmp -s "$folder/first" "$folder/parts.so" || fail "a changed module is the same build"
cp "$folder/first" "$folder/parts.so"

# The numbers are those of the one file, and the files are needed no longer: others of these names are not looked at.
mv "$own" "$folder/moved"
mkdir "$folder/path"
echo 'raise RuntimeError("this is another module")' | tee "$folder/path/late.py" "$folder/path/shapes.py" >"$folder/path/helpers.py"
PYTHONPATH=$folder/path train "$folder/packed" "$here/python/rings.toml"
quietly "$build/bin/ptp-python" "$here/python/parts.py" -o "$folder/parts.so"
train "$folder/one_file" "$here/python/rings.toml"
same_tables "$folder/packed" "$folder/one_file"

# A byte order mark is no part of a script, and numbers of 64 bits, which numpy makes by default, become those of 32.
{
    printf '\xef\xbb\xbf'
    sed -e 's/^import math$/import array, math/' -e 's/return (\(\[radius.*\]\), target/return (array.array("d", \1), target/' \
        "$here/python/parts.py"
} >"$folder/marked.py"
grep -qF 'return (array.array("d", [radius' "$folder/marked.py" || fail "the script is another"
quietly "$build/bin/ptp-python" "$folder/marked.py" -o "$folder/parts.so"
train "$folder/marked" "$here/python/rings.toml"
same_tables "$folder/marked" "$folder/one_file"

# Where another Python is first in PATH, a script is read by the one in which runs have it.
python3 -m venv --without-pip "$folder/venv"
{
    printf 'import sys\nassert sys.prefix == sys.base_prefix, sys.prefix\n'
    cat "$here/python/parts.py"
} >"$folder/other.py"
VIRTUAL_ENV='' PATH=$folder/venv/bin:$PATH quietly "$build/bin/ptp-python" "$folder/other.py" -o "$folder/other"

# A swap brings the modules of the new build, in the process that has those of the old one, too.
mv "$folder/moved" "$own"
cp "$folder/first" "$folder/parts.so"
quietly "$build/bin/ptprun" "$here/python/rings.toml" --plugins "$folder" --run-dir "$folder/checked" --swap-check 5

# What is wrong in a module is reported with its file and line.
# refused MESSAGE: ptp-python makes no plugin.
refused() {
    local status=0
    "$build/bin/ptp-python" "$own/parts.py" -o "$folder/refused.so" >"$folder/log" 2>&1 || status=$?
    [[ $status -eq 3 ]] || fail "exit code $status"
    [[ $(<"$folder/log") == "$1" ]] || { fail "not found: $1"; cat "$folder/log"; }
}
echo '1 / 0' >"$own/helpers.py"
refused "$own/helpers.py:1: ZeroDivisionError: division by zero"
echo 'def broken(' >"$own/helpers.py"
refused "$own/helpers.py:1: SyntaxError: '(' was never closed
    def broken("
printf '\377' >"$own/helpers.py"
refused "$own/helpers.py: is not UTF-8: invalid start byte at byte 0"
printf 'x = 1\0' >"$own/helpers.py"
refused "$own/helpers.py: has a NUL byte"
echo 'import importlib; importlib.import_module("late")' >"$own/helpers.py"
refused "$own/helpers.py:1: ModuleNotFoundError: No module named 'late'
    fix: install it for $(cat "$build/lib/ptp/python/python_program"), in which runs have the components"
{ echo 'import math'; printf '#'; head -c 1100000 /dev/zero | tr '\0' x; } >"$own/helpers.py"
"$build/bin/ptp-python" "$own/parts.py" -o "$folder/refused.so" >"$folder/log" 2>&1 && fail "too large a module is taken"
grep -q 'bytes with its declarations and modules, more than 1048576$' "$folder/log" || { fail "its size is not named"; cat "$folder/log"; }

# While a training runs, its errors have lines of modules, too.
printf 'import math\ndef answer(table):\n    return table["missing"]\n' >"$own/helpers.py"
sed -e 's/^import ptp$/import helpers\nimport ptp/' -e 's/return table\["missing"\]/return helpers.answer(table)/' \
    "$here/python/wrong.py" >"$own/wrong.py"
quietly "$build/bin/ptp-python" "$own/wrong.py" -o "$folder"
"$build/bin/ptprun" "$here/python/wrong.toml" --plugins "$folder" --run-dir "$folder/wrong" --quiet \
    --set 'pipeline.wrong.answer="missing"' >"$folder/log" 2>&1 && fail "the error is lost"
grep -qF "forward() failed: $own/helpers.py:3: KeyError: 'missing'" "$folder/log" || { fail "the module is not named"; cat "$folder/log"; }
grep -qF "File \"$own/helpers.py\", line 3, in answer: return table[\"missing\"]" "$folder/log" || { fail "the line is not shown"; cat "$folder/log"; }

# --watch looks at the modules, too.
"$build/bin/ptp-python" "$own/wrong.py" -o "$folder/watched.so" --watch >"$folder/built" &
watcher=$!
trap 'kill "$watcher" 2>/dev/null; rm -rf "$folder"' EXIT
# builds COUNT: as many are reported, within half a minute.
builds() {
    local i
    for ((i = 0; i < 300; i++)); do
        [[ $(grep -c '^built' "$folder/built") -ge $1 ]] && return
        sleep 0.1
    done
    fail "no build $1"
}
builds 1
echo '# saved' >>"$own/helpers.py"
builds 2

[[ $failures -eq 0 ]]
