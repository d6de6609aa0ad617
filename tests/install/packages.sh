#!/usr/bin/env bash
# packages.sh BUILD-FOLDER UNPACKED: the Debian packages depend on what their files need, have no file in common, and
# unpacked into an empty folder they train; so does the archive. The folder is left to the author of authoring.sh.

set -euo pipefail
build=$1 unpacked=$2
rm -rf "$unpacked"
for tool in cpack dpkg-deb dpkg-shlibdeps file; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool here"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

(cd "$build" && cpack -B "$folder/packages" >"$folder/log" 2>&1) || { cat "$folder/log"; exit 1; }
rm -rf "$folder/packages/_CPack_Packages"
cd "$folder/packages"
version=$("$build/bin/ptprun" --version | sed 's/.* //')
machine=$(dpkg --print-architecture)
for name in ptp-runtime ptp-plugins ptp-sdk; do
    [[ -f ${name}_${version}_$machine.deb ]] || { echo "there is no $name"; ls; cat "$folder/log"; exit 1; }
done

# field PACKAGE FIELD
field() { dpkg-deb --field "$1_${version}_$machine.deb" "$2"; }
# depends PACKAGE PATTERN...
depends() {
    local all pattern
    all=$(field "$1" Depends)
    for pattern in "${@:2}"; do
        grep -qE "(^|, )$pattern" <<<"$all" || fail "$1 does not depend on $pattern, but on $all"
    done
}
depends ptp-runtime 'libc6' 'libstdc\+\+6' 'libfmt' 'libboost-program-options'
depends ptp-plugins "ptp-runtime \(= $version\)" 'libpng16-16'
depends ptp-runtime libarchive13
depends ptp-sdk "ptp-runtime \(= $version\)" 'binutils'
if "$build/bin/ptp-inspect" losses | grep 'libtorch_cpu\.so\.1' >/dev/null; then # a library of Debian's
    depends ptp-runtime 'libtorch1'
    depends ptp-plugins 'libtorch1'
fi
field ptp-sdk Recommends | grep -q libtorch-dev || fail "ptp-sdk does not recommend libtorch-dev"

for name in ptp-runtime ptp-plugins ptp-sdk; do
    package=${name}_${version}_$machine.deb
    dpkg-deb --fsys-tarfile "$package" | tar -t | grep -v '/$' >>"$folder/files"
    dpkg-deb -x "$package" "$unpacked"
done
sort "$folder/files" | uniq -d | grep . && fail "these files are in two packages"
for file in bin/{ptprun,ptp-pack,ptp-new} share/zsh/vendor-completions/_ptp-new share/man/man1/ptprun.1.gz share/zsh/vendor-completions/_ptprun share/doc/ptp-sdk/copyright \
    lib/pkgconfig/ptp.pc; do
    [[ -s $unpacked/usr/$file ]] || fail "the packages have no /usr/$file"
done

# train PREFIX: sentences that are built in; the accuracy is in the last column of the statistics.
train() {
    local log=$folder/train.log
    "$1/bin/ptprun" "$1/share/ptp/configs/language_identification/dummy_bag_of_words.toml" \
        --run-dir "$folder/run" >"$log" 2>&1 || { fail "what was unpacked in $1 does not train"; cat "$log"; return; }
    grep -q 'accuracy 1' "$log" || { fail "what was unpacked in $1 trains to something else"; cat "$log"; }
    rm -rf "$folder/run"
}
train "$unpacked/usr"
mkdir "$folder/archive"
tar -xzf "$folder"/packages/ptp-*.tar.gz -C "$folder/archive" --strip-components 1
train "$folder/archive"

[[ $failures -eq 0 ]]
