#!/usr/bin/env bash
# runtime/run spells the names of what a run's folder holds; in other code of the runtime and the programs no text has them,
# but for the help of an experiment's keys, which are declared in a layer below.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

mapfile -t sources < <({ files runtime '*.cpp' '*.hpp'; files tools '*.cpp' '*.hpp'; } |
    grep -vE '^runtime/(run/|experiment/weights_file\.hpp$)' || true)
[[ ${#sources[@]} -gt 0 ]] || finish

# A file, within any text; a folder or a checkpoint's name, where a path is made of it.
readonly names='run\.json|status\.json|tags\.json|experiment(_at_start)?\.toml|checkpoint\.toml|training\.(toml|safetensors)|(weights|averages)\.safetensors|SHA256SUMS|journal\.jsonl|plugins\.lock|control\.sock|run\.log|summary\.txt|trace\.json|statistics\.jsonl|(training|training_epochs|validation|partial_validation|test)\.csv'
readonly folders='plugins|checkpoints|last|best|lock|tensorboard'
while IFS=: read -r file line word; do
    violation "$file:$line: spells '$word': runtime/run/paths.hpp has the names of a run's folder"
done < <(cd "$root" && { grep -noP \
    "^(?!\s*//|.*\bk?[hH]elp = )(?:[^\"/]|/(?!/)|\"(?:[^\"\\\\]|\\\\.)*?\")*?\"(?:[^\"\\\\]|\\\\.)*?\b\K($names)\b(?=(?:[^\"\\\\]|\\\\.)*\")|/ \"\K($folders)(?=\")" \
    /dev/null "${sources[@]}" || true; })

finish
