#!/usr/bin/env bash
# python_errors.sh BUILD-FOLDER ROOT: what is wrong with a script, and what a script raises, is reported with file
# and line, by the exit code that it would have from a component in C++.

build=$1
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

# refused NAME MESSAGE: ptp-python makes no plugin of the script in standard input, and says why.
refused() {
    local name=$1 message=$2 status=0
    cat >"$folder/$name.py"
    "$build/bin/ptp-python" "$folder/$name.py" -o "$folder/$name.so" >"$folder/log" 2>&1 || status=$?
    [[ $status -eq 3 ]] || fail "$name: exit code $status"
    [[ $(sed 's/one has [0-9]*$/one has N/; s/has [0-9]* bytes with/has N bytes with/' "$folder/log") == "${message//@/$folder/$name.py}" ]] || { fail "$name:"; cat "$folder/log"; }
    [[ ! -e $folder/$name.so && ! -e $folder/$name.so.unfinished ]] || fail "$name: left a file"
}

refused syntax "@:4: SyntaxError: expected ':'
    class Broken(ptp.Transform)" <<'PY'
import ptp


class Broken(ptp.Transform)
    pass
PY
refused raises "@:1: ZeroDivisionError: division by zero" <<<'1 / 0'
refused missing "@:1: ModuleNotFoundError: No module named 'a_module_that_is_missing'
    fix: install it for $(cat "$build/lib/ptp/python/python_program"), in which runs have the components" \
    <<<'import a_module_that_is_missing'
for kind in Loss Model; do
    refused "a_${kind,}" "@:4: AttributeError: module 'ptp' has no attribute '$kind'
    a script can have the classes ptp.Transform, ptp.SampleTransform, ptp.Statistic, ptp.Publisher, ptp.Viewer and ptp.Task
    fix: write it in C++: ptp-new ${kind,} NAME makes a project for it" <<PY
import ptp


class Mine(ptp.$kind):
    pass
PY
done
refused near "@:2: AttributeError: module 'ptp' has no attribute 'Transfrom'; did you mean 'ptp.Transform'?" <<'PY'
import ptp
class Mine(ptp.Transfrom): pass
PY
refused unknown "@:2: AttributeError: module 'ptp' has no attribute 'Zebra'
    fix: derive components from ptp.Transform, ptp.SampleTransform, ptp.Statistic, ptp.Publisher, ptp.Viewer or ptp.Task" <<'PY'
