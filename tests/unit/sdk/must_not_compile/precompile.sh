#!/usr/bin/env bash
# precompile.sh FOLDER HEADER CXXFLAG... -- COMPILER...: precompiles a header for each compiler, where first_error.sh
# finds it: parsing it is three quarters of what compiling a mistake takes.

set -euo pipefail
folder=$1 header=$2
shift 2
flags=()
while [[ $1 != -- ]]; do
    flags+=("$1")
    shift
done
shift
mkdir -p "$folder"
for compiler in "$@"; do
    name=$(basename "$compiler")
    printf '#include <%s>\n' "$header" >"$folder/$name.hpp"
    "$compiler" "${flags[@]}" -x c++-header -o "$folder/$name.hpp.gch" "$folder/$name.hpp"
done
