#!/usr/bin/env bash
# unused_libraries.sh COMPILER LIBTORCH FOLDER: empty libraries with the names of those that this libtorch needs for
# operators on images and videos of Caffe2.

set -euo pipefail
compiler=$1 libtorch=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
readelf --dynamic --wide "$libtorch" |
    sed -nE 's/.*\(NEEDED\).*\[(lib(opencv_|avcodec|avformat|avutil|swscale|swresample)[^]]*)\]/\1/p' |
    while read -r name; do
        "$compiler" -shared -nostdlib "-Wl,-soname,$name" -x c /dev/null -o "$folder/$name"
    done
