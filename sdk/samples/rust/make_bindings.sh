#!/bin/sh
# make_bindings.sh INCLUDE-FOLDER: prints src/bindings.rs, by bindgen 0.60 (Debian 12).
set -eu
cd "$(dirname "$0")"
bindgen headers.h --allowlist-type 'ptp_.*' --allowlist-var 'PTP_.*' --no-layout-tests --no-rustfmt-bindings \
    --default-enum-style consts --no-prepend-enum-name --rust-target 1.47 \
    --raw-line '#![allow(dead_code, non_camel_case_types, non_upper_case_globals)]' \
    --raw-line '// The C headers for Rust, made by make_bindings.sh; not to be edited.' -- -std=c11 -I"$1"