import ptp
class Mine(ptp.Zebra): pass
PY
refused ends "@: ends Python with sys.exit(0) when it is loaded
    fix: do that below \`if __name__ == \"__main__\":\`" <<<'import sys; sys.exit(0)'
refused dataclass "@: has no class that is a ptp.Transform, ptp.SampleTransform, ptp.Statistic, ptp.Publisher, ptp.Viewer \
or ptp.Task" <<'PY'
from __future__ import annotations
import dataclasses
@dataclasses.dataclass
class Options:
    size: int = 1
PY
refused empty "@: has no class that is a ptp.Transform, ptp.SampleTransform, ptp.Statistic, ptp.Publisher, ptp.Viewer \
or ptp.Task" <<<'import ptp'
refused Upper "@: its name is the plugin's, and must be lower-case letters, digits and '_', a letter first" <<<'import ptp'
head='import ptp
class One(ptp.Transform):
    """One."""'
refused method "@:2: One: a ptp.Transform needs the method forward()" <<<"$head"
refused collect "@:2: Score: the statistic 'score' needs the method collect(self, set), which returns {'score': number}" <<<'import ptp
class Score(ptp.Statistic):
    """Highest score."""
    ports = [ptp.input("predictions", ptp.FLOAT, "B, n", "Scores")]
    statistics = [ptp.mean("score", "Highest score")]
    def forward(self, predictions): return 0.5'
refused aggregate "@:2: Score: the statistic 'score' needs the method aggregate(self, set), which returns {'score': number}" <<<'import ptp
class Score(ptp.Statistic):
    """Highest score."""
    ports = [ptp.input("predictions", ptp.FLOAT, "B, n", "Scores")]
    statistics = [ptp.computed("score", "Highest score", set_only=True)]
    def forward(self, predictions): pass
    def getstate(self): return 0
    def setstate(self, state, version): pass'
refused getstate "@:2: Score: the statistic 'score' is computed over a whole set, and what was counted must survive an interruption
    fix: give the class getstate(self), which returns bytes or plain data, and setstate(self, state, version)" <<<'import ptp
class Score(ptp.Statistic):
    """Highest score."""
    ports = [ptp.input("predictions", ptp.FLOAT, "B, n", "Scores")]
    statistics = [ptp.computed("score", "Highest score", set_only=True)]
    def forward(self, predictions): pass
    def aggregate(self, set): return {"score": 1}'
refused constructor "@:2: One: the constructor gets settings and setup
    fix: write def __init__(self, settings, setup), and take the setting x as settings.x" <<<"$head
    def __init__(self, size=3): pass
    def forward(self): pass"
refused statistic "@:4: AttributeError: module 'ptp' has no attribute 'maximum'
    fix: declare statistics with ptp.mean, ptp.total or ptp.computed, and what else a component has with ptp.setting, \
ptp.input, ptp.output, ptp.reads, ptp.publishes or ptp.requirement" <<<"$head
    statistics = [ptp.maximum('score', 'Highest score')]"
refused better "@:4: TypeError: statistic 'score': better = 'max': must be \"larger\" or \"smaller\"" <<<"$head
    statistics = [ptp.mean('score', 'Highest score', better='max')]"
refused docstring "@:2: One: needs a docstring, whose first line is its summary" <<<'import ptp
class One(ptp.Transform):
    def forward(self): pass'
refused half "@:2: One: getstate() and setstate() are needed both or not at all" <<<"$head
    def forward(self): pass
    def getstate(self): pass"
refused type "@:4: TypeError: setting 'x': type must be bool, int, float, str, ptp.Path, ptp.Any, dict with members, or \
list[...] of one of these, at most twice" <<<"$head
    settings = [ptp.setting('x', complex)]"
refused manifest "@: One: port 'Two': the name must be lower-case letters, digits and '_', a letter first" <<<"$head
    ports = [ptp.input('Two', ptp.FLOAT, 'B', 'x')]
    def forward(self, two): pass"
refused range "@: One: setting 'x': default = 3: must be in [0, 1]" <<<"$head
    settings = [ptp.setting('x', int, default=3, range='[0, 1]', help='x')]
    def forward(self): pass"
refused large "@: has room for a manifest of 131072 bytes, and this one has N" <<<"$head
    settings = [ptp.setting(x, int, default=3, help=60000 * 'x') for x in 'abc']
    def forward(self): pass"
refused long "@: has N bytes with its declarations, more than 1048576" < <(
    printf '%s\n    def forward(self): pass\n#' "$head"
    head -c 1100000 /dev/zero | tr '\0' x)

quietly "$build/bin/ptp-python" "$here/python/parts.py" -o "$folder"
quietly "$build/bin/ptp-python" "$here/python/wrong.py" -o "$folder"

# fails CODE ANSWER MESSAGE: a training ends so.
fails() {
    local code=$1 answer=$2 message=$3 status=0
    "$build/bin/ptprun" "$here/python/wrong.toml" --plugins "$folder" --run-dir "$folder/run_$answer" --quiet \
        --set "pipeline.wrong.answer=\"$answer\"" >"$folder/log" 2>&1 || status=$?
    [[ $status -eq $code ]] || fail "$answer: exit code $status, not $code"
    message=${message//@/$here/python/wrong.py}
    [[ $(sed '/^ *[0-9]* | /d; /^ *| /d' "$folder/log") == *"$message"* ]] || { fail "$answer: not found: $message"; cat "$folder/log"; }
}
fails 5 missing "forward() failed: @:35: KeyError: 'missing'
    File \"@\", line 24, in forward: return self.look_up({})
    File \"@\", line 35, in look_up: return table[\"missing\"]"
fails 4 data 'there is no such sample'
fails 5 exit 'SystemExit: 7'
fails 4 text "str is not a tensor, and has no numbers in nested lists"
fails 3 two "writes [2] to stream 'outputs', but its port 'outputs' is declared as [B, width = 2] (B = 4)"
fails 4 nothing "forward() returned nothing for the output 'outputs'"
# numbers ANSWER MESSAGE: a training ends with 4 because of what collect() returns.
numbers() {
    local answer=$1 message=$2 status=0
    "$build/bin/ptprun" "$here/python/wrong.toml" --plugins "$folder" --run-dir "$folder/numbers_$answer" --quiet \
        --set pipeline.wrong.enabled=false --set 'pipeline.classifier.streams.inputs="inputs"' \
        --set "pipeline.score.answer=\"$answer\"" >"$folder/log" 2>&1 || status=$?
    [[ $status -eq 4 ]] || fail "numbers $answer: exit code $status, not 4"
    [[ $(<"$folder/log") == *"$message"* ]] || { fail "numbers $answer: not found: $message"; cat "$folder/log"; }
}
numbers float "collect() must return the numbers by name, as {'score': 0.5}, not float"
numbers other "collect() returned no number for the statistic 'score'"
numbers text "collect() returned '0.5' for the statistic 'score', which is not a number"
numbers nothing "collect() returned None for the statistic 'score', which is not a number"
fails 4 complex "list is not a tensor, and has no numbers in nested lists"
fails 4 ragged 'nested lists must have rows of one length'
fails 2 setting 'answer = "setting": is refused by the constructor'
fails 2 module "ModuleNotFoundError: No module named 'a_module_that_is_missing'; Python 3."

# What is not a file is refused, and not waited for.
mkfifo "$folder/pipe.py"
status=0
timeout 60 "$build/bin/ptp-python" "$folder/pipe.py" >"$folder/log" 2>&1 || status=$?
[[ $status -eq 2 && $(<"$folder/log") == "$folder/pipe.py: is not a regular file" ]] \
    || { fail "a pipe: exit code $status"; cat "$folder/log"; }

status=0
"$build/bin/ptp-python" "$here/python/wrong.py" -o "$folder/pipe.py" >"$folder/log" 2>&1 || status=$?
[[ $status -eq 2 && $(<"$folder/log") == "$folder/pipe.py: is not a regular file" && -p $folder/pipe.py ]] \
    || { fail "-o to a pipe: exit code $status"; cat "$folder/log"; }

status=0
"$build/bin/ptp-python" "$folder" >"$folder/log" 2>&1 || status=$?
[[ $status -eq 2 && $(<"$folder/log") == "$folder: is a folder, not a file" ]] \
    || { fail "a folder: exit code $status"; cat "$folder/log"; }

"$build/bin/ptp-python" "$here/python/wrong.py" -o "$folder/new/folder/" >"$folder/log" 2>&1 || fail "-o to a new folder"
[[ $(<"$folder/log") == "built $folder/new/folder/wrong.so" && -f $folder/new/folder/wrong.so ]] \
    || { fail "-o makes the folder"; cat "$folder/log"; }
status=0
"$build/bin/ptp-python" "$here/python/wrong.py" -o "$folder/log/wrong.so" >"$folder/said" 2>&1 || status=$?
[[ $status -eq 2 && $(<"$folder/said") == "$folder/log/wrong.so: Not a directory" ]] \
    || { fail "-o below a file: exit code $status"; cat "$folder/said"; }

mkdir "$folder/links"
ln -s linked.so "$folder/links/link.so"
"$build/bin/ptp-python" "$here/python/wrong.py" -o "$folder/links/link.so" >"$folder/log" 2>&1 || fail "-o to a link"
[[ $(<"$folder/log") == "built $folder/links/link.so" && -L $folder/links/link.so && -f $folder/links/linked.so ]] \
    || { fail "-o to a link replaces it"; cat "$folder/log"; }

# A setting out of its range, a misspelled one, and a wrong type are found by `check`, with their lines.
# checked OLD NEW MESSAGE
checked() {
    local status=0
    sed "s/$1/$2/" "$here/python/rings.toml" >"$folder/rings.toml"
    "$build/bin/ptprun" check "$folder/rings.toml" --plugins "$folder" >"$folder/log" 2>&1 || status=$?
    [[ $status -eq 2 ]] || fail "check: exit code $status"
    grep -qF -- "$3" "$folder/log" || { fail "check: not found: $3"; cat "$folder/log"; }
}
checked 'size = 128' 'size = 0' 'rings.toml:9:33: error: training.task.size = 0: must be in [1, 10000]'
checked 'size = 128' 'sice = 128' "did you mean 'size'?"
checked 'size = 128' 'size = 1.5' 'training.task.size = 1.5: must be an integer'

[[ $failures -eq 0 ]]
