#!/usr/bin/env bash
# Who may include whom: tools -> runtime -> ptp/abi.h <- ptp/*.hpp <- plugins.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

readonly torch='^<(torch|ATen|c10|caffe2)/'
readonly sdk='^<ptp/'
readonly sdk_layer='^<ptp/.*\.hpp>$'
readonly host='^["<](base|bundle|distributed|schema|experiment|plugin|pipeline|reference|run|control|engine|solo|host|tools|tests|support)/'

# "file:12:<vector>" for each include in the tree.
mapfile -t sources < <(files . '*.c' '*.h' '*.cpp' '*.hpp')
includes=$(cd "$root" && { grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null "${sources[@]}" |
    sed -E 's/^([^:]*:[0-9]+):[^"<]*(["<][^">]*[">]).*/\1:\2/' || true; })

# forbid FOLDER PATTERN WHY [EXCEPT]: no file of the folder may include what matches, except what
# matches EXCEPT too. All of these are looked at in one pass, at the end.
rules=
forbid() { rules+="$1/"$'\t'"(${2//^/})"$'\t'"$3"$'\t'"${4-}"$'\n'; }

# shellcheck disable=SC2016
forbidden_includes='
FNR == NR { folders[NR] = $1; patterns[NR] = "^" $2; reasons[NR] = $3; excepted[NR] = $4; rule_count = NR; next }
{
    file = substr($0, 1, index($0, ":") - 1)
    place = substr($0, 1, length(file) + index(substr($0, length(file) + 2), ":"))
    included = substr($0, length(place) + 2)
    for (i = 1; i <= rule_count; i++) {
        if (index(file, folders[i]) == 1 && included ~ patterns[i] && !(excepted[i] != "" && included ~ excepted[i])) {
            print place ": includes " included ": " reasons[i]
        }
    }
}'

for layer in base bundle distributed schema experiment plugin pipeline run control host; do
    forbid "runtime/$layer" "$torch" "runtime/$layer is free of libtorch"
done
# What both must compute alike has one place.
forbid runtime "$sdk_layer" "the host knows ptp/abi.h only, not the C++ layer" '^<ptp/folds\.hpp>$'

# A program is of one of two sorts. Those of the host start without libtorch and leave components to the engine. Those of
# the SDK run a component in their own process, with the testing kit, and know nothing of experiments and runs.
readonly sdk_programs=(ptp-cases)
mapfile -t programs < <(printf '%s\n' "${sources[@]}" | sed -nE 's#^tools/([^/]+)/.*#\1#p' | sort -u)
for program in "${programs[@]}"; do
    if [[ " ${sdk_programs[*]} " == *" $program "* ]]; then
        forbid "tools/$program" '^"(distributed|experiment|pipeline|reference|run|control|engine|solo|host)/' \
            "$program knows plugins and the SDK alone"
    else
        forbid "tools/$program" "$torch" "the programs are free of libtorch"
        forbid "tools/$program" "$sdk_layer" "the host knows ptp/abi.h only, not the C++ layer"
    fi
done

# Of the folders of the runtime, each may include those named after it, and itself.
readonly folders=(base distributed schema experiment plugin pipeline run bundle control engine solo host)
declare -A below=(
    [base]="" [distributed]="base" [schema]="base"
    [experiment]="base schema" [plugin]="base schema"
    [pipeline]="base schema experiment plugin"
    [run]="base schema experiment plugin"
    [bundle]="base schema experiment plugin run"
    [control]="base schema experiment run"
    [engine]="base distributed schema experiment plugin pipeline run bundle control"
    [solo]="base schema experiment plugin pipeline run engine"
    [host]="base distributed schema experiment plugin pipeline run bundle control engine")
for folder in "${folders[@]}"; do
    for other in "${folders[@]}"; do
        [[ $folder == "$other" || " ${below[$folder]} " == *" $other "* ]] ||
            forbid "runtime/$folder" "^\"$other/" "$folder may include: ${below[$folder]:-nothing}"
    done
done
# The optimizers and the schedules stand below what reads them, and only the engine uses them besides.
for folder in optimizer schedule; do
    forbid "runtime/experiment/$folder" '^"experiment/' "$folder may include: base schema" "^\"experiment/$folder/"
