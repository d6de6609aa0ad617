#!/usr/bin/env bash
# mailed_model.sh BUILD: a bundle predicts the same bits on "another machine": a root with the system, an installed ptp and
# the bundle alone, without the build, the run, the data and the home of who trained it; so does one with a plugin in it that is not
# installed there, once its signature is trusted. Where this machine lets nobody make such a root, another folder and an empty
# environment stand for it.

set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
machine=$folder/machine author=$folder/author
mkdir -p "$machine/home" "$author"

# What is installed there: the parts that predict needs.
for part in runtime/engine tools/ptprun plugins/{general_models,losses,tables}; do
    cmake --install "$build/$part" --prefix "$machine/ptp" >"$folder/installed.txt" 2>&1 || { cat "$folder/installed.txt"; exit 1; }
done

cp "$build"/bin/ptp-{pack,inspect} "$machine/ptp/bin/"

# Train, bundle, and predict where it was trained.
cd "$author"
# shellcheck source-path=SCRIPTDIR source=kinds.sh
source "$here/kinds.sh" "$build/bin"
printf 'x,y\n0.9,0.8\n0.1,0.2\n0.5,0.51\n' >new.csv
ptprun bundle runs/kinds/last -o kinds.ptpm --license MIT
ptprun predict runs/kinds/last --data new.csv --top-k 2 --quiet >expected.csv

# The same with a plugin that does not come with ptp, and travels with a library and data.
plugins=$build/tests/runs/accompanied
sed -e 's/^name = .*/name = "plus"/' \
    -e 's/^\[pipeline.net\]/[pipeline.more]\ntype = "Accompanied"\nstreams = { outputs = "more" }\n&\nstreams = { inputs = "more" }/' \
    kinds.toml >plus.toml
ptprun plus.toml --plugins "$plugins" --quiet
ptprun bundle runs/plus/last -o plus.ptpm --with-plugins
ptprun predict runs/plus/last --data new.csv --quiet >plus_expected.csv
ptp-pack key new author
ptp-pack sign plus.ptpm --key author.key
mv plus_expected.csv "$folder"
cp plus.ptpm plus.ptpm.minisig author.pub "$machine/home"

# Mail it, and forget where it comes from.
cp kinds.ptpm new.csv "$machine/home"
cp expected.csv "$folder"
cd "$folder"
rm -rf "$author"

# The other machine has as many threads and the same kernels, which decide about bits, and nothing else of this environment.
same=(OMP_NUM_THREADS="${OMP_NUM_THREADS-}")
[[ -z ${OPENBLAS_CORETYPE-} ]] || same+=(OPENBLAS_CORETYPE="$OPENBLAS_CORETYPE")

# The commands of the other machine, whose folder is $1.
there='set -e; cd "$1/home"; export PATH="$1/ptp/bin:/usr/bin:/bin" HOME="$1/home"
ptprun predict kinds.ptpm --data new.csv --top-k 2 --quiet >predicted.csv
! ptprun predict plus.ptpm --data new.csv --quiet 2>not_asked_for.txt
! ptprun predict plus.ptpm --data new.csv --quiet --with-plugins 2>not_trusted.txt
ptp-pack key trust author.pub
ptprun predict plus.ptpm --data new.csv --quiet --with-plugins >plus.csv'

# A root with the system's folders and the machine's alone, in a mount namespace of its own.
in_clean_root() {
    local clean=$folder/clean
    mkdir -p "$clean"/{usr,etc,proc,dev,tmp,machine}
    for link in bin lib lib32 lib64 sbin; do
        [[ ! -L /$link ]] || cp -P "/$link" "$clean/"
    done
    # shellcheck disable=SC2016
    unshare --map-root-user --mount bash -ec '
        for part in usr etc dev proc; do mount --rbind "/$part" "$1/$part"; done
        mount --bind "$2" "$1/machine"
        mount -t tmpfs none "$1/tmp"
        exec chroot "$1" /usr/bin/env -i "${@:4}" /bin/bash -c "$3" _ /machine' \
        _ "$clean" "$machine" "$there" "${same[@]}"
}
way="a clean root"
if ! unshare --map-root-user --mount true 2>/dev/null || ! unshare --map-root-user --mount mount -t tmpfs none /mnt 2>/dev/null; then
    way="an empty environment: this machine lets nobody mount"
    env -i "${same[@]}" /bin/bash -c "$there" _ "$machine" 2>"$folder/errors.txt" || { cat "$folder/errors.txt"; exit 1; }
else
    in_clean_root 2>"$folder/errors.txt" || { cat "$folder/errors.txt"; exit 1; }
fi
echo "in $way"
cmp "$folder/expected.csv" "$machine/home/predicted.csv"
cmp "$folder/plus_expected.csv" "$machine/home/plus.csv"
grep -q "needs the plugin 'accompanied' 1.0.0, which is not installed" "$machine/home/not_asked_for.txt"
grep -q "is signed with the key .*, which is not trusted" "$machine/home/not_trusted.txt"
[[ $(wc -l <"$folder/expected.csv") == 4 ]]
