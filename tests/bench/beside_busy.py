#!/usr/bin/env python3
"""How fast ptprun trains beside one busy process, as a share of its quiet speed: with 1 thread, 2, and as many as
--threads auto takes.

    ./dev bench beside-busy [ROUNDS] [SECONDS]

Trains the small nets for some seconds each, in turns, and counts the episodes of the second half, in which --threads auto
has seen what it computes beside. Prints medians and JSON.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

DATA = "/usr/share/datasets/fashion-mnist"
FLAT = (
    '[pipeline.flat]\ntype = "ReshapeTensor"\ninput_dims = [-1, 1, 28, 28]\noutput_dims = [-1, 784]\n'
    'streams = { outputs = "flat" }\n'
)
GLOBALS = 'globals = { prediction_size = "num_classes" }\n'
NETS = {
    "LeNet-5, batch 64": (64, 32, f'[pipeline.net]\ntype = "LeNet5"\n{GLOBALS}'),
    "MLP 784-128-10, batch 16": (
        16,
        28,
        f'{FLAT}[pipeline.net]\ntype = "FeedForwardNetwork"\nhidden_sizes = [128]\n'
        f'streams = {{ inputs = "flat" }}\n{GLOBALS}',
    ),
}
THREADS = ["1", "2", "auto"]


def experiment(batch, size, pipeline, seconds):
    return f"""name = "beside_busy"
seed = 1
[training]
optimizer = {{ type = "Adam", lr = 0.001 }}
terminal_conditions = {{ epoch_limit = 1000000, wall_time = "{seconds}s", loss_stop_threshold = 0.0 }}
[training.task]
type = "FashionMNIST"
batch_size = {batch}
data_folder = "{DATA}"
resize_image = [{size}, {size}]
{pipeline}[pipeline.loss]
type = "NLLLoss"
"""


def rate(command):
    """Episodes a second in the second half of the training, by what it reports of its progress."""
    seen = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        for line in process.stdout:
            event = json.loads(line)
            if event.get("event") == "progress" and event.get("phase") == "training":
                seen.append((time.monotonic(), event["episode"]))
    if process.returncode != 0 or len(seen) < 4:
        sys.exit(f"beside_busy.py: {' '.join(map(str, command))} has failed, or reported too little")
    middle, last = seen[len(seen) // 2], seen[-1]
    return (last[1] - middle[1]) / (last[0] - middle[0])


class Busy:
    """A process that computes and never waits, while it is entered."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-c", "while True: pass"])

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def main(ptprun, rounds=3, seconds=12):
    os.environ.pop("OMP_NUM_THREADS", None)
    rates = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        number = 0

        def measure(net, threads):
            nonlocal number
            number += 1
            file = folder / "experiment.toml"
            file.write_text(experiment(*NETS[net], seconds))
            run = ["--json", "--run-dir", folder / str(number), "--threads", threads]
            return rate([ptprun, file, *run])

        for _ in range(rounds):
            for net in NETS:
                for threads in THREADS:
                    of_case = rates.setdefault((net, threads), {"quiet": [], "busy": []})
                    of_case["quiet"].append(measure(net, threads))
                    with Busy():
                        of_case["busy"].append(measure(net, threads))
    results = []
    print(f"{'episodes a second':26} {'threads':>8} {'quiet':>8} {'beside':>8} {'share':>6} {'of 1 thread':>12}")
    for (net, threads), measured in rates.items():
        quiet, busy = statistics.median(measured["quiet"]), statistics.median(measured["busy"])
        one = statistics.median(rates[net, "1"]["busy"])
        print(f"{net:26} {threads:>8} {quiet:8.0f} {busy:8.0f} {busy / quiet:6.2f} {busy / one:12.2f}")
        results.append({"net": net, "threads": threads, "quiet": quiet, "busy": busy, "share": busy / quiet})
    print(json.dumps(results))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:4]))
