#!/usr/bin/env python3
"""What records of layers, samples and probes, and the report of a training, cost LeNet-5 on Fashion-MNIST.

    ./dev bench report [ROUNDS] [OTHER_PTPRUN]

Trainings in turns, with one thread: without records; with each kind of record; with all of them and a report, which in so short a training
is left out after its epochs, for its share of the time, and written at its end; with values of layers in each episode.
Prints medians of the CPU time of all processes and of the training's clock, and the cost in percent of the training without
records. OTHER_PTPRUN, such as one of an earlier commit, trains without records too: the cost of what is off. The time from
one training to the next varies by a percent or two, on a busy machine by more; `CPU, lowest` varies least. That is more than
values of layers in every 100th episode cost, so the last lines compute their cost from the training that records each episode.
"""

import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

EXPERIMENT = pathlib.Path(__file__).resolve().parents[2] / "configs/fashion_mnist/lenet5.toml"
LAYERS = ["records.layer_values.every_episodes=100"]
PROBE = ["records.probe.every_epochs=1"]
SAMPLES = ["records.sample_values.every_epochs=1"]
REPORT = ["report.every_epochs=1"]
EACH = "each episode's layers"
CASES = {
    "no records": [],
    "layer values": LAYERS,
    "probe": PROBE,
    "sample values": SAMPLES,
    "report": REPORT,
    "all of them": LAYERS + PROBE + SAMPLES + REPORT,
    EACH: ["records.layer_values.every_episodes=1"],
}


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(ptprun, folder, values):
    """CPU seconds of the run and its children, the seconds of training that its status has, and its episodes."""
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    command = [ptprun, EXPERIMENT, "--run-dir", run, "--quiet"]
    for value in ["training.terminal_conditions.epoch_limit=2", *values]:
        command += ["--set", value]
    begin = cpu_seconds()
    subprocess.run(command, check=True)
    cpu = cpu_seconds() - begin
    episodes = len((run / "training.csv").read_text().splitlines()) - 1
    return cpu, json.loads((run / "status.json").read_text())["seconds"], episodes


def main(ptprun, rounds=5, other=None):
    os.environ["OMP_NUM_THREADS"] = "1"
    cases = {name: (ptprun, values) for name, values in CASES.items()}
    if other is not None:
        cases["no records, other"] = (other, [])
    times = {case: [] for case in cases}
    with tempfile.TemporaryDirectory() as name:
        for number in range(rounds + 1):
            for case in list(cases)[:: 1 if number % 2 else -1]:
                program, values = cases[case]
                times[case].append(measure(program, pathlib.Path(name), values))
    result = {}
    print(f"{'':22} {'CPU':>8} {'CPU, lowest':>12} {'cost':>8} {'training':>9}")
    for case, measured in times.items():
        cpus, clocks, episodes = zip(*measured[1:])  # the first round fills the cache of files
        result[case] = {"cpu": statistics.median(cpus), "lowest": min(cpus), "seconds": statistics.median(clocks)}
        cost = 100 * (result[case]["lowest"] / result["no records"]["lowest"] - 1)
        result[case]["cost_percent"] = cost
        print(
            f"{case:22} {result[case]['cpu']:7.2f}s {result[case]['lowest']:11.2f}s {cost:7.2f}% {result[case]['seconds']:8.2f}s"
        )
    none = result["no records"]["lowest"]
    extra = (result[EACH]["lowest"] - none) / episodes[0]
    episode = none / episodes[0]
    result["recorded_episode"] = {"extra_ms": 1000 * extra, "percent_of_every_100th": extra / episode}
    print(f"values of layers: {1000 * extra:.2f} ms more in a recorded episode, beside {1000 * episode:.2f} ms of any;")
    print(f"in every 100th episode {extra / episode:.2f} % of the training")
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]), *sys.argv[3:4])
