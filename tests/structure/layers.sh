#!/usr/bin/env bash
# Who may include whom: tools -> runtime -> ptp/abi.h <- ptp/*.hpp <- plugins.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

readonly torch='^<(torch|ATen|c10|caffe2)/'
readonly sdk='^<ptp/'
readonly sdk_layer='^<ptp/.*\.hpp>$'
readonly host='^["<](base|experiment|plugin|pipeline|reference|run|control|engine|tools|tests|support)/'

# "file:12:<vector>" for each include in the tree.
mapfile -t sources < <(files . '*.c' '*.h' '*.cpp' '*.hpp')
includes=$(cd "$root" && { grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null "${sources[@]}" |
    sed -E 's/^([^:]*:[0-9]+):[^"<]*(["<][^">]*[">]).*/\1:\2/' || true; })

# forbid FOLDER PATTERN WHY [EXCEPT]: no file of the folder may include what matches, except what
# matches EXCEPT too.
forbid() {
    local folder=$1 pattern=$2 why=$3 except=${4-} file line included
    while IFS=: read -r file line included; do
        [[ -n $except && $included =~ $except ]] || violation "$file:$line: includes $included: $why"
    done < <(grep -E "^$folder/[^:]*:[0-9]+:(${pattern//^/})" <<<"$includes" || true)
}

for layer in base experiment plugin pipeline reference run control; do
    forbid "runtime/$layer" "$torch" "runtime/$layer is free of libtorch"
done
forbid tools "$torch" "the programs are free of libtorch"
forbid runtime "$sdk_layer" "the host knows ptp/abi.h only, not the C++ layer"
forbid tools "$sdk_layer" "the host knows ptp/abi.h only, not the C++ layer"

# Of the folders of the runtime, each may include those named after it, and itself.
readonly folders=(base experiment plugin pipeline reference run control engine)
declare -A below=(
    [base]="" [experiment]="base" [plugin]="base" [pipeline]="base experiment plugin"
    [reference]="base experiment plugin pipeline" [run]="base experiment plugin"
    [control]="base experiment run" [engine]="base experiment plugin pipeline run control")
for folder in "${folders[@]}"; do
    for other in "${folders[@]}"; do
        [[ $folder == "$other" || " ${below[$folder]} " == *" $other "* ]] ||
            forbid "runtime/$folder" "^\"$other/" "$folder may include: ${below[$folder]:-nothing}"
    done
done
forbid runtime/base "$sdk" "base knows no component" '^<ptp/splitmix64\.h>$'
forbid runtime/experiment "$sdk" "experiment knows no component"
forbid runtime '^"tools/' "the runtime does not know the programs"
forbid sdk/include "$host" "the SDK stands alone"
forbid sdk/template "$host" "a plugin is written with the SDK alone"
forbid plugins "$host" "a plugin is written with the SDK alone"
forbid plugins '^"\.\./' "a plugin does not include another"

# abi.h and its part are C and depend on nothing.
while IFS=: read -r file line included; do
    [[ $included =~ ^'<'(stddef|stdint|ptp/declarations).h'>'$ ]] ||
        violation "$file:$line: includes $included: abi.h depends on nothing else"
done < <(grep -E '^sdk/include/ptp/(abi|declarations)\.h:' <<<"$includes" || true)

# What a program or control includes of the engine is free of libtorch to its end.
declare -A of_file=()
while IFS=: read -r file line included; do
    of_file[$file]+="$line:$included "
done <<<"$includes"

mapfile -t queue < <(files tools '*.cpp' '*.hpp'; files runtime/control '*.cpp' '*.hpp')
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
