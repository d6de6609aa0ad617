#!/usr/bin/env bash
# on_cuda.sh HAS-CUDA COMMAND...: runs the command, which needs a CUDA device, where libtorch computes with CUDA (1)
# and NVIDIA's driver is there; then the device must be found.
set -euo pipefail

if [[ $1 != 1 || ! -e /dev/nvidiactl ]]; then
    echo "skipped: there is no CUDA device, or libtorch computes without CUDA"
    exit 77
fi
exec "${@:2}"
