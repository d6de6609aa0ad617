#!/usr/bin/env bash
# Nothing in the tree speaks of a machine it was written on, nothing is left unfinished, and the words
# are the field's: CONTRIBUTING.md has the glossary.

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
    '\bpu[t] aside\b' 'ignored' '\bweights to begi[n] with\b' 'initial weights' '\bmen[d](s|ed|ing)?\b' 'fix'
    '\bthat there (is|are) no[t]\b' 'unknown, missing' '(?<!here )\bis n[o] (number|class|size|plugin|run|file|condition|vocabulary)\b' 'is not a ...'
    '\bnobody_can_be_tol[d]\b' 'ignored' '\bk(Mos[t]|Leas[t]|Larges[t]|Longes[t]|Highes[t])[A-Z]?' 'kMax..., kMin...')
# The same, but tests and records of decisions may have these: an abstract "nobody" or "says" is quick
# to write and slow to read where the reader looks for what a function returns.
readonly words_of_the_product=(
    '\b[Nn]obod[y]\b' 'no component, no process' '\b[Ww]hoeve[r]\b' 'the caller, any component'
    '\b(say|says|said) s[o]\b' 'states it, reports it' '\b(is|are|be|been) sai[d]\b' 'reported, described'
    '\bsay[s] (which|how|what|why|whether|where|of|nothing)\b' 'states, explains'
    '\bsa[y] of\b' 'state about' '\b(is|was|are|been|being) tol[d]\b' 'gets, is set to'
    '\btell[s]? (\w+ )?apar[t]\b' 'distinguish' '\bstand[s]? fo[r]\b' 'represents, expands to'
    '\b[Ww]hat stand[s]\b' 'the text, the prefix' '\bthat is non[e]\b' 'is not a ..., malformed'
    '\bgive or tak[e]\b' 'plus or minus' '\bfor goo[d]\b' 'finally' '\bin_forc[e]\b' 'active'
    '\bunless (it|they) say[s]?\b' 'unless set otherwise' '\bis_samplewis[e]\b' 'is_per_sample')

# find_words LEFT_OUT {PATTERN WORDS}...: reports each use but in files whose names match LEFT_OUT.
find_words() {
    local left_out=$1 i file line word
    shift
    for ((i = 1; i <= $#; i += 2)); do
        while IFS=: read -r file line word; do
            [[ $file =~ $left_out ]] || violation "$file:$line: has '$word': write '${*:i+1:1}'"
        done < <(cd "$root" && { grep -noP "${!i}" /dev/null "${texts[@]}" || true; })
    done
}
find_words 'CHANGELOG\.md$' "${words[@]}"
find_words 'CHANGELOG\.md$|^(\./)?(tests|docs/decisions)/' "${words_of_the_product[@]}"

# A comment is read without the declaration below it. These openings begin a fragment, whose subject is
# the declaration; a sentence begins with a subject, a verb in the third person or an article.
readonly openings='Of|Those|Whose|What|Whether|Where|Which|Who|How|Whence|After it|From now on|The same|Nothing of|Both:'
mapfile -t sources < <(for folder in runtime tools sdk plugins; do files "$folder" '*.c' '*.h' '*.cpp' '*.hpp'; done)
if [[ ${#sources[@]} -gt 0 ]]; then
    while IFS= read -r found; do
        violation "$found"
    done < <(cd "$root" && awk -v openings="^[ \t]*//+ ($openings) " '
        FNR == 1 { was_comment = 0 }
        { is_comment = $0 ~ /^[ \t]*\/\// }
        is_comment && !was_comment && $0 ~ openings {
            sub(/^[ \t]*\/\/+ /, "")
            print FILENAME ":" FNR ": a comment begins with \47" $1 "\47: give it a subject"
        }
        { was_comment = is_comment }' "${sources[@]}")
fi

finish
