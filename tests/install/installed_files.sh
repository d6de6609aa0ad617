#!/usr/bin/env bash
# installed_files.sh BUILD-FOLDER: what `cmake --install` installs besides programs is there and works, each
# component for itself, and after the folder was moved: manual pages, completion, pkg-config, templates,
# documents, experiments.

set -euo pipefail
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

for component in runtime plugins sdk; do
    cmake --install "$build" --component "$component" --prefix "$folder/$component" >"$folder/log" 2>&1 ||
        { cat "$folder/log"; exit 1; }
done
# has COMPONENT FILE...
has() {
    local file
    for file in "${@:2}"; do
        [[ -s $folder/$1/$file ]] || fail "the component $1 has no $file"
    done
}
has runtime bin/{ptprun,ptp-inspect,ptp-import,ptp-pack,ptp-report,ptp-runs,ptp-search} lib/libptp-engine.so libexec/ptp/ptp-{fetch,git-state} share/ptp/downloads.toml \
    share/man/man1/{ptprun,ptp-inspect,ptp-import,ptp-bundle,ptp-data,ptp-export,ptp-find-lr,ptp-mlflow}.1 share/bash-completion/completions/ptprun \
    share/zsh/site-functions/_ptprun share/fish/vendor_completions.d/ptp-import.fish \
    share/ptp/configs/fashion_mnist/lenet5.toml
has plugins lib/ptp/plugins/losses.so
has sdk bin/{ptp-manifest,ptp-inspect,ptp-new,ptp-cases} include/ptp/abi.h lib/cmake/ptp/ptpConfig.cmake \
    lib/pkgconfig/ptp.pc share/ptp/template/common/CMakeLists.txt share/ptp/template_in_c/scale.c \
    share/ptp/docs/authoring/README.md share/ptp/{CONTRIBUTING,README}.md share/ptp/LICENSE share/man/man1/{ptp-cases,ptp-new,ptp-manifest}.1

mkdir "$folder/all"
for component in runtime plugins sdk; do cp -a "$folder/$component/." "$folder/all"; done
mv "$folder/all" "$folder/moved"
prefix=$folder/moved
[[ $("$prefix/bin/ptprun" --version) == $("$build/bin/ptprun" --version) ]] || fail "ptprun does not start"
"$prefix/bin/ptp-inspect" | grep -F "$prefix/lib/ptp/plugins/losses.so" >/dev/null || fail "plugins are not found"

# A manual page has every option of its program's help.
for program in ptp-cases ptp-bundle ptp-data ptp-export ptp-find-lr ptp-inspect ptp-import ptp-mlflow ptp-new; do
    while read -r option; do
        grep -qF -e "${option//-/\\-}" "$prefix/share/man/man1/$program.1" ||
            fail "$program.1 has no $option"
    done < <("$prefix/bin/$program" --help | grep -oE '^  --[a-z-]+' | tr -d ' ')
done
while read -r command; do
    [[ -f $prefix/share/man/man1/ptp-$command.1 ]] ||
        grep -qF ".SS \"ptprun ${command//-/\\-}" "$prefix/share/man/man1/ptprun.1" || fail "ptprun.1 has no command $command"
done < <("$prefix/bin/ptprun" --help | sed -nE 's/^  ([a-z-]+) .*/\1/p')
for line in 'ptprun \- trains, and writes a run folder' 'ptp-pack \- plugins as signed packages' \
    "ptp-data \\- shows the samples, classes and duplicates of an experiment's data"; do
    grep -qxF -e "$line" "$prefix/share/man/man1/${line%% *}.1" || fail "the page of ${line%% *} does not begin with: $line"
done

# What the guides link to is there.
for guide in README.md CONTRIBUTING.md; do
    while read -r link; do
        [[ -e $prefix/share/ptp/$link ]] || fail "$guide has a link to $link, which is not installed"
    done < <(grep -oE '\]\([^)#:]+' "$prefix/share/ptp/$guide" | cut -c 3-)
    grep -q '](docs/' "$prefix/share/ptp/$guide" || fail "$guide has no links to guides"
done
if command -v man >/dev/null; then
    for page in "$prefix"/share/man/man1/*.1; do
        man --local-file --warnings "$page" 2>&1 >/dev/null | grep . && fail "$page has warnings"
        man --local-file "$page" 2>/dev/null | grep -q . || fail "$page cannot be shown"
    done
fi

# The completion is ptprun's own.
for shell in bash:bash-completion/completions/ptprun zsh:zsh/site-functions/_ptprun \
    fish:fish/vendor_completions.d/ptprun.fish; do
    "$prefix/bin/ptprun" completion "${shell%%:*}" | cmp -s - "$prefix/share/${shell#*:}" ||
        fail "the completion for ${shell%%:*} is another than ptprun's"
done

for shell in bash:bash-completion/completions zsh:zsh/site-functions fish:fish/vendor_completions.d; do
    command -v "${shell%%:*}" >/dev/null || continue
    for file in "$prefix/share/${shell#*:}"/*; do
        "${shell%%:*}" -n "$file" || fail "${shell%%:*} cannot read $file"
    done
done

# That of another program has the options of its help.
# shellcheck disable=SC2016  # for another shell
mapfile -t offered < <(bash -c 'source "$1"; COMP_CWORD=1; _ptp_new ptp-new --; printf "%s\n" "${COMPREPLY[@]}"' - \
    "$prefix/share/bash-completion/completions/ptp-new")
[[ ${offered[*]} == "$("$prefix/bin/ptp-new" --help | grep -oE '^  (-. \[ )?--[a-z-]+' | grep -oE -e '--[a-z-]+' | paste -sd ' ')" ]] ||
    fail "the completion of ptp-new is not its options: ${offered[*]}"

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    [[ $(pkg-config --variable=prefix ptp | xargs realpath) == "$prefix" ]] || fail "ptp.pc is not relocatable"
    pkg-config --cflags ptp | grep -qF -- "-fvisibility=hidden" || fail "ptp.pc has no flags"
    [[ -x $(pkg-config --variable=manifest ptp) ]] || fail "ptp.pc does not find ptp-manifest"
    libtorch=$(pkg-config --variable=libtorch ptp)
    "$prefix/bin/ptp-inspect" losses | grep -F "libtorch $libtorch," >/dev/null ||
        fail "ptp.pc has another libtorch than the plugins: $libtorch"
fi

if grep -rIl -e "$(realpath "$build")" "$prefix" | grep .; then
    fail "these files name the build folder"
fi
[[ $failures -eq 0 ]]
