#!/usr/bin/env bash
# run.sh PTPRUN TEST.py [ARGUMENT...]: runs a test with the interpreter that PTP_PEERS_PYTHON names, by default python3;
# 77, which skips it, where there is none.

python=${PTP_PEERS_PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
    echo "skipped: there is no interpreter $python; to install: apt-get install python3-venv, python3 -m venv FOLDER," \
        "FOLDER/bin/pip install numpy scikit-learn tensorboard safetensors torch torchvision transformers captum," \
        "and PTP_PEERS_PYTHON=FOLDER/bin/python"
    exit 77
fi
PTP_PEERS_PTPRUN=$1 PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 exec "$python" "${@:2}"