done
for folder in plugin pipeline run control host; do
    forbid "runtime/$folder" '^"experiment/(optimizer|schedule)/' "experiment/ and engine/ alone use them"
done
# So may the folders of the engine: each those before it. What programs include stands below all of them.
readonly floors=(component distributed data optimizer statistics pretrained checkpoint output train swap entry predict explain export)
for ((i = 0; i < ${#floors[@]}; i++)); do
    for ((j = i + 1; j < ${#floors[@]}; j++)); do
        forbid "runtime/engine/${floors[i]}" "^\"engine/${floors[j]}/" \
            "in the engine ${floors[i]} stands below ${floors[j]}"
    done
done
while read -r file; do
    folder=${file%/*}
    [[ " ${floors[*]} " == *" ${folder##*/} "* ]] ||
        violation "$file:1: lies in no folder of the engine that has a floor"
done < <(files runtime/engine '*.cpp' '*.hpp' | grep -v '^runtime/engine/[^/]*\.hpp$')
while IFS=: read -r file line included; do
    violation "$file:$line: includes $included: a program includes this header, and none of the engine's folders"
done < <(grep -E '^runtime/engine/[^/]*\.hpp:[0-9]+:"engine/[^"/]*/' <<<"$includes" || true)

forbid runtime/base "$sdk" "base knows no component" '^<ptp/splitmix64\.h>$'
forbid runtime/distributed "$sdk" "distributed knows no component"
forbid runtime/schema "$sdk" "schema knows no component"
forbid runtime/experiment "$sdk" "experiment knows no component" '^<ptp/reserved_names\.h>$'
forbid runtime '^"tools/' "the runtime does not know the programs"
forbid sdk "$host" "the SDK stands alone"
forbid plugins "$host" "a plugin is written with the SDK alone"
forbid plugins '^"\.\./' "a plugin does not include another"

while IFS= read -r found; do
    violation "$found"
done < <(awk -F '\t' "$forbidden_includes" <(printf '%s' "$rules") - <<<"$includes")

# abi.h and its part are C and depend on nothing.
while IFS=: read -r file line included; do
    [[ $included =~ ^'<'(stddef|stdint|ptp/declarations).h'>'$ ]] ||
        violation "$file:$line: includes $included: abi.h depends on nothing else"
done < <(grep -E '^sdk/include/ptp/(abi|declarations)\.h:' <<<"$includes" || true)

# What differs between versions of libtorch stands in one file.
while IFS=: read -r file line _; do
    [[ $file == runtime/engine/component/compat.hpp ]] ||
        violation "$file:$line: asks for the version of libtorch: runtime/engine/component/compat.hpp alone does"
done < <(cd "$root" && { grep -nE '\bTORCH_VERSION' /dev/null "${sources[@]}" || true; })

# Several processes are a Collective. What shares a training between them is one file; all others call the functions that
# do their work in a single process, too.
while IFS=: read -r file line _; do
    violation "$file:$line: asks whether there are several processes: a function of Collective or TrainingSession does"
done < <(cd "$root" && { grep -nE '(collective|process(es)?)_?(\.|->)((size|rank)\(\) *[=!<>]=?|group\(\) *[=!]=)' /dev/null \
    "${sources[@]}" || true; } | grep -E '^runtime/' |
    grep -vE '^runtime/(engine/distributed/|engine/train/training_session\.cpp:)' || true)

# What a program, control or host includes of the engine is free of libtorch to its end.
declare -A of_file=()
while IFS=: read -r file line included; do
    of_file[$file]+="$line:$included "
done <<<"$includes"

mapfile -t queue < <(for folder in tools runtime/control runtime/host; do files "$folder" '*.cpp' '*.hpp'; done)
declare -A seen=()
while [[ ${#queue[@]} -gt 0 ]]; do
    file=${queue[0]}
    queue=("${queue[@]:1}")
    [[ -z ${seen[$file]-} ]] || continue
    seen[$file]=1
    for include in ${of_file[$file]-}; do
        line=${include%%:*} included=${include#*:}
        if [[ $file == runtime/engine/* && $included =~ $torch ]]; then
            violation "$file:$line: includes $included: a program includes this header"
        fi
        header=runtime/${included:1:-1}
        [[ ! -f $root/$header ]] || queue+=("$header")
    done
done

finish
