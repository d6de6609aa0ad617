#!/usr/bin/env bash
# Nothing in the tree speaks of a machine it was written on, nothing is left unfinished, and the words
# are those of the field: CONTRIBUTING.md has the glossary.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

mapfile -t texts < <(files . '*.c' '*.h' '*.cpp' '*.hpp' '*.md' '*.toml' '*.cmake' '*.in' '*.sh' \
    CMakeLists.txt dev run)

# The brackets keep this file from finding itself.
readonly forbidden='/wor[k]/|\bT[O]DO\b|\bF[I]XME\b|\bX[X]X\b'
while IFS=: read -r file line word; do
    violation "$file:$line: has the forbidden '$word'"
done < <(cd "$root" && { grep -noE "$forbidden" /dev/null "${texts[@]}" || true; })

# What is written otherwise here: a pattern, and the words to use. The changelog may quote old names.
readonly words=(
    '[Cc]olo[u]r' 'color' '[Nn]ormal[i]s' 'normaliz-' '[Mm]inim[i]s' 'minimiz-' '[Rr]ecogn[i]s' 'recogniz-'
    '[Ii]nitial[i]s(e|a|i)' 'initializ-' '[Nn]eighbo[u]r' 'neighbor' '[Bb]ehavio[u]r' 'behavior'
    '\b[Ww]eigh[e]d\b' 'weighted' '\bgoe[s] on\b' 'continues' '\bfor eve[r]\b' 'forever'
    '\b[Gg]o o[n]\b' 'continue' '\bin forc[e]\b' 'active' '(?<!not \| )\b[Ss]o man[y]\b(?!, of which)' 'N, that many' '\bof which th[e]\b' 'whose'
    '\b(is|are|was|were|be) told (apar[t]|of)\b' 'distinguished, reported' '; give[s] (the|how|what|whether)\b' 'returns'
    '\bpu[t] aside\b' 'ignored' '\bweights to begi[n] with\b' 'initial weights' '\bmen[d]s?\b' 'fix'
    '(?<!here )\bis n[o] (number|class|size|plugin|run|file|condition|vocabulary)\b' 'is not a ...'
    '\bnobody_can_be_tol[d]\b' 'ignored' '\bk(Mos[t]|Leas[t]|Larges[t]|Longes[t]|Highes[t])[A-Z]?' 'kMax..., kMin...')
for ((i = 0; i < ${#words[@]}; i += 2)); do
    while IFS=: read -r file line word; do
        [[ $file == *CHANGELOG.md ]] || violation "$file:$line: says '$word': write '${words[i + 1]}'"
    done < <(cd "$root" && { grep -noP "${words[i]}" /dev/null "${texts[@]}" || true; })
done

finish
