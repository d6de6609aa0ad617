#!/usr/bin/env python3
"""From the start of ptprun to the first step of LeNet-5, beside a process that only opens libtorch.

    ./dev bench start [ROUNDS]

Plain files of Fashion-MNIST and gzip files, in turns; prints medians and JSON. The first step is done when ptprun reports
it (--json). CPU time is that of the whole process: on a busy machine it tells more than the clock. One thread computes.
"""

import gzip
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")
EXPERIMENT = """name = "start"
seed = 1
[training]
optimizer = {{ type = "Adam", lr = 0.001 }}
terminal_conditions = {{ epoch_limit = 1000000, episode_limit = 1, loss_stop_threshold = 0.0 }}
[training.task]
type = "FashionMNIST"
batch_size = 64
data_folder = "{data}"
resize_image = [32, 32]
[pipeline.net]
type = "LeNet5"
globals = {{ prediction_size = "num_classes" }}
[pipeline.loss]
type = "NLLLoss"
"""


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(command, marker):
    """Seconds until a line with the marker is printed, and the CPU seconds of the process."""
    cpu, begin, first = cpu_seconds(), time.monotonic(), None
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if first is None and marker in line:
                first = time.monotonic() - begin
    if process.returncode != 0 or first is None:
        sys.exit(f"start.py: {' '.join(map(str, command))} has failed or has printed no {marker}")
    return first, cpu_seconds() - cpu


def unpack(folder):
    folder.mkdir()
    for file in DATA.glob("*-ubyte*"):
        if file.suffix == ".gz":
            with gzip.open(file) as packed, open(folder / file.stem, "wb") as plain:
                shutil.copyfileobj(packed, plain)
        else:
            shutil.copy(file, folder)


def main(bare, ptprun, rounds=11):
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        unpack(folder / "plain")
        cases = {"libtorch alone": ([bare], "2")}
        for kind, data in {"plain files": folder / "plain", "gzip files": DATA}.items():
            file = folder / f"{kind.split()[0]}.toml"
            file.write_text(EXPERIMENT.format(data=data))
            run = [ptprun, file, "--json", "--run-dir", folder / "run"]
            cases[f"first step, {kind}"] = (run, '"progress"')
        times = {case: [] for case in cases}
        for number in range(rounds + 1):
            order = list(cases)[:: 1 if number % 2 else -1]
            for case in order:
                shutil.rmtree(folder / "run", ignore_errors=True)
                times[case].append(measure(*cases[case]))
        result = {}
        print(f"{'':26} {'seconds':>8} {'lowest':>8} {'CPU':>8}")
        for case, measured in times.items():
            walls, cpus = zip(*measured[1:])  # the first round fills the cache of files
            result[case] = {"seconds": statistics.median(walls), "lowest": min(walls), "cpu": statistics.median(cpus)}
            print(f"{case:26} {result[case]['seconds']:8.3f} {result[case]['lowest']:8.3f} {result[case]['cpu']:8.3f}")
        print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:4]))
