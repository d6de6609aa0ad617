#!/usr/bin/env bash
# c.sh BUILD-FOLDER ROOT: a task, a transform and a viewer in C are built with nothing but the C headers, keep
# all rules, and train.

build=$1
root=$2
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

# Only the headers in C, so that nothing else can be included.
mkdir -p "$folder/include/ptp/ext"
cp "$root"/sdk/include/ptp/*.h "$folder/include/ptp"
cp "$root"/sdk/include/ptp/ext/*.h "$folder/include/ptp/ext"
objects=()
for source in "$root"/sdk/samples/c/*.c; do
    object=$folder/$(basename "$source" .c).o
    cc -std=c11 -pedantic -Wall -Wextra -Werror -O2 -fPIC -fvisibility=hidden -I"$folder/include" \
        -c "$source" -o "$object"
    objects+=("$object")
done
link=(cc -shared "-Wl,--no-undefined" "-Wl,--version-script=$root/cmake/plugin.map" -o "$folder/quadrants.so")
"${link[@]}" "${objects[@]}"
"$build/bin/ptp-manifest" "$folder/quadrants.so" "$folder/manifest.S"
"${link[@]}" "${objects[@]}" "$folder/manifest.S"
"$build/bin/ptp-manifest" --seal "$folder/quadrants.so"
quietly "$build/bin/ptp-inspect" --check --strict "$folder/quadrants.so"
if readelf --dynamic "$folder/quadrants.so" | grep NEEDED | grep -v 'libc\.so'; then
    fail "a plugin in C needs other libraries than libc"
fi

train "$folder/run" "$root/sdk/samples/c/experiment.toml"
at_least "$(last "$folder/run/validation.csv" accuracy)" 0.95 "the accuracy"
grep -q 'features in \[-[01]\.[0-9]*, [01]\.[0-9]*\], mean' "$folder/run/run.log" ||
    fail "the viewer showed nothing"

# Without the products the classes cannot be found.
sed -e '/^\[pipeline.products\]/,/^$/d' -e 's/"features"/"inputs"/' "$root/sdk/samples/c/experiment.toml" \
    >"$folder/linear.toml"
train "$folder/linear" "$folder/linear.toml"
awk -v a="$(last "$folder/linear/validation.csv" accuracy)" 'BEGIN { exit !(a < 0.7) }' ||
    fail "a linear model of x and y finds the classes"

[[ $failures -eq 0 ]]
